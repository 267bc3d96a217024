from __future__ import annotations

import pytest

from podium.core.errors import InputError
from podium.workflows.ticket.request import prompt_document
from podium.workflows.ticket.request.mandates import Mandate
from podium.workflows.ticket.request.prompt_document import Prompt

PROMPT = Prompt(
    jira="PROJ-1",
    type="fix",
    slug="login_time_out",
    tool_mandates=(
        Mandate("Use Chrome to inspect it.", "planner", "Chrome"),
        Mandate("MUST use x"),
    ),
    original_request="PROJ-1 fix it\nnow",
    refined_prompt="fix it now",
    success_criteria=("it works",),
    created_at="2026-04-20T10:00:00Z",
)


def test_the_document_has_every_field_in_its_order():
    assert prompt_document.render(PROMPT) == (
        'jira: "PROJ-1"\ntype: "fix"\nslug: "login_time_out"\ntool_mandates:\n'
        '  - mandate: "Use Chrome to inspect it."\n    tool: "Chrome"\n    assigned_agent: '
        '"planner"\n'
        '  - mandate: "MUST use x"\n    assigned_agent: "developer"\n'
        "original_request: |-\n  PROJ-1 fix it\n  now\n"
        'refined_prompt: "fix it now"\nsuccess_criteria:\n  - "it works"\ncreated_at: '
        '"2026-04-20T10:00:00Z"\n'
    )
    assert prompt_document.read(prompt_document.render(PROMPT)) == PROMPT
    assert PROMPT.branch == "fix/PROJ-1_login_time_out"


def test_every_fault_is_told_at_once():
    with pytest.raises(InputError) as caught:
        prompt_document.read(
            "jira: proj\ntype: bug\nslug: two_words\nsuccess_criteria: []\ntool_mandates:\n- "
            "{assigned_agent: qa}\n"
        )
    assert [str(each).split(" (")[0] for each in caught.value.faults] == [
        "prompt.yaml:1: jira is 'proj'",
        "prompt.yaml:1: original_request is missing",
        "prompt.yaml:1: refined_prompt is missing",
        "prompt.yaml:1: created_at is missing",
        "prompt.yaml:2: type is 'bug'",
        "prompt.yaml:3: slug is 'two_words'",
        "prompt.yaml:4: success_criteria is empty",
        "prompt.yaml:6: tool_mandates[0].mandate is missing",
        "prompt.yaml:6: tool_mandates[0].assigned_agent is 'qa'",
    ]


def test_an_agents_prompt_is_completed_by_the_program():
    written = (
        "jira: PROJ-1\ntype: fix\nslug: a_b_c\nrefined_prompt: do it\nsuccess_criteria: it works\n"
        "original_request: wrong\n"
    )
    assert prompt_document.check(written, "", jira="PROJ-1") == ()
    found = prompt_document.read(
        prompt_document.complete(
            written, original="PROJ-1 do it", created_at="2026-04-20T10:00:00Z"
        )
    )
    assert (found.original_request, found.success_criteria, found.tool_mandates) == (
        "PROJ-1 do it",
        ("it works",),
        (),
    )


def test_an_agents_prompt_for_another_ticket_is_refused():
    text = prompt_document.compose({}, "", {"Ticket": "PROJ-2", "Request": "add a page"})
    assert prompt_document.check(text, "", jira="PROJ-2") == ()
    assert "this run is about PROJ-1" in prompt_document.check(text, "", jira="PROJ-1")[0]
    assert prompt_document.check("a: [", "") != ()
    assert prompt_document.check(prompt_document.compose({"type": "epic"}, "", {}), "") != ()
