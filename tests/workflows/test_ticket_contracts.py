"""What each agent of a ticket may read, must write and may change, and what is made of its
answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from podium.core.contract import Contract
from podium.core.digest import digest
from podium.core.effects import Report
from podium.core.globs import matches
from podium.core.run import Run
from podium.core.verdict import Verdict
from podium.workflows.ticket import contracts, crew, judges, plan_document, review_document
from podium.workflows.ticket.briefs import SCOPE
from podium.workflows.ticket.contracts import NOWHERE, PROTECTED
from podium.workflows.ticket.noting import Fact
from podium.workflows.ticket.run import TicketRun

FOLDER = "prompts/PROJ-1"


def run(**members: Any) -> TicketRun:
    return TicketRun(
        step="develop", jira="PROJ-1", text="count words", original="PROJ-1 count words", **members
    )


def at_work(**members: Any) -> TicketRun:
    order = [{"group": "A", "strategy": "sequential", "tasks": ["T1", "T2"]}]
    told = {
        "tasks": {"T1": ["REJECTED", 2]},
        "batch": ["T1"],
        "scopes": {"T1": ["src/a.py"]},
        "order": order,
        "entries": {"T1": "id: T1\n"},
    }
    return run(**{**told, **members})


MAKERS: dict[str, Callable[[Run], Contract]] = {
    "interpreter": contracts.interpreter,
    "planner": contracts.planner,
    "initializer": contracts.initializer,
    "splitter": contracts.splitter,
    "task-executor": lambda at: contracts.task("T1", at),
    "reviewer": contracts.prompt_review,
}


@pytest.mark.parametrize(("role", "make"), MAKERS.items())
def test_every_agent_is_told_its_scope_and_kept_from_the_programs_files(
    role: str, make: Callable[[Run], Contract]
) -> None:
    found = make(at_work())
    assert found.role == role
    assert [line.partition(":")[0] for line in found.opening] == [
        "ROLE ENFORCEMENT",
        "VIOLATION PENALTY",
        "SCOPE REMINDER",
    ]
    assert found.opening[-1] == f"SCOPE REMINDER: {SCOPE[role]}"
    assert found.protected == PROTECTED
    for path in ("prompts/PROJ-1/tasks.yaml", ".git/config", "podium.toml", ".podium/runs/x"):
        assert matches(path, found.protected)


@pytest.mark.parametrize("role", [each for each in MAKERS if each != "task-executor"])
def test_nobody_but_who_does_a_task_changes_code(role: str) -> None:
    assert MAKERS[role](at_work()).code in {"read", "none"}


def test_a_task_changes_its_own_files_and_no_others() -> None:
    found = contracts.task("T1", at_work())
    assert (found.code, found.writable, found.proof_of_change) == (
        "write",
        ("src/a.py",),
        "standing",
    )
    assert found.retries == {"violation": 0, "crash": 0, "timeout": 0}


def test_a_task_whose_files_nobody_knows_may_change_nothing() -> None:
    found = contracts.task("T9", at_work())
    assert found.writable == (NOWHERE,)
    assert not matches("src/a.py", found.writable)


def test_a_task_has_its_entry_its_attempt_and_what_went_wrong_before() -> None:
    found = contracts.task(
        "T1", at_work(evidence={"T1": ["line 3 does not parse"], "T2": ["not mine"]})
    )
    assert found.context == (("The entry of T1 in tasks.yaml", "id: T1\n"),)
    assert "Task: T1, attempt 2" in found.told
    assert "Attempt before: line 3 does not parse" in found.told
    assert not [each for each in found.told if "not mine" in each]


@pytest.mark.parametrize(
    ("trivial", "strategy", "role", "dialect"),
    [
        (True, "parallel", "developer", "ticket-developer"),
        (False, "parallel", "task-executor", "ticket-task-parallel"),
        (False, "sequential", "task-executor", "ticket-task-sequential"),
    ],
)
def test_who_does_a_task_and_in_which_words(
    trivial: bool, strategy: str, role: str, dialect: str
) -> None:
    found = contracts.task(
        "T1",
        at_work(trivial=trivial, order=[{"group": "A", "strategy": strategy, "tasks": ["T1"]}]),
    )
    assert (found.role, found.dialect) == (role, dialect)


def test_the_planner_reads_the_prompt_first_and_then_the_last_review() -> None:
    first, second = contracts.planner(run()), contracts.planner(run(iteration=1))
    assert [(each.name, each.path, each.material) for each in first.inputs][:1] == [
        ("input", f"{FOLDER}/prompt.yaml", True)
    ]
    assert ("input", f"{FOLDER}/iteration_0/review_report.yaml") in [
        (each.name, each.path) for each in second.inputs
    ]
    assert ("prompt", f"{FOLDER}/prompt.yaml") in [(each.name, each.path) for each in second.inputs]
    assert [each.path for each in second.outputs] == [
        f"{FOLDER}/iteration_1/plan.md",
        f"{FOLDER}/iteration_1/tasks.yaml",
    ]


def test_the_planner_may_leave_the_tasks_to_the_splitter_who_may_not() -> None:
    assert [each.optional for each in contracts.planner(run()).outputs] == [False, True]
    (out,) = contracts.splitter(run(invalid="parallel_groups is a list")).outputs
    assert not out.optional
    assert out.check is not None
    assert any(
        "parallel_groups is a list" in each
        for each in contracts.splitter(run(invalid="parallel_groups is a list")).told
    )


def test_mandates_go_to_whom_they_are_for() -> None:
    mandates = [
        {"mandate": "Use Playwright to inspect", "assigned_agent": "planner"},
        {"mandate": "MUST use jq", "assigned_agent": "developer"},
    ]
    assert [
        each for each in contracts.planner(run(mandates=mandates)).told if "mandate" in each
    ] == ["Tool mandate: Use Playwright to inspect"]
    assert [
        each for each in contracts.task("T1", at_work(mandates=mandates)).told if "mandate" in each
    ] == ["Tool mandate: MUST use jq"]


def test_commands_are_told_with_the_folder_they_run_in() -> None:
    found = contracts.planner(run(test_command="npm test", directory="web app"))
    assert "Test command: cd 'web app' && npm test" in found.told
    assert "Build command: none" in found.told


def test_the_reviewer_sees_all_changes_in_one_file() -> None:
    assert contracts.prompt_review(run()).changes == f"{FOLDER}/tmp/changes.patch"
    assert contracts.task_review(at_work()).changes == f"{FOLDER}/tmp/changes.patch"


# -- judges


def report(outcome: Any, word: str, reason: str = "", **more: Any) -> Report:
    return Report(Verdict(outcome, word, reason), run=more.pop("run", at_work()), **more)


def test_a_task_that_is_done_brings_its_files() -> None:
    found = judges.task(report("ok", "SYNTAX_VALID", changed=("src/a.py",)))
    assert found.sets["result"] == {
        "status": "SYNTAX_VALID",
        "evidence": [],
        "changed": ["src/a.py"],
    }
    assert judges.task(report("ok", "")).sets["result"]["status"] == "DONE"


@pytest.mark.parametrize("word", ["ERROR", "SYNTAX_ERROR", "REJECTED"])
def test_a_task_that_is_not_done_brings_nothing_but_its_reason(word: str) -> None:
    found = judges.task(report("fail", word, "no spec", changed=("src/a.py",)))
    assert (found.outcome, found.sets["result"]) == (
        "fail",
        {"status": word, "evidence": [f"{word}: no spec"], "changed": []},
    )


def test_the_plans_tasks_are_remembered_as_the_agent_left_them() -> None:
    assert judges.plan(report("ok", "DONE", outputs={"tasks": "x"})).sets["planned"] == digest("x")
    assert judges.plan(report("ok", "DONE")).sets["planned"] == ""


def test_documents_are_remembered_by_their_paths() -> None:
    found = judges.documents(
        report("ok", "DONE", outputs={"findings": "x"}, run=run(refreshed=["docs/ARCHITECTURE.md"]))
    )
    assert found.sets == {
        "refreshed": ["docs/ARCHITECTURE.md", "docs/FINDINGS.md"],
        "vouched": True,
    }
    assert not judges.documents(report("fail", "ERROR", run=run())).sets["vouched"]
    assert not judges.documents(report("ok", "", run=run())).sets["vouched"], (
        "who says nothing vouches for nothing"
    )


def test_a_task_review_decides_about_its_one_task() -> None:
    assert judges.task_review(report("ok", "ACCEPTED")).sets["results"] == {
        "T1": {"status": "ACCEPTED", "evidence": []}
    }
    said = judges.task_review(report("revise", "REJECTED", "no test")).sets["results"]
    assert said == {"T1": {"status": "REJECTED", "evidence": ["the Reviewer: no test"]}}


@pytest.mark.parametrize(
    "document",
    [
        "status: ACCEPTED\nnotes: |\n"
        + "  a line of notes\n" * 2000
        + "criteria: {it works: NOT MET}\n",
        "notes: |\n" + "  a line of notes\n" * 2000 + "status: REJECTED\n",
    ],
)
def test_what_stands_behind_long_notes_counts(document: str) -> None:
    found = judges.review(report("ok", "ACCEPTED", outputs={"review": document})).sets["review"]
    said = review_document.from_data(found["said"])
    assert said.status == "REJECTED" or said.unmet == ("it works",)
    assert len(said.notes) <= judges.MAX_NOTES


def test_a_reviewer_that_wrote_no_document_has_said_what_its_verdict_says() -> None:
    assert judges.review(report("revise", "REJECTED", "no")).sets["review"] == {
        "outcome": "revise",
        "reason": "no",
    }


# -- side by side


def test_the_initializer_is_there_for_the_first_plan_of_a_project_without_documents() -> None:
    def names(**members: Any) -> list[str]:
        return [each.name for each in crew.planners(run(**members))]

    assert names(docs_trusted=False) == ["planner", "initializer"]
    assert names(docs_trusted=True) == ["planner"]
    assert names(docs_trusted=False, iteration=1) == ["planner"]


def planned(plan: Any, docs: Any = None) -> Any:
    return crew.planned({"planner": plan, **({"initializer": docs} if docs else {})})


def test_a_plan_stands_whatever_becomes_of_the_documentation() -> None:
    good, bad = (
        judges.plan(report("ok", "DONE", outputs={"tasks": "x"})),
        judges.documents(report("fail", "ERROR", run=run())),
    )
    assert (planned(good, bad).outcome, planned(good, bad).sets["planned"]) == ("ok", digest("x"))
    assert "refreshed" not in planned(good, bad).sets


def test_a_plan_that_puts_research_off_stops_with_the_exact_words_and_a_line_in_the_log() -> None:
    from podium.core.verdict import Judgement  # noqa: PLC0415

    fault = (
        f"iteration/2/plan/planner: plan.md is malformed: line 3 {plan_document.PUTS_OFF}: 'TBD'"
    )
    found = planned(Judgement("fail", "", fault))
    assert found.reason == f"{plan_document.DEFERRED} {fault}"
    fact: Fact = found.facts[0]
    assert (fact["event"], fact["iteration"], fact["level"]) == (
        "orchestrator.planner.complete",
        2,
        "ERROR",
    )
    assert planned(Judgement("fail", "", "it crashed")).facts == ()


def test_results_of_a_batch_are_told_apart_and_a_conflict_is_a_rejection() -> None:
    from podium.core.verdict import Judgement  # noqa: PLC0415

    done = judges.task(report("ok", "SYNTAX_VALID", changed=("a.py",)))
    clash = Judgement("fail", "conflict", "cannot be merged: a.py changed in both", sets=done.sets)
    found = crew.developed(
        {"T1/1": done, "T2/3": clash, "T3/1": Judgement("fail", "", "it crashed")}
    ).sets["results"]
    assert found["T1"]["status"] == "SYNTAX_VALID"
    assert found["T2"] == {
        "status": "REJECTED",
        "evidence": ["cannot be merged: a.py changed in both"],
        "changed": [],
    }
    assert found["T3"]["evidence"] == ["it crashed"]
