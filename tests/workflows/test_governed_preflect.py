from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from podium.workflows.governed.phase.preflect import Beforehand, preflect

RISKS: dict[str, tuple[Any, str, str]] = {
    "executor_fault": ("nobody", "scope_drift", "REPLAN"),
    "undeclared": (["x.py"], "scope_drift", "REPLAN"),
    "payload_faults": (["model: missing"], "contract_drift", "REPLAN"),
    "open_dependencies": ([2], "missing_evidence", "ABSTAIN"),
    "unmarked": (["Phase 1 — A"], "missing_evidence", "ABSTAIN"),
    "missing_inputs": (["spec.md"], "missing_evidence", "ABSTAIN"),
    "hazards": (["rm_rf"], "destructive", "ABSTAIN"),
}


def test_nothing_in_the_way_means_go() -> None:
    found = preflect(Beforehand())
    assert (found.decision, found.risks, found.needs_person, found.reason) == (
        "GO",
        (),
        False,
        "no risk seen",
    )


@pytest.mark.parametrize("name", RISKS)
def test_each_risk_alone_has_its_class_and_decision(name: str) -> None:
    value, kind, decision = RISKS[name]
    found = preflect(Beforehand(**{name: value}))
    assert [each for each, _ in found.risks] == [kind]
    assert found.decision == decision
    assert found.needs_person == (kind == "destructive")


@pytest.mark.parametrize(("one", "other"), list(combinations(RISKS, 2)))
def test_of_two_risks_the_one_that_needs_a_new_plan_decides(one: str, other: str) -> None:
    found = preflect(Beforehand(**{one: RISKS[one][0], other: RISKS[other][0]}))
    assert found.decision == (
        "REPLAN" if "REPLAN" in {RISKS[one][2], RISKS[other][2]} else "ABSTAIN"
    )
    assert len(found.risks) == 2
