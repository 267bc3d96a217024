"""A policy without a budget closes the ways that need one, and `podium check` finds nothing dead
in what is left.
"""

from __future__ import annotations

import pytest

from podium.checking.examining import examine
from podium.core.workflow import Workflow
from podium.workflows.governed.phase_workflow import PhaseWork
from podium.workflows.governed.policy.policy import DEFAULT, laid_over
from podium.workflows.governed.workflow import Governed


def made(kind: type[Governed | PhaseWork], **values: int) -> Workflow:
    return kind(
        laid_over(DEFAULT, {name.replace("__", "."): value for name, value in values.items()})
    )


@pytest.mark.parametrize(
    ("values", "outcomes", "leads_on"),
    [
        ({}, {"again", "replan", "escalate"}, True),
        ({"retry_budgets__needs_replan_max": 0}, {"again", "escalate"}, True),
        ({"retry_budgets__max_retries_per_phase": 0}, {"escalate"}, False),
    ],
)
def test_a_failed_phase_goes_only_where_some_budget_lets_it(
    values: dict[str, int], outcomes: set[str], leads_on: bool
) -> None:
    phase = made(PhaseWork, **values)
    route = phase.steps["route"]
    assert set(route.outcomes) == outcomes
    assert ("execute" in route.exits) == leads_on
    assert examine(phase).violations == ()


def test_without_fix_cycles_there_is_no_step_for_them() -> None:
    without = made(Governed, final_review_gate__max_fix_cycles=0)
    assert "fix" not in without.steps
    assert "fix" not in (
        *without.steps["judge_final"].exits,
        *without.steps["judge_final"].outcomes,
    )
    assert "fix" in made(Governed).steps


def test_without_replans_nothing_goes_back_to_the_draft_by_itself() -> None:
    without = made(Governed, retry_budgets__needs_replan_max=0)
    assert "draft" not in (*without.steps["check_plan"].exits, *without.steps["close_wave"].exits)
    assert "replan" in without.steps["check_plan"].outcomes, "it is asked of a person"
