from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core.errors import InputError
from podium.workflows.ticket.request.request import (
    Request,
    WhichTicket,
    about_ticket,
    find_ids,
    read_request,
)


@pytest.mark.parametrize(
    ("words", "jira", "text"),
    [
        ("PROJ-123 fix the login", "PROJ-123", "fix the login"),
        ("PROJ-123: fix the login.", "PROJ-123", "fix the login."),
        ("[PROJ-123] fix the login", "PROJ-123", "fix the login"),
        ("fix the login (PROJ-123)", "PROJ-123", "fix the login"),
        ("fix the login — PROJ-123", "PROJ-123", "fix the login"),
        ("fix the login. PROJ-123", "PROJ-123", "fix the login."),
        (
            "PROJ-123 fix main() so that it returns []",
            "PROJ-123",
            "fix main() so that it returns []",
        ),
        ("fix main() and {} ( PROJ-123 )", "PROJ-123", "fix main() and {}"),
        ("fix main() [PROJ-123].", "PROJ-123", "fix main() ."),
        ("PROJ-123: .gitignore lacks dist", "PROJ-123", ".gitignore lacks dist"),
        ("PROJ-123 - --quiet fix", "PROJ-123", "--quiet fix"),
        ("fix what PROJ-123 describes", "PROJ-123", "fix what PROJ-123 describes"),
        ("A-1 fix A-1", "A-1", "fix"),
        (
            "PROJ-9 convert the files to UTF-8 with SHA-256",
            "PROJ-9",
            "convert the files to UTF-8 with SHA-256",
        ),
        ("ISO-12 add the export", "ISO-12", "add the export"),
        ("PROJ-7\nfix it\n\nin two lines", "PROJ-7", "fix it\n\nin two lines"),
    ],
)
def test_the_ticket_may_stand_anywhere_in_the_request(words: str, jira: str, text: str):
    assert read_request(words) == Request(jira, text, words)


def test_several_tickets_are_a_question_and_never_a_guess():
    found = read_request("merge A-1 into B-2, see A-1")
    assert isinstance(found, WhichTicket)
    assert found.ids == ("A-1", "B-2")
    assert "2 tickets" in found.question
    assert about_ticket(found.original, "B-2").text == "merge A-1 into B-2, see A-1"


@pytest.mark.parametrize(
    "words",
    [
        "fix the login",
        "proj-12 fix it",
        "PROJ2-12 fix",
        "xPROJ-12 fix",
        "PROJ-12a fix",
        "PROJ-12-3 fix",
        "use UTF-8",
        "",
    ],
)
def test_a_request_without_a_ticket_shows_the_pattern(words: str):
    with pytest.raises(InputError, match=r"\[A-Z\]\+-\\d\+"):
        read_request(words)


def test_a_lower_case_id_is_pointed_out():
    with pytest.raises(InputError, match="write PROJ-12"):
        read_request("fix proj-12 soon")


@pytest.mark.parametrize("words", ["PROJ-1", " [PROJ-1]: ", "PROJ-1 — PROJ-1", "PROJ-1 ..."])
def test_a_ticket_that_asks_for_nothing_is_refused(words: str):
    with pytest.raises(InputError, match="asks for nothing"):
        read_request(words)


def test_an_id_too_long_for_a_folder_is_none():
    assert find_ids("A" * 40 + "-1 fix") == ()
    with pytest.raises(InputError):
        about_ticket("fix", "A" * 40 + "-1")


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="AB-1 2z.()\n", max_size=30))
def test_any_words_are_a_request_a_question_or_a_fault(words: str):
    try:
        found = read_request(words)
    except InputError:
        return
    assert found.original == words
    assert isinstance(found, WhichTicket) or found.text
