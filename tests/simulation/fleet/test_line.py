"""Who is next in a simulated fleet."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from podium.simulation.fleet.line import Line

AGENTS, USERS = 2, 3
comings = st.lists(st.tuples(st.integers(0, AGENTS - 1), st.integers(0, USERS - 1)), max_size=20)
acts = st.lists(st.booleans(), max_size=60)


def test_the_one_that_waits_longest_is_next() -> None:
    line = Line([None], None, [0, 0, 0], [0, 0, 0])
    for since, run in ((3.0, 0), (1.0, 1), (2.0, 2)):
        line.join(since, run)
    assert [line.take(), line.take(), line.take(), line.take()] == [
        (1.0, 1),
        (2.0, 2),
        (3.0, 0),
        None,
    ]


def test_a_person_at_their_limit_lets_others_pass_and_comes_back_in_their_old_place() -> None:
    line = Line([None], 1, [0, 0, 0], [7, 7, 8])
    for run in range(3):
        line.join(float(run), run)
    assert line.take() == (0.0, 0)
    assert line.take() == (2.0, 2)
    assert line.take() is None
    line.leave(0)
    assert line.take() == (1.0, 1)


@given(
    comings, acts, st.one_of(st.none(), st.integers(0, 3)), st.one_of(st.none(), st.integers(0, 3))
)
@settings(max_examples=60)
def test_no_limit_is_ever_passed_nobody_is_lost_and_nobody_waits_without_a_cause(
    runs: list[tuple[int, int]], turns: list[bool], limit: int | None, each: int | None
) -> None:
    line = Line([limit] * AGENTS, each, [agent for agent, _ in runs], [user for _, user in runs])
    for run in range(len(runs)):
        line.join(float(run), run)
    under_way: list[int] = []
    gone: set[int] = set()
    for begins in turns:
        if begins:
            found = line.take()
            if found is not None:
                under_way.append(found[1])
            else:
                waiting = set(range(len(runs))) - set(under_way) - gone
                assert all(full(runs, under_way, run, limit, each) for run in waiting)
        elif under_way:
            line.leave(under_way[0])
            gone.add(under_way.pop(0))
        assert all(
            limit is None or sum(runs[one][0] == agent for one in under_way) <= limit
            for agent in range(AGENTS)
        )
        assert all(
            each is None or sum(runs[one][1] == user for one in under_way) <= each
            for user in range(USERS)
        )
    assert line.length == len(runs) - len(under_way) - len(gone)


def full(
    runs: list[tuple[int, int]], under_way: list[int], run: int, limit: int | None, each: int | None
) -> bool:
    """Whether one of the run's limits has no place for it."""
    of_agent, of_user = (sum(runs[one][at] == runs[run][at] for one in under_way) for at in (0, 1))
    return (limit is not None and of_agent >= limit) or (each is not None and of_user >= each)
