"""A whole run is killed at every operation of its disk, and goes on as if nothing had happened."""

from __future__ import annotations

import difflib
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

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
    faults = [fault for cut in whole.cuts[chunk::CHUNKS] for fault in killed(whole, *cut)]
    assert not faults, "\n".join(faults)


def killed(whole: Whole, at: int, number: int, torn: bool) -> list[str]:
    """What is wrong after a death there, in words."""
    place = whole.place
    place.bring_back(f"before-{at}")
    command: Command = STORY[at]
    assert dies(lambda disk: command(place.app(disk)), number, place.root / "report", tear=torn)
    left = place.fingerprint()
    if left in whole.seen:
        return []
    name = f"{command.__name__} ({at}), operation {number}{', torn' if torn else ''}"
    whole.seen[left] = name
    before, durable, done = place.asked(), place.journal(), set(place.finished())
    try:
        go_on(place)
        return [f"{name}: {fault}" for fault in _faults(whole, before, durable, done)]
    except Exception as fault:  # noqa: BLE001  # the other cuts are of interest all the same
        return [f"{name}: {type(fault).__name__}: {fault}"]


def _faults(whole: Whole, before: list[str], durable: bytes, done: set[str]) -> Iterator[str]:
    place = whole.place
    yield from differences(place.state(), whole.state)
    yield from differences(place.files(), whole.files)
    yield from differences(place.repository(), whole.repository)
    if not place.journal().startswith(durable[: durable.rfind(b"\n") + 1]):
        yield "an event that was durable is lost"
    events = place.app().events(RUN)  # checks the chain
    if [each["seq"] for each in events] != list(range(1, len(events) + 1)):
        yield "the journal has gaps"
    finished = place.finished()
    if len(finished) != len(set(finished)):
        yield f"finished twice: {finished}"
    asked = place.asked()
    again = asked[len(before) :]
    if any(line.split()[0] in done for line in again):
        yield f"asked again after its end was recorded: {again}"
    # As often as without the death; only the dispatch in flight may be asked once more.
    if again not in (whole.asked[len(before) :], whole.asked[max(len(before) - 1, 0) :]):
        yield f"asked {asked}"
    left = [str(path) for path in place.views.rglob("*") if path.is_file()]
    if left:
        yield f"views left: {left}"


def differences(found: dict[str, Any], wanted: dict[str, Any]) -> Iterator[str]:
    for name in sorted({*found, *wanted}):
        one, other = found.get(name), wanted.get(name)
        if one != other:
            texts = [_text(each).splitlines() for each in (other, one)]
            yield f"{name}: " + " | ".join(
                line for line in difflib.unified_diff(*texts, n=0, lineterm="") if line[:3] not in {"---", "+++"}
            )[:600]


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def test_every_operation_of_a_run_is_among_the_cuts(whole: Whole) -> None:
    assert len(whole.cuts) > 150
    assert {at for at, _, _ in whole.cuts} == set(range(len(STORY)))
