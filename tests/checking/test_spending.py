"""The worst case of a run: by its loops, its retries and its caps."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.broken_workflows import BrokenContract, Endless
from tests.fakes.workflows import EveryKind, Sample

from podium.checking.spending import at_once, capped, worst_case
from podium.cli import catalog
from podium.core.budget import Caps
from podium.core.explore import explore
from podium.core.retry import Policy


def test_dispatches_are_visits_times_tries() -> None:
    once = Policy({"violation": 0, "validation": 0, "rate_limit": 0}, repair_attempts=0)
    # planning once, build and qa three times each
    assert worst_case(explore(Sample()), once, {}) == {"dispatches": 7, "stage_runs": 7}
    twice = Policy({"violation": 0, "validation": 0, "rate_limit": 0}, repair_attempts=1)
    assert worst_case(explore(Sample()), twice, {})["dispatches"] == 14


def test_a_child_run_counts_at_its_own_worst() -> None:
    once = Policy({"violation": 0, "validation": 0, "rate_limit": 0}, repair_attempts=0)
    below = {"sample": worst_case(explore(Sample()), once, {})}
    assert worst_case(explore(EveryKind()), once, below)["stage_runs"] == 4 + 7 + 1


def test_a_child_run_without_a_bound_leaves_its_parent_without_one() -> None:
    below = {"sample": {"dispatches": None, "stage_runs": 3}}
    assert worst_case(explore(EveryKind()), Policy(), below) == {
        "dispatches": None,
        "stage_runs": 8,
    }


def test_a_loop_that_nobody_ends_has_no_bound_unless_the_budget_has() -> None:
    worst = worst_case(explore(Endless()), Policy(), {})
    assert worst["dispatches"] is None
    assert "dispatches" in capped(worst, Caps())["unbounded"]
    assert capped(worst, Caps(dispatches=9))["dispatches"] == 9


def test_tokens_and_cost_are_bounded_by_caps_and_the_answer_says_which_setting_would_bound_the_rest() -> (  # noqa: E501
    None
):
    found = capped({"dispatches": 12, "stage_runs": 3}, Caps(tokens=5000), timeout_s=60.0)
    assert (found["dispatches"], found["tokens"], found["cost_usd"], found["agent_seconds"]) == (
        12,
        5000,
        None,
        720.0,
    )
    assert list(found["unbounded"]) == ["cost_usd"]
    assert "`[budget] cost_usd`" in found["unbounded"]["cost_usd"]


def test_a_cap_is_overshot_by_no_more_agents_than_can_be_at_work_when_it_is_reached(
    tmp_path: Path,
) -> None:
    assert (at_once(Sample()), at_once(EveryKind())) == (1, 4)
    assert [
        at_once(catalog.workflow(each, tmp_path))
        for each in ("harness", "roadmap", "feature", "ticket", "governed")
    ] == [1, 1, 4, 8, 10]
    assert at_once(catalog.workflow("feature", tmp_path, {"max_parallel": 2})) == 2
    assert capped({"dispatches": 12, "stage_runs": 3}, Caps(tokens=5000), 3)["overshoot"] == {
        "tokens": 3
    }
    assert capped({"dispatches": 2, "stage_runs": 2}, Caps(cost_usd=1.0), 3)["overshoot"] == {
        "cost_usd": 2
    }, "no more than there are"
    assert capped({"dispatches": 12, "stage_runs": 3}, Caps(), 3)["overshoot"] == {}


def test_a_cap_on_each_step_bounds_the_run_by_its_steps_and_may_be_overshot_in_each() -> None:
    worst = {"dispatches": 12, "stage_runs": 3}
    found = capped(worst, Caps(step_tokens=1000, step_cost_usd=2.0, step_dispatches=2))
    assert (found["dispatches"], found["tokens"], found["cost_usd"]) == (6, 3000, 6.0)
    assert found["overshoot"] == {"tokens": 3, "cost_usd": 3}
    assert found["unbounded"] == {}
    lower = capped(worst, Caps(tokens=2500, step_tokens=1000))
    assert (lower["tokens"], lower["overshoot"]) == (2500, {"tokens": 1})
    endless = capped({"dispatches": None, "stage_runs": None}, Caps(step_tokens=1000))
    assert list(endless["unbounded"]) == ["dispatches", "tokens", "cost_usd"]


def test_an_estimate_for_each_dispatch_makes_one_of_the_worst_case_and_is_no_bound() -> None:
    found = capped({"dispatches": 12, "stage_runs": 3}, Caps(estimate_usd=0.5))
    assert (found["estimated_usd"], found["cost_usd"]) == (6.0, None)
    assert "cost_usd" in found["unbounded"]
    assert (
        capped({"dispatches": 12, "stage_runs": 3}, Caps(estimate_usd=0.5, dispatches=4))[
            "estimated_usd"
        ]
        == 2.0
    )
    assert (
        capped({"dispatches": 12, "stage_runs": 3}, Caps(estimate_usd=0.5, cost_usd=3.0))[
            "estimated_usd"
        ]
        == 3.0
    ), "the cap ends it first"
    assert (
        capped({"dispatches": None, "stage_runs": None}, Caps(estimate_usd=0.5))["estimated_usd"]
        is None
    )


def test_a_cap_on_dispatches_that_is_tighter_than_the_loops_holds() -> None:
    assert capped({"dispatches": 12, "stage_runs": 3}, Caps(dispatches=5))["dispatches"] == 5
    assert capped({"dispatches": 12, "stage_runs": 3}, Caps(dispatches=50))["dispatches"] == 12


def test_a_contract_that_cannot_be_asked_counts_like_any_other() -> None:
    assert worst_case(explore(BrokenContract()), Policy(), {})["stage_runs"] == 2
