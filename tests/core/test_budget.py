"""Caps by what they are on, what counts for which, and what is said where one is reached."""

from __future__ import annotations

from typing import Any

import pytest

from podium.core import budget
from podium.core.budget import DAY, STEP, Caps


def told(what: str, at: str, **more: Any) -> dict[str, Any]:
    return {"type": what, "ts": f"2026-03-{at}:00.000Z", **more}


def test_caps_are_told_apart_by_what_they_are_on() -> None:
    caps = Caps(tokens=1, estimate_usd=2.0, step_tokens=3, day_cost_usd=4.0)
    assert (caps.of(""), caps.of(STEP), caps.of(DAY)) == (
        {"tokens": 1},
        {"step_tokens": 3},
        {"day_cost_usd": 4.0},
    )
    assert Caps().of("") == Caps().of(STEP) == Caps().of(DAY) == {}


def test_the_tighter_cap_applies_and_one_with_an_unknown_name_is_never_overlooked() -> None:
    caps = Caps(tokens=5, cost_usd=2.0)
    assert caps.tightened({"tokens": 9, "cost_usd": 1.0, "dispatches": 3}) == Caps(
        tokens=5, cost_usd=1.0, dispatches=3
    )
    with pytest.raises(KeyError):
        caps.tightened({"token": 1})


def test_what_was_spent_has_the_names_of_the_caps_on_it() -> None:
    usages = [
        {"tokens_in": 1, "tokens_out": 2, "cost_usd": None},
        {"tokens_in": 3, "tokens_out": 4, "cost_usd": 0.5},
    ]
    assert budget.spent(usages, 9.0, 0.25, STEP) == {
        "step_dispatches": 2,
        "step_tokens": 10,
        "step_cost_usd": 0.75,
        "step_wall_clock_s": 9.0,
    }
    assert budget.spent(usages, 9.0)["cost_usd"] is None
    assert budget.spent([{}], 0.0) == {
        "dispatches": 1,
        "tokens": None,
        "cost_usd": None,
        "wall_clock_s": 0.0,
    }
    assert budget.spent([], 0.0)["tokens"] == 0


EVENTS = [
    told("run.started", "01T23:00"),
    told("step.started", "01T23:00", key="plan", kind="dispatch"),
    told("retry.scheduled", "01T23:30", key="plan", usage={"n": 1}),
    told("step.started", "01T23:50", key="plan", kind="dispatch"),
    told("step.finished", "02T00:10", key="plan", usage={"n": 2}),
    told("step.started", "02T00:10", key="tests", kind="check"),
    told("step.finished", "02T00:20", key="tests", usage={}),
    told("retry.scheduled", "02T00:20", key="plan", of="workflow"),
    told("run.paused", "02T00:30"),
    told("run.resumed", "02T12:00"),
    told("step.started", "02T12:00", key="build", kind="dispatch"),
    told("run.edited", "02T12:15"),
]


@pytest.mark.parametrize(
    ("until", "since", "minutes"),
    [
        ("", "", 90 + 15),
        ("2026-03-02T12:20:00+00:00", "", 90 + 20),
        ("", "2026-03-02T00:00:00+00:00", 30 + 15),
        ("", "2026-03-03T00:00:00+00:00", 0),
    ],
)
def test_a_run_is_driven_between_its_starts_and_its_rests(
    until: str, since: str, minutes: int
) -> None:
    assert budget.driven(EVENTS, until, since) == minutes * 60


def test_a_clock_that_was_set_back_gives_nothing_back() -> None:
    back = [
        told("run.started", "02T10:00"),
        told("run.edited", "02T11:00"),
        told("run.edited", "02T09:00"),
        told("run.paused", "02T09:30"),
    ]
    assert budget.driven(back, "") == 90 * 60


@pytest.mark.parametrize(
    ("axis", "words"),
    [
        ("tokens", "7 of 5 tokens used"),
        ("step_tokens", "7 of 5 tokens of one step used"),
        ("day_tokens", "7 of 5 tokens of one day (UTC) used; it goes on after midnight"),
    ],
)
def test_the_reason_says_what_the_cap_is_on(axis: str, words: str) -> None:
    found = budget.reached({axis: 7}, {axis: 5})
    assert found is not None
    assert words in found.reason
    assert budget.reached({axis: 4}, {axis: 5}) is budget.reached({axis: 7}, {}) is None


@pytest.mark.parametrize("axis", ["cost_usd", "step_cost_usd", "day_cost_usd"])
def test_what_nobody_knows_reaches_its_cap_and_the_way_out_is_told(axis: str) -> None:
    found = budget.reached({axis: None}, {axis: 5.0})
    assert found is not None
    assert found.used is None
    assert "estimate_usd" in found.reason
