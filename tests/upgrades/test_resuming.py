"""Folders of runs that an earlier Podium left: each goes on to its end, and nothing that was
done is done again.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.crash.flows import quick_folder
from tests.fakes.project import Project
from tests.upgrades.archives import index, shown, unpack
from tests.upgrades.going_on import to_the_end
from tests.upgrades.journeys import STOPS
from tests.upgrades.making import restored, standing

from podium.checking.examining import children
from podium.settings import policies
from podium.state.journal_file import decode
from podium.wiring import scaffold_text
from podium.workflows.catalog import NAMES, entry

KEPT = [(archive, each) for archive, folders in index().items() for each in folders]


@pytest.fixture(scope="module")
def opened() -> Iterator[Path]:
    """The archives, each unpacked once."""
    with quick_folder() as folder:
        yield folder


@pytest.fixture
def here() -> Iterator[Path]:
    with quick_folder() as folder:
        yield folder


def kept(opened: Path, archive: str, name: str) -> Path:
    if not (opened / archive).is_dir():
        unpack(archive, opened / archive)
    return opened / archive / name


def journals(project: Project) -> dict[Path, list[dict[str, Any]]]:
    """Of the run and its child runs; the chain of each is checked."""
    return {
        path: decode(path.read_bytes(), str(path)).events
        for path in sorted(project.folder.rglob("journal.jsonl"))
    }


@pytest.mark.parametrize(
    ("archive", "name"), KEPT, ids=[f"{archive}-{name}" for archive, name in KEPT]
)
def test_a_run_that_was_left_there_goes_on_to_its_end(
    opened: Path, here: Path, archive: str, name: str
) -> None:
    project = restored(kept(opened, archive, name), here / "now")
    (at,) = {each.at for each in STOPS[archive.partition("-")[0]] if each.name == name} or {""}
    assert not at or at in standing(project)
    before = {path: path.read_bytes() for path in journals(project)}
    done = {each["key"] for each in project.events("step.finished")}
    ended = to_the_end(project)
    after = journals(project)
    assert ended.status == "complete", ended
    assert not [path for path, data in before.items() if not path.read_bytes().startswith(data)], (
        "what was durable is lost"
    )
    stale = {each["key"] for each in project.events("step.stale")}
    finished = [
        each["key"]
        for events in after.values()
        for each in events
        if each["type"] == "step.finished"
    ]
    assert not {key for key in finished if finished.count(key) > 1 and key not in stale}, (
        "finished twice"
    )
    new = [each for path, events in after.items() for each in _new(events, before.get(path, b""))]
    assert not (done & {each["key"] for each in new if each["type"] == "step.started"}) - stale, (
        "asked again after its end was recorded"
    )
    assert not at or [
        each for each in new if each["type"] == "run.advanced" and each["from"] == at
    ], f"it did not go on from {at}"


def _new(events: list[dict[str, Any]], before: bytes) -> list[dict[str, Any]]:
    return events[before.count(b"\n") :]


def test_every_step_of_every_workflow_is_shown_by_a_run_that_was_left() -> None:
    whole = [
        entry(name).sample(policies.defaults(name), lambda _: None, partial(scaffold_text, name))
        for name in NAMES
    ]
    every = {
        (each.name, step)
        for flow in whole
        for each in (flow, *children(flow))
        for step in each.steps
    }
    missing = every - {step for archive in index() for step in shown(archive)}
    assert not missing, (
        f"no folder in tests/fixtures/runs shows {sorted(missing)}: where the journey of the "
        "workflow does not come there, add "
        'a Stop(…, at="STEP") in tests/upgrades/journeys.py; then run `python '
        "scripts/fixtures.py WORKFLOW`"
    )
