"""progress.yaml and log.jsonl as the program keeps them: from the run and its history alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core import events
from podium.core.errors import InputError
from podium.core.history import History
from podium.core.run import Status
from podium.workflows.ticket.files import (
    artifacts,
    edited,
    lengthened,
    logged,
    progress,
    projections,
    status_of,
)
from podium.workflows.ticket.noting import noted
from podium.workflows.ticket.progress import document as progress_document
from podium.workflows.ticket.run import TicketRun

CREATED = "2026-03-01T12:00:00Z"
WHERE = "prompts/PROJ-1/progress.yaml"


def run(step: str = "develop", **members: Any) -> TicketRun:
    told = {
        "jira": "PROJ-1",
        "type": "fix",
        "slug": "a_b_c",
        "branch": "fix/PROJ-1_a_b_c",
        "created_at": CREATED,
        **members,
    }
    return TicketRun(step=step, **told)


def history(*facts: Any) -> History:
    started = events.run_started(run("analyse"), "ticket", [], "1")
    return History(
        [
            {**fact, "seq": n, "ts": f"2026-03-01T12:00:{n:02d}.000Z"}
            for n, fact in enumerate((started, *facts), 1)
        ]
    )


def shown(at: TicketRun, known: History | None = None, before: str | None = None) -> str:
    (found,) = [each for each in projections(at, known or history()) if each.path == WHERE]
    return found.render(before, "")


# -- progress.yaml


def test_it_reads_back_as_what_it_was_written_from() -> None:
    at = run(
        batch=["T1"], tasks={"T1": ["PENDING", 2]}, gated=True, trivial=True, head="abc", parallel=3
    )
    found = progress_document.read(shown(at))
    assert found == progress(at, history())
    assert (found.current_task_id, found.current_task_attempt, found.last_checkpoint.git_head) == (
        "T1",
        2,
        "abc",
    )
    assert (found.git_gate_completed, found.cycle_acceleration_mode, found.max_parallel_tasks) == (
        True,
        "trivial_graph",
        3,
    )


@pytest.mark.parametrize(
    ("members", "status"),
    [
        ({"step": "prompted"}, "PENDING"),
        ({"step": "plan"}, "IN_PROGRESS"),
        ({"step": "develop", "status": Status.BLOCKED}, "PAUSED"),
        ({"step": "ask_dirty", "status": Status.WAITING}, "PAUSED"),
        ({"step": "plan", "status": Status.SLEEPING}, "PAUSED"),
        ({"step": "plan", "status": Status.CANCELLED}, "PAUSED"),
        ({"step": "judge", "status": Status.BLOCKED, "stop": "iterations"}, "REJECTED"),
        ({"step": "commit", "accepted": True}, "ACCEPTED"),
        ({"step": "done", "status": Status.COMPLETE}, "ACCEPTED"),
    ],
)
def test_the_status_in_its_words(members: dict[str, Any], status: str) -> None:
    assert status_of(run(**members)) == status


def test_the_iteration_at_hand_stands_behind_those_that_are_over() -> None:
    over = {
        "number": 0,
        "status": "REJECTED",
        "started_at": CREATED,
        "completed_at": CREATED,
        "tasks_total": 2,
        "tasks_accepted": 2,
    }
    at = run(
        iteration=1,
        iterations=[over],
        iteration_began="2026-03-01T12:10:00Z",
        tasks={"T1": ["ACCEPTED", 1], "T2": ["PENDING", 0]},
    )
    found = progress(at, history()).iterations
    assert [
        (each.number, each.status, each.started_at, each.tasks_total, each.tasks_accepted)
        for each in found
    ] == [
        (0, "REJECTED", CREATED, 2, 2),
        (1, "IN_PROGRESS", "2026-03-01T12:10:00Z", 2, 1),
    ]
    assert progress(run("prompted"), history()).iterations[0].status == "PENDING"


def test_there_is_none_before_the_ticket_has_its_branch() -> None:
    assert [each.path for each in projections(TicketRun(step="which_ticket"), history())] == []


def test_what_a_person_added_stays() -> None:
    before = "# mine\n" + shown(run()).replace("branch:", "mine: 1  # keep\nbranch:", 1)
    found = shown(run(gated=True), before=before)
    assert found.startswith("# mine\n")
    assert "mine: 1  # keep" in found
    assert "git_gate_completed: true" in found


def test_a_person_sets_commands_and_width_and_nothing_else() -> None:
    text = (
        shown(run())
        .replace('build_command: ""', 'build_command: "make"')
        .replace("max_parallel_tasks: 2", "max_parallel_tasks: 6")
    )
    after, changes = edited(
        WHERE, text.replace("git_gate_completed: false", "git_gate_completed: true"), run()
    )
    assert isinstance(after, TicketRun)
    assert (after.build_command, after.parallel, after.gated) == ("make", 6, False)
    assert changes == ("build_command is 'make', was ''", "max_parallel_tasks is 6, was 2")


def test_an_edit_that_cannot_be_read_says_where() -> None:
    with pytest.raises(InputError, match=rf"{WHERE}:\d+"):
        edited(
            WHERE, shown(run()).replace("max_parallel_tasks: 2", "max_parallel_tasks: none"), run()
        )


# -- log.jsonl


def test_lines_come_from_the_journal_with_its_times_and_resumes_among_them() -> None:
    known = history(
        noted(0, "iteration.start", "one"),
        events.run_resumed(run(iteration=2), "decided", "1"),
        noted(None, "start", "two"),
    )
    lines = [json.loads(each) for each in logged(known)]
    assert [(each["event"], each["iteration"], each["timestamp"]) for each in lines] == [
        ("orchestrator.iteration.start", 0, "2026-03-01T12:00:02Z"),
        ("orchestrator.resume", 2, "2026-03-01T12:00:03Z"),
        ("orchestrator.start", None, "2026-03-01T12:00:04Z"),
    ]


LINES = tuple(f"{n}\n" for n in range(6))


@given(
    st.integers(0, 6), st.text(alphabet="ab\n", max_size=6), st.text(alphabet="ab\n", max_size=6)
)
@settings(max_examples=80)
def test_the_log_only_grows_and_each_line_comes_once(written: int, above: str, below: str) -> None:
    before = (
        above
        + ("\n" if above and not above.endswith("\n") else "")
        + "".join(LINES[:written])
        + below
    )
    after = lengthened(LINES, before, "")
    assert after.startswith(before)
    assert [each for each in after.splitlines() if each.isdigit()] == [
        each.strip() for each in LINES
    ]
    assert lengthened(LINES, after, "") == after


def test_a_line_that_somebody_broke_is_not_written_again() -> None:
    before = "0\nbroken\n2\n"
    assert lengthened(LINES[:4], before, "") == before + "3\n"


def test_lines_that_look_alike_are_all_written() -> None:
    twice = ("same\n", "same\n", "other\n")
    assert lengthened(twice, "same\n", "") == "same\nsame\nother\n"
    assert lengthened(twice, "same\nsame\n", "") == "same\nsame\nother\n"


def test_the_files_of_a_run_have_names() -> None:
    assert artifacts(run(iteration=2))["tasks"] == "prompts/PROJ-1/iteration_2/tasks.yaml"
    assert set(artifacts(run())) == {"prompt", "progress", "log", "plan", "tasks", "review"}


def test_a_run_that_goes_on_from_its_files_leaves_them_alone_before_it_knows_that_it_may() -> None:
    """A stop at files of another generation would else write the position and the git gate away."""
    paths = [each.path for each in projections(run("analyse", resumes_at="O5"), history())]
    assert WHERE not in paths
    assert WHERE in [each.path for each in projections(run("analyse"), history())]
