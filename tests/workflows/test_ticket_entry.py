"""How a run of a ticket begins: from words, from an exported issue, with one ticket or with
several.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from podium.core.errors import InputError, UsageError
from podium.workflows.entry import Start
from podium.workflows.ticket import entry
from podium.workflows.ticket.entry import ENTRY

POLICY = {"max_iterations": 5, "max_attempts": 5, "max_parallel_tasks": 0}


def start(*words: str, files: dict[str, str] | None = None, **options: Any) -> Start:
    return ENTRY.start(list(words), POLICY, options, (files or {}).get)


def test_words_become_a_ticket_and_a_request() -> None:
    found = start("PROJ-12", "fix", "the login")
    assert (found.members["jira"], found.members["text"], found.members["original"]) == (
        "PROJ-12",
        "fix the login",
        "PROJ-12 fix the login",
    )
    assert (found.slug, found.scope, found.title) == (
        "PROJ-12",
        "prompts/PROJ-12/progress.yaml",
        "PROJ-12 — fix the login",
    )
    assert found.workflow.start == "analyse"


def test_several_tickets_begin_with_a_question() -> None:
    found = start("PROJ-12 or OPS-3: fix the login")
    assert (found.workflow.start, found.members["ids"]) == ("which_ticket", ["PROJ-12", "OPS-3"])
    assert found.slug == "PROJ-12-or-OPS-3"


def test_an_issue_file_brings_its_type() -> None:
    issue = json.dumps(
        {
            "key": "PROJ-12",
            "fields": {"summary": "The login times out", "issuetype": {"name": "Bug"}},
        }
    )
    found = start(files={"issue.json": issue}, **{"from": "issue.json"})
    assert (found.members["jira"], found.members["hint"]) == ("PROJ-12", "fix")


@pytest.mark.parametrize(
    ("words", "options", "error", "says"),
    [
        ((), {}, UsageError, "takes a ticket and a request"),
        (("fix the login",), {}, InputError, r"\[A-Z\]\+-\\d\+"),
        (("PROJ-12",), {}, InputError, "asks for nothing"),
        (("PROJ-12 OPS-3",), {}, InputError, "asks for nothing"),
        (("PROJ-12 fix it",), {"from": "x.md"}, UsageError, "not both"),
        ((), {"from": "x.md"}, InputError, "no such file"),
        (("PROJ-12 or OPS-3: fix it",), {"ticket": "OPS-4"}, InputError, "OPS-4 is not named"),
        (("PROJ-12 fix it",), {"ticket": "OPS-4"}, InputError, "OPS-4 is not named"),
    ],
)
def test_what_cannot_begin_says_why(
    words: tuple[str, ...], options: dict[str, str], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        start(*words, **options)


def test_the_one_that_is_meant_can_be_said_beforehand() -> None:
    assert start("PROJ-12 or OPS-3: fix the login", ticket="OPS-3").members["jira"] == "OPS-3"
    assert start("PROJ-12 fix the login", ticket="PROJ-12").members["jira"] == "PROJ-12"


def test_a_run_under_way_is_made_again_and_a_sample_without_one() -> None:
    assert (
        ENTRY.remake({}, POLICY).name
        == ENTRY.sample(POLICY, lambda _: None, lambda _: None).name
        == "ticket"
    )


def test_a_title_that_is_cut_ends_with_a_word_and_says_so() -> None:
    assert entry._title("AB-1", "fix  the\nlogin") == "AB-1 — fix the login"
    long = entry._title(
        "AB-1",
        (
            "add statistics of a text: its words, its lines, its longest word, and one line that "
            "says all three"
        ),
    )
    assert (
        long
        == "AB-1 — add statistics of a text: its words, its lines, its longest word, and one line…"
    )
    assert entry._title("AB-1", "x" * 100) == f"AB-1 — {'x' * 80}…"
