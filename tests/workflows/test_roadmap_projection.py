"""roadmap.json while the loop keeps it: only its own fields change, and what people write there
is taken in.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.roadmap import EMPTY, FILE, KNOWN, item

from podium.core.errors import InputError
from podium.core.run import Run
from podium.workflows.roadmap.items.projection import items_of, of_item, of_loop, told
from podium.workflows.roadmap.items.reading import reading
from podium.workflows.roadmap.runs import ItemRun, RoadmapRun

ENDED = {"status": "done", "passes": True, "retryCount": 1, "reasons": []}


def text(*items: dict[str, Any], **more: Any) -> str:
    return json.dumps({**more, "items": list(items)}, indent=2) + "\n"


def at_work(found: dict[str, Any], step: str = "testing", **members: Any) -> ItemRun:
    """The run of an item that has written its own fields already."""
    (known,) = items_of(text(found), FILE)
    start = {
        "id": str(known.id),
        "visits": {"implement": 1, step: 1},
        "research": "full",
        **told(known),
        **members,
    }
    return ItemRun(step=step, **start)


def edited(run: Run, now: str) -> tuple[Any, tuple[str, ...]]:
    projection = of_item(run) if isinstance(run, ItemRun) else of_loop(run)  # type: ignore[arg-type]
    assert projection.read_back is not None
    return projection.read_back(now, run)


# -- written


def test_the_loop_writes_nothing_while_an_item_is_worked_on() -> None:
    before = text(item("US-1"))
    assert of_loop(RoadmapRun(step="item", current="US-1")).render(before, "") == before


def test_how_an_item_ended_is_written_into_that_item_only() -> None:
    before = text(item("US-1"), item("US-2"), owner="Ada")
    after = json.loads(
        of_loop(RoadmapRun(step="commit", current="US-2", ended=ENDED)).render(before, "")
    )
    assert after["owner"] == "Ada"
    assert after["items"][0] == item("US-1")
    assert after["items"][1] == item("US-2", status="done", passes=True, retryCount=1)


def test_an_item_at_work_is_in_progress_with_its_retry_count() -> None:
    after = json.loads(of_item(at_work(item(7), retries=2)).render(text(item(7)), ""))
    assert after["items"] == [item(7, status="in_progress", retryCount=2)]


def test_reasons_of_a_block_are_written_and_emptied_when_the_item_is_taken_up_again() -> None:
    blocked = {
        "status": "blocked",
        "passes": False,
        "retryCount": 2,
        "reasons": ["attempt 1: a", "attempt 3: b"],
    }
    whole = of_loop(RoadmapRun(step="select", current="US-1", ended=blocked)).render(
        text(item("US-1")), ""
    )
    assert json.loads(whole)["items"][0]["blockedReasons"] == ["attempt 1: a", "attempt 3: b"]
    again = of_item(at_work(item("US-1"))).render(whole, "")
    assert json.loads(again)["items"][0]["blockedReasons"] == []


def test_an_item_that_people_took_out_after_it_ended_is_not_put_back() -> None:
    before = text(item("US-2"))
    assert (
        of_loop(RoadmapRun(step="select", current="US-1", ended=ENDED)).render(before, "") == before
    )


def test_a_roadmap_that_is_gone_is_not_made_up() -> None:
    with pytest.raises(InputError, match="is missing"):
        of_loop(RoadmapRun(step="select", current="US-1", ended=ENDED)).render(None, "")


def test_it_is_peoples_own_document() -> None:
    for projection in (of_loop(RoadmapRun(step="select")), of_item(at_work(item("US-1")))):
        assert projection.shared
        assert projection.needed


@settings(max_examples=40)
@given(
    indent=st.sampled_from([None, 1, 3, "\t"]),
    ending=st.sampled_from(["\n", "\r\n"]),
    bare=st.booleans(),
    extra=st.dictionaries(
        st.text(max_size=5), st.none() | st.integers() | st.text(max_size=5), max_size=3
    ),
)
def test_every_byte_outside_the_loops_own_fields_stays(
    indent: Any, ending: str, bare: bool, extra: dict[str, Any]
) -> None:
    own = ("status", "passes", "retryCount")
    items = [
        item(number, **{f"x-{name}": value for name, value in extra.items()})
        for number in (3, 1, 2)
    ]
    before = json.dumps(
        items if bare else {"z": 1, "items": items, "a": [2]}, indent=indent
    ).replace("\n", ending)
    after = of_loop(RoadmapRun(step="commit", current="1", ended=ENDED)).render(before, "")
    assert _without(after, own) == _without(before, own)
    fresh = {"status": "ready", "passes": False, "retryCount": 0, "reasons": []}
    assert after != before
    assert of_loop(RoadmapRun(step="commit", current="1", ended=fresh)).render(after, "") == before


def _without(whole: str, names: tuple[str, ...]) -> Any:
    found = json.loads(whole)
    items = found if isinstance(found, list) else found["items"]
    return [[(name, value) for name, value in each.items() if name not in names] for each in items]


# -- read back by the loop


def loop_at(before: str, **members: Any) -> RoadmapRun:
    plan = reading(before, FILE).shared("US-1")
    return RoadmapRun(
        **{"step": "select", "current": "US-1", "ended": dict(ENDED), "plan": plan, **members}
    )


def test_the_loops_own_words_are_no_edit() -> None:
    before = text(item("US-1"), item("US-2"))
    run = loop_at(before)
    assert edited(run, of_loop(run).render(before, ""))[1] == ()
    assert edited(run, of_item(at_work(item("US-1"), retries=1)).render(before, ""))[1] == ()


@pytest.mark.parametrize("status", ["ready", "blocked"])
def test_a_person_who_sets_a_finished_item_back_has_the_last_word(status: str) -> None:
    before = text(item("US-1"), item("US-2"))
    run, changes = edited(loop_at(before), text(item("US-1", status=status), item("US-2")))
    assert changes == (f"US-1 is {status}, was done",)
    assert (run.ended, run.sent_on) == ({}, "edited")
    assert of_loop(run).render(before, "") == before


@pytest.mark.parametrize(
    "now",
    [
        text(item("US-1"), item("US-2", title="Other")),
        text(item("US-1"), item("US-2", acceptanceCriteria=["other"])),
        text(item("US-1"), item("US-2", planningResearch=KNOWN)),
        text(item("US-1"), item("US-2"), item("US-3")),
        text(item("US-1")),
        text(item("US-1"), item("US-2", status="blocked")),
        text(item("US-1", title="Other"), item("US-2")),
    ],
)
def test_every_other_edit_of_items_is_noticed_once(now: str) -> None:
    before = text(item("US-1"), item("US-2"))
    run, changes = edited(loop_at(before), of_loop(loop_at(before)).render(now, ""))
    assert changes == ("items were edited",)
    assert edited(run, now)[1] in {(), ("US-1 is ready, was done",)}


def test_spaces_and_members_of_the_author_are_no_edit() -> None:
    before = text(item("US-1"), item("US-2"))
    run = loop_at(before, ended={})
    assert (
        edited(run, json.dumps({"more": 1, "items": [item("US-1"), {**item("US-2"), "x": 1}]}))[1]
        == ()
    )


@pytest.mark.parametrize(
    "now",
    [
        "{",
        "[]x",
        '{"items": 3}',
        text(item("US-1"), item("US-1")),
        text(item("US-1", priority="high")),
    ],
)
def test_an_edit_that_cannot_be_read_is_refused_with_its_faults(now: str) -> None:
    for run in (loop_at(text(item("US-1"))), at_work(item("US-1"))):
        with pytest.raises(InputError) as refused:
            edited(run, now)
        assert all(fault.where.startswith(FILE) for fault in refused.value.faults)


# -- read back by the item at work


def test_an_edit_of_the_item_at_work_stops_it_and_says_what_changed() -> None:
    now = text(
        item(
            "US-1", status="in_progress", title="Other", acceptanceCriteria=["new"], verification=[]
        )
    )
    run, changes = edited(at_work(item("US-1"), "review"), now)
    assert (run.step, run.resumes_at, run.visits["edited"]) == ("edited", "review", 1)
    assert changes == (
        'item US-1: title: "Item US-1" -> "Other"',
        'item US-1: acceptanceCriteria: "US-1 works" removed',
        'item US-1: acceptanceCriteria: "new" added',
        'item US-1: verification: "test ! -e src/broken.py" removed',
    )
    assert (run.title, run.criteria, run.verification) == ("Other", ["new"], [])
    assert run.edits == list(changes)


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"status": "ready"}, 'status: "in_progress" -> "ready"'),
        ({"status": "blocked"}, 'status: "in_progress" -> "blocked"'),
        ({"retryCount": 0}, "retryCount: 1 -> 0"),
        ({"complexity": "complex"}, 'complexity: "simple" -> "complex"'),
        ({"dependencies": ["US-2"]}, 'dependencies: "US-2" added'),
        ({"planningResearch": KNOWN}, "planningResearch: null -> 2 findings"),
    ],
)
def test_every_field_that_matters_to_the_work_stops_it(members: dict[str, Any], words: str) -> None:
    now = text(
        {**item("US-1", status="in_progress", retryCount=1), **members},
        item("US-2", status="done", passes=True),
    )
    run, changes = edited(at_work(item("US-1"), retries=1), now)
    assert changes == (f"item US-1: {words}",)
    assert run.step == "edited"


@pytest.mark.parametrize("members", [{"priority": 9}, {"ownerAgent": "Ada"}, {"x-note": "mine"}])
def test_an_edit_that_means_nothing_for_the_work_does_not_stop_it(members: dict[str, Any]) -> None:
    assert (
        edited(at_work(item("US-1")), text({**item("US-1", status="in_progress"), **members}))[1]
        == ()
    )


def test_an_edit_of_another_item_does_not_stop_the_one_at_work() -> None:
    assert (
        edited(
            at_work(item("US-1")),
            text(item("US-1", status="in_progress"), item("US-2", title="Other")),
        )[1]
        == ()
    )


def test_before_it_has_written_its_own_fields_they_are_as_they_were_found() -> None:
    run = at_work(item("US-1"), "implement")
    run.visits = {"implement": 1}
    for status, count in (("ready", 0), ("in_progress", 0), ("blocked", 2)):
        assert edited(run, text(item("US-1", status=status, retryCount=count)))[1] == ()


def test_new_criteria_narrow_the_research_of_an_item_that_begins_again() -> None:
    found = item("US-1", "medium", planningResearch=KNOWN)
    run = at_work(found, research="skip")
    after, _ = edited(run, text({**found, "status": "in_progress", "acceptanceCriteria": ["new"]}))
    assert after.research == "narrowed"


def test_a_second_edit_before_the_answer_adds_to_the_first() -> None:
    run, _ = edited(at_work(item("US-1")), text(item("US-1", status="in_progress", title="A")))
    run, _ = edited(run, text(item("US-1", status="in_progress", title="B")))
    assert (run.step, run.resumes_at, len(run.edits), run.title) == ("edited", "testing", 2, "B")


def test_an_item_that_is_gone_while_it_is_worked_on_is_asked_for() -> None:
    with pytest.raises(InputError, match="US-1 is being worked on and is gone"):
        edited(at_work(item("US-1")), text(item("US-2")))


def test_numbers_as_ids_are_found_again_and_their_dependencies_too() -> None:
    run = at_work(item(2), dependencies=["1"])
    first = item(1, status="done", passes=True)
    assert edited(run, text(first, item(2, status="in_progress", dependencies=[1])))[1] == ()
    assert edited(run, text(first, item(2, status="in_progress")))[1] == (
        'item 2: dependencies: "1" removed',
    )


def test_what_a_run_keeps_of_an_item() -> None:
    (known,) = items_of(text(item("US-1", planningResearch={**EMPTY, "risks": ["r"]})), FILE)
    assert told(known) == {
        "title": "Item US-1",
        "complexity": "simple",
        "criteria": ["US-1 works"],
        "verification": ["test ! -e src/broken.py"],
        "dependencies": [],
        "planning_research": {**EMPTY, "risks": ["r"]},
    }
