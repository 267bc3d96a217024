"""`make torture`: many faults on every workflow, and long fuzzing. A seed that fails is printed as the command that repeats it."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.faults import kit
from tests.faults.worlds import WORKFLOWS

EXAMPLES = 3000


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make torture", description=__doc__)
    parser.add_argument("--seed", type=int, metavar="N", help="only this one")
    parser.add_argument("--seeds", type=int, default=20, metavar="COUNT", help="how many of each kind for each workflow")
    parser.add_argument("--from", type=int, default=1, dest="first", metavar="N", help="the first of them")
    parser.add_argument("--workflow", choices=WORKFLOWS, default="")
    parser.add_argument("--kind", choices=kit.KINDS, default="")
    parser.add_argument("--fuzz", type=int, default=EXAMPLES, metavar="N", help="examples for each parser; 0 = no fuzzing")
    told = parser.parse_args(words)
    seeds = [told.seed] if told.seed is not None else list(range(told.first, told.first + told.seeds))
    kinds = [told.kind] if told.kind else list(kit.KINDS)
    faults: list[str] = []
    for workflow in [told.workflow] if told.workflow else WORKFLOWS:
        faults += _workflow(workflow, seeds, kinds)
    print(f"{len(faults)} faults found")
    fuzzed = _fuzzed(told.fuzz) if told.fuzz and told.seed is None else 0
    return 1 if faults or fuzzed else 0


def _workflow(workflow: str, seeds: Sequence[int], kinds: Sequence[str]) -> list[str]:
    memory = Path("/dev/shm")
    root = Path(tempfile.mkdtemp(prefix="podium-torture-", dir=memory if memory.is_dir() else None))
    faults: list[str] = []
    try:
        with kit.one_after_the_other():
            whole = kit.undisturbed(workflow, root)
            for seed in seeds:
                for kind in kinds:
                    began = time.monotonic()
                    found = kit.met(kit.trial(seed, workflow, kind), whole)
                    lines = [f'make torture ARGS="{tried}": {what}' for tried, _, what in (each.partition(": ") for each in found)]
                    took = time.monotonic() - began
                    print(f"{'FAILED' if found else 'ok':7} {workflow:9} {kind:9} seed {seed:4} {took:6.1f} s", *lines, sep="\n  ", flush=True)
                    faults += lines
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return faults


def _fuzzed(examples: int) -> int:
    environment = {**os.environ, "PODIUM_FUZZ": str(examples)}
    words = [sys.executable, "-m", "pytest", "-q", "--no-header", "--timeout=0", "tests/fuzz"]
    return subprocess.run(words, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
