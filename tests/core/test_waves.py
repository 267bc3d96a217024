"""What may run side by side: never a thing before what it waits for, never two that share a
file.
"""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.core.globs import matches
from podium.core.waves import Cycle, Unknown, batches, conflicts, waves


@pytest.mark.parametrize(
    ("items", "limit", "expected"),
    [
        ({}, None, []),
        ({"a": ()}, None, [["a"]]),
        ({"b": (), "a": ()}, None, [["b", "a"]]),
        ({"a": (), "b": ("a",), "c": ("b",)}, None, [["a"], ["b"], ["c"]]),
        ({"d": ("b", "c"), "b": ("a",), "c": ("a",), "a": ()}, None, [["a"], ["b", "c"], ["d"]]),
        ({"a": (), "b": (), "c": (), "d": ("a",)}, 2, [["a", "b"], ["c"], ["d"]]),
        ({"TASK-2": (), "TASK-10": ()}, None, [["TASK-2", "TASK-10"]]),
        ({"a": (), "b": ("a", "a")}, 1, [["a"], ["b"]]),
    ],
)
def test_waves_are_layers_in_the_order_given(
    items: dict[str, tuple[str, ...]], limit: int | None, expected: list[list[str]]
) -> None:
    assert waves(items, limit) == expected


@pytest.mark.parametrize(
    ("items", "cycle"),
    [
        ({"a": ("a",)}, ("a",)),
        ({"a": ("b",), "b": ("a",)}, ("a", "b")),
        ({"x": (), "a": ("x", "c"), "b": ("a",), "c": ("b",)}, ("a", "c", "b")),
        ({"late": ("b",), "a": ("b",), "b": ("a",)}, ("a", "b")),
    ],
)
def test_a_cycle_is_named_from_its_first_item_on(
    items: dict[str, tuple[str, ...]], cycle: tuple[str, ...]
) -> None:
    assert waves(items) == Cycle(cycle)


def test_what_is_waited_for_must_exist() -> None:
    found = waves({"a": ("ghost",)})
    assert found == Unknown("a", "ghost")
    assert str(found) == "a waits for ghost, which does not exist"
    assert str(Cycle(("a", "b"))) == "a waits for b waits for a"


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="limit is 0"):
        waves({}, 0)


ids = st.lists(st.sampled_from("abcdefgh"), unique=True)


@st.composite
def plans(draw: st.DrawFn) -> dict[str, list[str]]:
    names = draw(ids)
    later = {
        name: draw(st.lists(st.sampled_from(names[:at]), unique=True)) if at else []
        for at, name in enumerate(names)
    }
    return {name: later[name] for name in draw(st.permutations(names))}


@given(plans(), st.integers(1, 4))
def test_every_item_runs_once_after_all_it_waits_for(
    items: dict[str, list[str]], limit: int
) -> None:
    layers = waves(items, limit)
    assert isinstance(layers, list)
    assert sorted(name for layer in layers for name in layer) == sorted(items)
    done: set[str] = set()
    for layer in layers:
        assert 0 < len(layer) <= limit
        assert all(set(items[name]) <= done for name in layer)
        done.update(layer)


@pytest.mark.parametrize(
    ("one", "other", "clash"),
    [
        ("src/a.py", "src/a.py", True),
        ("src/a.py", "src/b.py", False),
        ("src/a.py", "./src//a.py", True),
        ("src/A.py", "src/a.py", True),
        ("src", "src/a.py", True),
        ("src/", "src/deep/a.py", True),
        ("src", "srcs/a.py", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/a.ts", False),
        ("src/*.py", "src/deep/a.py", False),
        ("src/**/*.py", "src/deep/er/a.py", True),
        ("src/**/*.py", "src/a.py", True),
        ("src/**", "src/a.py", True),
        ("**/*.md", "docs", True),
        ("**", "anything/at/all", True),
        ("src/a?.py", "src/ab.py", True),
        ("src/a?.py", "src/a/.py", False),
        ("src/a*.py", "src/*b.py", True),
        ("src/a*", "src/b*", False),
        ("a*/x", "*b/x", True),
        ("src/[ab].py", "src/c.py", True),
        ("app/[id]/page.tsx", "app/[id]/page.tsx", True),
        ("src/{a,b}.py", "src/b.py", True),
        (".", "src/a.py", True),
        ("../outside", "src/a.py", True),
        ("src/x", "src/x/*/y", True),
    ],
)
def test_patterns_conflict_when_they_can_mean_one_file(one: str, other: str, clash: bool) -> None:
    assert conflicts({"1": [one], "2": [other]}) == ([("1", "2")] if clash else [])
    assert conflicts({"1": [other], "2": [one]}) == ([("1", "2")] if clash else [])


def test_an_item_without_files_conflicts_with_none() -> None:
    assert conflicts({"1": [], "2": ["**"]}) == []


paths = st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=3).map("/".join)
patterns = st.lists(
    st.sampled_from(["a", "b", "*", "**", "a*", "?", "*b"]), min_size=1, max_size=3
).map("/".join)


@given(paths, patterns, patterns)
def test_two_patterns_that_match_one_path_always_conflict(path: str, one: str, other: str) -> None:
    if matches(path, [one]) and matches(path, [other]):
        assert conflicts({"1": [one], "2": [other]})


@pytest.mark.parametrize(
    ("files", "limit", "expected"),
    [
        ({"a": ["x"], "b": ["y"]}, None, [["a", "b"]]),
        ({"a": ["x"], "b": ["x"]}, None, [["a"], ["b"]]),
        ({"a": ["x"], "b": ["x", "y"], "c": ["y"]}, None, [["a"], ["b"], ["c"]]),
        ({"a": ["x"], "b": ["x"], "c": ["z"]}, None, [["a", "c"], ["b"]]),
        ({"a": [], "b": [], "c": []}, 2, [["a", "b"], ["c"]]),
    ],
)
def test_batches_hold_no_conflict(
    files: dict[str, list[str]], limit: int | None, expected: list[list[str]]
) -> None:
    assert batches(list(files), files, limit) == expected


@given(
    st.dictionaries(st.sampled_from("abcdefg"), st.lists(patterns, max_size=2)), st.integers(1, 3)
)
def test_batches_keep_limit_order_and_peace(files: dict[str, list[str]], limit: int) -> None:
    names = list(files)
    found = batches(names, files, limit)
    place = {name: at for at, batch in enumerate(found) for name in batch}
    assert sorted(place) == sorted(names)
    assert all(0 < len(batch) <= limit for batch in found)
    clashes = set(conflicts(files))
    for one, other in combinations(names, 2):
        if (one, other) in clashes:
            assert place[one] < place[other]
