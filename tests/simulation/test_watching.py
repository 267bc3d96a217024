"""The onlooker counts what was left out, and knows no routes."""

from __future__ import annotations

import pytest

from podium.core.run import Run
from podium.simulation.specified import RULES
from podium.simulation.watching import Onlooker, Rule, rule
from podium.workflows.catalog import NAMES


def watched(rules: list[Rule], start: str, *ends: str) -> list[str]:
    """`step outcome>next`, each."""
    onlooker = Onlooker(rules)
    onlooker.begin(Run(step=start))
    for each in ends:
        end, _, following = each.partition(">")
        step, _, outcome = end.partition(" ")
        onlooker.ended(step, outcome)
        onlooker.entered(following)
    return [found.said for found, _ in onlooker.found]


BUILD = rule("gate", "build", ["approve yes"], ["plan"])


@pytest.mark.parametrize(
    ("ends", "broken"),
    [
        (["plan ok>approve", "approve yes>build"], 0),
        (["plan ok>build"], 1),
        (["plan ok>approve", "approve no>build"], 1),
        (["plan ok>approve", "approve yes>build", "build ok>plan", "plan ok>build"], 1),
        (["plan ok>approve", "approve yes>build", "build ok>build"], 0),
    ],
)
def test_what_must_come_before_is_due_again_after_what_makes_it_so(
    ends: list[str], broken: int
) -> None:
    assert len(watched([BUILD], "plan", *ends)) == broken


def test_a_run_that_begins_behind_a_gate_has_bypassed_it() -> None:
    assert watched([BUILD], "build") == ["build without approve yes"]


def test_a_rule_may_be_due_only_after_something_happened() -> None:
    late = rule("stage", "next", ["commit ok"], [("item", "done")], at_once=False)
    assert watched([late], "next") == []
    assert watched([late], "item", "item blocked>next") == []
    assert watched([late], "item", "item done>next") == ["next without commit ok"]
    assert watched([late], "item", "item done>commit", "commit ok>next") == []


def test_a_rule_is_about_the_runs_it_says() -> None:
    assert (
        watched([rule("gate", "build", ["approve yes"], (), lambda run: run.note == "x")], "build")
        == []
    )


def test_every_workflow_has_rules_about_stages_and_those_with_people_about_gates() -> None:
    assert set(NAMES) <= set(RULES)
    assert all(any(each.kind == "stage" for each in RULES[name]) for name in RULES)
    assert {name for name in NAMES if any(each.kind == "gate" for each in RULES[name])} == {
        "harness",
        "feature",
        "ticket",
        "governed",
    }
