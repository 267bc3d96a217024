"""A model from journals: what was seen counts, what was not stays as it was believed."""

from __future__ import annotations

from typing import Any

import pytest

from podium.simulation.estimating import estimated, spread
from podium.simulation.model import AgentModel, Model, Spread, StepModel

BASE = Model(
    steps={"qa": StepModel({"ok": 0.5, "revise": 0.5})},
    roles={"qa": AgentModel(failures={"crash": 0.1})},
)


def event(type: str, second: int = 0, **fields: Any) -> dict[str, Any]:
    return {
        "type": type,
        "ts": f"2026-01-01T00:{second // 60:02d}:{second % 60:02d}.000Z",
        **fields,
    }


def moved(step: str, outcome: str) -> dict[str, Any]:
    return {**event("run.advanced"), "from": step, "outcome": outcome}


def dispatched(
    key: str, role: str, seconds: float | None, cost: float | None = None, tokens: int | None = None
) -> list[dict[str, Any]]:
    usage = {"seconds": seconds, "cost_usd": cost, "tokens_in": tokens, "tokens_out": tokens}
    return [event("step.started", key=key, role=role), event("step.finished", key=key, usage=usage)]


def journal(workflow: str = "harness", *events: dict[str, Any]) -> list[dict[str, Any]]:
    return [event("run.started", workflow=workflow), *events]


def test_times_tokens_and_cost_are_those_that_were_seen() -> None:
    runs = [journal("harness", *dispatched("a", "qa", number, 0.5, 10)) for number in range(1, 11)]
    found = estimated(runs, "harness", BASE).roles["qa"]
    assert (found.seconds, found.tokens, found.cost_usd) == (
        Spread(5, 10),
        Spread(20, 20),
        Spread(0.5, 0.5),
    )


def test_what_nobody_reported_is_not_taken_for_nothing() -> None:
    found = estimated([journal("harness", *dispatched("a", "qa", 3))], "harness", BASE).roles["qa"]
    assert (found.tokens, found.cost_usd) == (AgentModel().tokens, AgentModel().cost_usd)


def test_failures_are_shares_of_dispatches_and_a_few_runs_do_not_settle_them() -> None:
    failing = [
        event("step.started", key="a", role="qa"),
        event("retry.scheduled", key="a", classification="crash", usage={"seconds": 1}),
        event("step.started", key="a", role="qa"),
        event("retry.exhausted", key="a", classification="error"),
        event("step.finished", key="a", usage={"seconds": 2}),
    ]
    found = estimated([journal("harness", *failing)], "harness", BASE).roles["qa"]
    assert found.failures["crash"] == pytest.approx((2 + 2 * 0.1) / 4)
    assert found.failures["timeout"] == 0
    assert found.seconds == Spread(1, 2)


def test_outcomes_are_counted_for_each_step_over_what_was_believed() -> None:
    moves = [moved("qa", "ok")] * 6
    found = estimated([journal("harness", *moves)], "harness", BASE).steps["qa"].outcomes
    assert found == {"ok": 7.0, "revise": 1.0}


def test_steps_of_child_runs_are_named_with_their_workflow() -> None:
    move = moved("review", "ok")
    found = estimated([journal("roadmap"), journal("roadmap-item", move)], "roadmap", Model())
    assert dict(found.steps) == {"roadmap-item/review": StepModel({"ok": 1.0})}


def test_people_take_as_long_as_their_gates_were_open() -> None:
    gates = [
        event("gate.opened", 5, key="g"),
        event("gate.decided", 65, key="g"),
        event("gate.opened", 0, key="open"),
    ]
    assert estimated([journal("harness", *gates)], "harness", BASE).person == Spread(60, 60)
    assert estimated([journal()], "harness", BASE) == BASE


def test_a_spread_of_nothing_is_not_known() -> None:
    assert spread([]) is None
    assert spread([3.0]) == Spread(3, 3)


def test_steps_and_outcomes_that_are_called_otherwise_now_are_left_out() -> None:
    moves = [moved("qa", "ok"), moved("qa", "pass"), moved("old", "ok")]
    found = estimated([journal("harness", *moves)], "harness", Model(), {"qa": ("ok", "revise")})
    assert dict(found.steps) == {"qa": StepModel({"ok": 1.0})}


def test_a_failure_after_which_the_workflow_decides_counts_once() -> None:
    failing = [
        event("step.started", key="a", role="qa"),
        event("step.finished", key="a", usage={"seconds": 1}, failure="timeout"),
        event("retry.scheduled", key="a", classification="transient", usage={}, of="workflow"),
    ]
    found = estimated([journal("harness", *failing)], "harness", BASE).roles["qa"]
    assert found.failures["timeout"] == pytest.approx(1 / 3)
