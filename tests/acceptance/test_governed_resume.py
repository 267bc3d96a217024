"""Governed runs that are interrupted: after every step, by a crash, by a person, by a budget."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.fakes import governed as g
from tests.fakes.governed import Governed

from podium.core.errors import InputError

WELL = {"behave": "well"}
PLANNED = g.plan({}, {"wave": 2}, complexity_tier="LARGE")
KEYS = (
    "plan/1",
    "plan-check/1",
    "approve-plan",
    "plan-review/1",
    "plan-verdict/1",
    "plan-rehearsal/1",
    "open-wave/1",
    "approve-wave/1",
    "wave/1/phase/1/preflect/1",
    "wave/1/phase/1/execute/1",
    "wave/1/phase/1/evidence/1",
    "wave/1/phase/1/review/1",
    "wave/1/phase/1/mark/1",
    "close-wave/1",
    "wave/2/phase/2/execute/1",
    "final-review/1",
    "final-verdict/1",
    "summary",
)


@pytest.fixture
def run(tmp_path: Path) -> Governed:
    return Governed.of(tmp_path)


@pytest.mark.parametrize("key", KEYS)
def test_a_run_stopped_after_any_step_ends_as_if_it_had_not_been(run: Governed, key: str) -> None:
    stopped = run.go(
        {"planner": [PLANNED]},
        policy={"plan_review_gate_trigger_conditions.min_phases": 1},
        until=key,
    )
    assert stopped.status != "complete"
    assert run.on().status == "complete"
    keys = run.dispatched()
    assert len(keys) == len(set(keys))
    assert len(keys) == 9
    assert [each["title"] for each in run.events("governed.todo")] == [
        "Phase 1 — Part 1",
        "Phase 2 — Part 2",
    ]
    lines = [each["event_type"] for each in run.sink()]
    assert lines.count("delegation") == 9
    assert run.text(g.OUTCOMES).count("## Entry") == 1


@pytest.mark.parametrize("key", KEYS)
def test_a_plan_that_a_person_edits_while_the_run_rests_anywhere_is_the_one_that_counts(
    run: Governed, key: str
) -> None:
    run.go(
        {"planner": [PLANNED]},
        policy={"plan_review_gate_trigger_conditions.min_phases": 1},
        until=key,
    )
    run.edit(g.PLAN, "Phase 2 — Part 2", "Phase 2 — Another part")
    assert run.on().status == "complete"
    assert "Another part" in run.text(g.COMPLETE)
    assert "Part 2" not in run.text(g.COMPLETE)
    approved = [
        each["key"] for each in run.events("gate.decided") if each["key"].startswith("approve-plan")
    ]
    seen = run.events("gate.opened", key=approved[-1])[-1]["prompt"]
    assert "Another part" in seen
    assert run.events("governed.todo")[-1]["title"] == "Phase 2 — Another part"
    # What was complete and is still in the plan is not done again; what was under way begins anew.
    under_way = key in {f"wave/1/phase/1/{step}/1" for step in ("execute", "evidence", "review")}
    assert (
        sum("phase/1" in each and "/execute/" in each for each in run.dispatched()) == 1 + under_way
    )


@pytest.mark.parametrize(
    "key", [each for each in KEYS if each.startswith(("wave/1/phase", "close", "final", "summary"))]
)
def test_code_that_a_person_edits_while_the_run_rests_is_kept(run: Governed, key: str) -> None:
    run.go(
        {"planner": [PLANNED]},
        policy={"plan_review_gate_trigger_conditions.min_phases": 1},
        until=key,
    )
    run.write("src/app.py", "VALUE = 2\n")
    assert run.on().status == "complete"
    assert run.text("src/app.py") == "VALUE = 2\n"
    assert "src/app.py" not in run.text(g.COMPLETE)


@pytest.mark.parametrize("to", ["wave/1/phase/1", "wave/1/phase/1/execute/1"])
def test_a_phase_can_be_done_again_and_all_that_the_run_did_after_it_is_stale(
    run: Governed, to: str
) -> None:
    assert run.go({"planner": [PLANNED]}).status == "complete"
    stale = run.rewind(to, restore_code=True)
    assert "wave/1/phase/1/execute/1" in stale
    assert {"close-wave/1", "close-wave/2", "summary"} <= set(stale)
    assert run.on().status == "complete"
    assert sum("phase/1/" in each and "/execute/" in each for each in run.dispatched()) == 2


def test_todos_are_set_right_by_the_documents_before_anything_else(run: Governed) -> None:
    run.go({"planner": [g.plan({}, {"wave": 2})]}, until="close-wave/1")
    run.path(f"plans/{g.TASK}-plan-phase-1-complete.md").unlink()
    assert run.on().status == "complete"
    (edited,) = run.events("run.edited")
    assert edited["changes"] == ["Phase 1 — Part 1: unmarked, nothing shows that it is done"]
    assert sum("phase/1" in each and "/execute/" in each for each in run.dispatched()) == 2


def reopened(run: Governed, number: int = 1) -> None:
    run.path(f"plans/{g.TASK}-plan-phase-{number}-complete.md").unlink()


def waves(run: Governed) -> list[str]:
    """Phases in the order their executors were asked."""
    return [each.split("/execute/")[0] for each in run.dispatched() if "/execute/" in each]


@pytest.mark.parametrize("decided", [True, False])
def test_a_phase_that_is_open_again_comes_before_the_wave_that_waited_for_its_approval(
    run: Governed, decided: bool
) -> None:
    run.go({"planner": [g.plan({}, {"wave": 2})]}, approve_all=False)
    for _ in range(2):
        run.approve()
        run.resume()
    assert run.open_gates() == ["approve-wave/2"]
    reopened(run)
    if decided:
        run.approve()
    assert run.resume().gates == ("approve-wave/3",)
    assert "Wave 1: 1 phases" in run.app.summary(run.run_id).gates[0]["prompt"]
    assert run.on().status == "complete"
    assert waves(run) == ["wave/1/phase/1", "wave/1/phase/1/2", "wave/2/phase/2"]


def test_a_phase_that_is_open_again_comes_before_the_wave_that_was_under_way(run: Governed) -> None:
    run.go({"planner": [g.plan({}, {"wave": 2})]}, keys={"wave/2/phase/2/execute/1": [g.asks()]})
    assert run.open_gates() == ["wave/2/phase/2/clarify/1"]
    reopened(run)
    assert run.on().status == "complete"
    assert waves(run) == [
        "wave/1/phase/1",
        "wave/2/phase/2",
        "wave/1/phase/1/2",
        "wave/2/phase/2/2",
    ]


@pytest.mark.parametrize(
    "key", ["open-wave/3", "final-review/1", "final-verdict/1", "memory/1", "summary"]
)
def test_nothing_is_summed_up_or_accepted_while_a_phase_is_open_again(
    run: Governed, key: str
) -> None:
    run.go({"planner": [g.plan({}, {"wave": 2})]}, until=key, extra={"final_review": True})
    reopened(run)
    assert run.on().status == "complete"
    assert waves(run) == ["wave/1/phase/1", "wave/2/phase/2", "wave/1/phase/1/2"]
    assert run.path(f"plans/{g.TASK}-plan-phase-1-complete.md").exists()


def test_a_person_is_still_asked_about_a_failed_phase_and_what_is_open_again_comes_first_then(
    run: Governed,
) -> None:
    run.go(
        {"planner": [g.plan({}, {"wave": 2})]},
        keys={"wave/2/phase/2/execute/1": [g.failed("escalate")]},
    )
    reopened(run)
    assert run.on().gates == ("resolve-wave/1",)
    run.answer(choice="retry")
    assert run.on().status == "complete"
    assert waves(run) == [
        "wave/1/phase/1",
        "wave/2/phase/2",
        "wave/1/phase/1/2",
        "wave/2/phase/2/2",
    ]


def test_a_budget_of_the_policy_stops_the_run_and_counts_no_failure(run: Governed) -> None:
    spent = {"usage": {"tokens_in": 60, "tokens_out": 50, "cost_usd": 0.1}}
    caps = {"budget_defaults.enabled": True, "budget_defaults.token_cap": 100}
    ended = run.go({"planner": [{**g.plan({}), **spent}]}, policy=caps)
    assert (ended.status, ended.stop) == ("blocked", "budget")
    assert run.roles() == ["planner"]
    assert run.events("governed.failure") == []


def test_budgets_that_are_off_stop_nothing(run: Governed) -> None:
    spent = {"usage": {"tokens_in": 60, "tokens_out": 50, "cost_usd": 0.1}}
    assert (
        run.go(
            {"planner": [{**g.plan({}), **spent}]}, policy={"budget_defaults.token_cap": 100}
        ).status
        == "complete"
    )


def test_a_cancelled_run_ends_with_its_documents_kept(run: Governed) -> None:
    run.go({"planner": [g.plan({}, {"wave": 2})]}, until="close-wave/1")
    assert run.app.cancel(run.run_id, "enough", "Ada").status == "cancelled"
    assert run.path("src/part1.py").exists()
    assert run.path(f"plans/{g.TASK}-plan-phase-1-complete.md").exists()


def test_a_stopped_run_can_be_sent_on(run: Governed) -> None:
    run.go(
        {"planner": [g.plan({}, {"wave": 2})]},
        keys={"wave/2/phase/2/execute/1": [g.failed("escalate"), WELL]},
    )
    run.answer(choice="stop")
    assert run.on().status == "blocked"
    assert run.on(because="it was the network").status == "complete"
    assert "**Total Phases:** `2 / 2`" in run.text(g.OUTCOMES)


def test_a_blocked_planner_is_asked_again_after_the_cause_is_gone(run: Governed) -> None:
    ended = run.go({"planner": [*[{"say": "here you are"}] * 5, g.plan({})]})
    assert ended.status == "blocked"
    assert run.on(because="look again").status == "complete"


def test_a_silent_reviewer_is_asked_as_often_as_passing_failures_may_be(run: Governed) -> None:
    calls: list[Any] = [{"fail": "crash"}, {"fail": "timeout"}, WELL]
    policy = {"plan_review_gate_trigger_conditions.min_phases": 1}
    assert (
        run.go(
            {"planner": [g.plan({}, complexity_tier="SMALL")], "plan-auditor": calls}, policy=policy
        ).status
        == "complete"
    )


def test_a_reviewer_without_an_answer_is_asked_again_and_not_asked_to_mend_nothing(
    run: Governed,
) -> None:
    policy = {"plan_review_gate_trigger_conditions.min_phases": 1}
    run.go(
        {
            "planner": [g.plan({}, complexity_tier="SMALL")],
            "plan-auditor": [{"fail": "empty"}, WELL],
        },
        policy=policy,
    )
    (again,) = run.events("retry.scheduled")
    assert (again["classification"], again["limit"]) == ("transient", 3)


# -- settings


def test_settings_of_the_project_are_laid_over_the_policy_file(tmp_path: Path) -> None:
    run = Governed.of(
        tmp_path,
        policy={
            "retry_budgets": {"fixable_max": 3},
            "final_review_gate": {"auto_trigger_tiers": ["TRIVIAL"]},
        },
    )
    run.write(
        "podium.toml",
        '[commands]\ntest = "sh tests.sh"\n[policy.governed]\nretry_budgets.fixable_max = 0\n',
    )
    run.go({"planner": [g.plan({})], "core-implementer": [g.failed("fixable")]})
    assert sum("/execute/" in each for each in run.dispatched()) == 1


def test_a_policy_file_alone_is_obeyed(tmp_path: Path) -> None:
    run = Governed.of(tmp_path, policy={"final_review_gate": {"auto_trigger_tiers": ["TRIVIAL"]}})
    run.go({"planner": [g.plan({})]})
    assert "final-review/1" in run.dispatched()


@pytest.mark.parametrize(
    ("policy", "told"),
    [
        ({"retry_budgets.fixabel_max": 1}, "did you mean retry_budgets.fixable_max?"),
        ({"retry_budgets.fixable_max": "often"}, "retry_budgets.fixable_max must be"),
    ],
)
def test_a_misspelt_setting_is_refused_with_the_nearest_name(
    run: Governed, policy: dict[str, Any], told: str
) -> None:
    with pytest.raises(InputError, match="retry_budgets") as refused:
        run.go(policy=policy)
    assert told in str(refused.value)
    assert not run.path(".podium").exists()


@pytest.mark.parametrize(
    "text",
    ['{"retry_budget": {}}', '{"compaction": 3}', '{"retry_budgets": {"fixable_max": "x"}}', "{"],
)
def test_a_policy_file_with_a_fault_is_refused(run: Governed, text: str) -> None:
    run.write(g.POLICY, text)
    with pytest.raises(InputError, match="runtime-policy"):
        run.go()


def test_a_number_given_at_resume_holds_from_then_on(run: Governed) -> None:
    run.go(
        {"planner": [g.plan({})], "core-implementer": [g.failed("fixable")] * 3 + [WELL]},
        until="approve-wave/1",
    )
    assert run.on(policy={"retry_budgets.fixable_max": 2}).gates == ("resolve-wave/1",)
    assert sum("/execute/" in each for each in run.dispatched()) == 3


def test_a_wrong_number_at_resume_is_refused_and_changes_nothing(run: Governed) -> None:
    run.go({"planner": [g.plan({})]}, until="approve-wave/1")
    with pytest.raises(InputError):
        run.on(policy={"retry_budgets.fixabel_max": 2})
    assert run.on().status == "complete"
