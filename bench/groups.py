"""Eight independent tasks of a ticket, a second each, side by side: wall time as a ratio to the
ideal.

python -m bench.groups [--seconds S] [--tasks N] [--parallel 2 4 8] [--profile]
"""

from __future__ import annotations

import argparse
import cProfile
import json
import math
import os
import pstats
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from bench.disk import work_folder

from podium.wiring import App, Parts
from podium.wiring_values import RunOptions

WORDS = "PROJ-1 add eight small modules"
FILES = {"src/app.py": "VALUE = 1\n", "podium.toml": '[commands]\ntest = "true"\n'}


class Watch:
    """An observer that records when things happen."""

    def __init__(self) -> None:
        self.began = perf_counter()
        self.seen: list[tuple[float, str, str]] = []

    def event(self, event: Mapping[str, Any]) -> None:
        self.seen.append(
            (perf_counter() - self.began, str(event["type"]), str(event.get("key", "")))
        )

    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None: ...

    def at(self, kind: str, start: str, *, last: bool = False) -> float:
        found = [
            moment for moment, each, key in self.seen if each == kind and key.startswith(start)
        ]
        return found[-1 if last else 0]


def project(root: Path) -> Path:
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    for words in (
        ["init", "-q", "-b", "main"],
        ["config", "user.name", "b"],
        ["config", "user.email", "b@localhost"],
        ["add", "-A"],
        ["commit", "-q", "-m", "A project"],
    ):
        subprocess.run(["git", *words], cwd=root, check=True)
    return root


def scenario(folder: Path, tasks: int, seconds: float) -> str:
    listed = [
        {"id": f"TASK-{n}", "files_to_modify": [f"src/part{n}.py"]} for n in range(1, tasks + 1)
    ]
    plan = {"behave": "well", "write": {"@tasks": {"template": "tasks", "tasks": listed}}}
    told = {"agents": {"planner": [plan], "task-executor": [{"behave": "well", "sleep": seconds}]}}
    (folder / "scenario.json").write_text(json.dumps(told), encoding="utf-8")
    return f"scripted:{folder / 'scenario.json'}"


def measured(folder: Path, tasks: int, seconds: float, parallel: int) -> Watch:
    folder.mkdir()
    root, agent = project(folder / "project"), scenario(folder, tasks, seconds)
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "XDG_STATE_HOME": str(folder / "state"),
    }
    watch = Watch()
    app = App(root, watch, Parts(environ, cwd=root))
    ended = app.start(
        "ticket", [WORDS], RunOptions(agent=agent, policy={"max_parallel_tasks": parallel})
    )
    if ended.exit_code != 0:
        sys.exit(f"the run ended with {ended.exit_code}: {ended.reason}")
    return watch


def report(watch: Watch, tasks: int, seconds: float, parallel: int) -> None:
    """Report on the group from its first dispatch to its acceptance, and on the whole run."""
    ideal = math.ceil(tasks / parallel) * seconds
    begin, work = (
        watch.at("step.started", "iteration/0/task/"),
        watch.at("step.finished", "iteration/0/task/", last=True),
    )
    done = watch.at("step.finished", "validate/1")
    whole = watch.seen[-1][0]
    print(
        f"parallel {parallel}: ideal {ideal:g} s | dispatches {work - begin:.2f} s, ratio "
        f"{(work - begin) / ideal:.2f} | "
        f"with merge and validation {done - begin:.2f} s, ratio {(done - begin) / ideal:.2f} | "
        f"whole run {whole:.2f} s, ratio {whole / ideal:.2f}"
    )


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--seconds", type=float, default=1.0, help="how long each task's agent takes"
    )
    parser.add_argument("--tasks", type=int, default=8)
    parser.add_argument("--parallel", type=int, nargs="+", default=[2, 4, 8])
    parser.add_argument(
        "--profile", action="store_true", help="show where the time of the last measurement goes"
    )
    told = parser.parse_args(words)
    with work_folder("groups") as folder:
        for parallel in told.parallel:
            profile = cProfile.Profile()
            if told.profile:
                profile.enable()
            watch = measured(folder / str(parallel), told.tasks, told.seconds, parallel)
            profile.disable()
            report(watch, told.tasks, told.seconds, parallel)
        if told.profile:
            pstats.Stats(profile).sort_stats("cumulative").print_stats(40)


if __name__ == "__main__":
    main()
