"""A run of a Podium that knew more, or other steps, than this one: it is told, nothing is
guessed and nothing lost.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scripts.pages.events import MEANING, OWN
from tests.crash.flows import quick_folder
from tests.fakes.project import Project
from tests.upgrades.archives import unpack
from tests.upgrades.going_on import to_the_end
from tests.upgrades.making import restored

from podium.core import events as words
from podium.core.chain import FIRST, seal
from podium.core.errors import InputError
from podium.core.vocabulary import TYPES
from podium.workflows.catalog import NAMES

Rewrite = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def kept() -> Iterator[Path]:
    with quick_folder() as folder:
        unpack("harness", folder / "kept")
        yield folder / "kept"


@pytest.fixture
def project(kept: Path) -> Iterator[Project]:
    """A run that waits before Build."""
    with quick_folder() as folder:
        yield restored(kept / "gate", folder / "now")


def rewritten(project: Project, change: Rewrite) -> None:
    """The journal as another Podium would have written it: other events, a whole chain."""
    path = project.folder / "journal.jsonl"
    prev, lines = FIRST, []
    for seq, event in enumerate(
        change([json.loads(line) for line in path.read_text().splitlines()]), 1
    ):
        sealed, line = seal(
            {name: each for name, each in event.items() if name not in {"seq", "prev", "hash"}},
            seq,
            prev,
        )
        prev = sealed["hash"]
        lines.append(line)
    path.write_bytes(b"".join(lines))


def refused(project: Project) -> str:
    """What it says, after which nothing is different."""
    before = project.snapshot()
    journal = (project.folder / "journal.jsonl").read_bytes()
    with pytest.raises(InputError) as told:
        project.resume()
    assert project.snapshot() == before
    assert (project.folder / "journal.jsonl").read_bytes() == journal
    return str(told.value)


def test_an_event_of_a_kind_nobody_knows_here_stops_before_anything_is_done(
    project: Project,
) -> None:
    told = {
        "type": "gate.delegated",
        "ts": "2026-03-01T13:00:00.000Z",
        "run": project.run_id,
        "to": "Eve",
    }
    rewritten(project, lambda known: [*known, told])
    said = refused(project)
    count = len((project.folder / "journal.jsonl").read_bytes().splitlines())
    assert (
        f"journal.jsonl:{count}: an event of the type 'gate.delegated', which this Podium "
        "does not know"
    ) in said
    assert "continue with the newest of those; nothing was changed" in said
    with pytest.raises(InputError):
        project.approve()


def test_a_newer_format_is_refused_with_the_version_that_wrote_it(project: Project) -> None:
    rewritten(project, lambda known: [{**known[0], "format": 2, "version": "9.1"}, *known[1:]])
    assert "journal.jsonl:1: format 2, this Podium reads 1 (Podium 9.1 drove this run" in refused(
        project
    )


def test_people_can_still_look_at_a_run_that_is_refused(project: Project) -> None:
    rewritten(project, lambda known: [{**known[0], "format": 2}, *known[1:]])
    assert project.app.summary(project.run_id).status == "waiting"
    assert project.events("step.finished")


def renamed(project: Project, old: str, new: str) -> None:
    """As if the step had another name when the run began."""

    def other(value: Any) -> Any:
        if isinstance(value, dict):
            return {new if name == old else name: other(each) for name, each in value.items()}
        return new if value == old else value

    rewritten(project, lambda known: [other(each) for each in known])
    state = project.folder / "state.json"
    state.write_text(json.dumps({**other(json.loads(state.read_text())), "step": new}))


def test_a_step_that_is_no_more_is_named_with_those_there_are_and_nothing_is_repeated_or_skipped(
    project: Project,
) -> None:
    done = project.done()
    renamed(project, "approve_build", "sign_off_build")
    with pytest.raises(
        InputError,
        match=r"step is 'sign_off_build', which harness does not have \(one of .*approve_build",
    ):
        to_the_end(project)
    assert project.done() == done
    state = project.folder / "state.json"
    state.write_text(state.read_text().replace("sign_off_build", "approve_build"))
    assert to_the_end(project).status == "complete"
    assert [key for key in project.started() if key in done] == done


def test_every_event_that_is_documented_is_known() -> None:
    """A new one that is not named in `core/vocabulary.py` would be taken for a newer Podium's."""
    told = {*MEANING, *OWN}
    assert "run.started" in told
    assert {each for each in told if each.partition(".")[0] not in NAMES} == set(TYPES)


def test_every_event_the_engine_can_write_is_known() -> None:
    source = Path(words.__file__).read_text()
    told = {
        each
        for each in source.split('"')
        if each.count(".") == 1 and each.replace(".", "").replace("_", "").isalpha()
    }
    assert told <= TYPES
