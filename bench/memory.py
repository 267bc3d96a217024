"""The memory of a run and of a working agent: in the engine, and in the processes around each
agent.

python -m bench.memory [--wide N]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from bench.disk import work_folder
from bench.hundred import Chain, Fan, Watch, Writer, project, services

from podium.agents.command import CommandAgent
from podium.core.run import Status
from podium.core.workflow import Workflow
from podium.engine import runs


def pss(pid: int) -> float:
    """Megabytes of a process, including its share of memory mapped by others too."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(each.split()[1]) / 1024 for each in lines if each.startswith("Pss:")), 0.0)


def below(pid: int) -> list[int]:
    """All descendants of a process."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            children = [int(each) for each in (task / "children").read_text().split()]
        except OSError:
            continue
        found += [each for child in children for each in (child, *below(child))]
    return found


def one(kind: str, size: int, folder: Path) -> None:
    """In a separate process: a run of `size` steps, or of `size` agents at once that are real
    programs.
    """
    workflow: Workflow = Fan(size) if kind == "agents" else Chain(size)
    watch = Watch(Writer())
    script = (
        'mkdir -p docs; for n in $(seq 1 200); do case "$PODIUM_DISPATCH" in */fan/$n) echo text '
        "> docs/$n.md;; esac; done; sleep 4; echo DONE: written"
    )
    agent = (
        CommandAgent("bench", ["sh", "-c", script], environ=os.environ)
        if kind == "agents"
        else None
    )
    provided, request = services(project(folder), workflow, watch, agent)
    assert runs.create(provided, workflow, "bench", workflow.first(), request)
    most = [0.0, 0.0]

    def look() -> None:
        while True:
            most[0] = max(most[0], pss(os.getpid()))
            most[1] = max(most[1], sum(map(pss, below(os.getpid()))))
            time.sleep(0.2)

    threading.Thread(target=look, daemon=True).start()
    ended = runs.go(provided, workflow, "bench")
    assert ended.status in {Status.COMPLETE, Status.BLOCKED}, ended
    print(most[0], max(most[0], pss(os.getpid())), most[1])


def asked(kind: str, size: int, folder: Path) -> tuple[float, float]:
    folder.mkdir()
    words = [sys.executable, "-m", "bench.memory", "--child", kind, str(size), str(folder)]
    said = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    return float(said[1]), float(said[2])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wide", type=int, default=20)
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        one(args.child[0], int(args.child[1]), Path(args.child[2]))
        return 0
    with work_folder("memory") as folder:
        small, _ = asked("steps", 1, folder / "1")
        large, _ = asked("steps", 101, folder / "100")
        first, shims = asked("agents", 1, folder / "a")
        many, crowd = asked("agents", args.wide, folder / "b")
    print(
        f"memory    the engine with a run: {small:.1f} MB; {(large - small) * 10.24:.1f} kB "
        "more for each step of it"
    )
    each, around = (many - first) / (args.wide - 1), (crowd - shims) / (args.wide - 1)
    print(
        f"          each agent at work: {each:.2f} MB in the engine, {around:.1f} MB in the "
        "processes that hold it and in the shell that plays it"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
