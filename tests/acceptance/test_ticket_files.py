"""What people see of a ticket's run: progress.yaml, tasks.yaml, log.jsonl, the progress line;
and their own edits of them.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.fakes.repository import git
from tests.fakes.ticket import (
    BRANCH,
    FOLDER,
    WELL,
    TicketProject,
    grouped,
    planned,
    rejected,
    task,
    task_key,
)

PROGRESS = f"{FOLDER}/progress.yaml"
TASKS = f"{FOLDER}/iteration_0/tasks.yaml"
TWO = planned(task(1), task(2, depends_on=["TASK-1"]))
MEMBERS = [
    "jira",
    "type",
    "slug",
    "branch",
    "build_command",
    "test_command",
    "max_parallel_tasks",
    "docs_cache_state_path",
    "docs_trusted_for_planning",
    "trust_status",
    "git_gate_completed",
    "cycle_acceleration_mode",
    "startup",
    "metrics",
    "iteration_number",
    "current_phase",
    "current_step",
    "current_task_id",
    "current_task_attempt",
    "status",
    "created_at",
    "last_updated",
    "last_checkpoint",
    "iterations",
]
METRICS = [
    "tasks_total",
    "tasks_completed",
    "groups_total",
    "groups_completed",
    "percent_complete",
    "elapsed_minutes_estimate",
    "remaining_minutes_estimate",
    "eta_confidence",
    "first_code_change_at",
    "lead_time_to_first_code_change_minutes",
    "latest_group_cycle_minutes_estimate",
    "latest_iteration_cycle_minutes_estimate",
]


@pytest.fixture
def project(tmp_path: Path) -> TicketProject:
    return TicketProject.at(tmp_path)


# -- progress.yaml


def test_progress_has_every_member_in_its_order_from_the_start(project: TicketProject) -> None:
    project.run({"planner": [TWO]}, until="prompted")
    assert list(project.progress) == MEMBERS
    assert list(project.progress["metrics"]) == METRICS
    assert list(project.progress["last_checkpoint"]) == ["timestamp", "git_head", "phase", "step"]
    assert list(project.progress["startup"]) == [
        "docs_state",
        "impact_scan",
        "planning_ready",
        "updated_at",
    ]
    project.resume()
    assert list(project.progress) == MEMBERS


@pytest.mark.parametrize(
    ("until", "phase", "step", "status", "gated"),
    [
        ("analyse", None, None, None, None),
        ("prompted", "PLANNING", "O1", "IN_PROGRESS", False),
        ("iteration/0/begin", "PLANNING", "O3", "IN_PROGRESS", False),
        ("iteration/0/plan", "SPLITTING", "O4", "IN_PROGRESS", False),
        ("iteration/0/tasks", "GIT_GATE", "O4.5", "IN_PROGRESS", False),
        ("git-move", "TASK_EXECUTION", "O5", "IN_PROGRESS", True),
        ("iteration/0/task", "TASK_EXECUTION", "O5", "IN_PROGRESS", True),
        ("next-group/5", "REVIEW", "O6", "IN_PROGRESS", True),
        ("verdict", "REVIEW", "O6", "ACCEPTED", True),
        ("commit", "DOC_REFRESH", "O7", "ACCEPTED", True),
    ],
)
def test_progress_says_where_the_run_stands_and_a_resumed_run_goes_on_there(
    project: TicketProject, until: str, phase: str | None, step: str, status: str, gated: bool
) -> None:
    project.run({"planner": [TWO]}, until=until)
    if phase is not None:
        found = project.progress
        assert (
            found["current_phase"],
            found["current_step"],
            found["status"],
            found["git_gate_completed"],
        ) == (phase, step, status, gated)
        assert (found["last_checkpoint"]["phase"], found["last_checkpoint"]["step"]) == (
            phase,
            step,
        )
    done = project.done()
    assert project.resume().exit_code == 0
    assert project.progress["status"] == "ACCEPTED"
    assert project.asked("task-executor", "planner") == [
        "iteration/0/plan/planner",
        task_key(1),
        task_key(2),
    ]
    assert len(project.done()) == len(set(project.done()))
    assert project.done()[: len(done)] == done
    assert "resume" in project.logged()


def test_progress_holds_the_commit_the_run_started_from_and_then_its_own(
    project: TicketProject,
) -> None:
    before = git(project.root, "rev-parse", "HEAD").strip()
    project.run({"planner": [TWO]}, until="iteration/0/begin")
    assert project.progress["last_checkpoint"]["git_head"] == before
    project.resume()
    assert (
        project.progress["last_checkpoint"]["git_head"]
        == git(project.root, "rev-parse", BRANCH).strip()
    )


def test_comments_and_order_of_a_persons_progress_file_survive(project: TicketProject) -> None:
    project.run({"planner": [TWO]}, until="git-move")
    text = project.text(PROGRESS)
    project.write(
        PROGRESS, "# mine\n" + text.replace("\nstatus:", "\nnote: keep me  # really\nstatus:", 1)
    )
    assert project.resume().exit_code == 0
    now = project.text(PROGRESS)
    assert now.startswith("# mine\n")
    assert "note: keep me  # really" in now
    assert project.progress["status"] == "ACCEPTED"


def test_a_command_that_a_person_sets_in_progress_is_used(project: TicketProject) -> None:
    project.run({"planner": [TWO]}, until="git-move")
    project.edit(PROGRESS, 'build_command: ""', 'build_command: "test -d src"')
    project.edit(PROGRESS, "max_parallel_tasks: ", "max_parallel_tasks: 1")
    assert project.resume().exit_code == 0
    ran = [each["command"] for each in project.event("step.finished", key="validate/1")["evidence"]]
    assert ran == ["test -d src", "sh tests.sh"]
    assert project.event("run.edited")["changes"][0] == "build_command is 'test -d src', was ''"
    assert "Build command: test -d src" in project.prompt(task_key(1))


def test_percent_stays_at_95_until_acceptance_and_never_falls_within_an_iteration(
    project: TicketProject,
) -> None:
    no = {"behave": "well", "verdict": {"status": "SYNTAX_ERROR", "evidence": "no"}}
    project.run(
        {
            "planner": [planned(task(1), task(2), task(3, depends_on=["TASK-1"]))],
            "reviewer": [rejected(), WELL],
        },
        more={"keys": {task_key(2): [no]}},
    )
    shown = [
        (each["iteration"], int(each["text"].split("%")[0].removeprefix("Progress: ")))
        for each in project.events("ticket.progress")
    ]
    for number in (0, 1):
        values = [value for iteration, value in shown if iteration == number]
        assert values == sorted(values)
        assert all(value <= 95 for value in values[: None if number == 0 else -1])
    assert shown[-1] == (1, 100)


def test_the_progress_line_is_the_one_people_know(project: TicketProject) -> None:
    project.run({"planner": [TWO]})
    assert project.lines()[0] == "Progress: 0% | Completed: 0/2 tasks | ETA: ~? min remaining"
    assert project.lines()[-1] == "Progress: 100% | Completed: 2/2 tasks | ETA: ~0 min remaining"
    metrics = project.progress["metrics"]
    assert (
        metrics["tasks_completed"],
        metrics["groups_completed"],
        metrics["percent_complete"],
    ) == (2, 2, 100)


def test_times_are_computed_by_the_program(project: TicketProject) -> None:
    project.run({"planner": [TWO]}, until="git-move")
    project.clock.skip(600)
    project.resume(until="next-group/3")
    metrics = project.progress["metrics"]
    assert metrics["first_code_change_at"] == project.tasks()["TASK-1"]["first_code_change_at"]
    assert metrics["lead_time_to_first_code_change_minutes"] >= 10
    assert metrics["latest_group_cycle_minutes_estimate"] is not None
    assert metrics["remaining_minutes_estimate"] is not None
    assert metrics["eta_confidence"] == "low"


# -- tasks.yaml


def test_tasks_have_their_attempts_and_times(project: TicketProject) -> None:
    project.run({"planner": [TWO]})
    for each in project.tasks().values():
        assert (each["status"], each["attempt"]) == ("ACCEPTED", 1)
        assert each["started_at"] <= each["first_code_change_at"]


def test_a_task_set_to_accepted_by_hand_is_not_run(project: TicketProject) -> None:
    project.run({"planner": [TWO]}, until="iteration/0/tasks")
    text = project.text(TASKS)
    head, _, tail = text.partition('id: "TASK-2"')
    project.write(
        TASKS,
        head
        + 'id: "TASK-2"'
        + tail.replace('status: "PENDING"', 'status: "ACCEPTED"  # done by me', 1),
    )
    assert project.resume().exit_code == 0
    assert project.asked("task-executor") == [task_key(1)]
    assert project.event("ticket.edited")["changes"] == ["TASK-2 is ACCEPTED, was PENDING"]
    assert "# done by me" in project.text(TASKS)


@pytest.mark.parametrize(
    "until", ["iteration/0/plan", "iteration/0/tasks", "git-move", "iteration/0/task", "validate"]
)
def test_a_task_added_by_hand_is_run(project: TicketProject, until: str) -> None:
    project.run({"planner": [TWO]}, until=until)
    added = (
        '  - id: "TASK-9"\n    description: "by hand"\n    files_to_modify: ["src/nine.py"]\n '
        '   success_criteria: ["it is there"]\n'
        '    parallel_group: "C"\n    depends_on: []\n    status: "PENDING"\nparallel_groups:\n'
        '  C: ["TASK-9"]\n'
    )
    text = project.text(TASKS).replace("parallel_groups:\n", added, 1)
    project.write(
        TASKS,
        text.replace(
            "execution_order:\n",
            'execution_order:\n  - {group: "C", strategy: "parallel", tasks: ["TASK-9"]}\n',
            1,
        ),
    )
    assert project.resume().exit_code == 0
    assert project.asked("splitter") == []
    assert task_key(9) in project.asked("task-executor")
    assert project.statuses()["TASK-9"] == ("ACCEPTED", 1)
    assert "src/nine.py" in project.committed()


def test_a_task_taken_out_by_hand_is_left_out(project: TicketProject) -> None:
    project.run({"planner": [planned(task(1), task(2), task(3))]}, until="git-move")
    kept = project.yaml(TASKS)
    kept["tasks"] = kept["tasks"][:2]
    kept["parallel_groups"]["A"] = ["TASK-1", "TASK-2"]
    kept["execution_order"][0]["tasks"] = ["TASK-1", "TASK-2"]
    project.write(TASKS, json.dumps(kept))  # JSON is YAML, too
    assert project.resume().exit_code == 0
    assert sorted(project.asked("task-executor")) == [task_key(1), task_key(2)]


def test_a_persons_tasks_that_cannot_be_used_stop_the_run_and_are_not_written_over(
    project: TicketProject,
) -> None:
    project.run({"planner": [TWO]}, until="iteration/0/plan")
    broken = project.text(TASKS).replace("depends_on: []", 'depends_on: ["TASK-9"]', 1)
    project.write(TASKS, broken)
    ended = project.resume()
    assert (ended.exit_code, ended.stop) == (20, "tasks")
    assert "TASK-9" in ended.reason
    assert project.text(TASKS) == broken
    assert project.asked("splitter") == []
    project.write(TASKS, broken.replace('depends_on: ["TASK-9"]', "depends_on: []", 1))
    assert project.resume().exit_code == 0


def test_a_tasks_file_broken_in_the_middle_stops_with_every_fault_and_goes_on_once_it_is_mended(
    project: TicketProject,
) -> None:
    project.run({"planner": [TWO]}, until="validate")
    good = project.text(TASKS)
    project.write(
        TASKS, good.replace('"SYNTAX_VALID"', '"FINE"').replace("attempt: 1", "attempt: many")
    )
    ended = project.resume()
    assert (ended.exit_code, ended.stop) == (20, "tasks")
    assert "FINE" in ended.reason
    assert "attempt" in ended.reason
    assert project.resume().exit_code == 20
    project.write(TASKS, good)
    assert project.resume().exit_code == 0


def test_a_person_may_give_a_trivial_graph_a_second_task_and_with_it_a_reviewer(
    project: TicketProject,
) -> None:
    project.run({"planner": [planned(task(1, "src/app.py"))]}, until="git-move")
    data = project.yaml(TASKS)
    data["tasks"].append({**data["tasks"][0], "id": "TASK-2", "files_to_modify": ["src/two.py"]})
    data["parallel_groups"]["A"].append("TASK-2")
    data["execution_order"][0]["tasks"].append("TASK-2")
    project.write(TASKS, json.dumps(data))
    assert project.resume().exit_code == 0
    assert project.asked("reviewer") == ["iteration/0/review"]


def test_a_trivial_task_accepted_by_hand_has_its_reviewer_for_nobody_saw_the_tests_pass(
    project: TicketProject,
) -> None:
    project.run({"planner": [planned(task(1, "src/app.py"))]}, until="git-move")
    project.edit(TASKS, '"PENDING"', '"ACCEPTED"')
    assert project.resume().exit_code == 0
    assert project.asked("developer") == []
    assert project.asked("reviewer") == ["iteration/0/review"]


# -- log.jsonl


def test_the_log_tells_the_whole_way_in_order(project: TicketProject) -> None:
    project.run({"planner": [TWO]})
    assert project.logged() == [
        "startup.analysis.start",
        "startup.analysis.complete",
        "start",
        "iteration.start",
        "planner.pre_git_gate.start",
        "planner.complete",
        "splitter.skipped_planner_provided",
        "tasks.ready",
        "git.gate.start",
        "git.gate.complete",
        "iteration.accepted",
        "docs.refresh",
    ]
    for each in project.log():
        assert list(each) == [
            "timestamp",
            "level",
            "agent",
            "event",
            "iteration",
            "task_id",
            "parallel_group",
            "message",
        ]
        assert each["agent"] == "Orchestrator"


def test_the_log_only_grows_whatever_a_person_writes_into_it(project: TicketProject) -> None:
    log = f"{FOLDER}/log.jsonl"
    project.run({"planner": [TWO]}, until="git-move")
    mine = project.text(log) + '{"mine": true}\n'
    project.write(log, mine)
    project.resume(until="iteration/0/task")
    assert project.text(log).startswith(mine)
    project.resume()
    now = project.text(log)
    assert now.startswith(mine)
    assert now.endswith("\n")
    events = [each.get("event") for each in map(json.loads, now.splitlines())]
    assert events.count("orchestrator.start") == 1
    assert events.count("orchestrator.resume") == 2


def test_no_side_files_are_made(project: TicketProject) -> None:
    project.run({"planner": [grouped("sequential", task(1), task(2))]})
    made = sorted(
        str(each.relative_to(project.path(FOLDER)))
        for each in project.path(FOLDER).rglob("*")
        if each.is_file()
    )
    assert made == [
        "iteration_0/plan.md",
        "iteration_0/review_report.yaml",
        "iteration_0/tasks.yaml",
        "log.jsonl",
        "progress.yaml",
        "prompt.yaml",
        "tmp/.gitkeep",
    ]
