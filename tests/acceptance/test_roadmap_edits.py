"""People edit roadmap.json before, between and during items; what they say is honoured, and
nothing of theirs is lost.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.fakes.roadmap import FILE, Make, Road, built, failing, item

from podium.core.errors import InputError, UsageError

WELL = {"behave": "well"}
OWN = ("status", "passes", "retryCount", "blockedReasons")


def edits(project: Road) -> list[str]:
    return [change for each in project.events("run.edited") for change in each["changes"]]


# -- the file keeps its face


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("indent", [None, 3, "\t"])
@pytest.mark.parametrize("bare", [True, False])
def test_only_the_loops_own_fields_change_whatever_the_file_looks_like(
    road: Make, ending: str, indent: Any, bare: bool
) -> None:
    items = [
        item("US-2", note="später ☃", x={"a": [1, 2.50, None]}),
        item("US-1", "medium", tags=[]),
    ]
    whole = json.dumps(
        items if bare else {"owner": "Ada", "items": items, "$schema": "x"},
        indent=indent,
        ensure_ascii=False,
    )
    text = whole.replace("\n", ending) + ending
    project = road(text=text)
    assert project.go().exit_code == 0
    after = project.path(FILE).read_bytes().decode()
    back = after.replace('"status": "done"', '"status": "ready"').replace(
        '"passes": true', '"passes": false'
    )
    assert back == text
    assert project.statuses() == {"US-2": "done", "US-1": "done"}


def test_members_of_a_blocked_item_keep_their_order_and_the_reasons_come_last(road: Make) -> None:
    project = road(item("US-1", mine=1))
    project.go({"testing": [failing("x")]})
    assert list(project.item("US-1")) == [*item("US-1", mine=1), "blockedReasons"]
    assert {name: value for name, value in project.item("US-1").items() if name not in OWN} == {
        name: value for name, value in item("US-1", mine=1).items() if name not in OWN
    }


# -- between items


def test_an_item_added_between_items_is_done_too(road: Make) -> None:
    project = road(item("US-1"), item("US-2"))
    project.go(until="commit/1")
    project.write(FILE, json.dumps({"items": [*project.items, item("US-0", priority=0)]}))
    assert project.resume().exit_code == 0
    assert project.picked() == ["US-1", "US-0", "US-2"]
    assert edits(project) == ["items were edited"]


def test_an_item_set_back_to_ready_is_done_again_from_the_start_with_a_commit_of_its_own(
    road: Make,
) -> None:
    project = road(item("US-1"), item("US-2"))
    project.go(until="commit/1")
    project.set("US-1", status="ready", passes=False)
    assert project.resume().exit_code == 0
    assert project.picked() == ["US-1", "US-1", "US-2"]
    assert project.steps_of("US-1")[4:] == [
        "2/implement/1",
        "2/testing/1",
        "2/review/1",
        "2/verify/1",
    ]
    assert project.commits() == ["US-1: Item US-1", "US-1: Item US-1", "US-2: Item US-2"]
    assert "US-1 is ready, was done" in edits(project)


def test_an_item_of_a_finished_loop_is_done_again_by_the_next_run(road: Make) -> None:
    project = road(item("US-1"), item("US-2"))
    project.go()
    project.set("US-2", status="ready", passes=False)
    assert project.go(run_id="second").exit_code == 0
    assert project.picked() == ["US-2"]


def test_an_item_left_in_progress_by_nobody_is_taken_up_first_with_its_retry_count(
    road: Make,
) -> None:
    project = road(item("US-1", priority=0), item("US-2", status="in_progress", retryCount=1))
    assert project.go({"testing": [failing("x"), failing("y"), WELL]}).exit_code == 20
    assert project.picked() == ["US-2"]
    assert project.item("US-2")["retryCount"] == 2
    assert project.item("US-2")["blockedReasons"] == ["attempt 2: x", "attempt 3: y"]


@pytest.mark.parametrize("members", [{}, {"acceptanceCriteria": ["easier"]}])
def test_a_blocked_item_that_a_person_sets_to_ready_begins_from_the_start(
    road: Make, members: dict[str, Any]
) -> None:
    project = road(item("US-1"), item("US-2"))
    assert project.go({"testing": [failing("x")] * 3 + [WELL]}).exit_code == 20
    assert project.resume().exit_code == 20  # nothing has changed
    project.set("US-1", status="ready", retryCount=0, **members)
    assert project.resume().exit_code == 0
    assert project.steps_of("US-1")[6:] == [
        "2/implement/1",
        "2/testing/1",
        "2/review/1",
        "2/verify/1",
    ]
    assert project.item("US-1")["blockedReasons"] == []


def test_a_blocked_item_that_a_person_calls_done_is_done(road: Make) -> None:
    project = road(item("US-1"), item("US-2", dependencies=["US-1"]))
    assert project.go({"testing": [failing("x")] * 3 + [WELL]}).exit_code == 20
    project.set("US-1", status="done", passes=True)
    assert project.resume().exit_code == 0
    assert project.picked() == ["US-1", "US-2"]


def test_a_blocked_item_is_sent_on_where_it_stopped_with_the_persons_words(road: Make) -> None:
    project = road(item("US-1"), item("US-2"))
    assert project.go({"testing": [failing("x")] * 3 + [WELL]}).exit_code == 20
    assert project.resume(because="the server is up again").exit_code == 0
    assert project.steps_of("US-1")[6:] == ["testing/4", "review/1", "verify/1"]
    assert "> the server is up again" in project.prompt("item/US-1/testing/4")
    assert project.item("US-1")["retryCount"] == 0


def test_sent_on_and_failing_again_it_has_its_attempts_and_is_told_of_all_before(
    road: Make,
) -> None:
    project = road(item("US-1"))
    assert project.go({"testing": [failing(f"fault {n}") for n in range(9)]}).exit_code == 20
    assert project.resume(because="try again").exit_code == 20
    assert project.steps_of("US-1")[6:] == [
        "testing/4",
        "implement/4",
        "testing/5",
        "implement/5",
        "testing/6",
    ]
    told = project.prompt("item/US-1/implement/5")
    assert "This is retry 2/2 (final attempt)" in told
    assert all(f"fault {n}" in told for n in range(5))
    assert len(project.item("US-1")["blockedReasons"]) == 6


def test_with_keep_going_every_blocked_item_is_sent_on_once(road: Make) -> None:
    project = road(item("US-1", "medium"), item("US-2"), item("US-3", "medium"))
    cannot = {"verdict": {"status": "blocked", "failures": ["no database"]}, "say": "no"}
    assert (
        project.go({"architect": [cannot, cannot, WELL]}, policy={"keep_going": True}).exit_code
        == 20
    )
    assert project.statuses() == {"US-1": "blocked", "US-2": "done", "US-3": "blocked"}
    assert project.resume(because="sqlite").exit_code == 0
    assert project.picked() == ["US-1", "US-2", "US-3", "US-1", "US-3"]


@pytest.mark.parametrize(
    ("edit", "fault"),
    [
        (lambda text: text.replace('"items"', "items"), f"{FILE}:2"),
        (lambda text: text.replace('"simple"', '"tiny"'), "complexity"),
        (lambda text: text.replace('"US-2"', '"US-1"'), "stands in"),
    ],
)
def test_an_edit_that_cannot_be_read_is_told_and_the_persons_text_stays(
    road: Make, edit: Any, fault: str
) -> None:
    project = road(item("US-1"), item("US-2"))
    project.go(until="commit/1")
    project.write(FILE, edit(project.text(FILE)))
    before, events = project.path(FILE).read_bytes(), len(project.events())
    with pytest.raises(InputError, match=fault):
        project.resume()
    assert len(project.events()) == events
    assert project.path(FILE).read_bytes() == before


@pytest.mark.parametrize("at", ["commit/1", "item/US-1/testing/1"])
@pytest.mark.parametrize("gone", ["deleted", "empty"])
def test_a_roadmap_that_is_gone_blocks_the_loop_until_it_is_back(
    road: Make, at: str, gone: str
) -> None:
    project = road(item("US-1"), item("US-2"))
    project.go(until=at)
    text = project.text(FILE)
    project.path(FILE).unlink() if gone == "deleted" else project.write(FILE, "")
    ended = project.resume()
    assert ended.exit_code == 20
    assert "the roadmap is gone" in ended.reason
    assert not project.path(FILE).exists() if gone == "deleted" else project.text(FILE) == ""
    project.write(FILE, text)
    assert project.resume(because="it is back").exit_code == 0
    assert project.picked() == ["US-1", "US-2"]


# -- the item at work


def paused(road: Make, at: str, complexity: str = "medium", **members: Any) -> Road:
    """A loop that was stopped in the middle of its first item, which was edited then."""
    project = road(item("US-1", complexity), item("US-2"))
    project.go(
        {"implement": [built("src/a.py"), built("src/b.py"), built("src/c.py")]},
        until=f"item/US-1/{at}",
    )
    project.set("US-1", **members)
    ended = project.resume()
    assert (ended.exit_code, ended.gates) == (10, ("item/US-1/edited",))
    return project


def test_an_edit_of_the_item_at_work_pauses_and_says_what_changed(road: Make) -> None:
    project = paused(road, "testing/1", acceptanceCriteria=["it is fast"])
    (gate,) = project.app.summary(project.run_id).gates
    assert gate["kind"] == "drift"
    assert (
        'acceptanceCriteria: "US-1 works" removed; acceptanceCriteria: "it is fast" added'
        in gate["prompt"]
    )
    assert not any("review" in key for key in project.dispatched())
    assert project.resume().exit_code == 10


def test_going_on_builds_the_new_text_and_tests_and_reviews_it_again(road: Make) -> None:
    project = paused(road, "review/1", acceptanceCriteria=["it is fast"])
    project.answer(choice="approved")
    assert project.resume().exit_code == 0
    assert project.steps_of("US-1")[5:] == ["implement/2", "testing/2", "review/2", "verify/2"]
    assert "  - it is fast\n" in project.prompt("item/US-1/implement/2")
    assert project.committed("US-1") == [FILE, "src/a.py", "src/b.py"]


def test_restarting_begins_with_the_pipeline_of_the_new_text(road: Make) -> None:
    project = paused(road, "review/1", complexity="simple", acceptanceCriteria=["it is fast"])
    project.answer(choice="restart")
    assert project.resume().exit_code == 0
    assert project.steps_of("US-1")[3:] == ["implement/2", "testing/2", "review/2", "verify/2"]


def test_a_harder_item_is_restarted_with_its_new_pipeline(road: Make) -> None:
    project = road(item("US-1"), item("US-2"))
    project.go(until="item/US-1/testing/1")
    project.set("US-1", complexity="complex")
    assert project.resume().exit_code == 10
    project.answer(choice="restart")
    assert project.resume().exit_code == 0
    assert [step.partition("/")[0] for step in project.steps_of("US-1")[2:]] == [
        "research",
        "architect",
        "implement",
        "validate",
        "testing",
        "review",
        "verify",
    ]


def test_a_status_set_by_hand_on_the_item_at_work_is_asked_about_too(road: Make) -> None:
    project = paused(road, "testing/1", status="blocked")
    (gate,) = project.app.summary(project.run_id).gates
    assert 'status: "in_progress" -> "blocked"' in gate["prompt"]


def test_only_the_answers_of_the_question_are_taken(road: Make) -> None:
    project = paused(road, "testing/1", title="Other")
    with pytest.raises(UsageError, match="approved, restart"):
        project.answer(choice="maybe")


def test_the_item_at_work_taken_out_of_the_file_is_asked_for(road: Make) -> None:
    project = road(item("US-1"), item("US-2"))
    project.go(until="item/US-1/testing/1")
    project.write(FILE, json.dumps({"items": [item("US-2")]}))
    with pytest.raises(InputError, match="US-1 is being worked on and is gone"):
        project.resume()


def test_an_edit_of_another_item_while_one_is_at_work_is_honoured_afterwards(road: Make) -> None:
    project = road(item("US-1"), item("US-2"))
    project.go(until="item/US-1/testing/1")
    project.set("US-2", acceptanceCriteria=["it is small"])
    assert project.resume().exit_code == 0
    assert "  - it is small\n" in project.prompt("item/US-2/implement/1")
    assert edits(project) == ["items were edited"]


def test_code_edited_by_a_person_is_reviewed_again(road: Make) -> None:
    project = road(item("US-1"))
    project.go({"implement": [built("src/a.py")]}, until="item/US-1/review/1")
    project.write("src/a.py", "A = 'by hand'\n")
    assert project.resume().exit_code == 0
    assert project.steps_of("US-1").count("review/2") == 1
    assert project.text("src/a.py") == "A = 'by hand'\n"
