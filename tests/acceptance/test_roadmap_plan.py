"""`podium run roadmap plan GOAL`: a Planner writes or extends the roadmap, under rules that are
checked, not asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.fakes.roadmap import EMPTY, FILE, KNOWN, Make, Road, item

from podium.core.errors import InputError, UsageError

WELL = {"behave": "well"}
STANDING = [
    item("US-1", status="done", passes=True),
    item("US-2", status="in_progress", retryCount=1),
    item("US-3", status="blocked", retryCount=2, blockedReasons=["attempt 1: x"]),
    item("US-4"),
]
Change = Callable[[dict[str, Any]], Any]


def wrote(whole: Any) -> dict[str, Any]:
    """A Planner that writes this and says that all is well."""
    text = whole if isinstance(whole, str) else json.dumps(whole, indent=2)
    return {"write": {"@roadmap": text}, "verdict": {"status": "success"}, "say": "planned"}


def standing() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps({"owner": "Ada", "items": STANDING}))
    return found


def changed(change: Change) -> dict[str, Any]:
    whole = standing()
    return wrote(change(whole) or whole)


def project_of(road: Make) -> Road:
    return road(text=json.dumps(standing(), indent=2) + "\n")


# -- writing


def test_a_planner_writes_a_roadmap_where_there_is_none(road: Make) -> None:
    project = road(item("US-1"))
    project.path(FILE).unlink()
    assert project.plan(goal="Count the words of a text").exit_code == 0
    (found,) = project.items
    assert (found["status"], found["passes"], found["retryCount"]) == ("ready", False, 0)
    assert "Count the words of a text" in found["title"]
    assert "Plan this: Count the words of a text" in project.prompt("plan")
    assert "keep every id" not in project.prompt("plan")


def test_what_it_wrote_is_what_the_loop_works_on(road: Make) -> None:
    project = road(item("US-1"))
    project.path(FILE).unlink()
    project.plan(wrote({"items": [item(2, dependencies=[1]), item(1)]}))
    assert project.go(run_id="loop").exit_code == 0
    assert project.picked() == ["1", "2"]


def test_a_planner_extends_a_roadmap_and_the_old_items_stay(road: Make) -> None:
    project = project_of(road)
    assert (
        project.plan(
            changed(lambda whole: whole["items"].append(item("US-5", dependencies=["US-4"])))
        ).exit_code
        == 0
    )
    assert project.items[:4] == STANDING
    assert [each["id"] for each in project.items] == ["US-1", "US-2", "US-3", "US-4", "US-5"]
    assert "keep every id in its order" in project.prompt("plan")


def test_what_nobody_has_begun_may_be_planned_anew_and_new_items_may_stand_between(
    road: Make,
) -> None:
    project = project_of(road)

    def replan(whole: dict[str, Any]) -> None:
        whole["items"][3] |= {"title": "Better", "complexity": "medium", "planningResearch": KNOWN}
        whole["items"].insert(0, item("US-0"))

    assert project.plan(changed(replan)).exit_code == 0
    assert project.item("US-4")["title"] == "Better"


def test_a_planner_that_behaves_well_adds_one_item(road: Make) -> None:
    project = project_of(road)
    assert project.plan(goal="Add an export").exit_code == 0
    assert project.items[:4] == STANDING
    assert project.items[4]["id"] == "US-5"


def test_a_planner_reads_code_and_writes_nothing_but_the_roadmap(road: Make) -> None:
    project = road(item("US-1"))
    greedy = {
        **wrote({"items": [item("US-1"), item("US-2")]}),
        "run": "echo 'HACKED = 1' > src/app.py",
    }
    assert project.plan(greedy, wrote({"items": [item("US-1"), item("US-2")]})).exit_code == 0
    assert project.text("src/app.py") == "VALUE = 1\n"
    assert project.event("contract.violated")["paths"] == ["src/app.py"]


def test_criteria_edited_between_planning_and_the_loop_bring_a_narrowed_research(
    road: Make,
) -> None:
    project = road(item("US-1"))
    project.path(FILE).unlink()
    project.plan(
        wrote(
            {
                "items": [
                    item("US-1", "medium", planningResearch=KNOWN),
                    item("US-2", "medium", planningResearch=KNOWN),
                ]
            }
        )
    )
    project.set("US-2", acceptanceCriteria=["something else"])
    assert project.go(run_id="loop").exit_code == 0
    assert [project.steps_of(each)[0] for each in ("US-1", "US-2")] == ["architect", "research"]


# -- its rules, each broken


def drop_done(whole: dict[str, Any]) -> None:
    del whole["items"][0]


def swap(whole: dict[str, Any]) -> None:
    whole["items"].reverse()


def rename_owner(whole: dict[str, Any]) -> None:
    whole["owner"] = "Eve"


def retitle(index: int) -> Change:
    def change(whole: dict[str, Any]) -> None:
        whole["items"][index]["title"] = "Other"

    return change


def put(index: int, **members: Any) -> Change:
    return lambda whole: whole["items"][index].update(members)


def add(**members: Any) -> Change:
    return lambda whole: whole["items"].append(item(**{"id": "US-5", **members}))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (drop_done, "item US-1 is gone (every id that was there is kept)"),
        (swap, "the ids stand in another order"),
        (rename_owner, "the member \"owner\" beside 'items' was changed"),
        (lambda whole: whole["items"], "the roadmap was an object with 'items' and must stay that"),
        (retitle(0), "item US-1: title was changed (the item is done and is left as it was)"),
        (
            retitle(1),
            "item US-2: title was changed (the item is in_progress and is left as it was)",
        ),
        (retitle(2), "item US-3: title was changed (the item is blocked and is left as it was)"),
        (put(2, status="ready", blockedReasons=[]), "item US-3: status was changed"),
        (
            put(3, status="done", passes=True),
            "item US-4: status was changed (only the loop changes it)",
        ),
        (put(3, retryCount=1), "item US-4: retryCount was changed (only the loop changes it)"),
        (add(status="done", passes=True), 'item US-5 is new: status is "done" (expected "ready")'),
        (add(status="in_progress"), 'item US-5 is new: status is "in_progress" (expected "ready")'),
        (add(retryCount=2), "item US-5 is new: retryCount is 2 (expected 0)"),
        (add(blockedReasons=["x"]), 'item US-5 is new: blockedReasons is ["x"] (expected [])'),
        (add(id=5), "id is a number, the id of the first item is a text"),
        (add(id="US-4"), "the id stands in items[3] already"),
        (add(dependencies=["US-9"]), "dependencies names 'US-9', which is not an item"),
        (add(acceptanceCriteria=[]), "acceptanceCriteria is empty"),
        (add(planningResearch={**EMPTY, "risks": None}), "planningResearch.risks is empty"),
        (put(3, dependencies=["US-4"]), "dependencies names the item itself"),
        (lambda _: "not json", "is not JSON"),
        (lambda _: {"owner": "Ada", "items": []}, "the roadmap has no items"),
    ],
)
def test_each_rule_of_the_planner_is_refused_with_its_fault_mended_once_and_then_blocks(
    road: Make, change: Change, fault: str
) -> None:
    project = project_of(road)
    before = project.path(FILE).read_bytes()
    assert (
        project.plan(
            changed(change),
            changed(lambda whole: whole["items"].append(item("US-6"))),
            run_id="mended",
        ).exit_code
        == 0
    )
    refused = project.event("artifact.rejected")
    assert (refused["path"], refused["failure"]) == (FILE, "malformed")
    assert fault in refused["detail"]
    assert fault in project.prompt("plan")
    project.path(FILE).write_bytes(before)
    ended = project.plan(changed(change), run_id="stubborn")
    assert (ended.exit_code, ended.stop) == (20, "verification")
    assert project.path(FILE).read_bytes() == before
    assert project.dispatched() == ["plan", "plan"]


def test_a_planner_that_cannot_plan_blocks_with_its_words(road: Make) -> None:
    project = road(item("US-1"))
    before = project.text(FILE)
    ended = project.plan(
        {"verdict": {"status": "blocked", "failures": ["the goal contradicts itself"]}, "say": "no"}
    )
    assert ended.exit_code == 20
    assert "the goal contradicts itself" in ended.reason
    assert project.text(FILE) == before


# -- how it is asked


@pytest.mark.parametrize("words", [[], [""], ["a", "b.json", "c"]])
def test_a_plan_needs_one_goal_and_at_most_a_file(road: Make, words: list[str]) -> None:
    with pytest.raises(UsageError, match='podium run roadmap plan "what is wanted"'):
        road(item("US-1")).go(None, "plan", *words)


def test_another_file_may_be_planned(road: Make) -> None:
    project = road(item("US-1"))
    assert project.go(None, "plan", "Something", "plans/next.json").exit_code == 0
    assert project.path("plans/next.json").is_file()
    assert project.items == [item("US-1")]


def test_a_roadmap_that_is_broken_already_is_not_given_to_a_planner(road: Make) -> None:
    project = road(item("US-1", priority="x"))
    with pytest.raises(InputError, match="priority"):
        project.plan()
    assert not (project.root / ".podium").exists()


def test_while_a_loop_is_under_way_its_roadmap_is_not_planned_anew(road: Make) -> None:
    project = road(item("US-1"), item("US-2"))
    project.go(policy={"max_items": 1})
    with pytest.raises(UsageError, match="belongs to run roadmap-0001"):
        project.plan(run_id="plan")
