from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core.errors import Fault, InputError
from podium.core.waves import Cycle, waves
from podium.workflows.roadmap.items.dependencies import rings
from podium.workflows.roadmap.items.items import LONGEST_KEY, ROADMAP, Container, Item, item_key

RESEARCH = {
    "patterns": [],
    "constraints": ["c"],
    "risks": [],
    "fileLocations": [],
    "openDecisions": [],
}
GONE = object()


def read_items(source: Any, path: str = "roadmap.json") -> tuple[Item, ...]:
    """The items of a text, or of what an agent sends as an object."""
    whole = isinstance(source, str)
    found = (ROADMAP.read(source, path) if whole else ROADMAP.read_object(source, path)).sound()
    return found.items if isinstance(found, Container) else found


def members(id: Any = "US-1", **changed: Any) -> dict[str, Any]:
    found = {
        "id": id,
        "title": "Title" if isinstance(id, str) and "\n" in id else f"Title {id}",
        "priority": 10,
        "complexity": "simple",
        "status": "ready",
        "passes": False,
        "ownerAgent": "implement",
        "dependencies": [],
        "acceptanceCriteria": ["it works"],
        "verification": ["make test"],
        "retryCount": 0,
        "planningResearch": None,
    }
    return {name: value for name, value in (found | changed).items() if value is not GONE}


def faults(*items: Any) -> list[Fault]:
    with pytest.raises(InputError) as caught:
        read_items({"items": list(items)}, "roadmap.json")
    return list(caught.value.faults)


def only(*items: Any) -> str:
    (found,) = faults(*items)
    return str(found)


def test_every_field_is_read() -> None:
    done = members(1, status="done", passes=True, priority=0.5)
    blocked = members(
        2, dependencies=[1], planningResearch=RESEARCH, status="blocked", blockedReasons=["no"]
    )
    first, second = read_items({"items": [done, blocked]}, "roadmap.json")
    assert first == Item(
        id=1,
        title="Title 1",
        priority=0.5,
        complexity="simple",
        status="done",
        passes=True,
        owner_agent="implement",
        dependencies=(),
        criteria=("it works",),
        verification=("make test",),
        retry_count=0,
        research=None,
    )
    assert (second.dependencies, second.reasons) == ((1,), ("no",))
    assert second.research == {name: tuple(texts) for name, texts in RESEARCH.items()}


def test_both_containers_and_members_of_the_authors_own_are_accepted() -> None:
    item = members(owner="me", x={"y": [None]})
    assert (
        read_items([item], "r")
        == read_items({"version": 3, "items": [item]}, "r")
        == read_items(json.dumps([item]), "r")
    )
    assert read_items([], "r") == ()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (3, "r.json: the document is 3 (expected a table with items, or a list, each a table"),
        (None, "r.json: the document is empty"),
        ({}, "r.json: items is missing"),
        ({"item": []}, "r.json: items is missing (is 'item' meant for it?)"),
        ({"items": {}}, "r.json: items is a table"),
        (
            {"items": [None, members(), 7]},
            "r.json: items[0] is empty (expected a table with id, title, ",
        ),
        ([[]], "r.json: [0] is an empty list (expected a table"),
    ],
)
def test_another_container_is_refused(value: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_items(value, "r.json")
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize("name", list(members()))
def test_a_missing_field_is_named_with_its_format(name: str) -> None:
    (found,) = faults(members(**{name: GONE}))
    assert found.what == f"items[0].{name} is missing"
    assert found.mend.startswith("expected ")


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        *(("id", value, "id is") for value in (True, 1.0, 1.5, "", " ", None, [], {})),
        ("id", " US-1", "id: ' US-1' has space around it"),
        ("id", "a\nb", "id: 'a\\nb' is not one line of text"),
        *(("title", value, "title is") for value in ("", "  ", 3, None)),
        *(
            ("title", f"a{char}b", f"title: {f'a{char}b'!r} is not one line of text")
            for char in "\r\n\x85\u2028\u2029\x00\x1b"
        ),
        *(
            ("priority", value, "priority is")
            for value in (True, "1", None, [], float("nan"), float("inf"))
        ),
        *(("complexity", value, "complexity is") for value in ("Simple", "", 1, None, True, [])),
        *(("status", value, "status is") for value in ("todo", "READY", "", 0, None, False)),
        *(("passes", value, "passes is") for value in (0, 1, "true", None)),
        *(("ownerAgent", value, "ownerAgent is") for value in ("", None, 1, ["a"])),
        *(("dependencies", value, "dependencies is") for value in (None, "US-2", {}, 3)),
        *(("dependencies", [value], "dependencies[0] is") for value in (None, True, 1.0, "", [])),
        *(("acceptanceCriteria", value, "acceptanceCriteria is") for value in ([], None, "a", {})),
        *(
            ("acceptanceCriteria", ["a", value], "acceptanceCriteria[1] is")
            for value in ("", " \n", None, 1, [])
        ),
        *(("verification", value, "verification is") for value in (None, "make", {})),
        *(("verification", [value], "verification[0] is") for value in ("", None, 1)),
        *(("retryCount", value, "retryCount is") for value in (-1, 0.0, 1.5, True, "0", None)),
        *(("planningResearch", value, "planningResearch is") for value in ([], "", 0, False)),
        *(
            ("planningResearch", RESEARCH | {"risks": value}, "planningResearch.risks is")
            for value in (None, "a", {})
        ),
        (
            "planningResearch",
            RESEARCH | {"risks": ["a", None]},
            "planningResearch.risks[1] is empty",
        ),
        ("planningResearch", RESEARCH | {"notes": []}, "planningResearch.notes is not known"),
        ("planningResearch", {**RESEARCH, "risks": "x"}, "planningResearch.risks is 'x'"),
        *(("blockedReasons", value, "blockedReasons is") for value in (None, "a", {})),
        ("blockedReasons", ["a", 1], "blockedReasons[1] is 1"),
    ],
)
def test_a_field_of_another_form_is_one_fault(name: str, value: Any, what: str) -> None:
    (found,) = faults(members(**{name: value}))
    assert found.what.startswith(f"items[0].{what}")


def test_an_empty_research_object_misses_all_five_arrays() -> None:
    assert [fault.what for fault in faults(members(planningResearch={}))] == [
        f"items[0].planningResearch.{name} is missing" for name in RESEARCH
    ]


@pytest.mark.parametrize(
    ("name", "value", "near"),
    [
        ("status", "In Progress", "in_progress"),
        ("status", "in-progress", "in_progress"),
        ("status", "Done", "done"),
        ("complexity", "complx", "complex"),
    ],
)
def test_the_nearest_word_is_suggested(name: str, value: str, near: str) -> None:
    assert f"did you mean {near!r}?" in only(members(**{name: value}))


def test_a_misspelt_field_is_pointed_at() -> None:
    assert "is 'acceptance_criteria' meant for it?" in only(
        members(acceptanceCriteria=GONE, acceptance_criteria=["a"])
    )


@pytest.mark.parametrize("status", ["ready", "in_progress", "blocked", "done"])
@pytest.mark.parametrize("passes", [True, False])
def test_an_item_passes_when_it_is_done_and_not_otherwise(status: str, passes: bool) -> None:
    item = members(status=status, passes=passes)
    if (status == "done") is passes:
        assert read_items([item], "r")[0].status == status
    else:
        assert f'status is "{status}" although passes is {str(passes).lower()}' in only(item)


def test_ids_are_of_one_type_and_stand_once() -> None:
    assert "item US-1: the id stands in items[0] already" in only(members(), members())
    assert "id is a text, the id of the first item is a number" in only(members(1), members("2"))
    assert "id is a number, the id of the first item is a text" in only(members("1"), members(2))


@pytest.mark.parametrize(
    ("dependency", "said"),
    [
        (
            "US-3",
            "dependencies names 'US-3', which is not an item (expected ids of items in this file)",
        ),
        (
            "us1",
            "names 'us1', which is not an item (expected ids of items in this file; did you mean 'US-1'?)",  # noqa: E501
        ),
        (7, "dependencies names 7, which is not an item (expected ids of items in this file)"),
        ("US-2", "dependencies names the item itself, 'US-2' (take it out)"),
    ],
)
def test_a_dependency_on_nothing_or_on_the_item_itself_is_refused(
    dependency: Any, said: str
) -> None:
    assert only(members(), members("US-2", dependencies=["US-1", dependency, dependency])).endswith(
        said
    )


def test_an_id_written_as_the_other_type_is_put_right() -> None:
    assert only(members(1), members(2, dependencies=["1"])).endswith("file; did you mean 1?)")


def test_rings_are_named_each_once_beginning_with_the_first_item() -> None:
    waits = {
        "A": ["D"],
        "B": ["C"],
        "C": ["A", "B"],
        "D": ["C"],
        "E": ["F"],
        "F": ["E"],
        "G": ["A"],
    }
    found = faults(*(members(name, dependencies=deps) for name, deps in waits.items()))
    assert [fault.what for fault in found] == [
        "items wait for each other in a cycle: A waits for D waits for C waits for A",
        "items wait for each other in a cycle: E waits for F waits for E",
    ]


def test_a_ring_reached_from_outside_still_begins_with_its_first_item() -> None:
    assert rings({"G": ["C"], "A": ["B"], "B": ["C"], "C": ["A"]}) == [("A", "B", "C")]


@given(st.lists(st.lists(st.integers(0, 6), max_size=3), min_size=7, max_size=7))
@settings(max_examples=300)
def test_rings_are_found_exactly_where_layers_cannot_be(graph: list[list[int]]) -> None:
    waits = {n: [dep for dep in deps if dep != n] for n, deps in enumerate(graph)}
    found = rings(dict(waits))
    layers = waves({str(n): [str(dep) for dep in deps] for n, deps in waits.items()})
    assert bool(found) is isinstance(layers, Cycle)
    for ring in found:
        assert len(ring) > 1
        assert all(next_one in waits[one] for one, next_one in pairwise((*ring, ring[0])))
    inside = [each for ring in found for each in ring]
    assert len(inside) == len(set(inside))
    without = {
        n: [dep for dep in deps if dep not in inside]
        for n, deps in waits.items()
        if n not in inside
    }
    assert rings(dict(without)) == []


def test_all_faults_of_a_file_come_together_with_their_lines() -> None:
    items = [
        members(priority="high", retryCount=-1),
        members("US-2", dependencies=["US-9"]),
        3,
        members("US-2"),
    ]
    text = json.dumps({"items": items}, indent=1)
    with pytest.raises(InputError) as caught:
        read_items(text)
    lines = text.split("\n")
    named = [(fault.where, fault.what.rpartition(": ")[2]) for fault in caught.value.faults]
    assert [what for _, what in named] == [
        "items[0].priority is 'high'",
        "items[0].retryCount is -1",
        "dependencies names 'US-9', which is not an item",
        "items[2] is 3",
        "the id stands in items[1] already",
    ]
    assert [
        lines[int(where.rpartition(":")[2]) - 1].strip().partition(":")[0] for where, _ in named
    ] == [*('"priority"', '"retryCount"', '"dependencies"', "3,", '"id"')]


@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.floats(), st.integers(), st.text()),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(
                st.one_of(st.sampled_from(list(members())), st.text()), inner, max_size=4
            ),
        ),
    )
)
@settings(max_examples=200)
def test_whatever_the_value_it_is_read_or_refused(value: Any) -> None:
    for source in (value, [value], {"items": [value, members()]}):
        try:
            assert all(isinstance(item, Item) for item in read_items(source, "r"))
        except InputError:
            continue


@given(
    st.dictionaries(
        st.sampled_from(list(members())),
        st.one_of(
            st.none(),
            st.booleans(),
            st.integers(),
            st.text(max_size=3),
            st.lists(st.text(max_size=2), max_size=2),
        ),
        max_size=3,
    )
)
@settings(max_examples=200)
def test_what_is_read_is_what_the_file_says(changed: dict[str, Any]) -> None:
    source = members(**changed)
    try:
        (item,) = read_items([source], "r")
    except InputError:
        return
    assert (item.id, item.title, item.priority, item.status) == tuple(
        source[name] for name in ("id", "title", "priority", "status")
    )
    assert list(item.criteria) == source["acceptanceCriteria"]


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60), unique=True
    )
)
@settings(max_examples=200)
def test_keys_are_safe_names_and_tell_ids_apart(ids: list[str]) -> None:
    keys = [item_key(each) for each in ids]
    assert len(set(keys)) == len(ids)
    for key in keys:
        assert key.isascii()
        assert "/" not in key
        assert key not in {"", ".", ".."}
        assert len(key) <= LONGEST_KEY


def test_a_plain_id_is_its_own_key() -> None:
    assert [item_key("US-7"), item_key(12), item_key("a b")] == ["US-7", "12", "a%20b"]
    long = ["x" * 200 + end for end in "ab"]
    assert item_key(long[0]) != item_key(long[1])


def test_a_thousand_items_are_read_and_a_ring_through_all_of_them_is_found() -> None:
    chain = [members(f"US-{n}", dependencies=[f"US-{n - 1}"] if n else []) for n in range(1000)]
    assert [item.id for item in read_items(chain, "r")] == [f"US-{n}" for n in range(1000)]
    chain[0]["dependencies"] = ["US-999"]
    with pytest.raises(InputError) as caught:
        read_items(chain, "r")
    (found,) = caught.value.faults
    assert found.what.count("waits for") == 1000
