"""The loop over roadmap.json: order, pipelines, research, and the ends it can come to."""

from __future__ import annotations

import pytest
from tests.fakes.repository import git
from tests.fakes.roadmap import EMPTY, KNOWN, PASSES, Make, failing, item

from podium.core.errors import UsageError
from podium.workflows.roadmap.items.research import CRITERIA

PROMISE = "<promise>COMPLETE</promise>"
SIMPLE = ["implement/1", "testing/1", "review/1", "verify/1"]
CANNOT = {
    "verdict": {"status": "blocked", "failures": ["no database is chosen"]},
    "say": "it cannot be designed",
}


# -- order


def test_items_are_done_by_priority_and_id_and_never_before_their_dependencies(road: Make) -> None:
    project = road(
        item("US-10"),
        item("US-2"),
        item("US-1", priority=5),
        item("US-3", priority=0, dependencies=["US-1"]),
        item("US-4", priority=0.5),
    )
    assert project.go().exit_code == 0
    assert project.picked() == ["US-4", "US-2", "US-10", "US-1", "US-3"]


def test_numbers_are_ids_too(road: Make) -> None:
    project = road(item(10), item(9, dependencies=[10]), item(2))
    assert project.go().exit_code == 0
    assert project.picked() == ["2", "10", "9"]
    assert project.commits() == ["2: Item 2", "10: Item 10", "9: Item 9"]


def test_an_item_is_in_progress_in_the_file_before_its_first_agent_is_asked(road: Make) -> None:
    project = road(item("US-1"), item("US-2"))
    project.go({"implement": [{"behave": "well", "run": f"cat {project.root}/roadmap.json"}]})
    seen = "\n".join(project.printed("item/US-1/implement/1"))
    assert seen.count('"in_progress"') == 1
    assert seen.index('"in_progress"') < seen.index('"US-2"')


def test_the_file_is_read_again_for_every_item(road: Make) -> None:
    project = road(item("US-1"), item("US-2"))
    project.go(until="commit/1")
    project.set("US-2", status="done", passes=True)
    assert project.resume().exit_code == 0
    assert project.picked() == ["US-1"]


def test_ids_that_are_no_names_of_folders_are_items_like_others(road: Make) -> None:
    project = road(item("../../etc"), item("a/b c"), item("é" * 80))
    assert project.go().exit_code == 0
    assert set(project.statuses().values()) == {"done"}
    assert not (project.root / ".podium" / "runs" / "etc").exists()


# -- pipelines


@pytest.mark.parametrize(
    ("complexity", "research", "steps"),
    [
        ("simple", None, SIMPLE),
        ("simple", KNOWN, SIMPLE),
        ("medium", None, ["research", "architect", *SIMPLE]),
        ("medium", EMPTY, ["research", "architect", *SIMPLE]),
        ("medium", KNOWN, ["architect", *SIMPLE]),
        ("complex", KNOWN, ["research", "architect", "implement/1", "validate/1", *SIMPLE[1:]]),
    ],
)
def test_each_complexity_has_its_agents_in_order(
    road: Make, complexity: str, research: object, steps: list[str]
) -> None:
    project = road(item("US-1", complexity, planningResearch=research))
    assert project.go().exit_code == 0
    assert project.steps_of("US-1") == steps


def test_each_agent_is_told_what_the_ones_before_it_found_and_no_more(road: Make) -> None:
    words = {
        role: f"{role} words"
        for role in ("research", "architect", "implement", "testing", "review")
    }
    agents = {role: [{"behave": "well", "say": f"- {said}"}] for role, said in words.items()}
    project = road(item("US-1", "complex", planningResearch={**EMPTY, "risks": ["planned words"]}))
    assert (
        project.go(
            agents,
            keys={
                "item/US-1/implement/1": [
                    {
                        "write": {"src/new.py": "1\n"},
                        "say": "implement words",
                        "verdict": {
                            "status": "success",
                            "files": [{"path": "src/new.py", "note": "noted words"}],
                        },
                    }
                ]
            },
        ).exit_code
        == 0
    )
    known = {*words.values(), "planned words", "noted words"}
    seen = {
        step: {each for each in known if each in project.prompt(f"item/US-1/{step}")}
        for step in project.steps_of("US-1")
        if step != "verify/1"
    }
    assert seen == {
        "research": {"planned words"},
        "architect": {"research words"},
        "implement/1": {"research words", "architect words"},
        "validate/1": {"architect words", "noted words"},
        "testing/1": {"noted words"},
        "review/1": {"noted words", "testing words"},
    }


def test_criteria_edited_after_planning_bring_a_narrowed_research(road: Make) -> None:
    project = road(
        item("US-1"),
        item("US-2", "medium", planningResearch=KNOWN),
        item("US-3", "medium", planningResearch=KNOWN),
    )
    project.go(until="commit/1")
    project.set("US-3", acceptanceCriteria=["something else"])
    assert project.resume().exit_code == 0
    assert project.steps_of("US-2")[0] == "architect"
    assert project.steps_of("US-3")[0] == "research"
    assert "investigate only the gaps and changes" in project.prompt("item/US-3/research")
    assert "services live in src/services" in project.prompt("item/US-3/architect")


def test_the_memory_of_criteria_outlives_the_run_and_is_no_litter_in_git(road: Make) -> None:
    project = road(
        item("US-1", "medium", planningResearch=KNOWN),
        item("US-2", "medium", priority=2, planningResearch=KNOWN),
    )
    project.go(policy={"max_items": 1})
    first = project.run_id
    project.app.cancel(first, "", "Ada")
    project.set("US-2", acceptanceCriteria=["other"])
    assert project.go(run_id="second").exit_code == 0
    assert project.steps_of("US-2")[0] == "research"
    assert project.git_status() == [" M roadmap.json"], "the person's own edit, and nothing else"
    edits = git(project.root, "diff", "-U0").splitlines()
    assert [
        each.split() for each in edits if each[0] in "+-" and each[:3] not in {"+++", "---"}
    ] == [
        ["-", '"US-2', 'works"'],
        ["+", '"other"'],
    ]
    assert sorted(each.name for each in (project.root / ".podium/runs").iterdir()) == sorted(
        [first, "second"]
    )


def test_the_memory_of_criteria_is_found_where_an_older_version_kept_it(road: Make) -> None:
    project = road(
        item("US-1", "medium", planningResearch=KNOWN),
        item("US-2", "medium", priority=2, planningResearch=KNOWN),
    )
    project.go(policy={"max_items": 1})
    project.app.cancel(project.run_id, "", "Ada")
    (project.root / CRITERIA).rename(project.root / ".podium/runs/roadmap-criteria.json")
    project.set("US-2", acceptanceCriteria=["other"])
    assert project.go(run_id="second").exit_code == 0
    assert project.steps_of("US-2")[0] == "research"


# -- ends


def test_when_every_item_passes_the_loop_ends_with_the_promise(road: Make) -> None:
    ended = road(item("US-1"), item("US-2", "medium")).go()
    assert (ended.exit_code, ended.closing) == (0, PROMISE)


def test_a_roadmap_that_is_done_is_complete_without_a_dispatch(road: Make) -> None:
    project = road(item("US-1", status="done", passes=True))
    before = project.text("roadmap.json")
    assert project.go().closing == PROMISE
    assert project.dispatched() == []
    assert project.text("roadmap.json") == before


def test_a_blocked_item_stops_the_loop_and_is_named_with_its_evidence_and_what_waits_for_it(
    road: Make,
) -> None:
    project = road(
        item("US-1"),
        item("US-2", dependencies=["US-1"]),
        item("US-3", dependencies=["US-2"]),
        item("US-4"),
    )
    ended = project.go({"testing": [failing("first"), failing("second"), failing("third")]})
    assert (ended.exit_code, ended.stop, ended.closing) == (20, "item_blocked", "")
    assert ended.reason.splitlines() == [
        "blocked: US-1; out of reach because of it: US-2, US-3",
        "- Item US-1 (Item US-1) is blocked:",
        "  - Evidence: attempt 1: first",
        "  - Evidence: attempt 2: second",
        "  - Evidence: attempt 3: third",
        "- Item US-2 (Item US-2) cannot be reached: US-1 is blocked, not done",
        "- Item US-3 (Item US-3) cannot be reached: US-2 is ready, not done",
    ]
    assert project.statuses() == {
        "US-1": "blocked",
        "US-2": "ready",
        "US-3": "ready",
        "US-4": "ready",
    }
    assert project.item("US-1")["blockedReasons"] == [
        "attempt 1: first",
        "attempt 2: second",
        "attempt 3: third",
    ]
    assert project.item("US-1")["retryCount"] == 2


def test_keep_going_does_what_does_not_need_the_blocked_item_and_ends_blocked_all_the_same(
    road: Make,
) -> None:
    project = road(item("US-1", "medium"), item("US-2", dependencies=["US-1"]), item("US-3"))
    ended = project.go({"architect": [CANNOT]}, policy={"keep_going": True})
    assert ended.exit_code == 20
    assert project.statuses() == {"US-1": "blocked", "US-2": "ready", "US-3": "done"}
    assert "no database is chosen" in ended.reason
    assert "US-2" in ended.reason.splitlines()[0]
    assert ended.closing == ""


def test_a_roadmap_in_which_nothing_can_be_begun_says_which_dependency_holds_which_item(
    road: Make,
) -> None:
    project = road(
        item("US-1", status="blocked"),
        item("US-2", dependencies=["US-1"]),
        item("US-3", dependencies=["US-2"]),
    )
    ended = project.go()
    assert ended.exit_code == 20
    assert "US-2 (Item US-2) cannot be reached: US-1 is blocked, not done" in ended.reason
    assert "US-3 (Item US-3) cannot be reached: US-2 is ready, not done" in ended.reason
    assert project.dispatched() == []


def test_a_call_may_be_bounded_and_the_next_one_goes_on(road: Make) -> None:
    project = road(item("US-1"), item("US-2"), item("US-3"))
    first = project.go(policy={"max_items": 2})
    assert (first.exit_code, first.status.value, first.closing) == (0, "active", "")
    assert project.statuses() == {"US-1": "done", "US-2": "done", "US-3": "ready"}
    second = project.resume()
    assert (second.exit_code, second.closing) == (0, PROMISE)
    assert project.picked() == ["US-1", "US-2", "US-3"]
    assert len(project.reports()) == 3


def test_a_new_call_after_a_bounded_one_goes_on_with_the_same_run_and_has_a_bound_of_its_own(
    road: Make,
) -> None:
    project = road(item("US-1"), item("US-2"), item("US-3"), item("US-4"))
    first = project.go(policy={"max_items": 1})
    known = project.app.summary(first.run)
    assert (known.status, known.stop) == ("active", "between_calls")
    assert known.reason == "the last call ended with US-1, as it was told to"
    again = project.go(policy={"max_items": 1})
    assert (again.exit_code, again.run) == (0, first.run)
    assert project.statuses() == {"US-1": "done", "US-2": "done", "US-3": "ready", "US-4": "ready"}
    last = project.go()
    assert (last.run, last.closing) == (first.run, PROMISE)
    assert project.picked() == ["US-1", "US-2", "US-3", "US-4"]


@pytest.mark.parametrize(
    ("until", "bound", "done"),
    [
        ("item/US-1", 2, 3),
        ("commit/2", 1, 3),
        ("item/US-2/testing/1", 1, 2),
        ("item/US-1/testing/1", 2, 2),
    ],
)
def test_who_resumes_with_a_bound_gets_so_many_items(
    road: Make, until: str, bound: int, done: int
) -> None:
    project = road(*(item(f"US-{number}") for number in range(1, 5)))
    project.go(policy={"max_items": 3}, until=until)
    assert project.resume(policy={"max_items": bound}).exit_code == 0
    assert list(project.statuses().values()).count("done") == done


def test_a_run_that_was_stopped_in_an_item_is_not_gone_on_with_by_a_new_call(road: Make) -> None:
    project = road(item("US-1"), item("US-2"))
    project.go(policy={"max_items": 1})
    project.resume(until="item/US-2/testing/1")
    with pytest.raises(UsageError, match="was stopped or interrupted"):
        project.go()


# -- the report


def test_every_iteration_is_reported_with_what_was_done_and_what_is_next(road: Make) -> None:
    project = road(item("US-1"), item("US-2", "complex"))
    project.go({"testing": [failing("boom"), {"behave": "well"}]})
    first, second = project.reports()
    assert first.splitlines() == [
        "## Orchestration Iteration",
        "",
        "- Selected item: US-1 Item US-1",
        "- Dispatch: Implement ×2 → Testing ×2 → Review",
        (
            f"- Gates: pass: `{PASSES}`: passed; agents claim Testing pass, Review ship (lint "
            "pass, typecheck pass, build pass)"
        ),
        "- State updates: status=done, passes=true, retryCount=1",
        "- Next candidate: US-2 Item US-2",
    ]
    assert (
        "- Dispatch: Research → Architect → Implement → Architect Validation → Testing → Review"
        in second
    )
    assert second.splitlines()[-1] == "- Next candidate: COMPLETE"


def test_the_report_of_a_blocked_item_says_what_the_last_attempt_got_wrong(road: Make) -> None:
    project = road(item("US-1"))
    project.go({"testing": [failing("first"), {"behave": "well"}], "review": [{"fail": "crash"}]})
    (report,) = project.reports()
    assert (
        "- Gates: fail: not proven; agents claim Testing pass, Review not reached; attempt 3: "
        "item/US-1/review/2: exit code 1"
    ) in report
    assert "blockedReasons=3 entries" in report


def test_verification_that_is_not_there_is_not_waited_for(road: Make) -> None:
    project = road(item("US-1", verification=[]), item("US-2", verification=[PASSES]))
    assert project.go().exit_code == 0
    assert project.steps_of("US-1") == project.steps_of("US-2") == SIMPLE
    assert project.event("step.finished", key="item/US-1/verify/1")["verdict"] == "0 of 0 run"
    first, _ = project.reports()
    assert "- Gates: pass: not proven; agents claim Testing pass, Review ship" in first


def test_where_only_agents_say_that_an_item_is_tested_the_run_ends_unproven(road: Make) -> None:
    project = road(item("US-1"))
    assert project.go(policy={"evidence": "trust"}).outcome == "complete_unproven"
    (report,) = project.reports()
    assert "- Gates: pass: not proven; agents claim Testing pass, Review ship" in report
