"""Everything happens in the order of its time, and of its making where the time is the same."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from podium.simulation.fleet.agenda import MINUTE_S, Agenda

TIMES = st.lists(
    st.sampled_from([0.0, 0.5, 59.9, MINUTE_S, 61.0, 3 * MINUTE_S, 200.0, 300.0, 301.0, math.inf])
    | st.floats(0, 400)
)


@given(TIMES)
def test_what_was_put_there_comes_in_order_and_what_is_too_late_does_not(
    times: list[float],
) -> None:
    agenda = Agenda(300.0)
    for number, when in enumerate(times):
        agenda.put(when, 3, number)
    told = [(when, 3, number) for number, when in enumerate(times) if when <= 300.0]
    assert list(agenda) == sorted(told)


@given(TIMES, TIMES)
def test_what_is_put_there_meanwhile_comes_in_its_turn(
    times: list[float], later: list[float]
) -> None:
    agenda = Agenda(300.0)
    for when in times:
        agenda.put(when, 0, 0)
    waits, seen = iter(later), []
    expected = [when for when in times if when <= 300.0]
    for when, _, _ in agenda:
        seen.append(when)
        if (wait := next(waits, None)) is not None:
            agenda.put(when + wait, 1, 0)
            expected += [when + wait] if when + wait <= 300.0 else []
    assert seen == sorted(expected)
