from __future__ import annotations

import pytest

from podium.workflows.ticket.request.mandates import Mandate
from podium.workflows.ticket.request.prompt_document import Prompt, read, render
from podium.workflows.ticket.request.prompting import Ambiguous, criteria, process, unclear
from podium.workflows.ticket.request.request import Request, read_request

NOW = "2026-04-20T10:00:00Z"


def asked(words: str) -> Request:
    found = read_request(words)
    assert isinstance(found, Request)
    return found


def test_a_clear_request_becomes_a_prompt_without_an_agent():
    words = "PROJ-1 Fix the login timeout.\nUse Chrome to inspect the page."
    found = process(asked(words), NOW)
    assert found == Prompt(
        jira="PROJ-1",
        type="fix",
        slug="login_timeout_chrome",
        tool_mandates=(Mandate("Use Chrome to inspect the page.", "planner", "Chrome"),),
        original_request=words,
        refined_prompt="Fix the login timeout.\nUse Chrome to inspect the page.",
        success_criteria=("Fix the login timeout.",),
        created_at=NOW,
    )
    assert read(render(found)) == found


@pytest.mark.parametrize(
    ("words", "reasons"),
    [
        ("A-1 fix the login timeout", 0),
        ("A-1 the login timeout", 1),
        ("A-1 fix something in the login page", 1),
        ("A-1 fix it", 1),
        ("A-1 maybe do it", 3),
        ("A-1 fix parser.py", 0),
    ],
)
def test_a_request_is_clear_only_if_nothing_is_left_to_guess(words: str, reasons: int):
    request = asked(words)
    assert len(unclear(request)) == reasons
    assert isinstance(process(request, NOW), Ambiguous) is bool(reasons)


def test_the_type_of_an_exported_issue_helps_where_the_words_do_not():
    assert unclear(asked("A-1 the login page hangs"), "fix") == ()
    assert unclear(asked("A-1 the login page hangs"), "epic") != ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Fix it.\n\n## Acceptance criteria\n- it works\n1. twice\n\nMore", ("it works", "twice")),
        ("Add a page. It should load fast. Thanks for all.", ("It should load fast.",)),
        ("Add sub(a, b). You MUST use pytest.", ("Add sub(a, b).", "You MUST use pytest.")),
        (
            "Add sub(a, b). It must return a - b, and MUST use numpy.",
            ("Add sub(a, b).", "It must return a - b, and MUST use numpy."),
        ),
        ("Add an export page. Thanks for all the fish.", ("Add an export page.",)),
        ("do it", ()),
    ],
)
def test_criteria_are_the_requests_own_sentences(text: str, found: tuple[str, ...]):
    assert criteria(text) == found
