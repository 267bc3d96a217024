"""Decisions about a plan and its review, as values."""

from __future__ import annotations

import json
from typing import Any

import pytest

from podium.workflows.governed import closing, completing, deciding, paths
from podium.workflows.governed.payloads.good import good_answer, good_plan
from podium.workflows.governed.plan.markdown import write_plan
from podium.workflows.governed.plan.reading import read_object
from podium.workflows.governed.policy.policy import DEFAULT, read_policy
from podium.workflows.governed.run import GovernedRun

TRACE = "b84447c8-035a-46fb-a3c2-e689a7a01d9e"
PATH = paths.plan_path("task")


def run(**members: Any) -> GovernedRun:
    return GovernedRun(step="check_plan", trace_id=TRACE, **members)


def text(**members: Any) -> str:
    found = read_object(good_plan(**members)).plan
    assert found is not None
    return write_plan(found)


def checked(at: GovernedRun, written: str | None, policy: Any = DEFAULT) -> Any:
    return deciding.check_plan(at, {PATH: written}, [], policy)


def test_a_good_plan_sets_all_that_follows_from_it() -> None:
    found = checked(
        run(), text(complexity_tier="MEDIUM", phases=[{}, {}, {"wave": 2}], max_parallel_agents=3)
    )
    assert found.route == "ok"
    assert found.sets["waves"] == [[1, 2], [3]]
    assert found.sets["reviewers"] == ["plan-auditor", "assumption-verifier"]
    assert found.sets["limit"] == 3
    assert [each[1] for each in found.sets["todos"]] == [
        "Phase 1 — Piece 1",
        "Phase 2 — Piece 2",
        "Phase 3 — Piece 3",
    ]


def test_deciding_about_a_plan_changes_nothing_of_the_run() -> None:
    at = run()
    found = checked(at, text(complexity_tier="LARGE", phases=[{}, {}, {}]))
    assert at == run()
    assert at.tier == "SMALL"
    assert found.sets["tier"] == "LARGE"
    assert found.facts[0]["event"]["max_iterations"] == DEFAULT.max_revisions("LARGE")


@pytest.mark.parametrize("written", [None, "", "# Something else\n"])
def test_what_is_no_plan_is_for_a_person(written: str | None) -> None:
    found = checked(run(), written)
    assert (found.route, found.sets["fit"]) == ("unreadable", False)


def test_the_worse_of_document_and_object_counts() -> None:
    found = checked(run(sent=good_plan(status="REPLAN_REQUIRED")), text())
    assert (found.route, found.sets["fit"]) == ("replan", False)


def test_a_complete_phase_stays_complete_while_the_plan_has_it() -> None:
    before = {"complete": [1, 2], "records": {"1": {"title": "Piece 1"}, "2": {"title": "Piece 2"}}}
    found = checked(run(**before), text(phases=[{}, {"title": "Another piece"}]))
    assert found.sets["complete"] == [1]
    assert [each[2] for each in found.sets["todos"]] == [True, False]


def test_a_slowed_run_stays_slow_with_a_new_plan() -> None:
    found = checked(run(records={"1": {}}, limit=2), text(max_parallel_agents=8))
    assert found.sets["limit"] == 2


def test_a_plan_given_as_json_is_written_as_the_template_has_it() -> None:
    found = checked(run(given=json.dumps(good_plan())), None)
    assert found.writes[PATH].startswith("## Plan: The request")
    assert found.sets["given"] == ""


def test_phases_with_too_many_files_go_back() -> None:
    policy = read_policy(None, {"resource_profiles.default.phase_file_limit": 1})
    files = [{"path": f"f{n}.py", "action": "create", "reason": "is new"} for n in range(2)]
    assert checked(run(), text(phases=[{"files": files}]), policy).route == "replan"


def judged(at: GovernedRun) -> Any:
    return deciding.judge_round(at, {}, [], DEFAULT)


def audited(status: str = "APPROVED", **members: Any) -> dict[str, Any]:
    return {"plan-auditor": {**good_answer("plan-auditor"), "status": status, **members}}


FOUND = {
    "severity": "MAJOR",
    "category": "scope_gap",
    "description": "no way back is planned",
    "affected_phases": [1],
}
SMALL = good_plan(complexity_tier="SMALL", phases=[{}, {}, {}])


def test_each_audit_is_counted_once_and_kept_with_its_plan() -> None:
    found = judged(
        run(plan=SMALL, tier="SMALL", drafts=1, reviews=audited("NEEDS_REVISION", findings=[FOUND]))
    )
    assert found.route == "revise"
    assert found.sets["audits"] == 1
    assert [(each["audit"], each["plan"]) for each in found.sets["rounds"]] == [(1, "1")]
    assert list(found.sets["known"].values()) == ["no way back is planned"]


def test_a_reviewer_that_is_asked_again_makes_no_new_audit() -> None:
    abstains = audited("ABSTAIN", abstain={"is_abstaining": True, "reasons": ["too long"]})
    first = judged(run(plan=SMALL, tier="SMALL", reviews=abstains))
    assert (first.route, first.sets["asked_again"], first.sets["audits"]) == (
        "again",
        ["plan-auditor"],
        1,
    )
    again = judged(
        run(plan=SMALL, tier="SMALL", reviews=audited(), audits=1, asked_again=["plan-auditor"])
    )
    assert (again.route, again.sets["audits"]) == ("approved", 1)


def test_the_gate_event_of_a_round_says_who_ran() -> None:
    (fact,) = judged(run(plan=SMALL, tier="SMALL", reviews=audited())).facts
    event = fact["event"]
    assert (
        event["workflow_state"],
        event["assumption_verifier_status"],
        event["executability_verifier_status"],
    ) == ("REVIEWING", "NOT_RUN", "NOT_RUN")


def test_a_wave_is_split_where_phases_share_a_file() -> None:
    shared = [{"path": "a.py", "action": "modify", "reason": "is mended"}]
    plan = good_plan(phases=[{"files": shared}, {}, {"files": shared}])
    at = run(plan=plan, waves=[[1, 2, 3]], wave=1)
    assert closing.batch(at) == [1, 2]
    at.complete = [1, 2]
    assert closing.batch(at) == [3]


def ended(result: str, **members: Any) -> dict[str, Any]:
    return {
        "result": result,
        "changed": [],
        "transient": False,
        "why": "",
        "review": {},
        "lessons": [],
        "summary": "",
        "ran": {},
        "taught": [],
        "facts": [],
        **members,
    }


@pytest.mark.parametrize(
    ("results", "route"),
    [
        (("complete", "complete"), "next"),
        (("complete",), "more"),
        (("complete", "replan"), "replan"),
        (("replan", "escalated"), "escalated"),
    ],
)
def test_a_wave_ends_as_its_worst_phase(results: tuple[str, ...], route: str) -> None:
    plan = good_plan(phases=[{}, {}])
    todos = [[1, "Phase 1 — Piece 1", False], [2, "Phase 2 — Piece 2", False]]
    phases = {
        str(n): ended(each, why="it broke" if each != "complete" else "")
        for n, each in enumerate(results, 1)
    }
    found = closing.close_wave(
        run(plan=plan, waves=[[1, 2]], wave=1, todos=todos, ended=phases), {}, [], DEFAULT
    )
    assert found.route == route
    assert found.sets["complete"] == [n for n, each in enumerate(results, 1) if each == "complete"]
    assert [done for _, _, done in found.sets["todos"]] == [
        n in found.sets["complete"] for n in (1, 2)
    ]


def test_an_old_log_of_sessions_is_archived() -> None:
    policy = read_policy(None, {"session_telemetry.archive_threshold_entries": 1})
    log = "# Session Outcomes Log\n\n---\n\n## Entry\n\nold\n"
    clock = [{"name": "clock", "now": "2026-03-01T12:00:00Z"}]
    found = completing.summarise(
        run(plan=good_plan(), tier="TRIVIAL"), {paths.log_path(policy): log}, clock, policy
    )
    assert "old" not in found.writes["plans/session-outcomes.md"]
    assert "old" in found.writes["plans/session-outcomes-archive-2026-03-01-task.md"]
