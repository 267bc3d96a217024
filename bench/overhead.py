"""What a step costs besides the agent's work, as a ratio to the least any durable orchestrator must
write.

python -m bench.overhead [--profile] [--steps N] [--rounds N]
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter

from bench.disk import Floor, work_folder
from bench.hundred import Chain, Watch, Writer, project, services

from podium.core.run import Status
from podium.engine import runs
from podium.engine.collector import spare_what_is_loaded

TARGET = 2.5
BLOCK = 10
"""Steps of the engine and of the floor alternate in blocks of this size, so that both see the
same disk.
"""


PAUSE_S = 0.0005


@dataclass
class Taken:
    """Seconds, of one run or several."""

    steps: list[float] = field(default_factory=list)
    floors: list[float] = field(default_factory=list)
    """Back to back."""
    spaced: list[float] = field(default_factory=list)
    """The same writes spaced as in a step: a disk that was idle for half a millisecond is
    slower.
    """
    whole: list[float] = field(default_factory=list)
    """For each run, per step: everything from opening it to its rest, without agents and floors."""


def measured(folder: Path, size: int) -> Taken:
    """One run, interrupted after every block of steps for a block of the floor."""
    made = project(folder)
    home = made / ".podium" / "runs" / "bench"
    taken, floor, aside = Taken(), Floor(folder), 0.0

    def between(count: int) -> bool:
        nonlocal aside
        if not count or count % BLOCK:
            return False
        began = perf_counter()
        # What the run itself writes: its journal's bytes in two equal appends per step, and its
        # state file.
        line = b"x" * ((home / "journal.jsonl").stat().st_size // (2 * count) - 1) + b"\n"
        state = (home / "state.json").read_bytes()
        floor.step(
            line, state
        )  # pays for what the engine left in the disk's queue: not counted, as for the engine
        taken.floors += [floor.step(line, state) for _ in range(BLOCK - 1)]
        taken.spaced += [floor.step(line, state, PAUSE_S) for _ in range(BLOCK)]
        aside += perf_counter() - began
        return True

    workflow = Chain(size)
    agent = Writer()
    watch = Watch(agent, between)
    services_, request = services(made, workflow, watch)
    assert runs.create(services_, workflow, "bench", workflow.first(), request)
    began = perf_counter()
    ended = runs.go(services_, workflow, "bench")
    taken.whole.append((perf_counter() - began - aside - agent.seconds) / size)
    floor.close()
    assert ended.status is Status.COMPLETE, ended
    taken.steps += watch.steps
    return taken


def measure(size: int, rounds: int) -> tuple[Taken, list[float]]:
    """All rounds together, and each round's ratio."""
    found, ratios = Taken(), []
    with work_folder("overhead") as folder:
        for number in range(rounds):
            here = folder / str(number)
            here.mkdir()
            one = measured(here, size)
            found.steps += one.steps
            found.floors += one.floors
            found.spaced += one.spaced
            found.whole += one.whole
            ratios.append(median(one.steps) / median(one.floors))
    return found, ratios


def profile(size: int, by: str) -> None:
    with work_folder("profile") as folder:
        profiler = cProfile.Profile()
        profiler.enable()
        measured(folder, size)
        profiler.disable()
        pstats.Stats(profiler).sort_stats(by).print_stats(45)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    spare_what_is_loaded()  # as every process that drives a run does
    parser.add_argument(
        "--profile", choices=("cumulative", "tottime"), nargs="?", const="cumulative"
    )
    args = parser.parse_args()
    if args.profile:
        profile(args.steps, args.profile)
        return 0
    found, ratios = measure(args.steps, args.rounds)
    step, floor, spaced, whole = map(median, (found.steps, found.floors, found.spaced, found.whole))
    # By round: between rounds the disk may change its speed, and medians of all of them would
    # compare different disks.
    ratio = median(ratios)
    spread = f"rounds {min(ratios):.2f} to {max(ratios):.2f}"
    print(
        f"overhead  step {step * 1e3:.2f} ms, floor {floor * 1e3:.2f} ms: {ratio:.2f} x "
        f"({spread}; target {TARGET})"
    )
    print(
        f"          floor with {PAUSE_S * 1e3:g} ms between its writes: {spaced * 1e3:.2f} "
        f"ms, {step / spaced:.2f} x"
    )
    print(
        f"          with what is written when the run rests: {whole * 1e3:.2f} ms, "
        f"{whole / floor:.2f} x"
    )
    return int(ratio > TARGET)


if __name__ == "__main__":
    sys.exit(main())
