"""Caps on one run: what was used survives every resume, and unknown is never zero."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from tests.engine.test_services import RUN, World

from podium.agents.protocol import Answer, Job, Usage
from podium.core.budget import Caps
from podium.core.history import History
from podium.core.verdict import Judgement
from podium.engine import budget


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


@pytest.mark.parametrize(
    ("axis", "cap"), [("dispatches", 1), ("tokens", 110), ("cost_usd", 0.5), ("wall_clock_s", 1.0)]
)
def test_a_cap_that_is_used_up_ends_the_step(world: World, axis: str, cap: float) -> None:
    found = reached(world, **{axis: cap})
    assert found is not None
    assert (found.outcome, found.stop) == ("fail", "budget")
    assert axis in found.reason
    (event,) = world.events("budget.reached")
    assert (event["axis"], event["cap"]) == (axis, cap)
    assert event["used"] >= cap


@pytest.mark.parametrize(
    ("axis", "cap"),
    [("dispatches", 2), ("tokens", 111), ("cost_usd", 0.51), ("wall_clock_s", 10_000.0)],
)
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
    assert [
        (each["axis"], each["used"], each["cap"]) for each in world.events("budget.reached")
    ] == [(axis, None, 1000)]


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


# -- dispatches that were cut off


class Killed(BaseException):
    """The end of a process in the middle of a dispatch, as far as the journal can tell."""


def killed(_: Job) -> Answer:
    raise Killed


@pytest.mark.parametrize("axis", ["dispatches", "step_dispatches", "day_dispatches"])
def test_a_run_that_is_killed_again_and_again_gets_no_dispatch_for_nothing(
    tmp_path: Path, axis: str
) -> None:
    world = World.at(tmp_path, caps=Caps(**{axis: 2}))
    world.agent.acts["plan"] = [killed] * 5
    for _ in range(2):
        with pytest.raises(Killed):
            world.go()
    ended = world.go()
    assert (ended.exit_code, ended.stop, len(world.agent.jobs)) == (21, "budget", 2)
    assert [(each["axis"], each["used"]) for each in world.events("budget.reached")] == [(axis, 2)]


@pytest.mark.parametrize("caps", [{"tokens": 1000}, {"cost_usd": 5}, {"wall_clock_s": 1e6}])
def test_a_dispatch_that_was_cut_off_does_not_stop_a_run_with_another_cap_for_good(
    tmp_path: Path, caps: dict[str, float]
) -> None:
    world = World.at(tmp_path, caps=Caps(**caps))
    world.agent.acts["plan"] = [killed]
    with pytest.raises(Killed):
        world.go()
    assert world.go().exit_code == 10


# -- one step


def waste(_: Job) -> Answer:
    time.sleep(0.01)
    return Answer("nothing written", usage=Usage(100, 10, 0.5))


@pytest.mark.parametrize(
    ("axis", "cap"),
    [("dispatches", 1), ("tokens", 110), ("cost_usd", 0.5), ("wall_clock_s", 0.005)],
)
def test_a_step_that_used_up_its_own_cap_is_not_asked_again(
    tmp_path: Path, axis: str, cap: float
) -> None:
    world = World.at(tmp_path, caps=Caps(**{f"step_{axis}": cap}))
    world.agent.acts["plan"] = [waste]
    ended = world.go()
    assert (ended.exit_code, ended.stop, ended.step) == (21, "budget", "plan")
    assert f"{axis} of one step" in ended.reason
    assert len(world.agent.jobs) == 1
    (event,) = world.events("budget.reached")
    assert (event["axis"], event["cap"]) == (f"step_{axis}", cap)


def test_a_cap_on_a_step_is_for_each_step_anew(tmp_path: Path) -> None:
    world = World.at(tmp_path, caps=Caps(step_tokens=110, step_dispatches=1), approve_all="Ada")
    assert world.go().exit_code == 0
    assert len(world.agent.jobs) == 2


def test_a_step_is_sent_on_by_a_higher_cap_and_by_nothing_less(tmp_path: Path) -> None:
    world = World.at(tmp_path, caps=Caps(step_tokens=110))
    world.agent.acts["plan"] = [waste]
    world.go()
    assert world.go().exit_code == 21, "nothing has changed"
    assert len(world.agent.jobs) == 1
    world.changes["caps"] = Caps(step_tokens=111)
    assert world.go().exit_code == 10
    assert [each.brief.key for each in world.agent.jobs] == ["plan", "plan/2"], (
        "who sends a step on lets it begin anew"
    )


def test_what_a_step_used_that_is_done_again_under_its_key_still_counts_for_the_run() -> None:
    began = {
        "type": "step.started",
        "key": "plan",
        "kind": "dispatch",
        "role": "planner",
        "attempt": 1,
        "inputs": {},
        "ts": "t",
    }
    ended = {
        "type": "step.finished",
        "key": "plan",
        "outcome": "ok",
        "verdict": "",
        "outputs": {},
        "usage": {"tokens_in": 5},
        "assurance": {},
        "evidence": [],
        "ts": "t",
    }
    history = History(
        {**each, "seq": seq} for seq, each in enumerate((began, ended, began, ended), 1)
    )
    assert [usage for _, usage in history.usages] == [{"tokens_in": 5}, {"tokens_in": 5}]
    assert history.dispatches() == 2


# -- a day


def another(world: World, **changes: Any) -> World:
    """A second run of the same project, on the same clock."""
    return World(world.root, world.workflow, clock=world.clock, changes=changes, run="other")


@pytest.mark.parametrize(
    ("axis", "cap"), [("dispatches", 1), ("tokens", 110), ("cost_usd", 0.5), ("wall_clock_s", 1.0)]
)
def test_what_another_run_used_today_counts(world: World, axis: str, cap: float) -> None:
    other = another(world, caps=Caps(**{f"day_{axis}": cap}))
    ended = other.go()
    assert (ended.exit_code, ended.stop) == (21, "budget")
    assert f"{axis} of one day" in ended.reason
    assert other.agent.jobs == []
    assert [each["axis"] for each in other.events("budget.reached")] == [f"day_{axis}"]


def test_a_new_day_begins_with_nothing_used(world: World) -> None:
    other = another(world, caps=Caps(day_tokens=110, day_wall_clock_s=1000.0))
    assert other.go().exit_code == 21
    world.clock.skip(86_400)
    ended = other.go()
    assert (ended.exit_code, len(other.agent.jobs)) == (10, 1), (
        "what stopped it is over, and nobody need raise anything"
    )


def test_what_a_run_used_itself_today_counts(world: World) -> None:
    world.decide()
    world.changes["caps"] = Caps(day_dispatches=1)
    assert world.go().exit_code == 21
    world.clock.skip(86_400)
    assert world.go().exit_code == 0


def test_a_journal_that_cannot_be_read_leaves_the_day_unknown(world: World) -> None:
    journal = world.root / ".podium" / "runs" / RUN / "journal.jsonl"
    journal.write_bytes(
        journal.read_bytes().replace(b"half", b"hole").replace(b'"tokens_in":100', b'"tokens_in":1')
    )
    other = another(world, caps=Caps(day_tokens=100_000))
    ended = other.go()
    assert ended.exit_code == 21
    assert "what was used is unknown" in ended.reason


def test_without_a_cap_on_the_day_no_other_run_is_looked_at(world: World) -> None:
    (world.root / ".podium" / "runs" / RUN / "journal.jsonl").write_bytes(b"broken\n")
    assert another(world, caps=Caps(tokens=1000)).go().exit_code == 10
