"""The loop and the pipeline of one item: every story they can have, and what holds in all of
them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from tests.fakes.roadmap import item

from podium.__main__ import main
from podium.core.advance import advance, unblocked
from podium.core.effects import Child, FanOut, Stage
from podium.core.explore import Exploration, explore
from podium.core.run import Run, Status
from podium.core.workflow import step
from podium.settings.policies import defaults
from podium.workflows.catalog import entry
from podium.workflows.roadmap import workflow as loop
from podium.workflows.roadmap.item import RoadmapItem
from podium.workflows.roadmap.planner.plan import RoadmapPlan
from podium.workflows.roadmap.runs import ItemRun, RoadmapRun
from podium.workflows.roadmap.workflow import Roadmap

RETRY = {
    "simple": ["implement", "testing", "review"],
    "complex": ["implement", "validate", "testing", "review"],
}


def road(items: int = 1, **policy: Any) -> Roadmap:
    return Roadmap({**defaults("roadmap"), **policy}, items)


def broken(found: Exploration) -> list[str]:
    return [str(each) for each in found.violations]


def told(workflow: RoadmapItem, *outcomes: str, **members: Any) -> list[ItemRun]:
    """An item after its start and after each outcome."""
    runs: list[Any] = [workflow.first(**{"id": "US-1", "verification": ["true"], **members})]
    for outcome in outcomes:
        runs.append(advance(workflow, runs[-1], outcome, {}, f"{runs[-1].step} {outcome}"))
    return runs


def line(workflow: RoadmapItem, *outcomes: str, **members: Any) -> list[str]:
    return [each.step for each in told(workflow, *outcomes, **members)]


# -- every story


def test_no_story_of_the_loop_or_of_an_item_breaks_a_rule() -> None:
    for workflow in (
        road(),
        road(5),
        road(3, max_items=2),
        RoadmapItem(),
        RoadmapItem(evidence="trust"),
        RoadmapPlan(),
    ):
        found = explore(workflow)
        assert found.complete
        assert broken(found) == []


@pytest.mark.parametrize("retries", [0, 1, 2, 4])
@pytest.mark.parametrize("evidence", ["observe", "trust"])
@pytest.mark.parametrize("minor_fixes", ["fail", "pass"])
def test_the_rules_hold_under_every_policy(retries: int, evidence: str, minor_fixes: str) -> None:
    found = explore(RoadmapItem(retries, evidence, minor_fixes))
    assert broken(found) == []
    assert found.most_visits("implement") == retries + 1
    assert found.bounds()["retries"] == (0, retries)


def test_testing_review_and_validation_run_at_most_once_for_each_attempt() -> None:
    found = explore(RoadmapItem())
    assert [
        found.most_visits(each) for each in ("implement", "validate", "testing", "review", "verify")
    ] == [3] * 5
    assert [found.most_visits(each) for each in ("research", "architect")] == [1, 1]


@pytest.mark.parametrize(("retries", "runs"), [(0, 6), (1, 10), (2, 14)])
def test_the_most_dispatches_of_an_item_follow_the_policy(retries: int, runs: int) -> None:
    """Complex: research and design once, then four agents for each attempt."""
    assert (
        explore(RoadmapItem(retries)).worst_case(lambda step: int(isinstance(step.effect, Stage)))
        == runs
    )


def test_every_rest_is_complete_or_blocked() -> None:
    for workflow in (road(2), RoadmapItem()):
        resting = [run for run in explore(workflow).states if run.status is not Status.ACTIVE]
        assert {run.status for run in resting} == {Status.COMPLETE, Status.BLOCKED}
        assert all(run.reason for run in resting if run.status is Status.BLOCKED)


def test_the_loop_counts_its_items_down_and_each_costs_one_visit() -> None:
    found = explore(road(7))
    assert found.bounds()["left"] == (0, 7)
    assert found.most_visits("item") == found.most_visits("commit") == 7


@pytest.mark.parametrize(("bound", "most"), [(0, 0), (1, 1), (3, 3)])
def test_a_bounded_call_takes_no_more_items_than_it_may(bound: int, most: int) -> None:
    found = explore(road(5, max_items=bound))
    assert broken(found) == []
    assert found.bounds()["taken"] == (0, most)


def test_only_a_bounded_call_can_end_at_a_limit() -> None:
    assert "limit" not in road().steps["select"].outcomes
    assert "limit" in road(max_items=1).steps["select"].outcomes


# -- what is wrong is found


class Unreviewed(RoadmapItem):
    """Done when the tests pass."""

    @step(RoadmapItem.steps["testing"].effect, loops=True)
    def testing(
        self, run: ItemRun, outcome: Literal["ok", "revise", "fail"]
    ) -> Literal["review", "done", "implement"]:
        if outcome != "ok":
            return self._again(run, outcome)
        return "done" if run.complexity == "simple" else "review"


class Untested(RoadmapItem):
    """Straight from Implement to Review."""

    @step(RoadmapItem.steps["implement"].effect, loops=True)
    def implement(
        self, run: ItemRun, outcome: Literal["ok", "revise", "fail"]
    ) -> Literal["validate", "testing", "review", "implement"]:
        if outcome != "ok":
            return self._again(run, outcome)
        return "validate" if run.complexity == "complex" else "review" if run.retries else "testing"


class Unvalidated(RoadmapItem):
    """The design is not looked at again on a retry, as the source of this workflow has it."""

    @step(RoadmapItem.steps["implement"].effect, loops=True)
    def implement(
        self, run: ItemRun, outcome: Literal["ok", "revise", "fail"]
    ) -> Literal["validate", "testing", "implement"]:
        if outcome != "ok":
            return self._again(run, outcome)
        return "validate" if run.complexity == "complex" and not run.retries else "testing"


class Unverified(RoadmapItem):
    """Believes Review though it is to look itself."""

    @step(RoadmapItem.steps["review"].effect, loops=True)
    def review(
        self, run: ItemRun, outcome: Literal["ok", "revise", "fail"]
    ) -> Literal["verify", "done", "implement"]:
        if outcome != "ok":
            return self._again(run, outcome)
        return "verify" if run.complexity != "medium" else "done"


class Undesigned(RoadmapItem):
    """A medium item with research begins with Implement."""

    @staticmethod
    def entry(complexity: str, research: str) -> Literal["research", "architect", "implement"]:
        return "implement" if research == "skip" else RoadmapItem.entry(complexity, research)


class Unresearched(RoadmapItem):
    """A complex item begins with its design."""

    @staticmethod
    def entry(complexity: str, research: str) -> Literal["research", "architect", "implement"]:
        return "architect" if complexity == "complex" else RoadmapItem.entry(complexity, research)


class Generous(RoadmapItem):
    """A fourth attempt."""

    def __init__(self) -> None:
        super().__init__(3)
        self.invariants = RoadmapItem(2).invariants


@pytest.mark.parametrize(
    ("wrong", "rule", "story"),
    [
        (
            Unreviewed,
            "an item is never done without Review after its last change",
            "implement ok, testing ok",
        ),
        (
            Untested,
            "an item is never done without Testing after its last change",
            "implement ok, review ok",
        ),
        (
            Unvalidated,
            "a complex item is never done without Architect validation",
            "implement ok, testing ok, review ok",
        ),
        (
            Unreviewed,
            "an item is never done before the engine ran the commands that prove it",
            "done without verify pass: implement ok, testing ok",
        ),
        (Unverified, "undeclared exit", "review routed to undeclared 'done'"),
        (
            Undesigned,
            "no item but a simple one is built without the Architect's design",
            "built without architect: at the start",
        ),
        (
            Unresearched,
            "no complex item is built without Research",
            "built without research: architect ok",
        ),
        (Generous, "at most 3 attempts without a person", "Implement can run 4 times"),
    ],
)
def test_a_broken_pipeline_is_found_and_told_as_a_story(
    wrong: type[RoadmapItem], rule: str, story: str
) -> None:
    found = {each.name: each.detail for each in explore(wrong()).violations}
    assert story in found[rule]


class Several(Roadmap):
    """Two items in one iteration."""

    def _own(self) -> Mapping[str, Any]:
        found = dict(super()._own())
        effect = found["item"].effect
        assert isinstance(effect, FanOut)
        found["item"] = replace(
            found["item"], effect=replace(effect, items=lambda _: [Child("A"), Child("B")])
        )
        return found


class Hasty(Roadmap):
    """The next item without a look at the file, and without a commit."""

    @step(Roadmap.steps["item"].effect, key=lambda _: "item")
    def item(
        self, run: RoadmapRun, outcome: Literal["done", "blocked"]
    ) -> Literal["commit", "select"]:
        return "commit" if outcome == "done" and run.left else "select"

    @step(Roadmap.steps["commit"].effect, loops=True)
    def commit(self, run: RoadmapRun, outcome: Literal["ok"]) -> Literal["item", "select"]:
        run.left -= 1
        return "item" if run.left else "select"


class Boastful(Roadmap):
    """Complete with items left."""

    def imagined(self, run: Run, outcome: str) -> Sequence[Mapping[str, Any]]:
        return ({},) if outcome == "complete" else super().imagined(run, outcome)


@pytest.mark.parametrize(
    ("wrong", "rule", "story"),
    [
        (Several, "one iteration works on exactly one item", "an iteration with 2 items"),
        (Hasty, "the file is read again before every item", "commit leads to an item directly"),
        (
            Hasty,
            "what passes is committed before the next item",
            "an item that ended as done is not committed",
        ),
        (Boastful, "the loop is complete only when nothing is left", "complete with 1 left: "),
    ],
)
def test_a_broken_loop_is_found(wrong: type[Roadmap], rule: str, story: str) -> None:
    found = {each.name: each.detail for each in explore(wrong(defaults("roadmap"), 3)).violations}
    assert story in found[rule]


# -- routes of an item


@pytest.mark.parametrize(
    ("members", "steps"),
    [
        ({"complexity": "simple"}, ["implement", "testing", "review"]),
        (
            {"complexity": "medium", "research": "full"},
            ["research", "architect", "implement", "testing", "review"],
        ),
        (
            {"complexity": "medium", "research": "narrowed"},
            ["research", "architect", "implement", "testing", "review"],
        ),
        (
            {"complexity": "medium", "research": "skip"},
            ["architect", "implement", "testing", "review"],
        ),
        (
            {"complexity": "complex"},
            ["research", "architect", "implement", "validate", "testing", "review"],
        ),
        (
            {"complexity": "complex", "research": "skip"},
            ["research", "architect", "implement", "validate", "testing", "review"],
        ),
    ],
)
def test_each_complexity_has_its_pipeline(members: dict[str, Any], steps: list[str]) -> None:
    assert line(RoadmapItem(), *["ok"] * len(steps), "pass", **members) == [
        *steps,
        "verify",
        "done",
    ]


@pytest.mark.parametrize(
    ("evidence", "commands", "last"),
    [("observe", ["true"], "verify"), ("observe", [], "verify"), ("trust", ["true"], "done")],
)
def test_the_engine_looks_itself_unless_the_policy_trusts_agents(
    evidence: str, commands: list[str], last: str
) -> None:
    assert line(RoadmapItem(evidence=evidence), "ok", "ok", "ok", verification=commands)[-1] == last


@pytest.mark.parametrize("complexity", ["simple", "complex"])
@pytest.mark.parametrize("outcome", ["revise", "fail"])
@pytest.mark.parametrize("at", ["implement", "validate", "testing", "review"])
def test_what_fails_from_implement_on_is_done_again_from_implement_only(
    complexity: str, outcome: str, at: str
) -> None:
    steps = RETRY[complexity]
    if at not in steps:
        return
    before = ["ok", "ok"] if complexity == "complex" else []
    runs = told(
        RoadmapItem(),
        *before,
        *["ok"] * steps.index(at),
        outcome,
        *["ok"] * len(steps),
        complexity=complexity,
    )
    again = runs[len(before) + steps.index(at) + 1 :]
    assert [each.step for each in again] == [*steps, "verify"]
    assert (again[0].retries, again[0].failures) == (1, [[f"{at} {outcome}"]])


def test_a_failed_verification_is_a_failed_attempt() -> None:
    runs = told(RoadmapItem(), "ok", "ok", "ok", "fail")
    assert (runs[-1].step, runs[-1].retries) == ("implement", 1)


def test_what_the_judge_lists_is_the_evidence_and_the_reason_only_without_a_list() -> None:
    workflow = RoadmapItem()
    (first,) = told(workflow)
    listed = advance(workflow, first, "revise", {"failure": ["one", "two"]}, "the reason")
    assert isinstance(listed, ItemRun)
    assert listed.failures == [["one", "two"]]
    bare = advance(workflow, first, "revise", {"failure": []}, "the reason")
    assert isinstance(bare, ItemRun)
    assert bare.failures == [["the reason"]]


def test_the_third_failure_blocks_with_the_evidence_of_all_attempts_a_line_each() -> None:
    *_, last = told(RoadmapItem(), "revise", "ok", "revise", "ok", "ok", "revise")
    assert (last.step, last.status, last.stop, last.retries) == (
        "review",
        Status.BLOCKED,
        "retries",
        2,
    )
    assert last.reason.splitlines() == [
        "US-1 is blocked after 3 attempts",
        "attempt 1: implement revise",
        "attempt 2: testing revise",
        "attempt 3: review revise",
    ]


def test_attempts_of_an_earlier_run_count_by_the_files_counter() -> None:
    *_, last = told(RoadmapItem(), "ok", "revise", retries=2)
    assert last.reason.splitlines() == [
        "US-1 is blocked after 3 attempts",
        "attempt 3: testing revise",
    ]


def test_without_retries_one_failure_is_the_end() -> None:
    *_, last = told(RoadmapItem(0), "revise")
    assert last.reason.splitlines()[0] == "US-1 is blocked after 1 attempt"


@pytest.mark.parametrize("at", ["research", "architect"])
@pytest.mark.parametrize("outcome", ["revise", "fail", "held"])
def test_whatever_is_not_well_before_implement_blocks_the_item(at: str, outcome: str) -> None:
    *_, last = told(RoadmapItem(), *["ok"] * (at == "architect"), outcome, complexity="medium")
    assert (last.step, last.status, last.stop) == (at, Status.BLOCKED, "agent_failed")


def test_a_person_who_sends_an_item_on_gives_it_its_attempts_again_and_keeps_the_evidence() -> None:
    workflow = RoadmapItem()
    *_, last = told(workflow, "revise", "revise", "ok")
    stopped = advance(
        workflow, last, "revise", {"failure": ["the last"], "arrived": ["tests/a.py"]}
    )
    on = unblocked(workflow, stopped)
    assert isinstance(on, ItemRun)
    assert (on.step, on.status, on.retries) == ("testing", Status.ACTIVE, 0)
    assert on.failures == [["implement revise"], ["implement revise"], ["the last"]]
    assert on.touched == ["tests/a.py"]


def test_an_edit_goes_on_from_implement_or_from_the_start() -> None:
    workflow = RoadmapItem()
    for at, target in {
        "research": "research",
        "architect": "architect",
        "review": "implement",
        "verify": "implement",
    }.items():
        run = ItemRun(
            step="edited",
            resumes_at=at,
            complexity="medium",
            retries=1,
            failures=[["x"]],
            edits=["title"],
        )
        kept = advance(workflow, run, "approved")
        assert isinstance(kept, ItemRun)
        assert (kept.step, kept.retries, kept.edits, kept.resumes_at) == (target, 1, [], "")
        anew = advance(workflow, run, "restart")
        assert isinstance(anew, ItemRun)
        assert (anew.step, anew.retries, anew.failures) == ("research", 0, [])


def test_what_any_step_changed_is_kept_for_the_commit() -> None:
    workflow = RoadmapItem()
    (run,) = told(workflow)
    run = advance(workflow, run, "ok", {"arrived": ["src/b.py", "src/a.py"]})  # type: ignore[assignment]
    run = advance(workflow, run, "revise", {"arrived": ["tests/t.py"]})  # type: ignore[assignment]
    run = advance(workflow, run, "ok", {"arrived": ["src/a.py"]})  # type: ignore[assignment]
    assert run.touched == ["src/a.py", "src/b.py", "tests/t.py"]


# -- routes of the loop


def ended(run: ItemRun) -> Any:
    return loop._ended({"US-1": run})


def test_a_finished_item_is_done_and_a_blocked_one_carries_its_reasons() -> None:
    good = ended(
        ItemRun(
            step="done",
            status=Status.COMPLETE,
            title="Words",
            retries=1,
            visits={"implement": 2, "testing": 2, "review": 1},
        )
    )
    assert (good.route, good.sets["ended"]["status"], good.sets["ended"]["passes"]) == (
        "done",
        "done",
        True,
    )
    assert good.sets["ended"]["dispatched"] == ["Implement ×2", "Testing ×2", "Review"]
    bad = ended(
        ItemRun(
            step="review",
            status=Status.BLOCKED,
            reason="US-1 is blocked\nattempt 1: a\nattempt 2: b",
            stop="retries",
            retries=2,
        )
    )
    assert (bad.route, bad.sets["ended"]["reasons"]) == (
        "blocked",
        ["attempt 1: a", "attempt 2: b"],
    )
    assert (bad.sets["ended"]["status"], bad.sets["ended"]["retryCount"]) == ("blocked", 2)


@pytest.mark.parametrize("stop", sorted(loop.HELD))
def test_what_says_nothing_about_the_item_rests_the_loop_and_leaves_the_item_in_progress(
    stop: str,
) -> None:
    found = ended(
        ItemRun(step="implement", status=Status.BLOCKED, reason="no more money", stop=stop)
    )
    after = advance(
        road(),
        RoadmapRun(step="item", current="US-1"),
        found.route,
        found.sets,
        found.reason,
        found.stop,
    )
    assert (after.step, after.status, after.stop, after.reason) == (
        "item",
        Status.BLOCKED,
        stop,
        "no more money",
    )


def test_a_commit_holds_what_the_item_touched_and_the_roadmap_and_has_a_short_subject() -> None:
    run = RoadmapRun(
        step="commit",
        current="US-1",
        file="plan/roadmap.json",
        ended={"title": "A long " * 30, "touched": ["src/a.py"]},
    )
    made = loop._commit(run)
    assert made.paths == ("src/a.py", "plan/roadmap.json")
    assert made.subject.startswith("US-1: A long A long")
    assert len(made.subject) <= 72


def test_sending_the_loop_on_gives_blocked_items_a_chance_unless_the_file_was_edited() -> None:
    workflow = road()
    stopped = RoadmapRun(step="select", status=Status.BLOCKED, reason="US-1 is blocked")
    on = unblocked(workflow, stopped)
    assert isinstance(on, RoadmapRun)
    assert on.sent_on == "again"
    edited = unblocked(workflow, replace(stopped, sent_on="edited"))
    assert isinstance(edited, RoadmapRun)
    assert edited.sent_on == ""


# -- podium check


@pytest.mark.parametrize(
    ("settings", "runs", "rules"),
    [
        ([], 14, 11),
        (["max_retries = 0"], 6, 11),
        (["max_retries = 1"], 10, 11),
        (['evidence = "trust"'], 14, 10),
        (['minor_fixes = "pass"'], 14, 11),
        (["max_items = 2"], 14, 11),
    ],
)
def test_check_says_what_each_policy_costs_at_most(
    settings: list[str],
    runs: int,
    rules: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "podium.toml").write_text("\n".join(["[policy.roadmap]", *settings, ""]))
    assert main(["check", "roadmap", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["violations"], found["complete"]) == ([], True)
    assert found["worst_case"]["stage_runs"] == runs
    (child,) = found["children"]
    assert len(found["invariants"]) + len(child["invariants"]) == rules
    assert found["states"] >= child["states"] > 50


def test_check_counts_the_items_of_the_projects_own_roadmap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "roadmap.json").write_text(json.dumps([item(number) for number in range(20)]))
    assert main(["check", "roadmap", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["bounds"]["left"] == [0, 20]
    assert found["worst_case"]["stage_runs"] == 20 * 14


def test_check_exits_20_for_a_broken_pipeline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("podium.cli.catalog.workflow", lambda *_: Several(defaults("roadmap")))
    assert main(["check", "roadmap"]) == 20
    assert "an iteration with 2 items" in capsys.readouterr().out


def test_a_resumed_run_has_the_workflow_of_its_request() -> None:
    known = entry("roadmap")
    again = known.remake(
        {"kind": "loop", "items": 4}, {**defaults("roadmap"), "max_retries": 1, "evidence": "trust"}
    )
    assert isinstance(again, Roadmap)
    assert (again.items, again.item_workflow.max_retries, again.item_workflow.evidence) == (
        4,
        1,
        "trust",
    )
    assert isinstance(known.remake({"kind": "plan"}, defaults("roadmap")), RoadmapPlan)
