from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.governed.phase.failures import (
    FailureRoute,
    PhaseFailure,
    breaker,
    classify,
    diagnosis_fault,
    overflows,
    route_failure,
)
from podium.workflows.governed.policy.policy import DEFAULT, Policy, read_policy
from podium.workflows.governed.terms import CLASSES, TIERS

T, F, R, E, M = "transient", "fixable", "needs_replan", "escalate", "model_unavailable"
REPEAT = "stagnation_detection.same_phase_failure_escalation_threshold"
TOTAL = "retry_budgets.max_retries_per_phase"


def route(*classes: Any, policy: Policy = DEFAULT) -> FailureRoute:
    return route_failure([PhaseFailure(each, f"{each} it was") for each in classes], policy, 2.0)


@pytest.mark.parametrize(
    ("history", "action", "rule"),
    [
        ([T], "retry", ""),
        ([T, T], "retry", ""),
        ([T, T, T], "escalate", REPEAT),
        ([T, F, T, T], "retry", ""),
        ([T, F, T, R, T], "retry", ""),
        ([T, F, T, R, T, T], "escalate", "retry_budgets.transient_max"),
        ([F], "retry_with_hint", ""),
        ([F, F], "escalate", "retry_budgets.fixable_max"),
        ([F, T, F], "escalate", "retry_budgets.fixable_max"),
        ([R], "replan", ""),
        ([R, R], "escalate", "retry_budgets.needs_replan_max"),
        ([E], "escalate", "retry_budgets.escalate_max"),
        ([T, E], "escalate", "retry_budgets.escalate_max"),
        ([M], "retry_other_model", ""),
        ([M, M], "retry_other_model", ""),
        ([M, M, M], "escalate", "retry_budgets.model_unavailable_max"),
        ([T, M, T, M, F], "retry_with_hint", ""),
        ([T, M, T, M, F, T], "escalate", TOTAL),
    ],
)
def test_whichever_budget_bites_first_decides_and_is_named(
    history: list[str], action: str, rule: str
) -> None:
    found = route(*history)
    assert (found.action, found.rule) == (action, rule)
    assert found.classification == history[-1]


def test_a_retry_carries_its_number_a_growing_delay_and_a_fix_its_hint() -> None:
    assert (route(T).retry_attempt, route(T).delay_s, route(T).hint) == (1, 2.0, "")
    assert (route(T, T).retry_attempt, route(T, T).delay_s) == (2, 4.0)
    assert (route(T, F).retry_attempt, route(T, F).delay_s, route(T, F).hint) == (
        2,
        0.0,
        "fixable it was",
    )
    assert route(R).hint == "needs_replan it was"


def test_a_usage_limit_with_an_end_is_slept_through_and_costs_no_budget() -> None:
    limited = PhaseFailure("transient", "limit", reset_s=90.0)
    found = route_failure([limited], DEFAULT)
    assert (found.action, found.delay_s, found.retry_attempt) == ("sleep", 90.0, 0)
    many = [limited] * 9
    assert route_failure([*many, PhaseFailure("transient")], DEFAULT).action == "retry"
    assert (
        route_failure(
            [PhaseFailure("transient"), *many, PhaseFailure("transient")], DEFAULT
        ).retry_attempt
        == 2
    )


@pytest.mark.parametrize(
    ("seen", "said", "found"),
    [
        ("empty", "", T),
        ("timeout", "escalate", T),
        ("rate_limit", "", T),
        ("malformed", "fixable", T),
        ("crash", "", T),
        ("model_unavailable", "", M),
        ("build_failed", "", F),
        ("tests_failed", "transient", F),
        ("review_blocked", "", F),
        ("violation", "", F),
        ("scope_drift", "", R),
        ("budget", "", E),
        ("something new", "transient", E),
        ("", "transient", T),
        ("", "needs_replan", R),
        ("", "nonsense", E),
        ("", "", E),
    ],
)
def test_what_the_program_saw_wins_over_what_was_said_and_the_unknown_escalates(
    seen: str, said: str, found: str
) -> None:
    assert classify(seen, said) == found


@given(
    st.lists(st.sampled_from(CLASSES), min_size=1, max_size=12),
    st.integers(0, 4),
    st.integers(0, 8),
    st.integers(1, 5),
)
@settings(max_examples=100, deadline=None)
def test_no_history_gets_more_than_any_budget_allows(
    history: list[Any], each: int, total: int, repeat: int
) -> None:
    overlay = {f"retry_budgets.{name}_max": each for name in CLASSES} | {
        TOTAL: total,
        REPEAT: repeat,
    }
    policy = read_policy(None, overlay)
    tried: list[Any] = []
    for failed in history:
        tried.append(failed)
        if route(*tried, policy=policy).action == "escalate":
            break
    retries = len(tried) - 1
    assert retries <= total
    assert all(tried[:-1].count(name) <= each for name in CLASSES)
    assert all(len(set(tried[at : at + repeat])) > 1 for at in range(len(tried) - repeat))


@pytest.mark.parametrize("tier", TIERS)
def test_a_fix_on_a_larger_plan_is_tried_again_only_with_a_diagnosis(tier: Any) -> None:
    missing = diagnosis_fault(tier, {}, DEFAULT)
    assert bool(missing) == (tier in {"MEDIUM", "LARGE"})
    assert diagnosis_fault(tier, {"diagnosis_evidence": {}}, DEFAULT) == ""
    assert diagnosis_fault(tier, {}, replace(DEFAULT, generation="2026-04")) == ""


def test_context_that_stays_too_large_goes_to_a_person_after_three_tries() -> None:
    assert [breaker(times, DEFAULT) for times in (0, 3, 4)] == ["", "", "escalate"]


@pytest.mark.parametrize(
    ("reasons", "times"),
    [
        ([], 0),
        (["exit code 1"], 0),
        (["maximum context length is 200000 tokens"], 1),
        (["prompt is too long: 212000 tokens", "Request too large for model"], 2),
        (["context_length_exceeded", "exit code 1", "context window exceeded"], 1),
        (["context window exceeded", "exit code 1"], 0),
    ],
)
def test_only_failures_for_want_of_room_count_and_only_in_a_row(
    reasons: list[str], times: int
) -> None:
    assert overflows([PhaseFailure("transient", each) for each in reasons]) == times


def test_want_of_room_goes_to_a_person_even_where_the_class_has_tries_left() -> None:
    many = read_policy(
        None,
        {
            "retry_budgets.transient_max": 9,
            "retry_budgets.max_retries_per_phase": 9,
            "stagnation_detection.same_classification_repeat_escalation": False,
        },
    )
    history = [PhaseFailure("transient", "prompt is too long")] * 4
    found = route_failure(history, many)
    assert (found.action, found.rule) == ("escalate", "compaction.max_consecutive_failures")
    assert route_failure(history[1:], many).action == "retry"
    more = Policy({**many.values, "compaction.max_consecutive_failures": 5})
    assert route_failure(history, more).action == "retry"
