"""What people see of a ticket's run is what its files say, wherever the run rests."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.ticket import TicketProject, grouped, planned, rejected, task, task_key

from podium.views.board.board import Board
from podium.views.groups.words import Progress, progress
from podium.views.plain import plain_observer
from podium.views.report.report import markdown
from podium.views.text import status

FAILS: dict[str, Any] = {
    "verdict": {"status": "SYNTAX_ERROR", "evidence": "line 3 does not parse"},
    "say": "no",
}


@pytest.fixture
def project(tmp_path: Path) -> TicketProject:
    return TicketProject.at(tmp_path)


def board(project: TicketProject) -> Board:
    return Board(
        project.app.workflow(project.run_id).steps.values(),
        events=project.app.events(project.run_id),
    )


def shown(project: TicketProject, width: int = 120) -> str:
    app = project.app
    return status(
        app.summary(project.run_id),
        app.events(project.run_id),
        steps=app.workflow(project.run_id).steps.values(),
        width=width,
    )


def agree(project: TicketProject) -> Progress:
    """The table and the meter against progress.yaml and tasks.yaml; what they say."""
    seen, metrics = board(project), project.progress["metrics"]
    known = progress(seen.work)
    assert known is not None
    names = (
        "percent_complete",
        "tasks_completed",
        "tasks_total",
        "remaining_minutes_estimate",
        "eta_confidence",
    )
    assert [known.percent, known.done, known.whole, known.minutes, known.confidence] == [
        metrics[name] for name in names
    ]
    now = seen.work.now
    assert now is not None
    assert now.number == project.progress["iteration_number"]
    assert {each.id: (each.status, each.attempt) for each in now.tasks} == project.statuses(
        now.number
    )
    assert sum(each.accepted for each in now.tasks) == metrics["tasks_completed"]
    assert [sum(each.done for each in now.groups), len(now.groups)] == [
        metrics["groups_completed"],
        metrics["groups_total"],
    ]
    assert f"{known.percent}%   {known.done} of {known.whole} tasks" in shown(project)
    return known


def test_a_run_that_is_blocked_in_its_second_group_shows_the_numbers_of_its_files(
    project: TicketProject,
) -> None:
    second = task(2, depends_on=["TASK-1"])
    keys = {task_key(2, number): [FAILS] for number in (1, 2)}
    ended = project.run(
        {"planner": [planned(task(1), second)]}, policy={"max_attempts": 2}, more={"keys": keys}
    )
    assert ended.exit_code != 0
    assert agree(project).done == 1
    text = shown(project)
    assert "✓ group " in text
    assert "✗ TASK-2  attempt 2 of 2  syntax error" in text
    assert "line 3 does not parse" in text


def test_a_complete_run_and_one_of_two_iterations_show_the_numbers_of_their_files(
    project: TicketProject,
) -> None:
    agents = {
        "planner": [planned(task(1), task(2)), planned(task(3), task(4))],
        "reviewer": [rejected("not what was asked"), {"behave": "well"}],
    }
    assert project.run(agents).exit_code == 0
    assert agree(project).percent == 100
    assert "↻ iteration 2 of 5  iteration 1 was rejected: not what was asked" in shown(project)
    report = markdown(
        project.app.events(project.run_id),
        project.app.summary(project.run_id),
        project.app.workflow(project.run_id).steps.values(),
    )
    assert "| 1 | **rejected** | 2 of 2 |" in report
    assert "| 2 | accepted | 2 of 2 |" in report


def test_a_trivial_ticket_and_a_sequential_group_have_their_tables(project: TicketProject) -> None:
    assert (
        project.run(
            {"planner": [grouped("sequential", task(1), task(2))], "reviewer": [{"behave": "well"}]}
        ).exit_code
        == 0
    )
    agree(project)
    assert "group A  sequential  ━━━━━━━━━━  2 of 2" in shown(project)


def test_without_a_terminal_a_run_tells_each_group_once_and_its_progress_lines(
    project: TicketProject,
) -> None:
    assert (
        project.run({"planner": [planned(task(1), task(2, depends_on=["TASK-1"]))]}).exit_code == 0
    )
    out = io.StringIO()
    with plain_observer("", project.app.workflow(project.run_id).steps.values(), out) as view:
        for event in project.app.events(project.run_id):
            view.event(event)
    said = out.getvalue()
    assert said.count(" begins (") == 2
    assert "next-group" not in said
    assert [line for line in said.splitlines() if line.startswith("Progress: ")] == project.lines()
