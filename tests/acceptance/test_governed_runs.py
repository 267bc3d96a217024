"""Whole governed runs that go well: every tier, every document, every payload valid, and plans
that people bring.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import governed as g
from tests.fakes.governed import COMPLETE, FINAL, OUTCOMES, PLAN, Governed

from podium.core.errors import InputError, UsageError
from podium.workflows.governed.payloads.good import good_plan, risk_review
from podium.workflows.governed.payloads.payloads import accepted, payload_faults
from podium.workflows.governed.payloads.schema_store import GATE_EVENT, delegation
from podium.workflows.governed.plan.markdown import write_plan
from podium.workflows.governed.plan.reading import read_object
from podium.workflows.governed.policy.policy import DEFAULT, read_policy
from podium.workflows.governed.roster import BY_NAME

THREE: list[dict[str, Any]] = [{}, {}, {"wave": 2, "dependencies": [1]}]
POLICIES = Path(__file__).parents[1] / "workflows" / "governed_policies"


@pytest.fixture
def run(tmp_path: Path) -> Governed:
    return Governed.of(tmp_path)


@pytest.mark.parametrize(
    ("tier", "reviewers"),
    [
        ("TRIVIAL", []),
        ("SMALL", ["plan-auditor"]),
        ("MEDIUM", ["assumption-verifier", "plan-auditor"]),
        ("LARGE", ["assumption-verifier", "executability-verifier", "plan-auditor"]),
    ],
)
def test_a_plan_of_each_tier_is_reviewed_by_the_policy_and_carried_out(
    run: Governed, tier: str, reviewers: list[str]
) -> None:
    ended = run.go({"planner": [g.plan(*THREE, complexity_tier=tier)]})
    assert ended.status == "complete"
    assert (
        sorted({each for each in run.roles() if each.endswith(("verifier", "auditor"))})
        == reviewers
    )
    assert [run.text(f"src/part{n}.py") != "" for n in (1, 2, 3)] == [True] * 3
    assert run.path(FINAL).exists() == (tier == "LARGE")


def test_an_unresolved_high_risk_puts_every_reviewer_before_the_smallest_plan(
    run: Governed,
) -> None:
    risk = risk_review(
        migration_rollback={
            "applicability": "applicable",
            "impact": "HIGH",
            "disposition": "open_question",
        }
    )
    assert run.go({"planner": [g.plan({}, risk_review=risk)]}).status == "complete"
    assert [each for each in run.roles() if each.endswith(("verifier", "auditor"))].count(
        "executability-verifier"
    ) == 1
    (sent,) = [
        each["payload"] for each in run.events("governed.delegation", agent="PlanAuditor-subagent")
    ]
    assert sent["focus_areas"] == ["destructive_risk", "missing_rollback"]


def test_every_document_is_where_the_family_has_it(run: Governed) -> None:
    run.go({"planner": [g.plan(*THREE, complexity_tier="LARGE")]})
    assert run.text(PLAN).startswith("## Plan: ")
    for number in (1, 2, 3):
        assert run.text(f"plans/{g.TASK}-plan-phase-{number}-complete.md").startswith(
            f"## Phase {number} Complete: Part {number}"
        )
    assert "### Phases Completed" in run.text(COMPLETE)
    assert "**Status:** `SUCCESS`" in run.text(OUTCOMES)
    assert "**Total Phases:** `3 / 3`" in run.text(OUTCOMES)
    assert "| CodeReviewer-subagent | APPROVED |" in run.text(OUTCOMES)
    assert "APPROVED" in run.text(FINAL)
    assert (
        0
        < len(run.text("NOTES.md").splitlines())
        <= DEFAULT.integer("memory_hygiene.notes_md_max_lines")
    )


def test_the_session_is_logged_before_its_summary_is_shown(run: Governed) -> None:
    run.go({"planner": [g.plan({})]})
    saved = [each["path"] for each in run.events("document.saved")]
    assert saved.index(OUTCOMES) < saved.index(COMPLETE)
    seqs = {each["type"] + str(each.get("key", "")): each["seq"] for each in run.events()}
    assert seqs["step.finishedsummary"] < seqs["gate.openedapprove-completion"]


def test_everything_that_is_emitted_is_valid(run: Governed) -> None:
    run.go(
        {
            "planner": [g.plan(*THREE, complexity_tier="LARGE")],
            "plan-auditor": [g.audit("NEEDS_REVISION", g.finding()), {"behave": "well"}],
        },
        keys={"wave/1/phase/1/execute/1": [g.failed("fixable")]},
    )
    _all_valid(run, "2026-06")


def _all_valid(run: Governed, generation: Any) -> None:
    gates, sent, back = (
        run.events(f"governed.{name}") for name in ("gate_event", "delegation", "report")
    )
    assert all((gates, sent, back))
    assert [payload_faults(GATE_EVENT, each["event"], generation) for each in gates] == [()] * len(
        gates
    )
    assert [
        payload_faults(delegation(each["agent"]), each["payload"], generation) for each in sent
    ] == [()] * len(sent)
    plain = [each for each in back if each["kind"] != "clarification_request"]
    assert [accepted(BY_NAME[each["agent"]].schema, each["payload"])[1] for each in plain] == [
        ()
    ] * len(plain)


@pytest.mark.parametrize("generation", ["2026-04", "2026-06"])
def test_the_familys_own_policy_file_is_obeyed_as_it_is(tmp_path: Path, generation: str) -> None:
    policy = json.loads((POLICIES / f"{generation}.json").read_text())
    run = Governed.of(tmp_path, policy=policy)
    planner = g.plan(*THREE, complexity_tier="MEDIUM")
    if generation == "2026-04":
        del planner["verdict"]["revision_mode"]  # only the later schemas have it
    assert run.go({"planner": [planner]}).status == "complete"
    _all_valid(run, generation)
    assert read_policy(json.dumps(policy)).generation == generation


def test_the_sink_holds_every_payload_of_the_run_and_its_phases_once(run: Governed) -> None:
    run.go({"planner": [g.plan(*THREE, complexity_tier="SMALL")]})
    lines = run.sink()
    assert len({json.dumps(each, sort_keys=True) for each in lines}) == len(lines)
    assert len({each["trace_id"] for each in lines}) == 1
    kinds = [each["event_type"] for each in lines]
    told = len(run.events("governed.gate_event"))
    assert kinds.count("gate_event") == told
    assert [
        each["payload"]["workflow_state"] for each in lines if each["event_type"] == "gate_event"
    ][-1] == "COMPLETE"
    assert kinds.count("delegation") == len(run.dispatched())
    assert {"plan_audit", "verdict", "execution_report"} <= set(kinds)
    assert {each["phase"] for each in lines} == {None, 1, 2, 3}


def test_a_second_run_adds_to_the_log_of_sessions(run: Governed) -> None:
    run.go({"planner": [g.plan({})]})
    assert run.go({"planner": [g.plan({})]}, request="Remove rate limits").status == "complete"
    assert run.text(OUTCOMES).count("## Entry") == 2


def test_the_same_input_twice_gives_the_same_decisions(tmp_path: Path) -> None:
    told = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        run = Governed.of(tmp_path / name)
        run.go({"planner": [g.plan(*THREE, complexity_tier="SMALL", max_parallel_agents=1)]})
        left_out = {
            "seq",
            "ts",
            "run",
            "prev",
            "hash",
            "usage",
            "inherit",
            "state",
            "subject",
            "evidence",
            "base",
            "commit",
        }
        told.append(
            [
                {k: v for k, v in each.items() if k not in left_out}
                for each in run.events()
                if each["type"].startswith(("governed", "step.finished"))
            ]
        )
    assert told[0] == told[1]


# -- a plan that a person brings


@pytest.mark.parametrize("form", ["md", "json"])
def test_a_plan_that_is_brought_is_reviewed_all_the_same(run: Governed, form: str) -> None:
    data = good_plan(
        task_title="Limits for everybody",
        complexity_tier="SMALL",
        phases=[g.placed(n, each) for n, each in enumerate(THREE, 1)],
    )
    found = read_object(data).plan
    assert found is not None
    run.write(f"mine.{form}", json.dumps(data) if form == "json" else write_plan(found))
    assert run.go(request="", extra={"plan": f"mine.{form}"}).status == "complete"
    assert "planner" not in run.roles()
    assert "plan-auditor" in run.roles()
    assert run.text("plans/limits-for-everybody-plan.md").startswith(
        "## Plan: Limits for everybody"
    )


def test_a_plan_of_the_earlier_generation_is_taken(run: Governed) -> None:
    data = good_plan(task_title="An older plan", phases=[g.placed(1, {})])
    del data["revision_mode"]
    data["risk_review"] = data["risk_review"][:1]
    run.write("old.json", json.dumps(data))
    assert run.go(request="", extra={"plan": "old.json"}).status == "complete"


def test_a_phase_without_an_executor_goes_back_to_the_planner(run: Governed) -> None:
    data = good_plan(task_title="A legacy plan", phases=[g.placed(1, {})])
    del data["phases"][0]["executor_agent"]
    run.write("old.json", json.dumps(data))
    assert (
        run.go({"planner": [g.plan({})]}, request="", extra={"plan": "old.json"}).status
        == "complete"
    )
    assert run.dispatched()[0] == "plan/1"
    (back,) = run.gates(event_type="PLAN_GATE", decision="REPLAN")
    assert "no executor_agent is named" in back["reason"]


def test_a_plan_that_cannot_be_read_is_refused_before_anything_is_written(run: Governed) -> None:
    run.write("bad.json", '{"phases": []}')
    with pytest.raises(InputError):
        run.go(request="", extra={"plan": "bad.json"})
    with pytest.raises(InputError):
        run.go(request="", extra={"plan": "none.md"})
    with pytest.raises(UsageError):
        run.go(request="")
    assert not run.path("plans").exists()


def test_a_plan_that_stays_unfit_is_told_as_a_persons_business(run: Governed) -> None:
    ended = run.go({"planner": [g.plan(*[{}] * 11)]})
    assert ended.gates == ("resolve-plan",)
    told = [
        (each["workflow_state"], each["decision"], each["requires_human_approval"])
        for each in run.gates(event_type="PLAN_GATE")
    ]
    assert told == [("PLANNING", "REPLAN", False), ("WAITING_APPROVAL", "BLOCKED", True)]


def test_a_wave_is_called_by_its_number_in_the_plan(run: Governed) -> None:
    assert run.go({"planner": [g.plan({"wave": 2}, {"wave": 5})]}).status == "complete"
    said = [each["reason"] for each in run.gates(event_type="PHASE_REVIEW_GATE", phase_id=None)]
    assert [each.partition(":")[0] for each in said] == ["wave 2", "wave 5"]
    assert [key for key in run.dispatched() if key.endswith("execute/1")] == [
        "wave/2/phase/1/execute/1",
        "wave/5/phase/2/execute/1",
    ]
