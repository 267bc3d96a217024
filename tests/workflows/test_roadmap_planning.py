from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core.errors import InputError
from podium.workflows.roadmap.items.reading import reading
from podium.workflows.roadmap.planner.planning import check_plan, compose_plan, next_id


def planned(id: Any, status: str = "ready", **changed: Any) -> dict[str, Any]:
    return {
        "id": id,
        "title": f"Title {id}",
        "priority": 1,
        "complexity": "simple",
        "status": status,
        "passes": status == "done",
        "ownerAgent": "implement",
        "dependencies": [],
        "acceptanceCriteria": ["it works"],
        "verification": [],
        "retryCount": 0,
        "planningResearch": None,
        **changed,
    }


def text(*items: Any, **beside: Any) -> str:
    return json.dumps({**beside, "items": list(items)}, indent=2)


STANDING = (
    planned("US-1", "done", retryCount=1, x=1.0),
    planned("US-2", "in_progress"),
    planned("US-3", "blocked", blockedReasons=["no"]),
    planned("US-4", retryCount=1),
)
BEFORE = text(*STANDING, version=2)


def faults(*items: Any, **beside: Any) -> tuple[str, ...]:
    return check_plan(BEFORE, text(*items, **({"version": 2} | beside)), "roadmap.json")


def test_a_new_roadmap_of_fresh_items_is_sound() -> None:
    assert check_plan(None, text(planned(1), planned(2, dependencies=[1])), "r") == ()


def test_a_roadmap_that_is_left_alone_or_only_laid_out_anew_is_sound() -> None:
    assert check_plan(BEFORE, BEFORE, "r") == ()
    assert check_plan(BEFORE, json.dumps(json.loads(BEFORE), sort_keys=True), "r") == ()


def test_items_may_be_added_anywhere_and_unbegun_ones_planned_anew() -> None:
    anew = STANDING[3] | {
        "title": "Better",
        "priority": 9,
        "acceptanceCriteria": ["a", "b"],
        "dependencies": ["US-5"],
    }
    assert faults(planned("US-6"), *STANDING[:3], planned("US-5"), anew, more=True) == ()


def test_an_unsound_roadmap_lists_every_fault() -> None:
    assert check_plan(None, "{", "r.json")[0].startswith("r.json:1: is not JSON")
    said = faults(planned("US-1", "finished", priority="1"), planned(2))
    assert len(said) == 3
    assert "roadmap.json:" in said[0]
    assert "priority" in said[0]


def test_an_empty_plan_is_none() -> None:
    assert check_plan(None, text(), "r") == ("the roadmap has no items (expected at least one)",)


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"status": "in_progress"}, "status"),
        ({"status": "blocked"}, "status"),
        ({"retryCount": 3}, "retryCount"),
        ({"blockedReasons": ["no"]}, "blockedReasons"),
    ],
)
def test_a_new_item_begins_ready_and_untried(changed: dict[str, Any], name: str) -> None:
    (said,) = faults(*STANDING, planned("US-9") | changed)
    assert said.startswith(f"item US-9 is new: {name} is ")
    assert "expected" in said


def test_a_new_item_that_claims_to_be_done_is_refused_twice() -> None:
    assert faults(*STANDING, planned("US-9", "done")) == (
        'item US-9 is new: status is "done" (expected "ready")',
        "item US-9 is new: passes is true (expected false)",
    )


def test_ids_are_kept_and_in_their_order() -> None:
    assert faults(*STANDING[:2], *STANDING[3:]) == (
        "item US-3 is gone (every id that was there is kept)",
    )
    (said,) = faults(STANDING[1], STANDING[0], *STANDING[2:])
    assert said == "the ids stand in another order (expected US-1, US-2, US-3, US-4)"
    both = faults(STANDING[3], STANDING[0])
    assert both == (
        "item US-2 is gone (every id that was there is kept)",
        "item US-3 is gone (every id that was there is kept)",
        "the ids stand in another order (expected US-1, US-2, US-3, US-4)",
    )


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", "Other"),
        ("acceptanceCriteria", ["other"]),
        ("priority", 1.0),
        ("x", 2),
        ("added", None),
    ],
)
def test_what_was_begun_is_left_as_it_was(place: int, name: str, value: Any) -> None:
    items = [dict(each) for each in STANDING]
    items[place][name] = value
    (said,) = faults(*items)
    status = STANDING[place]["status"]
    assert (
        said
        == f"item US-{place + 1}: {name} was changed (the item is {status} and is left as it was)"
    )


def test_a_member_of_a_begun_item_may_not_go_either() -> None:
    (said,) = faults(
        {name: value for name, value in STANDING[0].items() if name != "x"}, *STANDING[1:]
    )
    assert "item US-1: x was changed" in said


@pytest.mark.parametrize(
    ("changed", "names"),
    [
        ({"status": "in_progress"}, ["status"]),
        ({"status": "done", "passes": True}, ["status", "passes"]),
        ({"retryCount": 0}, ["retryCount"]),
        ({"blockedReasons": []}, ["blockedReasons"]),
    ],
)
def test_only_the_loop_moves_an_item(changed: dict[str, Any], names: list[str]) -> None:
    assert faults(*STANDING[:3], STANDING[3] | changed) == tuple(
        f"item US-4: {name} was changed (only the loop changes it)" for name in names
    )


def test_what_is_beside_the_items_is_kept() -> None:
    assert check_plan(BEFORE, text(*STANDING), "r") == (
        "the member \"version\" beside 'items' is gone (put it back as it was)",
    )
    assert faults(*STANDING, version=3) == (
        "the member \"version\" beside 'items' was changed (put it back as it was)",
    )
    array = json.dumps(list(STANDING))
    assert check_plan(BEFORE, array, "r") == (
        "the roadmap was an object with 'items' and must stay that",
    )
    assert check_plan(array, BEFORE, "r") == ("the roadmap was a bare array and must stay that",)


def test_ids_of_another_type_do_not_join() -> None:
    (said,) = faults(*STANDING, planned(5))
    assert "id is a number, the id of the first item is a text" in said


def test_a_roadmap_that_was_unsound_before_is_not_the_planners_fault() -> None:
    with pytest.raises(InputError):
        check_plan("{}", text(planned(1)), "r")


def test_a_thousand_items_and_one_more_are_checked() -> None:
    items = [planned(n, "done" if n % 2 else "ready") for n in range(1000)]
    assert check_plan(text(*items), text(*items, planned(1000)), "r") == ()
    changed = [each | {"title": "Other"} for each in items]
    assert len(check_plan(text(*items), text(*changed), "r")) == 500


def test_the_shortest_roadmap_has_one_item_about_the_goal() -> None:
    found = compose_plan({}, "", {"Goal": "Count\x1b words\n<promise>"})
    (item,) = reading(found, "r").items
    assert (item.id, item.title, item.status) == ("US-1", "Count words <promise>", "ready")
    assert check_plan(None, found, "r") == ()
    assert found == compose_plan({}, "", {"Goal": "Count words <promise>"})


@pytest.mark.parametrize("standing", [BEFORE, json.dumps([planned(3), planned(11, "done")])])
def test_a_standing_roadmap_is_extended_by_its_rules(standing: str) -> None:
    for members in ({}, {"items": []}, {"items": [{"title": "One"}, {"complexity": "complex"}]}):
        found = compose_plan(members, standing, {})
        assert check_plan(standing, found, "r") == ()
    added = reading(found, "r").items[-2:]
    assert [each.title for each in added] == ["One", f"Item {added[1].id}"]
    assert [each.id for each in added] in ([12, 13], ["US-5", "US-6"])


def test_members_given_win_and_may_be_wrong_on_purpose() -> None:
    found = compose_plan({"items": [{"id": "A", "status": "done"}], "version": 1}, "", {})
    assert json.loads(found)["version"] == 1
    assert len(check_plan(None, found, "r")) == 1


@pytest.mark.parametrize(
    ("taken", "expected"),
    [
        ([], "US-1"),
        ([3, 10, 9], 11),
        (["US-9", "US-10", "US-2"], "US-11"),
        (["US-009"], "US-010"),
        (["login"], "login-2"),
        (["login", "login-2"], "login-3"),
        (["A-1", "B"], "B-2"),
        (["US-99"], "US-100"),
    ],
)
def test_the_next_id_goes_on_in_the_spelling_of_the_highest(
    taken: list[Any], expected: Any
) -> None:
    assert next_id(taken) == expected


@given(
    st.one_of(
        st.lists(st.integers(), min_size=1),
        st.lists(st.text("aU-09", min_size=1, max_size=25), min_size=1),
    )
)
@settings(max_examples=200)
def test_the_next_id_is_new_and_of_the_same_type(taken: list[Any]) -> None:
    found = next_id(taken)
    assert found not in taken
    assert type(found) is type(taken[0])


@given(st.dictionaries(st.sampled_from(["Title", "Goal", "Task"]), st.text()))
@settings(max_examples=100)
def test_whatever_the_facts_the_shortest_roadmap_is_sound(facts: dict[str, str]) -> None:
    assert check_plan(None, compose_plan({}, "", facts), "r") == ()
