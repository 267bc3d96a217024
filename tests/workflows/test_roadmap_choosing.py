"""The loop's one decision, and what it remembers and reports on the way."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.roadmap import EMPTY, FILE, KNOWN, item

from podium.core.verdict import Judgement
from podium.settings.policies import defaults
from podium.workflows.roadmap.choosing import choosing
from podium.workflows.roadmap.items.reading import reading
from podium.workflows.roadmap.items.research import CRITERIA, marks, mode, noted, outdated
from podium.workflows.roadmap.runs import RoadmapRun

DONE: dict[str, Any] = {"status": "done", "passes": True}
ENDED: dict[str, Any] = {
    "title": "Item US-1",
    "status": "done",
    "passes": True,
    "retryCount": 0,
    "reasons": [],
    "complexity": "simple",
}


def chosen(
    *items: dict[str, Any], run: RoadmapRun | None = None, notes: str | None = None, **policy: Any
) -> Judgement:
    texts = {FILE: json.dumps(list(items)), CRITERIA: notes}
    return choosing(run or RoadmapRun(step="select"), texts, {**defaults("roadmap"), **policy})


# -- which one


def test_the_lowest_priority_comes_first_and_then_the_lowest_id() -> None:
    items = [
        item("US-10"),
        item("US-2"),
        item("US-1", priority=2),
        item("US-3", priority=0, dependencies=["US-1"]),
    ]
    assert chosen(*items).word == "US-2"


def test_what_was_left_in_progress_comes_first_with_its_retry_count() -> None:
    found = chosen(
        item("US-1", priority=0), item("US-2", status="in_progress", retryCount=1, priority=9)
    )
    assert (found.word, found.route) == ("US-2", "picked")
    assert (found.sets["item"]["retries"], found.sets["begins"]) == (1, "")


@pytest.mark.parametrize(("count", "most", "retries"), [(0, 2, 0), (2, 2, 2), (7, 2, 2), (1, 0, 0)])
def test_a_retry_count_of_the_file_is_kept_as_far_as_policy_goes(
    count: int, most: int, retries: int
) -> None:
    assert (
        chosen(item("US-1", retryCount=count), max_retries=most).sets["item"]["retries"] == retries
    )


def test_a_picked_item_is_handed_on_as_the_file_has_it() -> None:
    found = chosen(
        item(1, **DONE), item(2, "medium", dependencies=[1], planningResearch=KNOWN), item(3)
    )
    assert found.sets["current"] == "2"
    assert found.sets["left"] == 1
    assert found.sets["item"] == {
        "id": "2",
        "file": FILE,
        "title": "Item 2",
        "complexity": "medium",
        "criteria": ["2 works"],
        "verification": ["test ! -e src/broken.py"],
        "dependencies": ["1"],
        "planning_research": KNOWN,
        "research": "skip",
        "retries": 0,
        "max_retries": 2,
    }


# -- the ends


@pytest.mark.parametrize("items", [[], [item("US-1", **DONE), item("US-2", **DONE)]])
def test_the_loop_is_complete_when_every_item_passes(items: list[dict[str, Any]]) -> None:
    assert (chosen(*items).route, chosen(*items).word) == ("complete", "COMPLETE")


def test_a_blocked_item_ends_the_loop_with_its_evidence_and_what_waits_for_it() -> None:
    stopped = item(
        "US-1",
        status="blocked",
        retryCount=2,
        blockedReasons=["attempt 1: boom", "attempt 3: bang"],
    )
    found = chosen(
        stopped,
        item("US-2", dependencies=["US-1"]),
        item("US-3", dependencies=["US-2"]),
        item("US-4"),
    )
    assert found.route == "blocked"
    assert found.reason.splitlines() == [
        "blocked: US-1; out of reach because of it: US-2, US-3",
        "- Item US-1 (Item US-1) is blocked:",
        "  - Evidence: attempt 1: boom",
        "  - Evidence: attempt 3: bang",
        "- Item US-2 (Item US-2) cannot be reached: US-1 is blocked, not done",
        "- Item US-3 (Item US-3) cannot be reached: US-2 is ready, not done",
    ]


def test_keep_going_takes_what_does_not_need_the_blocked_item() -> None:
    items = [
        item("US-1", status="blocked"),
        item("US-2", dependencies=["US-1"]),
        item("US-3", priority=9),
    ]
    assert chosen(*items, keep_going=True).word == "US-3"
    assert chosen(*items[:2], keep_going=True).route == "blocked"


@pytest.mark.parametrize(("taken", "route"), [(0, "picked"), (1, "picked"), (2, "limit")])
def test_a_bounded_call_pauses_after_its_items(taken: int, route: str) -> None:
    found = chosen(item("US-1"), run=RoadmapRun(step="select", taken=taken), max_items=2)
    assert (found.route, found.pause) == (route, route == "limit")


def test_an_unbounded_call_counts_nothing() -> None:
    assert chosen(item("US-1"), run=RoadmapRun(step="select", taken=0)).sets["taken"] == 0


def test_the_end_comes_before_the_bound() -> None:
    assert (
        chosen(item("US-1", **DONE), run=RoadmapRun(step="select", taken=2), max_items=2).route
        == "complete"
    )


# -- sent on by a person

BLOCKED = item("US-1", status="blocked", retryCount=2)


def test_who_is_sent_on_goes_on_where_it_stopped_with_fresh_attempts() -> None:
    found = chosen(
        BLOCKED, item("US-2", priority=0), run=RoadmapRun(step="select", sent_on="again")
    )
    assert (found.word, found.sets["begins"], found.sets["item"]["retries"]) == ("US-1", "", 0)
    assert found.sets["sent_on"] == ""


def test_each_blocked_item_has_one_more_chance_and_no_second() -> None:
    items = [BLOCKED, item("US-2", status="blocked"), item("US-3")]
    first = chosen(
        *items, run=RoadmapRun(step="select", sent_on="again", note="mended"), keep_going=True
    )
    assert (first.word, first.sets["chances"]) == ("US-1", ["US-2"])
    second = chosen(*items, run=RoadmapRun(step="select", chances=["US-2"]), keep_going=True)
    assert (second.word, second.sets["chances"]) == ("US-2", [])
    assert chosen(*items, run=RoadmapRun(step="select"), keep_going=True).word == "US-3"


def test_keep_going_alone_goes_past_what_is_blocked() -> None:
    sent_on = RoadmapRun(step="select", sent_on="again")
    assert chosen(BLOCKED, item("US-2"), run=sent_on, keep_going=True).word == "US-2"
    assert (
        chosen(BLOCKED, item("US-2", dependencies=["US-1"]), run=sent_on, keep_going=True).word
        == "US-1"
    )


def test_a_chance_that_cannot_be_taken_is_told_as_it_is() -> None:
    items = [
        item("US-1", status="blocked", dependencies=["US-2"]),
        item("US-2", status="blocked", dependencies=["US-3"]),
        item("US-3", status="blocked"),
    ]
    found = chosen(*items, run=RoadmapRun(step="select", chances=["US-1"]))
    assert found.route == "blocked"
    assert found.reason.startswith("blocked: US-1, US-2, US-3")


def test_an_item_set_to_ready_begins_anew() -> None:
    found = chosen(item("US-1", retryCount=2))
    assert (found.sets["begins"], found.sets["item"]["retries"]) == ("anew", 2)


# -- the report


def test_an_iteration_is_reported_with_the_next_candidate_and_once() -> None:
    run = RoadmapRun(step="select", current="US-1", ended=ENDED)
    found = chosen(item("US-1", **DONE), item("US-2"), run=run)
    (fact,) = found.facts
    assert (fact["type"], fact["item"], fact["status"]) == ("roadmap.iteration", "US-1", "done")
    assert "- Selected item: US-1 Item US-1" in fact["text"]
    assert "- Next candidate: US-2 Item US-2" in fact["text"]
    assert found.sets["ended"] == {}
    limit = chosen(
        item("US-1", **DONE),
        item("US-2"),
        run=RoadmapRun(step="select", current="US-1", ended=ENDED, taken=1),
        max_items=1,
    )
    assert len(limit.facts) == 1
    again = RoadmapRun(step="select", current="US-1", ended=dict(limit.sets["ended"]))
    assert chosen(item("US-1", **DONE), item("US-2"), run=again).facts == ()


@pytest.mark.parametrize(
    ("items", "candidate"),
    [
        ([item("US-1", **DONE)], "COMPLETE"),
        ([item("US-1", **DONE), item("US-2", status="blocked")], "none: US-2 blocked"),
    ],
)
def test_the_last_report_says_how_it_ends(items: list[dict[str, Any]], candidate: str) -> None:
    (fact,) = chosen(*items, run=RoadmapRun(step="select", current="US-1", ended=ENDED)).facts
    assert f"- Next candidate: {candidate}" in fact["text"]


def test_nothing_is_reported_before_an_item_ended() -> None:
    assert chosen(item("US-1")).facts == ()


# -- research


@pytest.mark.parametrize(
    ("complexity", "research", "changed", "expected"),
    [
        ("medium", None, False, "full"),
        ("medium", EMPTY, False, "full"),
        ("medium", KNOWN, False, "skip"),
        ("medium", KNOWN, True, "narrowed"),
        ("medium", None, True, "full"),
        ("complex", None, False, "full"),
        ("complex", KNOWN, False, "full"),
        ("complex", KNOWN, True, "narrowed"),
    ],
)
def test_whether_research_is_dispatched(
    complexity: str, research: Any, changed: bool, expected: str
) -> None:
    assert mode(complexity, research, changed=changed) == expected


def read(**members: Any) -> Any:
    return reading(json.dumps([item("US-1", "medium", **members)]), FILE).items


def test_criteria_are_remembered_when_an_item_with_research_is_first_seen() -> None:
    found = chosen(item("US-1", "medium", planningResearch=KNOWN), item("US-2"))
    (path,) = found.writes
    assert path == CRITERIA
    assert list(json.loads(found.writes[path])[FILE]) == ["US-1"]
    assert (
        chosen(
            item("US-1", "medium", planningResearch=KNOWN), item("US-2"), notes=found.writes[path]
        ).writes
        == {}
    )


def test_other_criteria_narrow_research_until_there_is_other_research() -> None:
    first = noted(None, FILE, marks(read(planningResearch=KNOWN)))[CRITERIA]
    changed = read(planningResearch=KNOWN, acceptanceCriteria=["other"])
    assert outdated(changed[0], first, FILE)
    assert noted(first, FILE, marks(changed)) == {}
    assert (
        chosen(
            item("US-1", "medium", planningResearch=KNOWN, acceptanceCriteria=["other"]),
            notes=first,
        ).sets["item"]["research"]
        == "narrowed"
    )
    planned = read(planningResearch={**KNOWN, "risks": ["new"]}, acceptanceCriteria=["other"])
    assert not outdated(planned[0], first, FILE)
    again = noted(first, FILE, marks(planned))[CRITERIA]
    assert outdated(changed[0], again, FILE) is False
    assert outdated(
        read(planningResearch={**KNOWN, "risks": ["new"]}, acceptanceCriteria=["third"])[0],
        again,
        FILE,
    )


def test_criteria_that_were_put_back_are_those_the_research_is_for() -> None:
    first = noted(None, FILE, marks(read(planningResearch=KNOWN)))[CRITERIA]
    assert not outdated(read(planningResearch=KNOWN)[0], first, FILE)


def test_each_roadmap_of_a_project_has_a_memory_of_its_own() -> None:
    first = noted(None, "a.json", marks(read(planningResearch=KNOWN)))[CRITERIA]
    both = noted(
        first, "b.json", marks(read(planningResearch=KNOWN, acceptanceCriteria=["other"]))
    )[CRITERIA]
    assert sorted(json.loads(both)) == ["a.json", "b.json"]
    assert not outdated(read(planningResearch=KNOWN)[0], both, "a.json")


@given(
    st.text()
    | st.sampled_from(["[]", '{"roadmap.json": 3}', '{"roadmap.json": {"US-1": [1]}}', "null", "1"])
)
def test_a_memory_that_cannot_be_read_means_first_sight(notes: str) -> None:
    (known,) = read(planningResearch=KNOWN)
    assert not outdated(known, notes, FILE)
    assert not outdated(known, noted(notes, FILE, marks((known,)))[CRITERIA], FILE)
