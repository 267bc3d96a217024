from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.governed.review.scoring import (
    CODE_WEIGHTS,
    PLAN_WEIGHTS,
    AssumptionCounts,
    Ceilings,
    assumption_marks,
    code_verdict,
    findings_score,
    percentage,
    plan_verdict,
)

MARKS = dict.fromkeys(PLAN_WEIGHTS, 5.0)


def test_the_weights_add_up() -> None:
    assert sum(PLAN_WEIGHTS.values()) == 12.5
    assert (
        sum(
            weight
            for name, weight in PLAN_WEIGHTS.items()
            if name not in {"security", "performance"}
        )
        == 10.0
    )
    assert sum(CODE_WEIGHTS.values()) == 10.0


@pytest.mark.parametrize(
    ("marks", "ceilings", "score"),
    [
        (MARKS, None, 100.0),
        ({"correctness": 4, "completeness": 2}, None, 61.82),
        ({"correctness": 5, "nonsense": 0}, None, 100.0),
        ({"correctness": 9, "completeness": -3}, None, 54.55),
        ({}, None, 0.0),
        ({"correctness": 5}, Ceilings(mirages=1), 80.0),
        ({"correctness": 5}, Ceilings(mirages=2), 60.0),
        ({"correctness": 5}, Ceilings(mirages=3), 60.0),
        ({"correctness": 5}, Ceilings(mirages=4), 40.0),
        ({"correctness": 1}, Ceilings(mirages=4), 20.0),
        ({"completeness": 5}, Ceilings(orphans=9), 40.0),
        ({"executability": 5}, Ceilings(blocked_tasks=1), 60.0),
        ({"executability": 5}, Ceilings(blocked_tasks=2), 20.0),
        ({"executability": 5}, Ceilings(blocked_tasks=3), 20.0),
    ],
)
def test_marks_are_weighted_and_capped(
    marks: dict[str, float], ceilings: Ceilings | None, score: float
) -> None:
    assert percentage(marks, PLAN_WEIGHTS, ceilings) == score


@given(
    st.dictionaries(st.sampled_from(sorted(PLAN_WEIGHTS)), st.floats(-10, 10), max_size=7),
    st.integers(0, 9),
)
@settings(max_examples=60, deadline=None)
def test_a_score_is_a_part_of_100_and_no_ceiling_raises_it(
    marks: dict[str, float], found: int
) -> None:
    plain = percentage(marks, PLAN_WEIGHTS)
    assert 0 <= percentage(marks, PLAN_WEIGHTS, Ceilings(found, found, found)) <= plain <= 100


@pytest.mark.parametrize(
    ("score", "severities", "verdict"),
    [
        (100.0, [], "APPROVED"),
        (75.0, ["MAJOR", "MAJOR", "MINOR"], "APPROVED"),
        (74.9, [], "NEEDS_REVISION"),
        (60.0, [], "NEEDS_REVISION"),
        (90.0, ["MAJOR"] * 3, "NEEDS_REVISION"),
        (59.9, [], "REJECTED"),
        (100.0, ["CRITICAL"], "REJECTED"),
        (None, [], "APPROVED"),
        (None, ["MAJOR"] * 3, "NEEDS_REVISION"),
        (None, ["CRITICAL"], "REJECTED"),
    ],
)
def test_score_and_findings_allow_a_plan_so_much(
    score: float | None, severities: list[str], verdict: str
) -> None:
    assert plan_verdict(score, severities) == verdict


@pytest.mark.parametrize(
    ("score", "confirmed", "verdict"),
    [
        (75.0, [], "APPROVED"),
        (None, [], "APPROVED"),
        (70.0, [], "NEEDS_REVISION"),
        (95.0, ["MAJOR"], "NEEDS_REVISION"),
        (59.0, [], "FAILED"),
        (95.0, ["MAJOR", "CRITICAL"], "FAILED"),
    ],
)
def test_score_and_issues_allow_code_so_much(
    score: float | None, confirmed: list[str], verdict: str
) -> None:
    assert code_verdict(score, confirmed) == verdict


@pytest.mark.parametrize(
    ("counts", "name", "mark"),
    [
        (AssumptionCounts(), "assumption_validity", 5.0),
        (AssumptionCounts(mirages=2, unverified=1), "assumption_validity", 1.7),
        (AssumptionCounts(mirages=9), "assumption_validity", 0.0),
        (AssumptionCounts(missing_error_paths=1, missing_edge_cases=2), "error_coverage", 3.0),
        (AssumptionCounts(integration_fantasies=1), "integration_reality", 3.0),
        (AssumptionCounts(scope_creep=1, scope_gaps=1), "scope_fidelity", 2.5),
        (
            AssumptionCounts(wrong_dependencies=1, missing_dependencies=1),
            "dependency_accuracy",
            1.5,
        ),
    ],
)
def test_the_marks_of_an_assumption_check_follow_from_its_counts(
    counts: AssumptionCounts, name: str, mark: float
) -> None:
    assert assumption_marks(counts)[name] == pytest.approx(mark)
    assert sum(assumption_marks(AssumptionCounts()).values()) == 25


@pytest.mark.parametrize(
    ("severities", "score"),
    [([], 100.0), (["MAJOR"], 90.0), (["CRITICAL", "MINOR"], 73.0), (["CRITICAL"] * 9, 0.0)],
)
def test_without_marks_findings_make_the_score(severities: list[str], score: float) -> None:
    assert findings_score(severities) == score
