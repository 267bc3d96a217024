"""A state file that a power cut put together from several versions is rebuilt; a person's edit
is not taken for one.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from podium.core.errors import InputError
from podium.core.events import state_of
from podium.core.run import Run
from podium.state import regular, state_file
from podium.state.disk import Disk

SECTOR = 512
START = 1_767_000_000.0
"""When the journal's last event was written: before any machine that runs this test was started."""


def moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(seconds))


def run(number: int) -> Run:
    return Run(
        step=f"step_{number:02d}", visits={f"step_{at:02d}": number for at in range(60, 0, -1)}
    )


EVENTS: list[dict[str, Any]] = [
    {
        "seq": number,
        "type": "run.started" if number == 1 else "run.advanced",
        "run": "r",
        "workflow": "w",
        "ts": moment(START),
        "state": json.loads(json.dumps(state_of(run(number)))),
    }
    for number in range(1, 6)
]


def text(tmp_path: Path, number: int) -> bytes:
    state_file.save(tmp_path / "other.json", "r", "w", run(number), number, Disk())
    return (tmp_path / "other.json").read_bytes()


def left(tmp_path: Path, data: bytes, changed: float = START) -> Path:
    path = tmp_path / "state.json"
    path.write_bytes(data)
    os.utime(path, (changed, changed))
    return path


@pytest.mark.parametrize(
    "cut",
    [
        "sectors of two versions",
        "an old text with the new size",
        "nothing behind the first sector",
        "cut short",
    ],
)
def test_a_mixture_of_versions_is_rebuilt_from_the_journal(tmp_path: Path, cut: str) -> None:
    old, new = text(tmp_path, 3), text(tmp_path, 5)
    data = {
        "sectors of two versions": new[:SECTOR] + old[SECTOR:],
        "an old text with the new size": old + bytes(40),
        "nothing behind the first sector": new[:SECTOR] + bytes(len(new) - SECTOR),
        "cut short": old[: SECTOR + 100],
    }[cut]
    found = state_file.current(left(tmp_path, data), EVENTS, Run)
    assert (found.run, found.run.visits, found.kind) == (run(5), run(5).visits, "rebuilt")


def test_an_old_version_as_a_whole_is_rolled_forward(tmp_path: Path) -> None:
    found = state_file.current(left(tmp_path, text(tmp_path, 2)), EVENTS, Run)
    assert (found.run.step, found.kind) == ("step_05", "rolled_forward")


def test_what_a_person_wrote_after_the_last_event_is_theirs_even_if_a_version_had_it(
    tmp_path: Path,
) -> None:
    data = text(tmp_path, 5)[:SECTOR] + text(tmp_path, 3)[SECTOR:]
    found = state_file.current(left(tmp_path, data, START + 30), EVENTS, Run)
    assert found.kind == "edited"
    with pytest.raises(InputError):
        state_file.current(left(tmp_path, data[:-9], START + 30), EVENTS, Run)


def test_what_no_version_had_is_a_persons_whenever_it_was_written(tmp_path: Path) -> None:
    data = text(tmp_path, 5).replace(b'"step": "step_05"', b'"step": "step_01"')
    found = state_file.current(left(tmp_path, data), EVENTS, Run)
    assert (found.run.step, found.changes) == ("step_01", ("step: step_05 -> step_01",))


def test_on_a_machine_that_was_not_restarted_nothing_is_torn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = text(tmp_path, 5)[:SECTOR] + text(tmp_path, 3)[SECTOR:]
    monkeypatch.setattr(regular.time, "clock_gettime", lambda _: time.time() - START + 3600)
    assert state_file.current(left(tmp_path, data), EVENTS, Run).kind == "edited"


def test_a_reader_does_not_mix_two_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file it has open becomes the spare, and is written over while it reads."""
    path = tmp_path / "state.json"
    for number in (1, 2):
        state_file.save(path, "r", "w", run(number), number, Disk())
    real, done = os.fstat, []

    def slow(descriptor: int) -> os.stat_result:
        facts = real(descriptor)
        if not done:
            done.append(True)
            for number in (3, 4, 5):
                state_file.save(path, "r", "w", run(number), number, Disk())
        return facts

    monkeypatch.setattr(state_file.os, "fstat", slow)
    found = state_file.load(path, Run)
    assert found is not None
    assert (found.run.step, found.seq) == ("step_05", 5)
