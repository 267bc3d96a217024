"""What agents side by side cost besides their own work: a cluster that starts them all at once,
compared with the disk.

python -m bench.fan_out [--wide N] [--rounds N]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

from bench.disk import Floor, work_folder
from bench.hundred import Fan, Watch, Writer, project, services

from podium.core.run import Status
from podium.engine import runs


def measured(folder: Path, wide: int) -> tuple[float, list[float]]:
    """Seconds for each member, and then those of the floor with the run's own sizes."""
    made = project(folder)
    workflow, agent = Fan(wide), Writer()
    provided, request = services(made, workflow, Watch(agent))
    assert runs.create(provided, workflow, "bench", workflow.first(), request)
    began = perf_counter()
    ended = runs.go(provided, workflow, "bench")
    took = (perf_counter() - began - agent.seconds) / wide
    assert ended.status is Status.COMPLETE, ended
    home = made / ".podium" / "runs" / "bench"
    line = b"x" * ((home / "journal.jsonl").stat().st_size // (2 * wide) - 1) + b"\n"
    floor = Floor(folder)
    floors = [floor.step(line, (home / "state.json").read_bytes()) for _ in range(wide + 1)][1:]
    floor.close()
    return took, floors


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wide", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    members: list[float] = []
    floors: list[float] = []
    with work_folder("fan-out") as folder:
        for number in range(args.rounds + 1):  # the first warms the caches
            here = folder / str(number)
            here.mkdir()
            took, floor = measured(here, args.wide)
            if number:
                members.append(took)
                floors += floor
    member, least = median(members), median(floors)
    print(
        f"fan-out   {args.wide} at once: {member * 1e3:.2f} ms a member, floor "
        f"{least * 1e3:.2f} ms: {member / least:.2f} x"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
