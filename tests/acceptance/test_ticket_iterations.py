"""The outer loop: a review that rejects plans again, the fifth rejection stops, and no word
counts against evidence.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.fakes.repository import git
from tests.fakes.ticket import (
    BRANCH,
    FOLDER,
    WELL,
    TicketProject,
    planned,
    rejected,
    task,
    task_key,
)

TWO = planned(task(1), task(2))


@pytest.fixture
def project(tmp_path: Path) -> TicketProject:
    return TicketProject.at(tmp_path)


def test_a_rejected_review_is_what_the_next_plan_starts_from(project: TicketProject) -> None:
    ended = project.run(
        {"planner": [TWO], "reviewer": [rejected("an empty text is not handled"), WELL]}
    )
    assert ended.exit_code == 0
    assert project.asked("planner") == ["iteration/0/plan/planner", "iteration/1/plan/planner"]
    inputs = project.events("step.started", key="iteration/1/plan/planner")[0]["inputs"]
    assert {"input", "prompt"} <= set(inputs)
    assert f"{FOLDER}/iteration_0/review_report.yaml" in project.prompt("iteration/1/plan/planner")
    assert f"{FOLDER}/iteration_0/review_report.yaml" not in project.prompt(
        "iteration/0/plan/planner"
    )
    report = project.yaml(f"{FOLDER}/iteration_0/review_report.yaml")
    assert (report["status"], report["mode"], report["tests"]) == (
        "REJECTED",
        "prompt-review",
        "PASSED",
    )
    assert "an empty text is not handled" in report["notes"]
    assert project.yaml(f"{FOLDER}/iteration_1/review_report.yaml")["status"] == "ACCEPTED"
    assert ended.closing.splitlines()[0] == "SUCCESS: Development complete in 2 iteration(s)"
    assert ended.closing.splitlines()[-1] == f"Report: {FOLDER}/iteration_1/review_report.yaml"


def test_the_work_of_every_iteration_is_in_the_one_commit(project: TicketProject) -> None:
    plans = [planned(task(1), task(2)), planned(task(2), task(3))]
    assert project.run({"planner": plans, "reviewer": [rejected(), WELL]}).exit_code == 0
    assert project.committed() == [".gitignore", "src/task1.py", "src/task2.py", "src/task3.py"]
    assert len(project.subjects("main..HEAD")) == 1


def test_progress_and_log_tell_the_iterations_apart(project: TicketProject) -> None:
    project.run({"planner": [TWO], "reviewer": [rejected(), WELL]})
    told = [
        (each["number"], each["status"], each["tasks_total"], each["tasks_accepted"])
        for each in project.progress["iterations"]
    ]
    assert told == [(0, "REJECTED", 2, 2), (1, "ACCEPTED", 2, 2)]
    starts = [
        (each["iteration"], each["message"])
        for each in project.log()
        if each["event"] == "orchestrator.iteration.start"
    ]
    assert starts == [(0, "iteration 1 of 5"), (1, "iteration 2 of 5")]
    assert [
        each["iteration"]
        for each in project.log()
        if each["event"] == "orchestrator.iteration.accepted"
    ] == [1]
    assert project.logged().count("git.gate.start") == 1  # the branch is there already


def test_the_fifth_rejection_stops_with_the_exact_words(project: TicketProject) -> None:
    ended = project.run({"reviewer": [rejected()]})
    assert (ended.exit_code, ended.reason, ended.stop) == (
        20,
        "MAXIMUM ITERATIONS REACHED (5/5). STOPPING.",
        "iterations",
    )
    assert sorted(each.name for each in project.path(FOLDER).glob("iteration_*")) == [
        f"iteration_{n}" for n in range(5)
    ]
    assert [each["status"] for each in project.progress["iterations"]] == ["REJECTED"] * 5
    assert project.progress["status"] == "REJECTED"
    assert project.subjects() == ["A small project"]
    # Nothing but a larger limit lets it go on, and then with what the last review said.
    assert project.resume(because="please").reason == "MAXIMUM ITERATIONS REACHED (5/5). STOPPING."
    again = project.resume(policy={"max_iterations": 6}, agent=project.scenario())
    assert again.exit_code == 0
    assert "not what was asked" in project.yaml(f"{FOLDER}/iteration_4/review_report.yaml")["notes"]


# -- evidence against words

STILL_BROKEN: dict[str, Any] = {
    "append": {"src/task1.py": "broken\n"},
    "verdict": {"status": "SYNTAX_VALID"},
    "say": "all tests pass",
}


def test_a_review_that_says_and_writes_nothing_accepts_nothing(project: TicketProject) -> None:
    ended = project.run({"planner": [TWO], "reviewer": [{"say": "I have looked at everything."}]})
    assert (ended.exit_code, project.asked("reviewer")) == (20, ["iteration/0/review"] * 2)
    assert "the answer holds no verdict" in ended.reason
    assert "the answer holds no verdict" in project.prompt("iteration/0/review")
    assert not (project.root / FOLDER / "iteration_0/review_report.yaml").exists()
    assert "commit" not in project.started()


@pytest.mark.parametrize("status", ["ACCEPTED", "REJECTED"])
def test_a_review_that_is_only_written_counts_as_it_is_written(
    project: TicketProject, status: str
) -> None:
    only = {
        "write": {"@review": {"template": "review", "status": status, "notes": "as written"}},
        "say": "The report is there.",
    }
    assert project.run({"planner": [TWO], "reviewer": [only, WELL]}).exit_code == 0
    found = project.event("step.finished", key="iteration/0/review")
    assert (found["verdict"], found["reason"]) == (status, "as written")
    assert project.asked("reviewer") == ["iteration/0/review"] + ["iteration/1/review"] * (
        status == "REJECTED"
    )


def test_a_reviewer_that_accepts_while_the_tests_fail_has_rejected(project: TicketProject) -> None:
    # The plan's own command hides the failure from the group; the project's own does not.
    hides = planned(
        task(1),
        task(2),
        validation_policy={
            "baseline_allowlist": [],
            "baseline_scope": "all",
            "test_command": "true",
        },
    )
    mends = {
        "write": {"src/task1.py": "VALUE = 1\n"},
        "verdict": {"status": "SYNTAX_VALID"},
        "say": "mended",
    }
    keys = {task_key(1): [STILL_BROKEN], task_key(1, iteration=1): [mends]}
    ended = project.run({"planner": [hides, TWO]}, more={"keys": keys})
    assert ended.exit_code == 0
    report = project.yaml(f"{FOLDER}/iteration_0/review_report.yaml")
    assert (report["status"], report["tests"]) == ("REJECTED", "FAILED")
    assert "accepted although tests FAILED" in report["notes"]
    assert "FAILED src/task1.py: broken" in report["notes"]
    assert project.event("step.finished", key="iteration/0/review")["verdict"] == "ACCEPTED"


DISAGREE: dict[str, dict[str, Any]] = {
    "the document rejects": {
        "behave": "well",
        "write": {"@review": {"template": "review", "status": "REJECTED", "notes": "no"}},
    },
    "the verdict rejects": {"behave": "well", "verdict": {"status": "REJECTED", "evidence": "no"}},
    "a criterion is not met": {
        "behave": "well",
        "verdict": {"status": "ACCEPTED", "criteria": {"counts": "NOT MET"}},
    },
    "a criterion of the document is not met": {
        "behave": "well",
        "write": {"@review": {"template": "review", "criteria": {"counts": "NOT MET"}}},
    },
}


@pytest.mark.parametrize("call", DISAGREE.values(), ids=DISAGREE)
def test_where_verdict_and_document_disagree_the_worse_counts(
    project: TicketProject, call: dict[str, Any]
) -> None:
    assert project.run({"planner": [TWO], "reviewer": [call, WELL]}).exit_code == 0
    assert project.yaml(f"{FOLDER}/iteration_0/review_report.yaml")["status"] == "REJECTED"
    assert project.progress["iteration_number"] == 1


LONG = "notes: |\n" + "  a line of notes\n" * 2000


@pytest.mark.parametrize(
    "document",
    [f"status: ACCEPTED\n{LONG}criteria: {{it works: NOT MET}}\n", f"{LONG}status: REJECTED\n"],
)
def test_a_long_review_is_read_to_its_end(project: TicketProject, document: str) -> None:
    call = {"write": {"@review": document}, "verdict": {"status": "ACCEPTED"}}
    assert (
        project.run({"planner": [TWO], "reviewer": [call]}, policy={"max_iterations": 1}).exit_code
        == 20
    )
    assert project.yaml(f"{FOLDER}/iteration_0/review_report.yaml")["status"] == "REJECTED"
    assert "commit" not in project.started()


def test_code_that_a_person_changes_after_the_review_is_reviewed_again(
    project: TicketProject,
) -> None:
    project.run({"planner": [TWO]}, until="iteration/0/review")
    project.write("src/task1.py", "VALUE = 'by hand'\n")
    assert project.resume().exit_code == 0
    assert project.asked("reviewer") == ["iteration/0/review", "iteration/0/review"]
    assert project.asked("task-executor") == [task_key(1), task_key(2)]
    assert git(project.root, "show", f"{BRANCH}:src/task1.py") == "VALUE = 'by hand'\n"


def test_the_reviewer_sees_the_whole_difference_and_can_change_nothing(
    project: TicketProject,
) -> None:
    looks = {
        "behave": "well",
        "run": f"grep -c '^+' {FOLDER}/tmp/changes.patch; echo x >> src/app.py",
    }
    ended = project.run({"planner": [TWO], "reviewer": [looks, WELL]})
    assert ended.exit_code == 0
    assert int(project.printed("iteration/0/review/attempt-1")[0]) >= 2
    assert project.event("contract.violated")["paths"] == ["src/app.py"]
    assert project.text("src/app.py") == "VALUE = 1\n"
