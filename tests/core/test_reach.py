"""Reachability and longest paths, compared with the plain way to find them."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.core.reach import Ways, able_to_reach, shortest

SIZE = 6
Forward = list[list[int]]
graphs = st.lists(st.lists(st.integers(0, SIZE - 1), max_size=3), min_size=SIZE, max_size=SIZE)
weights = st.integers(0, 3 ** (SIZE * SIZE) - 1).map(
    lambda drawn: [
        [drawn // 3 ** (SIZE * row + column) % 3 for column in range(SIZE)] for row in range(SIZE)
    ]
)
"""From every place to every place 0, 1 or 2: one number instead of many draws."""


def plain_heaviest(start: int, forward: Forward, weight: Forward) -> float:
    """Relax until nothing changes; what still grows after as many rounds as there are places
    grows for ever.
    """
    best = [-math.inf] * SIZE
    best[start] = 0
    for _ in range(2 * SIZE):
        before = list(best)
        for place, targets in enumerate(forward):
            for target in targets:
                best[target] = max(best[target], best[place] + weight[place][target])
        if best == before:
            return max(best)
    return math.inf


def heaviest(
    starts: dict[int, float], forward: Forward, weight: Mapping[tuple[int, int], float]
) -> float:
    return Ways(starts, forward).heaviest(starts, lambda source, target: weight[source, target])


@given(graphs, weights, weights, st.integers(0, SIZE - 1))
def test_the_heaviest_path_is_found_or_known_to_have_no_end(
    forward: Forward, one: Forward, other: Forward, start: int
) -> None:
    ways = Ways([start], forward)
    for weight in (one, other):
        assert ways.heaviest(
            {start: 0}, lambda source, target, of=weight: of[source][target]
        ) == plain_heaviest(start, forward, weight)


@pytest.mark.parametrize(
    ("starts", "forward", "weight", "most"),
    [
        ({}, [], {}, 0),
        ({0: 7}, [[]], {}, 7),
        ({0: 1}, [[1], [2], []], {(0, 1): 2, (1, 2): 3}, 6),
        ({0: 0}, [[0]], {(0, 0): 1}, math.inf),
        ({0: 0}, [[1], [0, 2], []], {(0, 1): 0, (1, 0): 0, (1, 2): 4}, 4),
        ({2: 0}, [[0], [], [1]], {(0, 0): 1, (2, 1): 1}, 1),
        ({0: 5, 1: 0}, [[], [0]], {(1, 0): 1}, 5),
    ],
)
def test_cycles_count_only_where_they_add_and_can_be_reached(
    starts: dict[int, float], forward: Forward, weight: dict[tuple[int, int], float], most: float
) -> None:
    assert heaviest(starts, forward, weight) == most


def test_a_path_longer_than_the_stack_is_no_matter() -> None:
    forward = [[n + 1] for n in range(20_000)] + [[]]
    assert Ways([0], forward).heaviest({0: 0}, lambda *_: 1) == 20_000


@given(graphs, st.sets(st.integers(0, SIZE - 1)), st.integers(0, SIZE - 1))
def test_a_place_can_reach_a_goal_just_when_the_goal_is_reachable_from_it(
    forward: Forward, goals: set[int], start: int
) -> None:
    arcs = [(place, target) for place, each in enumerate(forward) for target in each]
    labelled = [[(0, target) for target in each] for each in forward]
    assert (start in able_to_reach(goals, arcs)) == bool(goals & set(shortest([start], labelled)))


def test_a_shortest_way_is_remembered_by_its_last_arc() -> None:
    forward = [[(10, 1), (11, 2)], [(12, 3)], [(13, 3)], []]
    assert shortest([0], forward) == {0: None, 1: 10, 2: 11, 3: 12}
