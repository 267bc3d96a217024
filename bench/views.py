"""What a code step costs besides its agent, at several sizes of a project: in a view of layers, in
a copy with all files, and beside `git worktree add`.

python -m bench.views [--files 100,5000,50000] [--steps N]
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter

from bench.disk import work_folder
from bench.hundred import Chain, Watch, Writer, services

from podium.agents.protocol import Answer, Job, Usage
from podium.core.contract import Contract
from podium.core.effects import Stage
from podium.core.run import DONE, Status
from podium.core.workflow import Step
from podium.engine import runs
from podium.engine.collector import spare_what_is_loaded

RATIO, MOST_MS = 3.0, 300.0
"""The largest project against the smallest, and its own time."""
CHANGED = 10
"""Files that the agent writes in a step."""
BY_FOLDER = 25
ROUNDS = 3


class Code(Chain):
    """Stages that change code, each judged by a command of the project."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        names = list(self.steps)
        after = [*names[1:], DONE]
        self.steps = {name: _stage(name, then) for name, then in zip(names, after, strict=True)}


def _stage(name: str, then: str) -> Step:
    contract = Contract(role="writer", code="write", evidence=("test",), proof_of_change="new")
    return Step(name, Stage("writer", lambda _: contract), lambda *_: then, ("ok",), (then,))


class Programmer(Writer):
    """Writes some files with a shell, in the view. The shell's own millisecond counts, because its
    start is a part of what a view costs.
    """

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    async def perform(self, job: Job) -> Answer:
        self.calls += 1
        lines = [
            f"echo {self.calls} >>src/folder0/file{number}.txt"
            if number % 2
            else f"echo {self.calls} >src/folder1/new{self.calls}-{number}.txt"
            for number in range(CHANGED)
        ]
        ended = await job.supervise(
            ("/bin/sh", "-ec", "\n".join(lines)), cwd=job.folder, env=job.environment
        )
        assert ended.exit_code == 0, ended.errors
        return Answer(text="DONE: written", usage=Usage(100, 20, 0.001))


@dataclass
class Taken:
    """Milliseconds at one size."""

    first: float
    """The first step of a project, which makes the frozen tree."""
    processor: float = 0.0
    """What a step in layers takes of the processors, with all that it starts: on a busy machine the
    only figure that means something.
    """
    layers: list[float] = field(default_factory=list)
    copies: list[float] = field(default_factory=list)
    """The same steps where each view is a folder of its own with all files."""
    worktrees: list[float] = field(default_factory=list)


def project(folder: Path, files: int) -> Path:
    """A repository with so many small files, a role, and a folder of dependencies."""
    made = folder / "project"
    (made / ".podium/roles").mkdir(parents=True)
    (made / ".podium/roles/writer.md").write_text("You write code.\n", encoding="utf-8")
    (made / ".gitignore").write_text("node_modules/\n.podium/\n", encoding="utf-8")
    (made / "podium.toml").write_text('[commands]\ntest = "true"\n', encoding="utf-8")
    for number in range(files):
        place = made / f"src/folder{number // BY_FOLDER}"
        if number % BY_FOLDER == 0:
            place.mkdir(parents=True)
        (place / f"file{number % BY_FOLDER}.txt").write_text(f"{number}\n" * 20, encoding="utf-8")
    for number in range(40):
        place = made / f"node_modules/package{number}"
        place.mkdir(parents=True)
        (place / "index.js").write_text("module.exports = 1\n", encoding="utf-8")
    for command in (
        ("init", "-q", "-b", "main"),
        ("add", "-A"),
        ("-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x"),
    ):
        subprocess.run(["git", *command], cwd=made, check=True)
    return made


def measured(made: Path, run: str, steps: int, kind: str) -> list[float]:
    """Milliseconds of each step of one run."""
    text = f'[commands]\ntest = "true"\n[proof]\nrepeat = 1\n[view]\nkind = "{kind}"\n'
    (made / "podium.toml").write_text(text, encoding="utf-8")
    workflow, agent = Code(steps), Programmer()
    watch = Watch(agent)
    provided, request = services(made, workflow, watch)
    assert runs.create(provided, workflow, run, workflow.first(), request)
    ended = runs.go(provided, workflow, run)
    assert ended.status is Status.COMPLETE, ended
    return [step * 1e3 for step in watch.steps]


def processor() -> float:
    """Milliseconds that this process and all that it waited for have taken so far."""
    own, others = (
        resource.getrusage(resource.RUSAGE_SELF),
        resource.getrusage(resource.RUSAGE_CHILDREN),
    )
    return sum(each.ru_utime + each.ru_stime for each in (own, others)) * 1e3


def worktree(made: Path, number: int) -> float:
    """What `git worktree add` and `remove` take, with a look at what changed in between."""
    place = made.parent / f"worktree{number}"
    began = perf_counter()
    for command in (
        ("worktree", "add", "-q", "--detach", os.fspath(place)),
        ("-C", os.fspath(place), "status", "--porcelain"),
        ("worktree", "remove", "--force", os.fspath(place)),
    ):
        subprocess.run(["git", *command], cwd=made, check=True)
    return (perf_counter() - began) * 1e3


def measure(folder: Path, files: int, steps: int) -> Taken:
    """Runs in layers and worktrees in turns, so that both see the same machine; copies last."""
    made = project(folder, files)
    taken = Taken(measured(made, "first", 1, "auto")[0])
    for number in range(ROUNDS):
        before = processor()
        taken.layers += measured(made, f"layers{number}", steps, "auto")
        taken.processor += (processor() - before) / (ROUNDS * steps)
        taken.worktrees += [worktree(made, number) for number in range(2)]
    taken.copies = measured(made, "copies", 2, "copy")
    return taken


def line(files: int, taken: Taken) -> str:
    own, copies, tree = map(median, (taken.layers, taken.copies, taken.worktrees))
    return (
        f"views     {files:>6,} files: {own:.0f} ms a step ({taken.processor:.0f} ms computing); "
        f"as copies {copies:.0f} ms, {copies / own:.1f} x; `git worktree add` alone {tree:.0f} ms, "
        f"{tree / own:.1f} x; the first step {taken.first:.0f} ms"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", default="100,5000,50000")
    parser.add_argument("--steps", type=int, default=6)
    args = parser.parse_args()
    spare_what_is_loaded()  # as every process that drives a run does
    steps = []
    for files in map(int, args.files.split(",")):
        with work_folder(f"views-{files}") as folder:
            taken = measure(folder, files, args.steps)
        print(line(files, taken), flush=True)
        steps.append(median(taken.layers))
    ratio = steps[-1] / steps[0]
    print(
        f"          the largest takes {ratio:.2f} x the smallest (target {RATIO:g}) and "
        f"{steps[-1]:.0f} ms (target {MOST_MS:g})"
    )
    return int(ratio > RATIO or steps[-1] > MOST_MS)


if __name__ == "__main__":
    sys.exit(main())
