from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core.errors import InputError
from podium.documents.json_tree import parse_json
from podium.workflows.roadmap.items.edits import Edits, changes_of
from podium.workflows.roadmap.items.items import Item
from podium.workflows.roadmap.items.reading import reading
from podium.workflows.roadmap.items.rewriting import Owned, rewritten

TEXT = """\ufeff{
\t"note" : "kept \\u00e9 / \\/ ünï",
    "items": [
      {"id": "US-1", "title": "One line", "priority": 1.50, "complexity": "simple", "status": "ready", "passes": false,
       "ownerAgent": "implement", "dependencies": [ ], "acceptanceCriteria": ["a"], "verification": [], "retryCount": 0,
       "planningResearch": null, "x": 1e2 },
      {
        "passes": true,
        "status": "done",
        "retryCount": 1,
        "id": "US-2",
        "title": "Spread {\\"status\\": \\"ready\\"}",
        "priority": 2, "complexity": "medium", "ownerAgent": "me", "dependencies": ["US-1"],
        "acceptanceCriteria": [
          "status: ready"
        ],
        "verification": [],
        "planningResearch": null
      }
    ]
}
"""  # noqa: E501
TEXTS = [TEXT, TEXT.replace("\n", "\r\n"), TEXT.rstrip()]
DONE = Owned("done", True, 0)
GOING = Owned("in_progress", False, 0)


def item(id: int | str = "US-1", **changed: Any) -> Item:
    found = Item(
        id=id,
        title="Title",
        priority=1,
        complexity="simple",
        status="ready",
        passes=False,
        owner_agent="me",
        dependencies=(),
        criteria=("a", "b"),
        verification=("make",),
        retry_count=0,
        research=None,
    )
    return replace(found, **changed)


def document(*items: dict[str, Any]) -> str:
    plain = json.loads(TEXT.removeprefix("\ufeff"))["items"][0]
    return json.dumps([plain | each for each in items], indent=2)


@pytest.mark.parametrize("text", TEXTS)
def test_nothing_changes_where_nothing_is_new(text: str) -> None:
    items = reading(text, "r").items
    assert (
        rewritten(
            text,
            "r",
            {
                each.id: Owned(each.status, each.passes, each.retry_count, each.reasons)
                for each in items
            },
        )
        == text
    )
    assert rewritten(text, "r", {}) == text


@pytest.mark.parametrize("text", TEXTS)
def test_only_the_words_of_the_loop_change(text: str) -> None:
    after = rewritten(text, "r", {"US-1": Owned("in_progress", False, 2)})
    assert after == text.replace(
        '"status": "ready", "passes"', '"status": "in_progress", "passes"'
    ).replace('"retryCount": 0', '"retryCount": 2')
    assert rewritten(after, "r", {"US-1": Owned("in_progress", False, 2)}) == after


def test_reasons_join_a_blocked_item_in_the_style_of_the_file() -> None:
    after = rewritten(TEXT, "r", {"US-1": Owned("blocked", False, 2, ("tests fail", "ünï"))})
    assert '"x": 1e2, "blockedReasons": ["tests fail", "ünï"] },' in after.replace(
        ",\n       ", ", "
    )
    spread = rewritten(document({}), "r", {"US-1": Owned("blocked", False, 2, ("a", "b"))})
    assert spread.endswith(
        '"x": 100.0,\n    "blockedReasons": [\n      "a",\n      "b"\n    ]\n  }\n]'
    )


def test_reasons_stay_when_an_item_is_ready_again_and_are_emptied_when_it_is_taken_up() -> None:
    blocked = document({"status": "blocked", "blockedReasons": ["no"]})
    ready = rewritten(blocked, "r", {"US-1": Owned("ready", False, 0)})
    assert json.loads(ready)[0]["blockedReasons"] == ["no"]
    taken = rewritten(ready, "r", {"US-1": GOING})
    assert json.loads(taken)[0]["blockedReasons"] == []
    done = rewritten(taken, "r", {"US-1": DONE})
    assert json.loads(done)[0]["blockedReasons"] == []
    assert "blockedReasons" not in rewritten(document({}), "r", {"US-1": GOING})


def test_a_reason_that_no_file_can_hold_is_still_written() -> None:
    after = rewritten(
        document({}), "r", {"US-1": Owned("blocked", False, 2, ("half \ud800 of\na pair",))}
    )
    assert json.loads(after)[0]["blockedReasons"] == ["half ? of\na pair"]
    assert after.encode()


@pytest.mark.parametrize(
    ("status", "passes", "retries"),
    [
        ("done", False, 0),
        ("ready", True, 0),
        ("blocked", True, 0),
        ("finished", False, 0),
        ("ready", False, -1),
    ],
)
def test_the_loop_cannot_say_what_the_file_may_not(status: str, passes: bool, retries: int) -> None:
    with pytest.raises(ValueError):
        Owned(status, passes, retries)


@pytest.mark.parametrize(
    ("text", "owned", "said"),
    [
        (document({"id": 1}), {2: DONE}, "r: item 2 is not there any more"),
        (document({"id": 1}), {"1": DONE}, 'r: item "1" is not there any more'),
        (
            document({"id": 1}, {"id": 1}),
            {1: DONE},
            "r:20: item 1: the id stands in [0] already",
        ),
        ("[true]", {1: DONE}, "r:1: [0] is true"),
        ("{}", {1: DONE}, "r:1: items is missing"),
        ("[", {1: DONE}, "r:1: is not JSON"),
    ],
)
def test_an_item_that_is_not_there_once_is_refused(
    text: str, owned: dict[Any, Owned], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        rewritten(text, "r", owned)
    assert str(caught.value).startswith(said)


OWNED = st.one_of(
    st.builds(Owned, st.just("done"), st.just(True), st.integers(0, 3)),
    st.builds(Owned, st.sampled_from(["ready", "in_progress"]), st.just(False), st.integers(0, 3)),
    st.builds(
        Owned,
        st.just("blocked"),
        st.just(False),
        st.integers(0, 3),
        st.lists(st.text(), max_size=2).map(tuple),
    ),
)
EXTRA = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=4).map("x".__add__),
    st.one_of(
        st.integers(), st.text(st.characters(exclude_categories=["Cs"])), st.lists(st.booleans())
    ),
    max_size=3,
)


@given(
    st.lists(EXTRA, min_size=3, max_size=3),
    st.dictionaries(st.integers(0, 2), OWNED, max_size=3),
    st.sampled_from([None, 1, "\t"]),
    st.booleans(),
)
@settings(max_examples=100)
def test_whatever_the_loop_says_everything_else_stays_and_saying_it_again_changes_nothing(
    extras: list[dict[str, Any]], owned: dict[Any, Owned], indent: Any, ascii_only: bool
) -> None:
    plain = json.loads(document({}))[0]
    source = {
        "items": [{**extra, **plain, "id": n} for n, extra in enumerate(extras)],
        "end": [1.0],
    }
    text = json.dumps(source, indent=indent, ensure_ascii=ascii_only).replace("\n", "\r\n")
    after = rewritten(text, "r", owned)
    assert rewritten(after, "r", owned) == after
    found = json.loads(after)
    for n, said in owned.items():
        now = found["items"][n]
        assert (now["status"], now["passes"], now["retryCount"]) == (
            said.status,
            said.passes,
            said.retry_count,
        )
        reasons = [reason.encode(errors="replace").decode() for reason in said.reasons]
        assert now.pop("blockedReasons", None) == (reasons if said.status == "blocked" else None)
        assert list(now) == list(source["items"][n])
        now.update(status="ready", passes=False, retryCount=0)
    assert found == source
    untouched = [n for n in range(3) if n not in owned]
    tree, later = parse_json(text), parse_json(after)
    for n in untouched:
        old, new = tree.at("items", n), later.at("items", n)
        assert old is not None
        assert new is not None
        assert text[old.start : old.end] == after[new.start : new.end]


def test_one_of_a_thousand_items_is_rewritten_alone() -> None:
    text = document(*({"id": f"US-{n}", "title": f"Title {n}"} for n in range(1000)))
    after = rewritten(text, "r", {"US-700": DONE})
    different = [
        (old, new)
        for old, new in zip(text.split("\n"), after.split("\n"), strict=True)
        if old != new
    ]
    assert [(old.strip(), new.strip()) for old, new in different] == [
        ('"status": "ready",', '"status": "done",'),
        ('"passes": false,', '"passes": true,'),
    ]
    assert re.search(r'"US-700"[^}]*"done"', after)


def test_equal_readings_have_no_edits() -> None:
    assert changes_of([item()], [item()], "US-1") == Edits()
    assert not changes_of((), ())


RESEARCH = {
    "patterns": ("p",),
    "constraints": (),
    "risks": (),
    "fileLocations": (),
    "openDecisions": (),
}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"title": "New"}, ['item US-1: title: "Title" -> "New"']),
        ({"priority": 2.5}, ["item US-1: priority: 1 -> 2.5"]),
        ({"complexity": "complex"}, ['item US-1: complexity: "simple" -> "complex"']),
        (
            {"status": "done", "passes": True},
            ['item US-1: status: "ready" -> "done"', "item US-1: passes: false -> true"],
        ),
        ({"retry_count": 1}, ["item US-1: retryCount: 0 -> 1"]),
        ({"owner_agent": "you"}, ['item US-1: ownerAgent: "me" -> "you"']),
        ({"dependencies": ("US-2",)}, ['item US-1: dependencies: "US-2" added']),
        (
            {"criteria": ("b", "c")},
            [
                'item US-1: acceptanceCriteria: "a" removed',
                'item US-1: acceptanceCriteria: "c" added',
            ],
        ),
        ({"criteria": ("b", "a")}, ["item US-1: acceptanceCriteria: in another order"]),
        ({"criteria": ("a", "b", "b")}, ["item US-1: acceptanceCriteria: 2 -> 3 entries"]),
        ({"verification": ()}, ['item US-1: verification: "make" removed']),
        ({"reasons": ("x",)}, ['item US-1: blockedReasons: "x" added']),
        ({"research": RESEARCH}, ["item US-1: planningResearch: null -> 1 findings"]),
    ],
)
def test_an_edit_is_said_in_words_for_mine_and_for_others(
    changed: dict[str, Any], said: list[str]
) -> None:
    before, after = (item(), item("US-2")), (item(**changed), item("US-2"))
    assert changes_of(before, after, "US-1") == Edits(mine=tuple(said))
    assert (
        changes_of(before, after, "US-2")
        == changes_of(before, after, None)
        == Edits(others=tuple(said))
    )


def test_research_is_compared_part_by_part() -> None:
    before, after = item(research=RESEARCH), item(research=RESEARCH | {"risks": ("r",)})
    assert changes_of([before], [after]).others == ('item US-1: planningResearch.risks: "r" added',)


def test_items_that_come_go_and_move_are_told() -> None:
    before, after = [item(n) for n in (1, 2, 10, 4)], [item(n) for n in (4, 3, 1, 10)]
    assert changes_of(before, after, 2) == Edits(
        mine=('item 2 was removed: "Title"',),
        others=('item 3 was added: "Title"', "the items stand in another order"),
    )


@given(st.data())
@settings(max_examples=100)
def test_any_difference_of_two_items_is_an_edit(data: st.DataObject) -> None:
    values = {
        "title": ["Title", "Other"],
        "priority": [1, 2],
        "status": ["ready", "blocked"],
        "dependencies": [(), ("US-2",)],
        "criteria": [("a", "b"), ("b", "a"), ("a",)],
        "research": [None, RESEARCH, RESEARCH | {"patterns": ()}],
        "reasons": [(), ("x",)],
    }
    one, other = (
        item(**{name: data.draw(st.sampled_from(options)) for name, options in values.items()})
        for _ in range(2)
    )
    assert bool(changes_of([one], [other], "US-1").mine) is (one != other)
