"""A run without a journal: what is taken from progress.yaml, and when it is not gone on with."""

from __future__ import annotations

from typing import Any

import pytest

from podium.core.errors import InputError
from podium.core.history import History
from podium.workflows.ticket import files
from podium.workflows.ticket.adopting import finished, restored
from podium.workflows.ticket.progress.document import render
from podium.workflows.ticket.request import prompting
from podium.workflows.ticket.request.prompt_document import Prompt
from podium.workflows.ticket.request.prompt_document import render as render_prompt
from podium.workflows.ticket.request.request import Request
from podium.workflows.ticket.run import TicketRun

REQUEST = Request("PROJ-1", "fix the login of src/app.py", "PROJ-1 fix the login of src/app.py")
PROGRESS, PROMPT = "prompts/PROJ-1/progress.yaml", "prompts/PROJ-1/prompt.yaml"


def project(**members: Any) -> dict[str, str]:
    prompt = prompting.process(REQUEST, "2026-03-01T12:00:00Z")
    assert isinstance(prompt, Prompt)
    told = {
        "step": "develop",
        "jira": "PROJ-1",
        "type": prompt.type,
        "slug": prompt.slug,
        "branch": prompt.branch,
        "created_at": "2026-03-01T12:00:00Z",
    }
    run = TicketRun(**{**told, **members})
    return {PROGRESS: render(files.progress(run, History())), PROMPT: render_prompt(prompt)}


def test_everything_that_a_run_needs_is_taken() -> None:
    over = {
        "number": 0,
        "status": "REJECTED",
        "started_at": "2026-03-01T12:00:00Z",
        "completed_at": "2026-03-01T12:01:00Z",
        "tasks_total": 1,
        "tasks_accepted": 1,
    }
    known = project(
        gated=True,
        iteration=1,
        iterations=[over],
        iteration_began="2026-03-01T12:02:00Z",
        build_command="make",
        test_command="make test",
        parallel=3,
        trivial=True,
        directory="b",
    )
    found = restored(REQUEST, known.get)
    assert (found["resumes_at"], found["iteration"], found["was_gated"], found["trivial"]) == (
        "O5",
        1,
        True,
        True,
    )
    assert (
        found["build_command"],
        found["test_command"],
        found["directory"],
        found["parallel"],
    ) == ("make", "make test", "b", 3)
    assert (found["iterations"], found["iteration_began"]) == ([over], "2026-03-01T12:02:00Z")
    assert found["answers"] == {"branch": "use"}
    TicketRun(step="analyse", **found)  # every member is one


@pytest.mark.parametrize("folder", ["../elsewhere", "/etc", "~"])
def test_commands_run_inside_the_project_whatever_the_file_says(folder: str) -> None:
    with pytest.raises(InputError, match="working_directory"):
        restored(REQUEST, project(directory=folder).get)


def test_without_a_file_there_is_nothing_to_go_on_from() -> None:
    assert restored(REQUEST, {}.get) == {}


@pytest.mark.parametrize(
    ("step", "gated", "at"),
    [
        ("prompted", False, "O1"),
        ("begin", False, "O1"),
        ("plan", False, "O3"),
        ("settle", False, "O4"),
        ("git_look", False, "O4.5"),
        ("develop", True, "O5"),
        ("develop", False, "O4.5"),
        ("review", True, "O6"),
    ],
)
def test_where_it_goes_on_never_past_the_git_gate(step: str, gated: bool, at: str) -> None:
    assert restored(REQUEST, project(step=step, gated=gated).get)["resumes_at"] == at


def test_a_ticket_that_is_accepted_is_done() -> None:
    known = project(step="commit", accepted=True, gated=True)
    assert finished(known[PROGRESS])
    assert restored(REQUEST, known.get) == {}
    assert not finished(project()[PROGRESS])
    assert not finished("jira: [")


def test_words_that_differ_in_more_than_space_are_another_request() -> None:
    known = project()
    assert restored(
        Request("PROJ-1", "x", f"  {REQUEST.original.replace(' ', '   ')}\n"), known.get
    )
    with pytest.raises(InputError, match="is about another request"):
        restored(Request("PROJ-1", "x", "PROJ-1 something else"), known.get)


def test_a_missing_prompt_is_named() -> None:
    known = project()
    del known[PROMPT]
    with pytest.raises(InputError, match=r"prompt\.yaml.*it is not"):
        restored(REQUEST, known.get)
