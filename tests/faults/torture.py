"""`make torture`: many faults on every workflow, git failing at every call, long fuzzing, then
every death.

Who names a part (a seed, a workflow, a kind, every call of git) gets that part alone. What fails is
printed with the command that repeats it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.crash.share import ALL
from tests.faults import kit
from tests.faults.worlds import WORKFLOWS

EXAMPLES = 3000
EVERY = ("git",)
"""Kinds that can be tried at every place where they can happen."""


@dataclass(frozen=True)
class Told:
    """What the command line asks for."""

    seed: int | None
    seeds: int
    first: int
    workflow: str
    kind: str
    every: str
    call: int
    fuzz: int

    @property
    def whole(self) -> bool:
        return self.seed is None and not (self.workflow or self.kind or self.every)


def read(words: Sequence[str] | None) -> Told:
    parser = argparse.ArgumentParser(prog="make torture", description=__doc__)
    parser.add_argument("--seed", type=int, metavar="N", help="only this one")
    parser.add_argument(
        "--seeds",
        type=int,
        default=20,
        metavar="COUNT",
        help="how many of each kind for each workflow",
    )
    parser.add_argument(
        "--from", type=int, default=1, dest="first", metavar="N", help="the first of them"
    )
    parser.add_argument("--workflow", choices=WORKFLOWS, default="")
    parser.add_argument("--kind", choices=kit.KINDS, default="")
    parser.add_argument(
        "--every",
        choices=EVERY,
        default="",
        help="let every call of git fail once, one after the other",
    )
    parser.add_argument(
        "--call",
        type=int,
        default=0,
        metavar="N",
        help="with --every and --workflow: only this call",
    )
    parser.add_argument(
        "--fuzz",
        type=int,
        default=EXAMPLES,
        metavar="N",
        help="examples for each parser; 0 = no fuzzing",
    )
    return Told(**vars(parser.parse_args(words)))


def trials(told: Told, workflow: str, git_calls: int) -> list[kit.Trial]:
    """What is tried on one workflow, in this order."""
    calls = [told.call] if told.call else range(1, git_calls + 1)
    every = (
        [kit.Trial(0, workflow, "git", call=each) for each in calls]
        if told.every or told.whole
        else []
    )
    if told.every:
        return every
    seeds = [told.seed] if told.seed is not None else range(told.first, told.first + told.seeds)
    kinds = [told.kind] if told.kind else kit.KINDS
    return [kit.trial(seed, workflow, kind) for seed in seeds for kind in kinds] + every


def main(words: Sequence[str] | None = None) -> int:
    told = read(words)
    found = 0
    for workflow in [told.workflow] if told.workflow else WORKFLOWS:
        found += _workflow(told, workflow)
    print(f"{found} faults found", flush=True)
    broken = bool(found)
    if told.whole and told.fuzz:
        broken |= _suite(
            {"PODIUM_FUZZ": str(told.fuzz)}, "-q", "--no-header", "--timeout=0", "tests/fuzz"
        )
    if told.whole:
        workers = str(2 * (os.cpu_count() or 1))
        broken |= _suite({ALL: "1"}, "-n", workers, "--dist", "loadgroup", "-m", "crash")
    return int(broken)


def _workflow(told: Told, workflow: str) -> int:
    memory = Path("/dev/shm")
    root = Path(tempfile.mkdtemp(prefix="podium-torture-", dir=memory if memory.is_dir() else None))
    faults = 0
    try:
        with kit.one_after_the_other():
            whole = kit.undisturbed(workflow, root)
            for tried in trials(told, workflow, whole.git_calls):
                began = time.monotonic()
                found = kit.met(tried, whole)
                took = time.monotonic() - began
                which = f"call {tried.call:4}" if tried.call else f"seed {tried.seed:4}"
                print(
                    (
                        f"{'FAILED' if found else 'ok':7} {workflow:9} {tried.kind:9} {which} "
                        f"{took:6.1f} s"
                    ),
                    *found,
                    sep="\n  ",
                    flush=True,
                )
                faults += len(found)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return faults


def _suite(environment: Mapping[str, str], *words: str) -> bool:
    """Run a part of the suite; whether it failed."""
    return (
        subprocess.run(
            [sys.executable, "-m", "pytest", *words], env={**os.environ, **environment}, check=False
        ).returncode
        != 0
    )


if __name__ == "__main__":
    sys.exit(main())
