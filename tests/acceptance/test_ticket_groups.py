"""Groups of tasks: who runs beside whom, who runs again and with what evidence, and when it is
over.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.fakes.repository import git
from tests.fakes.ticket import FOLDER, WELL, TicketProject, grouped, planned, task, task_key

BREAKS: dict[str, Any] = {
    "append": {"src/task1.py": "broken\n"},
    "verdict": {"status": "SYNTAX_VALID"},
    "say": "written",
}
MENDS: dict[str, Any] = {
    "write": {"src/task1.py": "VALUE = 1\n"},
    "verdict": {"status": "SYNTAX_VALID"},
    "say": "mended",
}


@pytest.fixture
def project(tmp_path: Path) -> TicketProject:
    return TicketProject.at(tmp_path)


# -- parallel groups


def test_tasks_of_a_parallel_group_run_side_by_side_and_are_validated_once(
    project: TicketProject,
) -> None:
    assert (
        project.run(
            {"planner": [planned(task(1), task(2), task(3))]}, policy={"max_parallel_tasks": 3}
        ).exit_code
        == 0
    )
    kinds = [
        (each["type"], each["key"])
        for each in project.events()
        if each.get("key", "").startswith("iteration/0/task/")
    ]
    assert [kind for kind, _ in kinds[:3]] == ["step.started"] * 3
    assert [each for each in project.started() if each.startswith("validate")] == ["validate/1"]
    assert project.statuses() == {f"TASK-{n}": ("ACCEPTED", 1) for n in (1, 2, 3)}
    assert project.asked("reviewer") == ["iteration/0/review"]


def test_no_more_run_at_once_than_are_allowed(project: TicketProject) -> None:
    slow = {"behave": "well", "sleep": 0.05}
    assert (
        project.run(
            {"planner": [planned(*(task(n) for n in range(1, 6)))], "task-executor": [slow]},
            policy={"max_parallel_tasks": 2},
        ).exit_code
        == 0
    )
    running = most = 0
    for each in project.events():
        if each.get("key", "").startswith("iteration/0/task/"):
            running += {"step.started": 1, "step.finished": -1}.get(each["type"], 0)
            most = max(most, running)
    assert most == 2
    assert project.progress["max_parallel_tasks"] == 2


def test_parallel_work_is_merged_in_the_order_of_task_ids_and_the_later_one_yields(
    project: TicketProject,
) -> None:
    shares = {
        number: {
            "behave": "well",
            "write": {f"src/task{number}.py": "1\n", "shared.txt": f"{number}\n"},
        }
        for number in (2, 10)
    }
    tasks = (task(10, parallel_group="A"), task(2, parallel_group="A"))
    plan = planned(*tasks, validation_policy={"baseline_allowlist": ["shared.txt"]})
    keys = {task_key(number): [call] for number, call in shares.items()}
    assert project.run({"planner": [plan]}, more={"keys": keys}).exit_code == 0
    assert project.asked("task-executor") == [task_key(2), task_key(10), task_key(10, 2)]


def test_groups_run_in_the_order_of_the_plan(project: TicketProject) -> None:
    first, second = task(1), task(2, depends_on=["TASK-1"])
    assert project.run({"planner": [planned(second, first)]}).exit_code == 0
    assert project.asked("task-executor") == [task_key(1), task_key(2)]
    assert [each for each in project.started() if each.startswith("validate")] == [
        "validate/1",
        "validate/2",
    ]


def test_only_the_rejected_task_runs_again_with_its_evidence_in_the_brief(
    project: TicketProject,
) -> None:
    fails = {
        "verdict": {"status": "SYNTAX_ERROR", "evidence": "line 3 does not parse"},
        "say": "no",
    }
    ended = project.run(
        {"planner": [planned(task(1), task(2))]}, more={"keys": {task_key(2): [fails]}}
    )
    assert ended.exit_code == 0
    assert project.asked("task-executor") == [task_key(1), task_key(2), task_key(2, 2)]
    assert project.statuses() == {"TASK-1": ("ACCEPTED", 1), "TASK-2": ("ACCEPTED", 2)}
    assert "line 3 does not parse" in project.prompt(task_key(2, 2))
    assert "line 3" not in project.prompt(task_key(2))
    assert [each for each in project.started() if each.startswith("validate")] == ["validate/1"]


def test_work_that_its_agent_calls_failed_does_not_come_into_the_project(
    project: TicketProject,
) -> None:
    fails = {
        "write": {"src/task1.py": "half\n"},
        "verdict": {"status": "ERROR", "evidence": "I ran out of time"},
        "say": "no",
    }
    looks = {
        "run": "test -e src/task1.py && echo there || echo clean; echo whole > src/task1.py",
        "verdict": {"status": "SYNTAX_VALID"},
        "say": "done",
    }
    ended = project.run(
        {"planner": [planned(task(1), task(2))]},
        more={"keys": {task_key(1): [fails], task_key(1, 2): [looks]}},
    )
    assert ended.exit_code == 0
    assert project.printed(task_key(1, 2)) == ["clean"]
    assert project.text("src/task1.py") == "whole\n"


def test_a_failed_build_or_test_rejects_every_task_of_the_group_with_the_output(
    project: TicketProject,
) -> None:
    keys = {task_key(1): [BREAKS], task_key(1, 2): [MENDS]}
    assert project.run({"planner": [planned(task(1), task(2))]}, more={"keys": keys}).exit_code == 0
    assert project.asked("task-executor") == [
        task_key(1),
        task_key(2),
        task_key(1, 2),
        task_key(2, 2),
    ]
    for number in (1, 2):
        told = project.prompt(task_key(number, 2))
        assert "test: failed (exit 1) (`sh tests.sh`)" in told
        assert "FAILED src/task1.py: broken" in told
    assert project.statuses() == {"TASK-1": ("ACCEPTED", 2), "TASK-2": ("ACCEPTED", 2)}


def test_a_task_that_has_no_part_in_the_failure_may_say_so(project: TicketProject) -> None:
    rests = {
        "say": "No change needed: the failure is in src/task1.py",
        "verdict": {"status": "SYNTAX_VALID"},
    }
    keys = {task_key(1): [BREAKS], task_key(1, 2): [MENDS], task_key(2, 2): [rests]}
    assert project.run({"planner": [planned(task(1), task(2))]}, more={"keys": keys}).exit_code == 0
    assert "No change needed" in project.prompt(task_key(2, 2))
    assert project.statuses() == {"TASK-1": ("ACCEPTED", 2), "TASK-2": ("ACCEPTED", 2)}


def test_a_task_that_crashes_is_rejected_and_tried_again(project: TicketProject) -> None:
    ended = project.run(
        {"planner": [planned(task(1), task(2))]}, more={"keys": {task_key(1): [{"fail": "crash"}]}}
    )
    assert ended.exit_code == 0
    assert project.statuses()["TASK-1"] == ("ACCEPTED", 2)


def test_a_developer_who_lacks_the_spec_is_believed_at_once(project: TicketProject) -> None:
    stops = {"say": "Task incomplete — cannot implement without full spec"}
    ended = project.run(
        {"planner": [planned(task(1), task(2))]}, more={"keys": {task_key(1): [stops]}}
    )
    assert ended.exit_code == 0
    assert project.asked("task-executor") == [task_key(1), task_key(2), task_key(1, 2)]
    assert "cannot implement without full spec" in project.prompt(task_key(1, 2))


# -- the last attempt


def test_after_five_attempts_the_run_pauses(project: TicketProject) -> None:
    ended = project.run(
        {"planner": [planned(task(1), task(2))], "task-executor": [WELL]},
        more={"keys": {"iteration/0/task/TASK-1/*": [BREAKS]}},
    )
    assert (ended.exit_code, ended.stop) == (20, "attempts")
    assert "TASK-1, TASK-2 failed 5 attempts" in ended.reason
    assert "TASK-1: test: failed (exit 1) (`sh tests.sh`);" in ended.reason
    assert project.asked("task-executor")[-1] == task_key(2, 5)
    assert project.statuses() == {"TASK-1": ("REJECTED", 5), "TASK-2": ("REJECTED", 5)}
    assert project.progress["status"] == "PAUSED"
    last = project.log()[-1]
    assert (last["event"], last["level"], last["task_id"], last["parallel_group"]) == (
        "orchestrator.task.max_attempts",
        "ERROR",
        "TASK-1",
        "A",
    )


def test_the_number_of_attempts_is_policy(project: TicketProject) -> None:
    ended = project.run(
        {"planner": [planned(task(1), task(2))]},
        more={"keys": {"iteration/0/task/TASK-1/*": [BREAKS]}},
        policy={"max_attempts": 2},
    )
    assert ended.exit_code == 20
    assert project.statuses()["TASK-1"] == ("REJECTED", 2)


def test_a_person_who_sends_the_run_on_gives_the_attempts_anew(project: TicketProject) -> None:
    keys = {f"iteration/0/task/TASK-1/{n}": [BREAKS] for n in range(1, 4)}
    project.run(
        {"planner": [planned(task(1), task(2))]},
        more={"keys": {**keys, task_key(1, 4): [MENDS]}},
        policy={"max_attempts": 2},
    )
    assert project.resume().exit_code == 20  # nothing has changed
    ended = project.resume(because="the test was wrong")
    assert ended.exit_code == 0
    assert project.statuses() == {"TASK-1": ("ACCEPTED", 2), "TASK-2": ("ACCEPTED", 2)}
    # Keys go on: none is used twice.
    assert project.asked("task-executor") == [task_key(t, n) for n in range(1, 5) for t in (1, 2)]


def test_an_edit_of_tasks_yaml_is_reason_enough_to_go_on(project: TicketProject) -> None:
    project.run(
        {"planner": [planned(task(1), task(2))]},
        more={"keys": {"iteration/0/task/TASK-1/*": [BREAKS]}},
        policy={"max_attempts": 1},
    )
    text = project.text(f"{FOLDER}/iteration_0/tasks.yaml")
    project.write(f"{FOLDER}/iteration_0/tasks.yaml", text.replace('"REJECTED"', '"ACCEPTED"'))
    project.write("src/task1.py", "mended = 'by hand'\n")
    assert project.resume().exit_code == 0
    assert project.statuses() == {"TASK-1": ("ACCEPTED", 1), "TASK-2": ("ACCEPTED", 1)}


# -- sequential groups


def test_a_sequential_task_that_says_only_that_it_parses_is_not_reviewed(
    project: TicketProject,
) -> None:
    parses = {"write": {"src/task1.py": "VALUE = 1\n"}, "say": "SYNTAX_VALID: it parses"}
    ended = project.run(
        {"planner": [grouped("sequential", task(1), task(2))]},
        more={"keys": {task_key(1): [parses]}},
    )
    assert ended.exit_code == 0
    assert project.asked("reviewer")[0] == "iteration/0/review/TASK-1/2"


def test_tasks_of_a_sequential_group_are_reviewed_one_by_one_before_the_next_begins(
    project: TicketProject,
) -> None:
    assert project.run({"planner": [grouped("sequential", task(1), task(2))]}).exit_code == 0
    assert project.asked("task-executor", "reviewer") == [
        task_key(1),
        "iteration/0/review/TASK-1/1",
        task_key(2),
        "iteration/0/review/TASK-2/1",
        "iteration/0/review",
    ]
    assert not [each for each in project.started() if each.startswith("validate")]


def test_a_reviewer_that_rejects_sends_the_task_back_with_its_words(project: TicketProject) -> None:
    no = {
        "behave": "well",
        "verdict": {"status": "REJECTED", "evidence": "an empty text is not handled"},
    }
    ended = project.run(
        {"planner": [grouped("sequential", task(1), task(2))]},
        more={"keys": {"iteration/0/review/TASK-1/1": [no]}},
    )
    assert ended.exit_code == 0
    assert project.asked("task-executor") == [task_key(1), task_key(1, 2), task_key(2)]
    assert "an empty text is not handled" in project.prompt(task_key(1, 2))


def test_a_criterion_that_is_not_met_is_a_rejection_whatever_the_word_says(
    project: TicketProject,
) -> None:
    no = {"behave": "well", "verdict": {"status": "ACCEPTED", "criteria": {"it counts": "NOT MET"}}}
    ended = project.run(
        {"planner": [grouped("sequential", task(1), task(2))]},
        more={"keys": {"iteration/0/review/TASK-1/1": [no]}},
    )
    assert ended.exit_code == 0
    assert project.statuses()["TASK-1"] == ("ACCEPTED", 2)


@pytest.mark.parametrize(
    "words", ["REJECTED", "Decision: REJECT", "it counts: NOT MET\n\nACCEPTED: nearly all"]
)
def test_a_review_that_only_speaks_is_heard_in_any_of_its_forms(
    project: TicketProject, words: str
) -> None:
    no = {"say": words}
    ended = project.run(
        {"planner": [grouped("sequential", task(1), task(2))]},
        more={"keys": {"iteration/0/review/TASK-1/1": [no]}},
    )
    assert ended.exit_code == 0
    assert project.statuses()["TASK-1"] == ("ACCEPTED", 2)


def test_a_review_that_says_nothing_accepts_nothing(project: TicketProject) -> None:
    no = {"say": "Looks good to me."}
    ended = project.run(
        {"planner": [grouped("sequential", task(1), task(2))]},
        more={"keys": {"iteration/0/review/TASK-1/*": [no]}},
    )
    assert ended.exit_code == 20
    assert project.statuses()["TASK-1"][0] != "ACCEPTED"


# -- files


def test_a_task_that_touches_another_file_is_rejected_and_the_stray_is_kept_and_gone(
    project: TicketProject,
) -> None:
    strays = {
        "write": {"src/task1.py": "mine = 1\n", "src/app.py": "VALUE = 2\n"},
        "verdict": {"status": "SYNTAX_VALID"},
        "say": "done",
    }
    ended = project.run(
        {"planner": [planned(task(1), task(2))]}, more={"keys": {task_key(1): [strays]}}
    )
    assert ended.exit_code == 0
    assert project.text("src/app.py") == "VALUE = 1\n"
    assert "+VALUE = 2" in project.step(task_key(1), "quarantine.patch").read_text()
    assert "src/app.py" in project.prompt(task_key(1, 2))
    assert project.statuses()["TASK-1"] == ("ACCEPTED", 2)
    assert "src/app.py" not in project.committed()


def test_a_rule_of_one_task_keeps_the_work_of_another_neither_from_the_reviewer_nor_from_the_commit(
    project: TicketProject,
) -> None:
    """Side by side neither sees the other, and both land before anybody looks."""
    writes = {
        "write": {"src/task1.py": "ONE = 1\n"},
        "verdict": {"status": "SYNTAX_VALID"},
        "say": "set",
    }
    hides = {
        "append": {".gitignore": "\nsrc/task1.py\n"},
        "verdict": {"status": "SYNTAX_VALID"},
        "say": "set",
    }
    plan = grouped("parallel", task(1), task(2, ".gitignore"))
    looks = {"behave": "well", "run": "cat src/task1.py"}
    ended = project.run(
        {"planner": [plan], "reviewer": [looks]},
        more={"keys": {task_key(1): [writes], task_key(2): [hides]}},
    )
    assert ended.exit_code == 0
    assert project.printed("iteration/0/review") == ["ONE = 1"]
    assert {".gitignore", "src/task1.py"} <= set(project.committed())


def test_the_allowlist_of_the_plan_is_everybodys(project: TicketProject) -> None:
    more = {"behave": "well", "append": {"README.md": "\nmore\n"}}
    policy = {"baseline_allowlist": ["README.md"], "baseline_scope": "all"}
    ended = project.run(
        {"planner": [planned(task(1), task(2), validation_policy=policy)]},
        more={"keys": {task_key(1): [more]}},
    )
    assert ended.exit_code == 0
    assert "README.md" in project.committed()


def test_tasks_that_share_a_file_never_run_together_whatever_the_plan_says(
    project: TicketProject,
) -> None:
    slow = {"behave": "well", "sleep": 0.05}
    plan = grouped("parallel", task(1, "src/app.py"), task(2, "src/*.py"), task(3, "docs/x.md"))
    assert (
        project.run(
            {"planner": [plan], "task-executor": [slow]}, policy={"max_parallel_tasks": 4}
        ).exit_code
        == 0
    )
    running: set[str] = set()
    for each in project.events():
        if each.get("key", "").startswith("iteration/0/task/"):
            name = each["key"].split("/")[3]
            running = (
                running | {name}
                if each["type"] == "step.started"
                else running - {name}
                if each["type"] == "step.finished"
                else running
            )
            assert not {"TASK-1", "TASK-2"} <= running
    (warning,) = [each["text"] for each in project.events("ticket.warning")]
    assert "TASK-1 and TASK-2 can both touch src/app.py" in warning


def test_of_two_tasks_that_conflict_at_the_merge_the_later_is_rejected_and_then_succeeds(
    project: TicketProject,
) -> None:
    policy = {"baseline_allowlist": ["src/app.py"], "baseline_scope": "all"}
    one, two = (
        {
            "write": {"src/app.py": f"VALUE = {n}\n"},
            "verdict": {"status": "SYNTAX_VALID"},
            "say": "set",
        }
        for n in (10, 20)
    )
    again = {
        "run": "cat src/app.py; echo OTHER = 20 >> src/app.py",
        "verdict": {"status": "SYNTAX_VALID"},
        "say": "set",
    }
    keys = {task_key(1): [one], task_key(2): [two], task_key(2, 2): [again]}
    ended = project.run(
        {"planner": [planned(task(1), task(2), validation_policy=policy)]}, more={"keys": keys}
    )
    assert ended.exit_code == 0
    assert project.event("step.conflicted")["key"] == task_key(2)
    assert "cannot be merged" in project.prompt(task_key(2, 2))
    assert "src/app.py" in project.prompt(task_key(2, 2))
    assert project.printed(task_key(2, 2)) == ["VALUE = 10"]
    assert project.text("src/app.py") == "VALUE = 10\nOTHER = 20\n"
    assert project.statuses() == {"TASK-1": ("ACCEPTED", 1), "TASK-2": ("ACCEPTED", 2)}


# -- commands


def test_a_groups_own_commands_win_over_the_detected_ones(project: TicketProject) -> None:
    policy = {
        "baseline_allowlist": [],
        "baseline_scope": "all",
        "groups": {"A": {"test_command": "test -e task1.py", "working_directory": "src"}},
    }
    assert (
        project.run({"planner": [planned(task(1), task(2), validation_policy=policy)]}).exit_code
        == 0
    )
    ran = [each["command"] for each in project.event("step.finished", key="validate/1")["evidence"]]
    assert ran == ["cd src && test -e task1.py"]


def test_a_test_command_that_is_not_there_is_asked_about_before_any_attempt(
    project: TicketProject,
) -> None:
    project.write("podium.toml", '[commands]\ntest = "no-such-runner --all"\n')
    git(project.root, "commit", "-qam", "another runner")
    ended = project.run({"planner": [planned(task(1), task(2))]})
    assert (ended.exit_code, ended.stop) == (10, "question")
    assert "TESTS DID NOT RUN: no-such-runner: not found" in ended.reason
    assert project.asked() == []
    project.edit("podium.toml", "no-such-runner --all", "sh tests.sh")
    git(project.root, "commit", "-qam", "the runner")
    # The run keeps the commands that it began with, in a file that people may edit.
    project.edit(f"{FOLDER}/progress.yaml", "no-such-runner --all", "sh tests.sh")
    project.answer(choice="again")
    assert project.resume().exit_code == 0


def test_a_task_that_writes_the_same_again_is_judged_again_with_the_one_that_was_wrong(
    project: TicketProject,
) -> None:
    same = {
        "write": {"src/task2.py": "def two():\n    return 2\n"},
        "verdict": {"status": "SYNTAX_VALID"},
        "say": "done",
    }
    keys = {task_key(1): [BREAKS], task_key(1, 2): [MENDS], "iteration/0/task/TASK-2/*": [same]}
    assert project.run({"planner": [planned(task(1), task(2))]}, more={"keys": keys}).exit_code == 0
    assert project.asked("task-executor") == [
        task_key(1),
        task_key(2),
        task_key(1, 2),
        task_key(2, 2),
    ]


def test_a_task_that_never_changed_a_file_is_not_done_however_often_it_says_so(
    project: TicketProject,
) -> None:
    idle = {"verdict": {"status": "SYNTAX_VALID"}, "say": "done"}
    ended = project.run(
        {"planner": [planned(task(1), task(2))]},
        more={"keys": {"iteration/0/task/TASK-2/*": [idle]}},
    )
    assert (ended.exit_code, ended.stop) == (20, "attempts")
    assert "no file was changed and no reason given" in ended.reason


def test_a_task_says_in_its_report_why_nothing_had_to_change(project: TicketProject) -> None:
    rests = {
        "verdict": {"status": "SYNTAX_VALID", "evidence": "No change needed: it is there"},
        "say": "done",
    }
    assert (
        project.run(
            {"planner": [planned(task(1), task(2))]}, more={"keys": {task_key(2): [rests]}}
        ).exit_code
        == 0
    )


def test_a_task_that_did_nothing_the_second_time_must_say_why(project: TicketProject) -> None:
    idle = {"verdict": {"status": "SYNTAX_VALID"}, "say": "done"}
    keys = {task_key(1): [BREAKS], task_key(1, 2): [MENDS], task_key(2, 2): [idle]}
    assert project.run({"planner": [planned(task(1), task(2))]}, more={"keys": keys}).exit_code == 0
    assert "no file was changed and no reason given" in project.prompt(task_key(2, 3))


def test_what_its_tests_leave_behind_is_no_work_of_a_task(tmp_path: Path) -> None:
    project = TicketProject.at(tmp_path, files={".gitignore": "tmp/\n"})
    idle = {
        "run": "mkdir -p tmp && echo x > tmp/cache",
        "verdict": {"status": "SYNTAX_VALID"},
        "say": "done",
    }
    ended = project.run(
        {"planner": [planned(task(1), task(2))]}, more={"keys": {task_key(2): [idle]}}
    )
    assert ended.exit_code == 0
    assert "no file was changed and no reason given" in project.prompt(task_key(2, 2))
