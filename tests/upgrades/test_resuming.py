"""Folders of runs that an earlier Podium left: each goes on to its end, and nothing that was done is done again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.crash.flows import quick_folder
from tests.fakes.project import Project
from tests.upgrades.going_on import to_the_end
from tests.upgrades.making import FOLDER, restored, unpack

from podium.state.journal_file import decode

KEPT = [(name, each) for name, folders in json.loads((FOLDER / "index.json").read_text()).items() for each in folders]


@pytest.fixture(scope="module")
def opened() -> Iterator[Path]:
    """The archives, each unpacked once."""
    with quick_folder() as folder:
        yield folder


@pytest.fixture
def here() -> Iterator[Path]:
    with quick_folder() as folder:
        yield folder


def kept(opened: Path, workflow: str, name: str) -> Path:
    if not (opened / workflow).is_dir():
        unpack(workflow, opened / workflow)
    return opened / workflow / name


def journals(project: Project) -> dict[Path, list[dict[str, Any]]]:
    """Of the run and its child runs; the chain of each is checked."""
    return {path: decode(path.read_bytes(), str(path)).events for path in sorted(project.folder.rglob("journal.jsonl"))}


@pytest.mark.parametrize(("workflow", "name"), KEPT, ids=[f"{workflow}-{name}" for workflow, name in KEPT])
def test_a_run_that_was_left_there_goes_on_to_its_end(opened: Path, here: Path, workflow: str, name: str) -> None:
    project = restored(kept(opened, workflow, name), here / "now")
    before = {path: path.read_bytes() for path in journals(project)}
    done = {each["key"] for each in project.events("step.finished")}
    ended = to_the_end(project)
    after = journals(project)
    assert ended.status == "complete", ended
    assert not [path for path, data in before.items() if not path.read_bytes().startswith(data)], "what was durable is lost"
    stale = {each["key"] for each in project.events("step.stale")}
    finished = [each["key"] for events in after.values() for each in events if each["type"] == "step.finished"]
    assert not {key for key in finished if finished.count(key) > 1 and key not in stale}, "finished twice"
    asked = [each["key"] for path, events in after.items() for each in _new(events, before.get(path, b"")) if each["type"] == "step.started"]
    assert not (done & set(asked)) - stale, "asked again after its end was recorded"


def _new(events: list[dict[str, Any]], before: bytes) -> list[dict[str, Any]]:
    return events[before.count(b"\n") :]
