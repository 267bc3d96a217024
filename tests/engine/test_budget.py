"""Caps on one run: what was used survives every resume, and unknown is never zero."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.engine.test_services import World

from podium.agents.protocol import Answer, Job, Usage
from podium.core.verdict import Judgement
from podium.engine import budget
from podium.engine.services import Caps


def reached(world: World, **caps: Any) -> Judgement | None:
    world.changes["caps"] = Caps(**caps)
    with world.session() as session:
        return budget.reached(session)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """One dispatch is done: 100 tokens in, 10 out, half a dollar."""
    made = World.at(tmp_path)
    made.go()
    return made


def test_without_a_cap_nothing_is_reached(world: World) -> None:
    assert reached(world) is None


@pytest.mark.parametrize(("axis", "cap"), [("dispatches", 1), ("tokens", 110), ("cost_usd", 0.5), ("wall_clock_s", 1.0)])
def test_a_cap_that_is_used_up_ends_the_step(world: World, axis: str, cap: float) -> None:
    found = reached(world, **{axis: cap})
    assert found is not None
    assert (found.outcome, found.stop) == ("fail", "budget")
    assert axis in found.reason
    (event,) = world.events("budget.reached")
    assert (event["axis"], event["cap"]) == (axis, cap)
    assert event["used"] >= cap


@pytest.mark.parametrize(("axis", "cap"), [("dispatches", 2), ("tokens", 111), ("cost_usd", 0.51), ("wall_clock_s", 10_000.0)])
def test_a_cap_that_is_not_used_up_lets_it_go_on(world: World, axis: str, cap: float) -> None:
    assert reached(world, **{axis: cap}) is None
    assert world.events("budget.reached") == []


def test_a_cap_of_nothing_ends_a_run_before_its_first_dispatch(tmp_path: Path) -> None:
    world = World.at(tmp_path, caps=Caps(dispatches=0))
    assert world.go().exit_code == 21
    assert world.agent.jobs == []


def silent(job: Job) -> Answer:
    (job.folder / job.outputs[0].path).write_text("a plan")
    return Answer("written", usage=Usage())


@pytest.mark.parametrize("axis", ["tokens", "cost_usd"])
def test_what_is_unknown_is_not_taken_for_nothing(tmp_path: Path, axis: str) -> None:
    world = World.at(tmp_path)
    world.agent.acts["plan"] = [silent]
    world.go()
    found = reached(world, **{axis: 1000})
    assert found is not None
    assert "what was used is unknown" in found.reason
    assert found.stop == "budget"


def test_unknown_usage_does_not_matter_where_it_has_no_cap(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.agent.acts["plan"] = [silent]
    world.go()
    assert reached(world, dispatches=5) is None


def test_what_was_used_before_a_resume_counts(world: World) -> None:
    world.decide()
    world.changes["caps"] = Caps(dispatches=1)
    ended = world.go()
    assert (ended.exit_code, ended.stop, ended.step) == (21, "budget", "report")
    assert len(world.agent.jobs) == 1


def test_time_in_which_nobody_drove_the_run_does_not_count(world: World) -> None:
    world.clock.skip(100_000)
    assert reached(world, wall_clock_s=1000.0) is None


def test_a_clock_that_was_set_back_gives_no_time_back(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.agent.acts["plan"] = [lambda _: world.clock.skip(3600)]
    world.agent.acts["report"] = [lambda _: world.clock.skip(-7200)]
    world.go()
    world.decide()
    world.go()
    assert reached(world, wall_clock_s=3000.0) is not None


def test_a_retry_is_a_dispatch_too(tmp_path: Path) -> None:
    world = World.at(tmp_path, caps=Caps(dispatches=1))
    world.agent.acts["plan"] = [lambda _: Answer("nothing written")]
    assert world.go().exit_code == 21
    assert len(world.agent.jobs) == 1
