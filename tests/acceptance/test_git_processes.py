"""How often a run starts git: each start costs milliseconds of every dispatch, and nobody sees them come."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.faults.kit import Gits, gits, one_after_the_other
from tests.faults.worlds import World

from podium.core.run import Status

BEFORE = "before any step"
FIRST = 5
"""Asked once in a process: where the repository is, its HEAD, what is in it, its settings, and what they have git run."""


class Told(Gits):
    """Git as it is, and an observer that knows during which dispatch each command was given."""

    def __init__(self) -> None:
        super().__init__()
        self.key = BEFORE
        self.commands: dict[str, list[str]] = {}
        self.kinds: dict[str, str] = {}

    def __call__(self, args: Sequence[str], **more: Any) -> bytes:
        self.commands.setdefault(self.key, []).append(" ".join(more.get("shown") or args)[:100])
        return super().__call__(args, **more)

    def event(self, event: Mapping[str, Any]) -> None:
        if event["type"] == "step.started":
            self.key = event["key"]
            self.kinds[self.key] = event["kind"]

    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None: ...


Runs = Callable[[str], Told]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """Each workflow once."""
    return cache(lambda workflow: told(workflow, tmp_path_factory.mktemp(workflow)))


def told(workflow: str, root: Path) -> Told:
    world, counted = World.of(workflow, root), Told()
    world.observer = counted
    with gits(counted), one_after_the_other():
        assert world.go().status is Status.COMPLETE
    return counted


# What a build asks: status and the new files' ids, a ref that keeps the checkpoint; the view's files and objects; what is ignored
# and what the changed files are; the branch; files as they land, for their digests and to land, and a patch.
@pytest.mark.parametrize(
    ("workflow", "key", "most"),
    [
        ("harness", "build/1", 11 + FIRST),
        ("harness", "qa/1", 7),
        ("harness", "build/2", 11),
        ("ticket", "iteration/0/task/TASK-1/1", 9),
        ("governed", "wave/1/phase/1/execute/1", 11),
        ("roadmap", "item/US-2/implement/1", 11),
        ("roadmap", "item/US-2/review/1", 6),
        ("roadmap", "commit/2", 7),
    ],
)
def test_a_dispatch_of_code_or_a_commit_starts_git_no_more_often_than_it_must(runs: Runs, workflow: str, key: str, most: int) -> None:
    found = runs(workflow).commands[key]
    listed = "".join(f"\n  {number:2} git {each}" for number, each in enumerate(found, 1))
    assert len(found) <= most, f"{key} of {workflow} starts {len(found)} processes of git, and {most} do:{listed}"


def test_tasks_side_by_side_and_their_reviews_start_git_six_times_each(runs: Runs) -> None:
    counted = runs("feature")
    dispatches = [key for key, kind in counted.kinds.items() if kind == "dispatch"]
    number = sum(len(each) for each in counted.commands.values())
    assert number <= 6 * len(dispatches), f"{number} processes of git for {len(dispatches)} dispatches"
