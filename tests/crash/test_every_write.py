"""Runs are killed at every operation of their disk, and go on as if nothing had happened."""

from __future__ import annotations

import difflib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.crash.death import WatchedDisk, dies
from tests.crash.story import (
    BLOCKED,
    CANCELLED,
    REWOUND,
    RUN,
    STORY,
    Command,
    Place,
    Tale,
    again,
    still_clocks,
)

CHUNKS = 24
TEARS = {0: "", -1: " torn"}
Cut = tuple[int, int, int]
"""(command, operation, tear)"""


@dataclass
class Whole:
    """A tale that nobody killed, and every place where it can be."""

    tale: Tale
    place: Place
    cuts: list[Cut] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    after: list[dict[str, Any]] = field(default_factory=list)
    """What is to be seen of the project after each command."""
    seen: set[str] = field(default_factory=set)
    """What deaths left: the same bytes need no second look."""


def told(tale: Tale, root: Path) -> Whole:
    place = Place(root, tale.scenario)
    place.make()
    whole = Whole(tale, place)
    for at, command in enumerate(tale.commands):
        place.keep(f"before-{at}")
        disk = WatchedDisk()
        command(place.app(disk))
        if at >= tale.deadly_from:
            whole.cuts += [(at, *cut) for cut in disk.cuts]
        whole.after.append(place.visible())
    whole.asked = place.asked()
    return whole


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    memory = Path("/dev/shm")
    found = Path(tempfile.mkdtemp(prefix="podium-crash-", dir=memory if memory.is_dir() else None))
    with still_clocks():
        yield found
    shutil.rmtree(found)


@pytest.fixture(scope="module")
def whole(root: Path) -> Whole:
    return told(STORY, root / "story")


@pytest.mark.crash
@pytest.mark.timeout(300)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_killed_run_goes_on_where_it_was(whole: Whole, chunk: int) -> None:
    # Neighbours in one chunk: they often leave the same bytes.
    size = -(-len(whole.cuts) // CHUNKS)
    check(whole, whole.cuts[chunk * size : (chunk + 1) * size])


@pytest.mark.crash
@pytest.mark.timeout(300)
@pytest.mark.parametrize("tale", [REWOUND, CANCELLED, BLOCKED], ids=lambda tale: tale.name)
def test_a_killed_command_can_be_given_again(root: Path, tale: Tale) -> None:
    whole = told(tale, root / tale.name)
    check(whole, whole.cuts)


def test_every_operation_of_a_run_is_among_the_cuts(whole: Whole) -> None:
    assert len(whole.cuts) > 150
    assert {at for at, _, _ in whole.cuts} == set(range(len(STORY.commands)))


def check(whole: Whole, cuts: Sequence[Cut]) -> None:
    faults = [fault for cut in cuts for fault in killed(whole, *cut)]
    assert not faults, "\n".join(faults)


def killed(whole: Whole, at: int, number: int, tear: int) -> list[str]:
    """What is wrong after a death there, in words."""
    place = whole.place
    place.bring_back(f"before-{at}")
    command: Command = whole.tale.commands[at]
    assert dies(lambda disk: command(place.app(disk)), number, place.root / "report", tear=tear)
    left = place.fingerprint()
    if left in whole.seen:
        return []
    whole.seen.add(left)
    name = f"{whole.tale.name}: {command.__name__} ({at}), operation {number}{TEARS.get(tear, f' after {tear} lines')}"
    before, durable, done = place.asked(), place.journal(), set(place.finished())
    try:
        for now in range(at, len(whole.tale.commands)):
            if not again(place, whole.tale.commands[now]):
                continue
            if faults := list(differences(place.visible(), whole.after[now])):
                return [f"{name}: after command {now}: {fault}" for fault in faults]
        return [f"{name}: {fault}" for fault in faults_of(whole, before, durable, done)]
    except Exception as fault:  # noqa: BLE001  # the other cuts are of interest all the same
        return [f"{name}: {type(fault).__name__}: {fault}"]


def faults_of(whole: Whole, before: list[str], durable: bytes, done: set[str]) -> Iterator[str]:
    place = whole.place
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
    if not whole.tale.rests and any(place.views.rglob("*/work")):
        yield f"views left: {list(place.views.rglob('*'))}"


def differences(found: dict[str, Any], wanted: dict[str, Any]) -> Iterator[str]:
    for name in sorted({*found, *wanted}):
        one, other = found.get(name), wanted.get(name)
        if one != other:
            was, now = _text(other).splitlines(), _text(one).splitlines()
            lines = difflib.unified_diff(was, now, n=0, lineterm="")
            yield f"{name}: " + " | ".join(line for line in lines if line[:3] not in {"---", "+++"})[:600]


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
