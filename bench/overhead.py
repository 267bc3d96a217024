"""What a step costs beside the agent's work, as a ratio to the least any durable orchestrator must write.

python -m bench.overhead [--profile] [--steps N] [--rounds N]
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
from pathlib import Path
from statistics import median

from bench.disk import durable_step, work_folder
from bench.hundred import Chain, Watch, Writer, project, services

from podium.core.run import Status
from podium.engine import runs

TARGET = 2.5


def engine_steps(folder: Path, size: int) -> tuple[list[float], bytes, bytes]:
    """Seconds of every step of one run; a journal line and a state file of its usual size."""
    made = project(folder)
    workflow = Chain(size)
    watch = Watch(Writer())
    services_, request = services(made, workflow, watch)
    assert runs.create(services_, workflow, "bench", workflow.first(), request)
    ended = runs.go(services_, workflow, "bench")
    assert ended.status is Status.COMPLETE, ended
    home = made / ".podium" / "runs" / "bench"
    written = (home / "journal.jsonl").stat().st_size // (2 * size)
    return watch.steps(), b"x" * (written - 1) + b"\n", (home / "state.json").read_bytes()


def measure(size: int, rounds: int) -> tuple[float, float, list[float]]:
    """Median of a step, median of the floor, both taken in turns so that the disk is the same; each round's ratio."""
    steps: list[float] = []
    floors: list[float] = []
    ratios: list[float] = []
    with work_folder("overhead") as folder:
        for number in range(rounds):
            here = folder / str(number)
            here.mkdir()
            took, line, state = engine_steps(here, size)
            floor = durable_step(here, line, state, size)
            steps += took
            floors += floor
            ratios.append(median(took) / median(floor))
    return median(steps), median(floors), ratios


def profile(size: int, by: str) -> None:
    with work_folder("profile") as folder:
        profiler = cProfile.Profile()
        profiler.enable()
        engine_steps(folder, size)
        profiler.disable()
        pstats.Stats(profiler).sort_stats(by).print_stats(45)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--profile", choices=("cumulative", "tottime"), nargs="?", const="cumulative")
    args = parser.parse_args()
    if args.profile:
        profile(args.steps, args.profile)
        return 0
    step, floor, ratios = measure(args.steps, args.rounds)
    ratio = step / floor
    spread = f"rounds {min(ratios):.2f} to {max(ratios):.2f}"
    print(
        f"overhead  step {step * 1e3:.2f} ms, floor {floor * 1e3:.2f} ms: {ratio:.2f} x ({spread}; target {TARGET})"
    )
    return int(ratio > TARGET)


if __name__ == "__main__":
    sys.exit(main())
