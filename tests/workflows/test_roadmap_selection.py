from __future__ import annotations

import random
from functools import cache
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core.natural import natural
from podium.workflows.roadmap.items.items import Item
from podium.workflows.roadmap.items.selection import (
    AllPass,
    Blocked,
    Choice,
    Deadlock,
    Hold,
    Next,
    candidate,
    choose,
    unreachable,
)

STATUSES = ("ready", "in_progress", "blocked", "done")


def item(id: int | str, status: str = "ready", *deps: int | str, priority: float = 1) -> Item:
    return Item(
        id=id,
        title=f"Title {id}",
        priority=priority,
        complexity="simple",
        status=status,
        passes=status == "done",
        owner_agent="implement",
        dependencies=deps,
        criteria=("it works",),
        verification=(),
        retry_count=0,
        research=None,
    )


@cache
def every_roadmap(size: int) -> list[tuple[Item, ...]]:
    """Every graph without rings over so many items, in every combination of statuses."""
    edges = list(combinations(range(size), 2))
    found = []
    for chosen in product([False, True], repeat=len(edges)):
        deps = {
            n: [low for (low, high), on in zip(edges, chosen, strict=True) if on and high == n]
            for n in range(size)
        }
        # Priorities against the order of the ids, so that each rule can be told from the other.
        found += [
            tuple(item(n, statuses[n], *deps[n], priority=(size - n) // 2) for n in range(size))
            for statuses in product(STATUSES, repeat=size)
        ]
    return found


def startable(items: tuple[Item, ...], skip: frozenset[int | str] = frozenset()) -> list[Item]:
    done = [each.id for each in items if each.status == "done"]
    return [
        each
        for each in items
        if each.status in ("ready", "in_progress")
        and each.id not in skip
        and all(dep in done for dep in each.dependencies)
    ]


def check(items: tuple[Item, ...], choice: Choice, keep_going: bool) -> None:
    blocked = [each for each in items if each.status == "blocked"]
    free = startable(items)
    match choice:
        case AllPass():
            assert all(each.passes for each in items)
        case Next(chosen, resumed):
            assert chosen in free
            assert not blocked or keep_going
            assert resumed is (chosen.status == "in_progress")
            rivals = [each for each in free if each.status == chosen.status]
            assert resumed or all(each.status != "in_progress" for each in free)
            if resumed:
                assert chosen.id == min(each.id for each in rivals)
            else:
                assert chosen == min(rivals, key=lambda each: (each.priority, each.id))
        case Blocked(found, out):
            assert list(found) == blocked
            assert blocked
            assert not keep_going or not free
            assert not {each.status for each in out} & {"done", "blocked"}
            if keep_going:
                assert {each.id for each in items} == {each.id for each in items if each.passes} | {
                    each.id for each in (*found, *out)
                }
        case Deadlock():
            pytest.fail("without rings something can always be begun, or is blocked")


@pytest.mark.parametrize("keep_going", [False, True])
@pytest.mark.parametrize("size", range(5))
def test_every_choice_over_four_items_or_fewer_follows_the_rules(
    size: int, keep_going: bool
) -> None:
    for items in every_roadmap(size):
        check(items, choose(items, keep_going=keep_going), keep_going)


def test_the_order_of_the_file_does_not_count() -> None:
    shuffle = random.Random(1)
    for items in shuffle.sample(every_roadmap(4), 500):
        other = shuffle.sample(items, len(items))
        for keep_going in (False, True):
            assert choose(other, keep_going=keep_going) == choose(items, keep_going=keep_going)
        skip = frozenset({0, 2})
        assert choose(other, skip, keep_going=True) == choose(items, skip, keep_going=True)


@given(st.integers(1, 8), st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_taking_every_choice_to_its_end_does_each_item_once_after_its_dependencies(
    size: int, chance: random.Random
) -> None:
    items = {
        n: item(
            n,
            "ready",
            *(dep for dep in range(n) if chance.random() < 0.3),
            priority=chance.randint(1, 3),
        )
        for n in range(size)
    }
    taken: list[int | str] = []
    while isinstance(choice := choose(tuple(items.values())), Next):
        assert set(choice.item.dependencies) <= set(taken)
        taken.append(choice.item.id)
        items[int(choice.item.id)] = item(choice.item.id, "done", *choice.item.dependencies)
    assert choice == AllPass()
    assert sorted(taken) == list(range(size))


@pytest.mark.parametrize(
    ("items", "chosen"),
    [
        ([item("US-10"), item("US-2")], "US-2"),
        ([item("US-10", priority=1), item("US-2", priority=2)], "US-10"),
        ([item("US-1", priority=1.5), item("US-2", priority=1)], "US-2"),
        ([item("US-1", priority=-1), item("US-2", priority=-2)], "US-2"),
        ([item("US-1", "ready", "US-2"), item("US-2", priority=9)], "US-2"),
        ([item("US-1"), item("US-9", "in_progress", priority=9)], "US-9"),
        ([item("US-10", "in_progress"), item("US-9", "in_progress", priority=9)], "US-9"),
        ([item("US-1", "in_progress", "US-2"), item("US-2")], "US-2"),
        ([item(10), item(9)], 9),
    ],
)
def test_lowest_priority_then_lowest_id_after_what_was_left(
    items: list[Item], chosen: int | str
) -> None:
    found = choose(items)
    assert isinstance(found, Next)
    assert found.item.id == chosen


def test_an_empty_roadmap_has_nothing_left() -> None:
    assert choose(()) == AllPass()


def test_a_blocked_item_names_what_it_puts_out_of_reach_and_nothing_else() -> None:
    items = [
        *(item("E", "ready", "D"), item("D", "ready", "B"), item("C", "ready", "A")),
        *(
            item("B", "blocked", "A"),
            item("A", "done"),
            item("F", "done", "B"),
            item("G", "ready", "F"),
        ),
        item("H", "blocked", "B"),
    ]
    found = choose(items)
    assert isinstance(found, Blocked)
    assert [each.id for each in found.items] == ["B", "H"]
    assert [each.id for each in found.unreachable] == ["D", "E"]
    going_on = choose(items, keep_going=True)
    assert isinstance(going_on, Next)
    assert going_on.item.id == "C"


def test_what_is_skipped_is_not_chosen_and_said_to_hold() -> None:
    items = [
        item("A"),
        item("B", "ready", "A"),
        item("C", priority=5),
        item("D", "in_progress", "C"),
    ]
    assert choose(items, frozenset({"A"})) == Next(items[2], resumed=False)
    assert choose(items, frozenset({"A", "C"})) == Deadlock(
        (
            Hold("A", None, "is left out of this call"),
            Hold("B", "A", "is ready, not done"),
            Hold("C", None, "is left out of this call"),
            Hold("D", "C", "is ready, not done"),
        )
    )


def test_a_ring_or_a_missing_item_that_slipped_in_is_a_deadlock() -> None:
    items = [item("A", "ready", "B"), item("B", "in_progress", "A"), item("C", "ready", "X", "X")]
    assert choose(items) == Deadlock(
        (
            Hold("A", "B", "is in_progress, not done"),
            Hold("B", "A", "is ready, not done"),
            Hold("C", "X", "does not exist"),
        )
    )


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (Next(item("US-2"), resumed=False), "US-2 Title US-2"),
        (AllPass(), "COMPLETE"),
        (Blocked((item("A", "blocked"), item("B", "blocked")), ()), "none: A, B blocked"),
        (
            Deadlock((Hold("A", "B", ""), Hold("A", "C", ""))),
            "none: waiting for what cannot come: A",
        ),
    ],
)
def test_the_report_says_complete_only_when_everything_passes(choice: Choice, said: str) -> None:
    assert candidate(choice) == said


def test_a_thousand_items_are_done_in_order_of_priority_and_id() -> None:
    chance = random.Random(2)
    items = [item(f"US-{n}", priority=chance.randint(1, 5)) for n in range(1000)]
    chance.shuffle(items)
    first = choose(items)
    assert isinstance(first, Next)
    assert first.item == min(items, key=lambda each: (each.priority, natural(each.id)))
    chain = [
        item("US-0", "blocked"),
        *(item(f"US-{n}", "ready", f"US-{n - 1}") for n in range(1, 1000)),
    ]
    assert [each.id for each in unreachable(chain, chain[:1])] == [
        f"US-{n}" for n in range(1, 1000)
    ]
