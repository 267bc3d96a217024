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
    REJECTED,
    REWOUND,
    RUN,
    STORY,
    Command,
    Place,
    Snapshot,
    Tale,
    again,
    approve,
    cancel,
    fingerprint,
    in_turn,
    rewind,
    scribes,
)

CHUNKS = 24
TEARS = {0: "", -1: " torn"}


@dataclass(frozen=True)
class Death:
    """One place where a process can die, and what it leaves there."""

    at: int
    """The command."""
    operation: int
    name: str
    tear: int
    left: Snapshot


@dataclass
class Whole:
    """A tale that nobody killed, and every place where it can be."""

    tale: Tale
    place: Place
    deaths: list[Death] = field(default_factory=list)
    """Those that leave bytes which no earlier one left."""
    counted: dict[str, int] = field(default_factory=dict)
    """Operations by name, tears included."""
    before: list[Snapshot] = field(default_factory=list)
    """The folder before each command."""
    asked: list[str] = field(default_factory=list)
    after: list[dict[str, Any]] = field(default_factory=list)
    """What is to be seen of the project after each command."""
    continued: set[tuple[int, str]] = field(default_factory=set)
    """(command, bytes after it) from where the tale has been told to its end already."""
    content: dict[bytes, bytes] = field(default_factory=dict)
    seen: set[tuple[int, str]] = field(default_factory=set)

    def look(self, at: int, operation: int, name: str, tear: int) -> None:
        self.counted[name] = self.counted.get(name, 0) + 1
        left = self.place.kept(self.content)
        if (at, shown := fingerprint(left)) not in self.seen:
            self.seen.add((at, shown))
            self.deaths.append(Death(at, operation, name, tear, left))


def told(tale: Tale, root: Path) -> Whole:
    place = Place(root, tale.scenario)
    place.make()
    whole = Whole(tale, place)
    for at, command in enumerate(tale.commands):
        whole.before.append(place.kept(whole.content))
        deadly = at >= tale.deadly_from
        disk = WatchedDisk(lambda *where, at=at: whole.look(at, *where)) if deadly else None
        command(place.app(disk))
        whole.after.append(place.visible())
    whole.asked = place.asked()
    return whole


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    memory = Path("/dev/shm")
    found = Path(tempfile.mkdtemp(prefix="podium-crash-", dir=memory if memory.is_dir() else None))
    with in_turn():
        yield found
    shutil.rmtree(found)


@pytest.fixture(scope="module")
def whole(root: Path) -> Whole:
    with scribes(lazy=STORY.lazy):
        return told(STORY, root / "story")


@pytest.mark.crash
@pytest.mark.timeout(300)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_killed_run_goes_on_where_it_was(whole: Whole, chunk: int) -> None:
    # Neighbours in one chunk: they often go on from the same bytes.
    size = -(-len(whole.deaths) // CHUNKS)
    check(whole, whole.deaths[chunk * size : (chunk + 1) * size])


@pytest.fixture(scope="module")
def rewound(root: Path) -> Whole:
    with scribes(lazy=REWOUND.lazy):
        return told(REWOUND, root / REWOUND.name)


@pytest.mark.crash
@pytest.mark.timeout(300)
@pytest.mark.parametrize("chunk", range(CHUNKS // 4))
def test_a_killed_rewind_and_what_follows_goes_on_where_it_was(rewound: Whole, chunk: int) -> None:
    size = -(-len(rewound.deaths) // (CHUNKS // 4))
    check(rewound, rewound.deaths[chunk * size : (chunk + 1) * size])


@pytest.mark.crash
@pytest.mark.timeout(300)
@pytest.mark.parametrize("tale", [CANCELLED, BLOCKED, REJECTED], ids=lambda tale: tale.name)
def test_a_killed_command_can_be_given_again(root: Path, tale: Tale) -> None:
    with scribes(lazy=tale.lazy):
        whole = told(tale, root / tale.name)
    check(whole, whole.deaths)


@pytest.mark.crash
@pytest.mark.parametrize(("tale", "deadly"), [(REWOUND, {approve, rewind}), (CANCELLED, {cancel})])
def test_what_is_looked_at_is_what_a_killed_process_leaves(
    root: Path, tale: Tale, deadly: set[Command]
) -> None:
    """Every death of these commands for real: the others differ in how many operations they
    have.
    """
    place = root / f"real-{tale.name}"
    with scribes(lazy=tale.lazy):
        whole = told(tale, place)
        for death in whole.deaths:
            command = tale.commands[death.at]
            if command in deadly:
                whole.place.bring_back(whole.before[death.at])
                assert dies(
                    lambda disk, command=command: command(whole.place.app(disk)),  # type: ignore[misc]
                    death.operation,
                    whole.place.root / "report",
                    death.tear,
                )
                assert fingerprint(whole.place.kept({})) == fingerprint(death.left), death.operation


def test_every_operation_of_a_run_is_among_the_cuts(whole: Whole) -> None:
    assert sum(whole.counted.values()) > 400
    assert {each.at for each in whole.deaths} == set(range(len(STORY.commands)))
    assert set(whole.counted) >= {
        "append",
        "create_dir",
        "link",
        "replace",
        "rewrite",
        "sync",
        "sync_dir",
        "unlink",
        "write_file",
    }


def check(whole: Whole, deaths: Sequence[Death]) -> None:
    with scribes(lazy=whole.tale.lazy):
        faults = [fault for death in deaths for fault in killed(whole, death)]
    assert not faults, "\n".join(faults)


def killed(whole: Whole, death: Death) -> list[str]:
    """What is wrong after a death there, in words."""
    place, commands = whole.place, whole.tale.commands
    place.bring_back(death.left)
    torn = TEARS.get(death.tear, f" after {death.tear} lines")
    name = (
        f"{whole.tale.name}: {commands[death.at].__name__} ({death.at}), operation "
        f"{death.operation} {death.name}{torn}"
    )
    before, durable, done = place.asked(), place.journal(), set(place.finished())
    try:
        for now in range(death.at, len(commands)):
            if not again(place, commands[now]):
                continue
            if faults := list(differences(place.visible(), whole.after[now])):
                return [f"{name}: after command {now}: {fault}" for fault in faults]
            if faults := list(
                faults_of(whole, before, durable, done, ended=now == len(commands) - 1)
            ):
                return [f"{name}: after command {now}: {fault}" for fault in faults]
            # From the same bytes the rest goes the same way, and has been seen to.
            stands = (now, fingerprint(place.kept({})))
            if stands in whole.continued:
                return []
            whole.continued.add(stands)
    except Exception as fault:  # noqa: BLE001  # the other deaths are of interest all the same
        return [f"{name}: {type(fault).__name__}: {fault}"]
    return []


def faults_of(
    whole: Whole, before: list[str], durable: bytes, done: set[str], *, ended: bool
) -> Iterator[str]:
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
    wanted = (whole.asked[len(before) :], whole.asked[max(len(before) - 1, 0) :])
    if again not in wanted if ended else not any(each[: len(again)] == again for each in wanted):
        yield f"asked {asked}"
    if ended and not whole.tale.rests and place.left:
        yield f"views left: {place.left}"


def differences(found: dict[str, Any], wanted: dict[str, Any]) -> Iterator[str]:
    for name in sorted({*found, *wanted}):
        one, other = found.get(name), wanted.get(name)
        if one != other:
            was, now = _text(other).splitlines(), _text(one).splitlines()
            lines = difflib.unified_diff(was, now, n=0, lineterm="")
            yield (
                f"{name}: "
                + " | ".join(line for line in lines if line[:3] not in {"---", "+++"})[:600]
            )


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
