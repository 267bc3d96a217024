"""Every reachable state is walked, and every way a workflow can be wrong has a name and a
shortest story.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import process_time
from typing import Any, Literal

import pytest
from tests.fakes.workflows import EveryKind, Sample, SampleRun, cluster, stage

from podium.core.effects import Gate, Stage
from podium.core.errors import Blocked
from podium.core.explore import Exploration, Violation, explore, key, outcomes_of, story
from podium.core.run import DONE, Run, Status
from podium.core.workflow import Invariant, Workflow, step


def names(found: Exploration) -> list[str]:
    return [each.name for each in found.violations]


# -- what is walked


def test_a_sound_workflow_has_no_violation() -> None:
    assert explore(Sample()).violations == ()
    assert explore(EveryKind()).violations == ()


def test_every_state_is_found_once() -> None:
    found = explore(Sample())
    active = [(run.step, run.remediations) for run in found.states if run.status is Status.ACTIVE]  # type: ignore[attr-defined]
    expected = [("planning", 0), ("approve_build", 0)]
    expected += [(name, turn) for turn in range(3) for name in ("build", "qa")]
    assert sorted(active) == sorted(expected)
    assert len(found.states) == len({key(run) for run in found.states})


@pytest.mark.parametrize(
    ("name", "tried"),
    [
        ("check_input", ("ok", "known", "fail")),
        ("research", ("ok", "revise", "fail")),
        ("approve", ("approved", "rejected")),
        ("implement", ("ok",)),
        ("report", ("ok", "fail")),
    ],
)
def test_agents_and_checks_are_also_tried_with_an_outcome_they_do_not_declare(
    name: str, tried: tuple[str, ...]
) -> None:
    assert outcomes_of(EveryKind.steps[name]) == tried


def test_a_step_that_declares_even_failure_can_still_be_kept_from_its_work() -> None:
    class Declares(Workflow):
        start = "work"

        @step(stage("a"))
        def work(self, run: Run, outcome: Literal["ok", "fail"]) -> Literal["done"]:
            return "done"

    assert outcomes_of(Declares.steps["work"]) == ("ok", "fail", "held")
    assert sum(run.status is Status.BLOCKED for run in explore(Declares()).states) == 1


def test_an_undeclared_outcome_blocks_and_a_blocked_run_is_not_sent_on() -> None:
    found = explore(Sample())
    blocked = {n for n, run in enumerate(found.states) if run.status is Status.BLOCKED}
    assert blocked
    assert not any(each.source in blocked for each in found.transitions)


def test_a_gates_choices_are_tried_even_if_the_step_forgot_to_declare_one() -> None:
    class Forgets(Workflow):
        start = "approve"

        @step(Gate("Go?", choices=("approved", "later")))
        def approve(self, run: Run, outcome: Literal["approved"]) -> Literal["done"]:
            return "done"

    found = explore(Forgets())
    assert [each.outcome for each in found.transitions] == ["approved", "later"]
    assert [run.status for run in found.states] == [Status.ACTIVE, Status.COMPLETE, Status.BLOCKED]


def test_edges_say_which_outcomes_lead_from_step_to_step() -> None:
    assert explore(EveryKind()).edges == {
        ("approve", "implement"): ("approved",),
        ("approve", "research"): ("rejected",),
        ("check_input", "approve"): ("known",),
        ("check_input", "research"): ("ok",),
        ("implement", "report"): ("ok",),
        ("report", "done"): ("ok",),
        ("research", "approve"): ("ok", "revise"),
    }


def test_variants_are_walked_together_and_equal_ones_merge() -> None:
    one = Sample().first()
    used_up = Sample().first(remediations=2)
    found = explore(Sample(), [one, Sample().first(), used_up])
    assert len(found.starts) == 2
    assert found.bounds() == {"remediations": (0, 2)}


def test_no_variant_is_no_state() -> None:
    found = explore(Sample(), [])
    assert found.states == ()
    assert found.worst_case(lambda _: 1) == 0


def test_exploring_twice_gives_the_same() -> None:
    assert explore(EveryKind()).transitions == explore(EveryKind()).transitions


# -- what makes a state


@dataclass(kw_only=True)
class RichRun(Run):
    tries: dict[str, int] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    nested: dict[str, list[str]] = field(default_factory=dict)
    notes: str = field(default="", compare=False)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"reason": "because"}, {"reason": "for another reason"}),
        ({"visits": {"a": 1}}, {"visits": {"a": 7}}),
        ({"notes": "x"}, {"notes": "y"}),
        ({"tries": {"a": 1, "b": 2}}, {"tries": {"b": 2, "a": 1}}),
        ({"seen": {"a", "b"}}, {"seen": {"b", "a"}}),
        ({"nested": {"a": ["x"]}}, {"nested": {"a": ["x"]}}),
    ],
)
def test_states_that_differ_only_in_words_or_order_are_one(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert key(RichRun(step="a", **one)) == key(RichRun(step="a", **other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {"status": Status.BLOCKED}),
        ({"stop": "rule"}, {"stop": "agent"}),
        ({"tries": {"a": 1}}, {"tries": {"a": 2}}),
        ({"order": ["a", "b"]}, {"order": ["b", "a"]}),
        ({"nested": {"a": ["x"]}}, {"nested": {"a": ["y"]}}),
    ],
)
def test_states_that_differ_in_a_compared_member_are_two(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert key(RichRun(step="a", **one)) != key(RichRun(step="a", **other))


# -- one broken workflow for each violation


class Endless(Workflow):
    """Two agents hand the work to each other for ever."""

    start = "begin"

    @step(stage("a"))
    def begin(self, run: Run, outcome: Literal["ok"]) -> Literal["ping"]:
        return "ping"

    @step(stage("a"))
    def ping(self, run: Run, outcome: Literal["ok"]) -> Literal["pong"]:
        return "pong"

    @step(stage("b"))
    def pong(self, run: Run, outcome: Literal["ok", "revise"]) -> Literal["ping"]:
        return "ping"


def test_a_loop_nothing_declared_leaves_is_stuck_though_an_agent_may_fail_in_it() -> None:
    found = explore(Endless()).violations
    assert [(each.name, each.path) for each in found] == [
        ("stuck state", ()),
        ("stuck state", (("begin", "ok"),)),
        ("stuck state", (("begin", "ok"), ("ping", "ok"))),
    ]
    assert found[1].detail == "ping can never come to rest"


class Overdeclared(Workflow):
    start = "work"

    @step(stage("a"))
    def work(self, run: Run, outcome: Literal["ok"]) -> Literal["done", "attic"]:
        return "done"

    @step(stage("b"))
    def attic(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"


def test_a_declared_exit_that_no_outcome_takes_is_an_unused_edge() -> None:
    assert [str(each) for each in explore(Overdeclared()).violations] == [
        "unused edge: work -> attic: no outcome leads there",
        "unused edge: attic -> done: attic is never entered",
    ]


def test_an_edge_that_one_variant_uses_is_used() -> None:
    class ByKind(Workflow):
        start = "work"
        run_type = SampleRun

        @step(stage("a"))
        def work(self, run: SampleRun, outcome: Literal["ok"]) -> Literal["done", "extra"]:
            return "extra" if run.remediations else "done"

        @step(stage("b"))
        def extra(self, run: SampleRun, outcome: Literal["ok"]) -> Literal["done"]:
            return "done"

        def variants(self) -> Sequence[Run]:
            return self.first(), self.first(remediations=1)

    assert explore(ByKind()).violations == ()
    assert names(explore(ByKind(), [ByKind().first()])) == ["unused edge", "unused edge"]


class Liar(Workflow):
    """Its signature says done; on the second outcome it goes elsewhere."""

    start = "work"

    @step(stage("a"))
    def work(self, run: Run, outcome: Literal["ok", "revise"]) -> Literal["done"]:
        return "done" if outcome == "ok" else "work"  # type: ignore[return-value]


def test_a_route_that_leaves_by_an_undeclared_exit_is_a_violation_and_no_crash() -> None:
    assert explore(Liar()).violations == (
        Violation("undeclared exit", "work routed to undeclared 'work'", (("work", "revise"),)),
    )


class Refuses(Workflow):
    start = "work"
    run_type = SampleRun

    @step(stage("a"))
    def work(
        self, run: SampleRun, outcome: Literal["ok", "odd", "late"]
    ) -> Literal["done", "work"]:
        if outcome == "ok":
            return "done"
        assert outcome == "late", "nobody says odd"
        assert run.remediations == 0, "late twice"
        run.remediations += 1
        return "work"


def test_an_outcome_the_route_always_refuses_is_unused_and_one_it_sometimes_refuses_is_broken() -> (
    None
):
    found = explore(Refuses()).violations
    assert [(each.name, each.path) for each in found] == [
        ("unused outcome", (("work", "odd"),)),
        ("broken route", (("work", "late"), ("work", "late"))),
    ]


class Crashes(Workflow):
    start = "work"

    @step(stage("a"))
    def work(self, run: Run, outcome: Literal["ok", "revise"]) -> Literal["done"]:
        return {"ok": "done"}[outcome]  # type: ignore[return-value]


def test_a_route_with_a_mistake_is_a_broken_route() -> None:
    assert [str(each) for each in explore(Crashes()).violations] == [
        "broken route: work given revise raises KeyError: 'revise' [work revise]"
    ]


def test_a_variant_at_a_step_that_does_not_exist_is_named() -> None:
    found = explore(Sample(), [Sample.run_type(step="gone")])
    assert str(found.violations[0]) == "unknown step: 'gone' is not a step of this workflow"


@dataclass(kw_only=True)
class Forgetful(Run):
    round: int = 0
    wave: int = 0
    log: list[str] = field(default_factory=list)


class NeverResets(Workflow):
    """The reference study's own mistake: replanning does not set the wave back."""

    start = "plan"
    run_type = Forgetful

    @step(stage("a"))
    def plan(self, run: Forgetful, outcome: Literal["ok"]) -> Literal["run_wave"]:
        run.round = min(run.round + 1, 5)
        return "run_wave"

    @step(stage("b"))
    def run_wave(self, run: Forgetful, outcome: Literal["ok", "revise"]) -> Literal["plan", "done"]:
        run.wave += 1
        return "plan" if outcome == "revise" else "done"


def test_a_counter_that_keeps_growing_is_named_with_a_story_of_a_few_turns() -> None:
    found = explore(NeverResets(), limit=200)
    assert not found.complete
    assert names(found) == ["unbounded"]
    assert "more than 200 states: wave keeps growing (seen from 0 to" in found.violations[0].detail
    assert found.violations[0].path == (("plan", "ok"), ("run_wave", "revise")) * 3


def test_a_list_that_keeps_growing_is_named_by_its_length() -> None:
    class Hoards(Workflow):
        start = "work"
        run_type = Forgetful

        @step(stage("a"))
        def work(self, run: Forgetful, outcome: Literal["ok", "revise"]) -> Literal["work", "done"]:
            run.log.append("again")
            return "work" if outcome == "revise" else "done"

    assert "log (its length) keeps growing" in explore(Hoards(), limit=100).violations[0].detail


def test_too_many_states_without_a_growing_member_say_so() -> None:
    assert "no single member keeps growing" in explore(Sample(), limit=3).violations[0].detail


def test_invariants_of_the_workflow_are_asked_with_the_whole_exploration() -> None:
    class Claims(Sample):
        invariants = (
            Invariant("holds", lambda found: []),
            Invariant("qa runs once", lambda found: [f"qa runs {found.most_visits('qa')} times"]),
        )

    assert explore(Claims()).violations == (Violation("qa runs once", "qa runs 3 times"),)


def test_invariants_are_not_asked_of_a_walk_that_was_cut_short() -> None:
    class Claims(NeverResets):
        invariants = (Invariant("never", lambda found: ["asked"]),)

    assert names(explore(Claims(), limit=50)) == ["unbounded"]


# -- questions


def test_a_build_behind_its_gate_is_dominated_by_the_approval() -> None:
    found = explore(Sample())
    assert found.dominated("build", "approve_build", "approved") is None
    assert (
        found.dominated("build", "approve_build", "approved", lambda run: run.step == "planning")
        is None
    )


def test_a_way_around_a_gate_is_told_from_the_start() -> None:
    found = explore(EveryKind())
    assert found.dominated("implement", "approve", "approved") is None
    assert found.dominated("approve", "research", "ok") == (("check_input", "known"),)


def test_a_way_that_begins_later_is_told_whole() -> None:
    found = explore(Sample())
    path = found.dominated("build", "approve_build", "approved", lambda run: run.step == "qa")
    assert path == (
        ("planning", "ok"),
        ("approve_build", "approved"),
        ("build", "ok"),
        ("qa", "revise"),
    )


def test_a_target_that_is_a_start_has_an_empty_story_and_is_not_dominated() -> None:
    assert explore(Sample()).dominated("planning", "approve_build", "approved") == ()


@pytest.mark.parametrize(
    ("name", "visits"), [("planning", 1), ("approve_build", 1), ("build", 3), ("qa", 3), (DONE, 1)]
)
def test_most_visits_leaves_out_what_people_send_back(name: str, visits: int) -> None:
    assert explore(Sample()).most_visits(name) == visits


def test_most_visits_is_infinite_where_agents_alone_can_go_round() -> None:
    found = explore(Endless())
    assert found.most_visits("begin") == 1
    assert found.most_visits("ping") == math.inf


def test_the_worst_case_is_the_dearest_path() -> None:
    found = explore(Sample())
    assert found.worst_case(lambda each: int(isinstance(each.effect, Stage))) == 7
    assert found.worst_case(lambda each: {"qa": 10, "build": 2}.get(each.name, 0)) == 36
    assert found.worst_case(lambda _: 0) == 0


def test_a_cycle_that_costs_nothing_is_no_infinite_cost() -> None:
    found = explore(Endless())
    assert found.worst_case(lambda each: int(each.name == "begin")) == 1
    assert found.worst_case(lambda _: 1) == math.inf


def test_most_uses_counts_how_often_a_way_back_is_taken() -> None:
    found = explore(Sample())
    assert found.most_uses("qa", "build") == 2
    assert found.most_uses("approve_build", "planning") == 0


def test_bounds_hold_every_whole_number_also_inside_mappings() -> None:
    class Counts(Workflow):
        start = "work"
        run_type = RichRun

        @step(cluster("a", "b"))
        def work(self, run: RichRun, outcome: Literal["ok", "revise"]) -> Literal["work", "done"]:
            if outcome == "ok":
                return "done"
            if run.tries.get("a", 0) == 3:
                raise Blocked("enough")
            run.tries["a"] = run.tries.get("a", 0) + 1
            return "work"

    assert explore(Counts()).bounds() == {"tries[a]": (1, 3)}


def test_the_path_to_a_state_is_a_shortest_one() -> None:
    found = explore(Sample())
    assert (
        story(found.path(found.at(DONE)[0]))
        == "planning ok, approve_build approved, build ok, qa ok"
    )
    assert story(()) == "at the start"


# -- speed


@dataclass(kw_only=True)
class Wide(Run):
    a: int = 0
    b: int = 0


class Grid(Workflow):
    start = "one"
    run_type = Wide

    @step(stage("x"))
    def one(self, run: Wide, outcome: Literal["ok", "revise"]) -> Literal["one", "done"]:
        if outcome == "ok":
            run.a += 1
        else:
            run.b += 1
        return "one" if run.a < 70 and run.b < 70 else "done"


def test_ten_thousand_states_take_about_a_second() -> None:
    began = process_time()
    found = explore(Grid())
    assert len(found.states) > 9_000
    assert found.most_visits("one") == 139
    assert process_time() - began < 5, "generous, since test machines are busy"


@dataclass(kw_only=True)
class PlannedRun(Run):
    parts: int = 0
    at: int = 0


class Planned(Workflow):
    """A plan fixes how many parts there are; each is built once."""

    start = "plan"
    run_type = PlannedRun

    @step(stage("planner"))
    def plan(self, run: PlannedRun, outcome: Literal["ok"]) -> Literal["build", "done"]:
        return "build" if run.parts else "done"

    @step(stage("builder"))
    def build(self, run: PlannedRun, outcome: Literal["ok"]) -> Literal["build", "done"]:
        run.at += 1
        return "build" if run.at < run.parts else "done"

    def imagined(self, run: Run, outcome: str) -> Sequence[Mapping[str, Any]]:
        return [{"parts": n} for n in (0, 1, 3)] if (run.step, outcome) == ("plan", "ok") else ({},)


def test_what_a_result_may_set_is_tried_in_every_way_it_is_imagined() -> None:
    found = explore(Planned())
    assert found.violations == ()
    assert found.bounds() == {"at": (0, 3), "parts": (0, 3)}
    assert found.most_visits("build") == 3


def test_an_outcome_that_cannot_be_imagined_here_is_not_tried() -> None:
    class Never(Planned):
        def imagined(self, run: Run, outcome: str) -> Sequence[Mapping[str, Any]]:
            return () if run.step == "build" and outcome == "ok" else super().imagined(run, outcome)

    assert {each.name for each in explore(Never()).violations} == {"stuck state", "unused edge"}
