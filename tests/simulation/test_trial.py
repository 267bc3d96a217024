"""Many runs: each has its own luck, and is told about while they go."""

from __future__ import annotations

import random

from tests.fakes.workflows import EveryKind, Sample

from podium.core.explore import explore
from podium.core.run import Status
from podium.simulation.dispatching import Rules
from podium.simulation.model import Model
from podium.simulation.trial import Trial
from podium.simulation.ways import Ways

TRIAL = Trial(EveryKind(), Model(), Rules(), {})


def chances(number: int) -> random.Random:
    return random.Random(number)


def test_what_one_run_draws_changes_no_other() -> None:
    few = TRIAL.runs(50, lambda number: chances(number).random).measures["duration_s"].values
    many = TRIAL.runs(80, lambda number: chances(number).random).measures["duration_s"].values
    assert set(few) <= set(many)
    assert len(set(many)) > 70


def test_progress_is_told_and_comes_to_its_end() -> None:
    told: list[tuple[int, int]] = []
    TRIAL.runs(
        250, lambda number: chances(number).random, lambda done, whole: told.append((done, whole))
    )
    assert told == [(0, 250), (100, 250), (200, 250), (250, 250)]


def test_a_state_is_worked_out_once() -> None:
    asked: list[str] = []

    class Counting(Sample):
        def imagined(self, run, outcome):  # type: ignore[no-untyped-def]
            asked.append(f"{run.step} {outcome} {getattr(run, 'remediations', 0)}")
            return super().imagined(run, outcome)

    Trial(Counting(), Model(), Rules(), {}).runs(200, lambda number: chances(number).random)
    agents = [each for each in asked if not each.startswith("approve")]
    assert len(agents) == len(set(agents))


def test_ways_know_no_more_states_than_there_are() -> None:
    ways = Ways(Sample(), Model())
    first = ways.enter(Sample().first())
    assert ways.enter(Sample().first()) == first
    assert ways.stands[ways.halted(first, "budget")].run.status is Status.BLOCKED
    assert ways.after(first, "ok", {}) == ways.after(first, "ok", {})
    assert len(ways.stands) <= len(explore(Sample()).states)
