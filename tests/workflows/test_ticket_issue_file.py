from __future__ import annotations

import json

import pytest

from podium.core.errors import InputError
from podium.workflows.ticket.request.issue_file import read_issue
from podium.workflows.ticket.request.request import Request, WhichTicket


def jira(**fields) -> str:
    return json.dumps({"key": "PROJ-7", "fields": {"summary": "Login hangs", **fields}})


def test_a_jira_export_gives_the_key_the_words_and_the_type():
    found = read_issue(jira(description="After 30 s.", issuetype={"name": "Bug"}), "issue.json")
    assert isinstance(found.request, Request)
    assert (found.request.jira, found.request.text, found.hint) == (
        "PROJ-7",
        "Login hangs\n\nAfter 30 s.",
        "fix",
    )


def test_a_description_that_is_a_tree_becomes_text():
    paragraph = {"type": "paragraph", "content": [{"type": "text", "text": "Steps:"}]}
    found = read_issue(jira(description={"type": "doc", "content": [paragraph]}), "issue.json")
    assert isinstance(found.request, Request)
    assert found.request.text == "Login hangs\n\nSteps:"


def test_every_form_that_issue_takes_is_taken_by_from():
    table = "Issue key,Summary,Issue Type,Description\nPROJ-7,Login hangs,Bug,After 30 s.\n"
    xml = (
        "<rss><channel><item><key>PROJ-7</key><summary>Login "
        "hangs</summary><type>Bug</type><description>After 30 "
        "s.</description></item></channel></rss>"
    )
    wanted = read_issue(jira(description="After 30 s.", issuetype={"name": "Bug"}), "issue.json")
    assert read_issue(table, "issue.csv") == wanted == read_issue(xml, "issue.xml")


def test_a_search_result_with_one_issue_is_that_issue_and_with_two_is_refused():
    one = json.loads(jira())
    assert isinstance(read_issue(json.dumps({"issues": [one]}), "x.json").request, Request)
    with pytest.raises(InputError, match="2 issues"):
        read_issue(json.dumps([one, one]), "x.json")


@pytest.mark.parametrize(
    ("data", "ident", "hint"),
    [
        ({"number": 45, "title": "Crash", "body": "see A-1"}, "GH-45", ""),
        ({"number": 45, "title": "PROJ-3 Crash", "labels": [{"name": "bug"}]}, "PROJ-3", "fix"),
        ({"number": 45, "title": "Dark mode", "labels": ["enhancement"]}, "GH-45", "feature"),
    ],
)
def test_a_github_issue_has_the_id_of_its_title_or_its_number(data: dict, ident: str, hint: str):
    found = read_issue(json.dumps(data), "x.json")
    assert isinstance(found.request, Request)
    assert (found.request.jira, found.hint) == (ident, hint)


def test_a_title_with_two_tickets_is_a_question():
    found = read_issue(json.dumps({"number": 1, "title": "A-1 and B-2"}), "x.json")
    assert isinstance(found.request, WhichTicket)


@pytest.mark.parametrize(
    ("text", "name", "ident"),
    [
        ("# PROJ-1: Fix it\n\nAs in PROJ-2.\n", "x.md", "PROJ-1"),
        ("# Fix it\n\nTicket: PROJ-2\n", "x.md", "PROJ-2"),
        ("# Fix it\n\nNow.\n", "tickets/PROJ-3.md", "PROJ-3"),
    ],
)
def test_markdown_names_its_ticket_in_title_text_or_file_name(text: str, name: str, ident: str):
    found = read_issue(text, name)
    assert isinstance(found.request, Request)
    assert found.request.jira == ident
    assert found.request.text.startswith("Fix it\n\n")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("{", "x.json"),
        ("[]", "x.json"),
        ("{}", "x.json"),
        ('{"title": "x"}', "x.json"),
        ("no id", "x.md"),
        ('{"key":"x","fields":{"summary":"y"}}', "x"),
    ],
)
def test_what_is_no_issue_is_refused_with_the_file(text: str, name: str):
    with pytest.raises(InputError) as caught:
        read_issue(text, name)
    assert caught.value.faults[0].where == name
