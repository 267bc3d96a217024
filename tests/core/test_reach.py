"""Reachability and longest paths, compared with the plain way to find them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.core.reach import Arc, able_to_reach, heaviest, shortest

SIZE = 6
graphs = st.lists(
    st.lists(st.builds(Arc, st.integers(0, SIZE - 1), st.integers(0, 2)), max_size=3),
    min_size=SIZE,
    max_size=SIZE,
)


def plain_heaviest(start: int, forward: list[list[Arc]]) -> float:
    """Relax until nothing changes; what still grows after as many rounds as there are places grows for ever."""
    best = [-math.inf] * SIZE
    best[start] = 0
    for _ in range(2 * SIZE):
        before = list(best)
        for place, arcs in enumerate(forward):
            for arc in arcs:
                best[arc.target] = max(best[arc.target], best[place] + arc.weight)
        if best == before:
            return max(best)
    return math.inf


@given(graphs, st.integers(0, SIZE - 1))
def test_the_heaviest_path_is_found_or_known_to_have_no_end(forward: list[list[Arc]], start: int) -> None:
    assert heaviest({start: 0}, forward) == plain_heaviest(start, forward)


@pytest.mark.parametrize(
    ("starts", "forward", "most"),
    [
        ({}, [], 0),
        ({0: 7}, [[]], 7),
        ({0: 1}, [[Arc(1, 2)], [Arc(2, 3)], []], 6),
        ({0: 0}, [[Arc(0, 1)]], math.inf),
        ({0: 0}, [[Arc(1, 0)], [Arc(0, 0), Arc(2, 4)], []], 4),
        ({2: 0}, [[Arc(0, 1)], [], [Arc(1, 1)]], 1),
        ({0: 5, 1: 0}, [[], [Arc(0, 1)]], 5),
    ],
)
def test_cycles_count_only_where_they_add_and_can_be_reached(
    starts: dict[int, int], forward: list[list[Arc]], most: float
) -> None:
    assert heaviest(starts, forward) == most


def test_a_path_longer_than_the_stack_is_no_matter() -> None:
    forward = [[Arc(n + 1, 1)] for n in range(20_000)] + [[]]
    assert heaviest({0: 0}, forward) == 20_000


@given(graphs, st.sets(st.integers(0, SIZE - 1)), st.integers(0, SIZE - 1))
def test_a_place_can_reach_a_goal_just_when_the_goal_is_reachable_from_it(
    forward: list[list[Arc]], goals: set[int], start: int
) -> None:
    arcs = [(place, arc.target) for place, each in enumerate(forward) for arc in each]
    labelled = [[(0, arc.target) for arc in each] for each in forward]
    assert (start in able_to_reach(goals, arcs)) == bool(goals & set(shortest([start], labelled)))


def test_a_shortest_way_is_remembered_by_its_last_arc() -> None:
    forward = [[(10, 1), (11, 2)], [(12, 3)], [(13, 3)], []]
    assert shortest([0], forward) == {0: None, 1: 10, 2: 11, 3: 12}
