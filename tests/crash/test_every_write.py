"""A whole run is killed at every operation of its disk, and goes on as if nothing had happened."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from podium.state.disk import Disk
from tests.crash.death import TORN, dies
from tests.crash.story import RUN, STORY, Command, Place, go_on
from tests.fakes.disk import CrashingDisk

CHUNKS = 24


@dataclass(frozen=True)
class Whole:
    """The run that nobody killed, and the cuts there are."""

    place: Place
    cuts: list[tuple[int, int, bool]]
    """(command, operation, torn)"""
    asked: list[str]
    state: dict[str, Any]
    files: dict[str, bytes]
    repository: dict[str, str]
    seen: dict[str, str]
    """What a death left, to the cut that left it first: the same bytes need no second look."""


@pytest.fixture(scope="module")
def whole() -> Iterator[Whole]:
    memory = Path("/dev/shm")
    root = Path(tempfile.mkdtemp(prefix="podium-crash-", dir=memory if memory.is_dir() else None))
    place = Place(root)
    place.make()
    cuts: list[tuple[int, int, bool]] = []
    for at, command in enumerate(STORY):
        place.keep(f"before-{at}")
        disk = CrashingDisk()
        command(place.app(disk))
        for number, name in enumerate(disk.done, 1):
            cuts += [(at, number, torn) for torn in ((False, True) if name in TORN else (False,))]
    yield Whole(place, cuts, place.asked(), place.state(), place.files(), place.repository(), {})
    shutil.rmtree(root)


@pytest.mark.crash
@pytest.mark.timeout(300)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_killed_run_goes_on_where_it_was(whole: Whole, chunk: int) -> None:
    faults: list[str] = []
    for at, number, torn in whole.cuts[chunk::CHUNKS]:
        try:
            _killed(whole, at, number, torn)
        except AssertionError as fault:
            faults.append(f"command {at}, operation {number}{', torn' if torn else ''}: {fault}")
        except Exception as fault:
            faults.append(f"command {at}, operation {number}{', torn' if torn else ''}: {type(fault).__name__}: {fault}")
    assert not faults, "\n".join(faults)


def _killed(whole: Whole, at: int, number: int, torn: bool) -> None:
    place = whole.place
    place.bring_back(f"before-{at}")
    command: Command = STORY[at]
    assert dies(lambda disk: command(place.app(disk)), number, place.root / "report", tear=torn)
    left = place.fingerprint()
    if left in whole.seen:
        return
    whole.seen[left] = f"{at}-{number}"
    before, durable, done = place.asked(), place.journal(), set(place.finished())
    go_on(place)
    _as_if_nothing_had_happened(whole, before, durable, done)


def _as_if_nothing_had_happened(whole: Whole, before: list[str], durable: bytes, done: set[str]) -> None:
    place = whole.place
    assert place.state() == whole.state
    _same(place.files(), whole.files)
    _same(place.repository(), whole.repository)
    # Everything that was in the journal is still there, and the chain holds.
    assert place.journal().startswith(durable[: durable.rfind(b"\n") + 1])
    events = place.app().events(RUN)
    assert [each["seq"] for each in events] == list(range(1, len(events) + 1))
    finished = place.finished()
    assert len(finished) == len(set(finished)), finished
    # Asked as often as without the death; only the dispatch in flight may be asked once more.
    asked = place.asked()
    again = asked[len(before) :]
    assert not [line for line in again if line.split()[0] in done], (done, again)
    expected = [before + whole.asked[len(before) :], before + whole.asked[max(len(before) - 1, 0) :]]
    assert asked in expected, asked
    assert not [path for path in place.views.rglob("*") if path.is_file()]


def _same(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    differ = sorted(name for name in {*found, *wanted} if found.get(name) != wanted.get(name))
    assert not differ, {name: (found.get(name), wanted.get(name)) for name in differ}


def test_every_operation_of_a_run_is_among_the_cuts(whole: Whole) -> None:
    assert len(whole.cuts) > 150
    assert {at for at, _, _ in whole.cuts} == set(range(len(STORY)))
