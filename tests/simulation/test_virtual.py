"""Runs in virtual time go the very ways that are explored, and take the time that their parts
take.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.workflows import EveryKind, Sample, SampleRun, stage

from podium.cli import catalog
from podium.core.effects import Child, FanOut
from podium.core.explore import explore, key
from podium.core.run import Run
from podium.core.verdict import Judgement
from podium.core.workflow import Workflow, step
from podium.settings.policies import defaults
from podium.simulation.dispatching import Rules
from podium.simulation.model import AgentModel, Model, Spread, StepModel
from podium.simulation.virtual import live, side_by_side
from podium.simulation.ways import Ways
from podium.workflows.catalog import entry

STEADY = AgentModel(Spread(10, 10), Spread(100, 100), Spread(1, 1), {}, Spread(0, 0))
QUICK = Model(agent=STEADY, person=Spread(100, 100), check=Spread(1, 1))


def first(steps: Mapping[str, StepModel] | None = None) -> Model:
    """Everybody takes the first outcome, unless told."""
    good = {
        "planning": "ok",
        "approve_build": "approved",
        "build": "ok",
        "qa": "ok",
        "check_input": "ok",
        "research": "ok",
        "approve": "approved",
        "implement": "ok",
        "report": "ok",
    }
    return Model(
        STEADY,
        {},
        {**{name: StepModel({word: 1}) for name, word in good.items()}, **(steps or {})},
        Spread(100, 100),
        Spread(1, 1),
    )


def test_a_run_takes_what_its_steps_take() -> None:
    found = live(Ways(Sample(), first()), {}, Rules(), random.Random(1).random)
    assert (found.end, found.seconds) == ("complete", 10 + 100 + 10 + 10)
    assert (
        found.tally.dispatches,
        found.tally.visits,
        found.tally.cost_usd,
        found.tally.people_s,
    ) == (3, 3, 3, 100)


def test_a_loop_ends_where_the_workflow_ends_it() -> None:
    found = live(
        Ways(Sample(), first({"qa": StepModel({"revise": 1})})),
        {},
        Rules(),
        random.Random(1).random,
    )
    assert found.end == "blocked: rule"
    assert found.tally.visits == 1 + 3 + 3


def test_agents_of_a_cluster_and_child_runs_are_at_work_at_once() -> None:
    found = live(Ways(EveryKind(), first()), {}, Rules(), random.Random(1).random)
    assert found.end == "complete"
    # check, two agents side by side, a person, one child run of 130 s, one agent
    assert found.seconds == 1 + 10 + 100 + 130 + 10
    assert found.tally.agents_s == 20 + 30 + 10


def test_what_happens_after_something_can_depend_on_it() -> None:
    model = first(
        {
            "check_input": StepModel({"known": 1}),
            "approve": StepModel({"approved": 1}, {"known": {"rejected": 1}}),
        }
    )
    found = live(Ways(EveryKind(), model), {}, Rules(), random.Random(1).random)
    assert found.tally.people_s == 300, "refused once, approved then, and once in the child run"


def test_what_a_run_begins_with_can_be_drawn() -> None:
    model = Model(
        STEADY, {}, {"qa": StepModel({"revise": 1})}, begin={"sample": {"remediations": {"2": 1}}}
    )
    found = live(Ways(Sample(), model), {}, Rules(), random.Random(1).random)
    assert found.tally.visits == 3, "no remediation is left"


def test_a_budget_ends_a_run_in_the_middle_of_its_children() -> None:
    found = live(
        Ways(EveryKind(), first()), {}, Rules(caps={"dispatches": 4}), random.Random(1).random
    )
    assert found.end == "blocked: budget"
    assert found.tally.dispatches == 4


def test_people_who_refuse_for_ever_leave_a_run_unfinished() -> None:
    found = live(
        Ways(Sample(), first({"approve_build": StepModel({"rejected": 1})})),
        {},
        Rules(),
        random.Random(1).random,
    )
    assert found.end == "unfinished"


def _several(count: int) -> type[Workflow]:
    class Wide(Workflow):
        name = "wide"
        start = "fan"

        @step(
            FanOut(
                Sample,
                lambda _: [Child(str(number)) for number in range(count)],
                lambda ended: Judgement(
                    "ok" if all(each.status == "complete" for each in ended.values()) else "fail"
                ),
                limit=2,
            )
        )
        def fan(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
            return "done"

    return Wide


@pytest.mark.parametrize(("children", "seconds"), [(1, 130), (2, 130), (3, 260), (5, 390)])
def test_no_more_children_at_once_than_the_step_lets(children: int, seconds: float) -> None:
    found = live(Ways(_several(children)(), first()), {}, Rules(), random.Random(1).random)
    assert (found.end, found.seconds) == ("complete", seconds)


def test_the_step_itself_judges_how_its_children_ended() -> None:
    found = live(
        Ways(_several(2)(), first({"qa": StepModel({"revise": 1})})),
        {},
        Rules(),
        random.Random(1).random,
    )
    assert found.end == "blocked: rule"


@settings(max_examples=60)
@given(st.lists(st.floats(0, 100), max_size=12), st.integers(1, 4))
def test_side_by_side_is_never_shorter_than_the_longest_nor_longer_than_all(
    times: list[float], width: int
) -> None:
    took = side_by_side(times, width)
    assert took >= max(times, default=0) - 1e-9
    assert took >= sum(times) / width - 1e-6
    assert took <= sum(times) + 1e-6
    assert side_by_side(times, 1) == pytest.approx(sum(times))


@pytest.mark.parametrize("name", ["harness", "feature"])
def test_simulated_runs_are_never_in_a_state_that_was_not_explored(
    name: str, tmp_path: Path
) -> None:
    workflow = catalog.workflow(name, tmp_path)
    known = {key(run) for run in explore(workflow).states}
    ways = Ways(workflow, Model())
    chance = random.Random(7).random
    for _ in range(100):
        live(ways, entry(name).imagine(workflow, defaults(name)), Rules(), chance)
    strange = [
        each.run
        for each in ways.stands
        if key(each.run) not in known and each.run.stop not in FAILED
    ]
    assert strange == []


FAILED = {"artifact", "crash", "timeout", "rate_limit", "validation", "violation"}
"""Why a simulated run is blocked says the class of failure, which exploring does not tell apart."""


class Shorter(Sample):
    """The same, but QA may send back once only."""

    @step(stage("qa"), loops=True)
    def qa(self, run: SampleRun, outcome: Literal["ok", "revise"]) -> Literal["done", "build"]:
        if outcome == "ok" or run.remediations:
            return "done"
        run.remediations += 1
        return "build"


def test_a_changed_rule_changes_the_simulation_by_itself() -> None:
    model = first({"qa": StepModel({"revise": 1})})
    assert (
        live(Ways(Shorter(), model), {}, Rules(), random.Random(1).random).tally.visits == 1 + 2 + 2
    )
