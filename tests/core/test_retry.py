"""After a failed dispatch: again, mend, wait, ask, or give up, and which rule said so."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core.retry import (
    Attempt,
    GiveUp,
    Move,
    Park,
    Policy,
    Repair,
    Retry,
    Sleep,
    as_error,
    decide,
    mended,
    next_move,
    worst_dispatches,
)


def failed(*failures: str) -> list[Attempt]:
    """A history in which `repair:x` is a repair that failed with x."""
    return [
        Attempt(number, failure.startswith("repair:"), failure.removeprefix("repair:"))
        for number, failure in enumerate(failures, 1)
    ]


DEFAULT = Policy()
GENEROUS = Policy(limits={"crash": 5, "timeout": 5, "violation": 5}, repair_attempts=2)


@pytest.mark.parametrize(
    ("failures", "policy", "move"),
    [
        # Missing, empty or malformed output is mended once, then it is a failure.
        (("artifact",), DEFAULT, Repair(1)),
        (("empty",), DEFAULT, Repair(1)),
        (("garbage",), DEFAULT, Repair(1)),
        (("artifact", "repair:artifact"), DEFAULT, GiveUp("artifact", "repair_attempts")),
        (("artifact", "repair:empty"), DEFAULT, GiveUp("artifact", "repair_attempts")),
        (("artifact", "repair:artifact"), GENEROUS, Repair(2)),
        (("artifact",), Policy(repair_attempts=0), GiveUp("artifact", "repair_attempts")),
        # A repair used stays used, whatever failed in between.
        (
            ("artifact", "repair:violation", "artifact"),
            DEFAULT,
            GiveUp("artifact", "repair_attempts"),
        ),
        # Every class has its own limit.
        (("violation",), DEFAULT, Retry("violation", 1, 1, 0.0)),
        (("violation", "violation"), DEFAULT, GiveUp("violation", "limits.violation")),
        (("validation",) * 3, DEFAULT, Retry("validation", 3, 3, 0.0)),
        (("validation",) * 4, DEFAULT, GiveUp("validation", "limits.validation")),
        (("violation", "validation"), DEFAULT, Retry("validation", 1, 3, 0.0)),
        (("crash",), DEFAULT, GiveUp("crash", "limits.crash")),
        (("timeout",), DEFAULT, GiveUp("timeout", "limits.timeout")),
        # What nobody named is not tried again.
        (("mystery",), DEFAULT, GiveUp("mystery", "limits.mystery")),
        (("mystery",), Policy(limits={"mystery": 1}), Retry("mystery", 1, 1, 0.0)),
        # What time may cure waits longer each time.
        (("rate_limit",), DEFAULT, Retry("rate_limit", 1, 3, 30.0)),
        (("rate_limit",) * 3, DEFAULT, Retry("rate_limit", 3, 3, 120.0)),
        (("rate_limit",) * 4, DEFAULT, GiveUp("rate_limit", "limits.rate_limit")),
        (("crash", "crash"), replace(GENEROUS, backoff_s=600), Retry("crash", 2, 5, 900.0)),
        (("timeout",), replace(GENEROUS, backoff_s=0), Retry("timeout", 1, 5, 0.0)),
        # All classes together, and one class in a row.
        (("crash", "timeout"), replace(GENEROUS, total=2), Retry("timeout", 1, 5, 30.0)),
        (
            ("crash", "timeout", "violation"),
            replace(GENEROUS, total=2),
            GiveUp("violation", "total"),
        ),
        (("artifact",), Policy(total=0), GiveUp("artifact", "total")),
        (
            ("crash",) * 3,
            replace(GENEROUS, repeat_escalation=3),
            GiveUp("crash", "repeat_escalation"),
        ),
        (
            ("crash", "crash", "timeout", "crash"),
            replace(GENEROUS, repeat_escalation=3),
            Retry("crash", 3, 5, 120.0),
        ),
        (
            ("empty", "repair:garbage"),
            replace(GENEROUS, repeat_escalation=2),
            GiveUp("artifact", "repeat_escalation"),
        ),
        # Where several bite at once, the most specific is named.
        (
            ("violation", "violation"),
            Policy(total=1, repeat_escalation=2),
            GiveUp("violation", "limits.violation"),
        ),
    ],
)
def test_the_move_after_a_history(failures: tuple[str, ...], policy: Policy, move: Move) -> None:
    assert decide(failed(*failures), policy) == move


def test_a_rate_limit_that_says_when_it_ends_is_slept_through() -> None:
    assert decide([Attempt(1, False, "rate_limit", reset_s=3600.0)], DEFAULT) == Sleep(3600.0)
    assert decide([Attempt(1, False, "rate_limit", reset_s=-5.0)], DEFAULT) == Sleep(0.0)


def test_sleeping_uses_no_budget_and_ends_no_streak() -> None:
    asleep = [Attempt(n, False, "rate_limit", reset_s=60.0) for n in range(1, 20)]
    policy = replace(GENEROUS, total=2, repeat_escalation=2)
    assert decide([*asleep, Attempt(20, False, "crash")], policy) == Retry("crash", 1, 5, 30.0)
    assert decide(
        [Attempt(1, False, "crash"), *asleep, Attempt(21, False, "crash")], policy
    ) == GiveUp("crash", "repeat_escalation")


def test_an_agent_that_waits_at_a_prompt_is_parked_and_no_failure() -> None:
    parked = Attempt(1, False, "parked", "may I run rm?")
    assert decide([parked], Policy(total=0)) == Park("may I run rm?")
    assert decide([parked, Attempt(2, False, "violation")], DEFAULT) == Retry(
        "violation", 1, 1, 0.0
    )


@pytest.mark.parametrize(
    ("policy", "classes", "most"),
    [
        (DEFAULT, (), 1),
        (DEFAULT, ("parked",), 1),
        (DEFAULT, ("artifact",), 2),
        (DEFAULT, ("artifact", "empty", "garbage"), 2),
        (DEFAULT, ("artifact", "violation", "validation", "crash", "timeout", "rate_limit"), 9),
        (Policy(total=4), ("artifact", "violation", "validation", "rate_limit"), 5),
        (Policy(repeat_escalation=2), ("validation",), 2),
        (Policy(repeat_escalation=2), ("validation", "violation"), 4),
        (Policy(repeat_escalation=1), ("validation", "violation"), 1),
    ],
)
def test_the_worst_visit_is_known_before_it_begins(
    policy: Policy, classes: tuple[str, ...], most: int
) -> None:
    assert worst_dispatches(policy, classes) == most


CLASSES = ("artifact", "violation", "validation", "crash", "rate_limit", "empty")
policies = st.builds(
    Policy,
    limits=st.dictionaries(st.sampled_from(CLASSES[1:5]), st.integers(0, 3)),
    total=st.none() | st.integers(0, 5),
    repair_attempts=st.integers(0, 2),
    repeat_escalation=st.none() | st.integers(1, 4),
)


def play(policy: Policy, failures: list[str]) -> int:
    """The number of dispatches an engine makes that meets these failures in turn."""
    history: list[Attempt] = []
    repair = False
    for number, failure in enumerate(failures, 1):
        history.append(Attempt(number, repair, failure))
        move = decide(history, policy)
        if isinstance(move, GiveUp):
            return number
        repair = isinstance(move, Repair)
    return len(failures) + 1


@given(policies, st.lists(st.sampled_from(CLASSES), max_size=30))
def test_no_story_of_failures_costs_more_than_the_worst_case(
    policy: Policy, failures: list[str]
) -> None:
    assert play(policy, failures) <= worst_dispatches(policy, CLASSES)


@given(policies, st.lists(st.sampled_from(CLASSES), max_size=12), st.sampled_from(CLASSES[1:5]))
def test_a_larger_limit_never_allows_less(policy: Policy, failures: list[str], kind: str) -> None:
    larger = replace(policy, limits={**policy.limits, kind: policy.limit(kind) + 1})
    assert play(larger, failures) >= play(policy, failures)
    assert play(replace(policy, repair_attempts=policy.repair_attempts + 1), failures) >= play(
        policy, failures
    )
    assert worst_dispatches(larger, CLASSES) >= worst_dispatches(policy, CLASSES)


small = st.builds(
    Policy,
    limits=st.fixed_dictionaries({"violation": st.integers(0, 2), "validation": st.integers(0, 2)}),
    total=st.none() | st.integers(0, 4),
    repair_attempts=st.integers(0, 1),
    repeat_escalation=st.none() | st.integers(1, 3),
)


@settings(max_examples=60, deadline=None)
@given(small)
def test_the_worst_case_can_really_happen(policy: Policy) -> None:
    kinds = ("artifact", "violation", "validation")

    def deepest(history: list[Attempt], *, repair: bool) -> int:
        most = len(history) + 1
        for kind in kinds:
            longer = [*history, Attempt(len(history) + 1, repair, kind)]
            move = decide(longer, policy)
            if not isinstance(move, GiveUp):
                most = max(most, deepest(longer, repair=isinstance(move, Repair)))
        return most

    assert deepest([], repair=False) == worst_dispatches(policy, kinds)


def test_an_answer_that_no_repair_made_usable_is_asked_for_again_where_the_contract_says_so() -> (
    None
):
    own = {"transient": 2}
    policy = Policy(backoff_s=1.0)
    assert next_move(failed("garbage"), policy, own) == Repair(1)
    assert next_move(failed("garbage", "repair:garbage"), policy, own) == Retry(
        "transient", 1, 2, 1.0
    )
    assert next_move(failed("garbage", "repair:transient", "garbage"), policy, own) == Retry(
        "transient", 2, 2, 2.0
    )
    assert next_move(
        failed("garbage", "repair:transient", "transient", "garbage"), policy, own
    ) == GiveUp("transient", "limits.transient")
    assert next_move(failed("garbage", "repair:garbage"), policy, {}) == GiveUp(
        "artifact", "repair_attempts"
    )


@pytest.mark.parametrize(
    ("own", "empty", "garbage"),
    [
        ({}, "empty", "garbage"),
        ({"error": 2}, "empty", "garbage"),
        ({"transient": 0}, "transient", "garbage"),
    ],
)
def test_an_empty_answer_is_silence_only_where_a_contract_has_a_limit_for_that(
    own: dict[str, int], empty: str, garbage: str
) -> None:
    assert (as_error("empty", own), as_error("garbage", own)) == (empty, garbage)
    assert ("empty" in mended(own), "garbage" in mended(own)) == (empty == "empty", True)
