"""Runs with agents side by side, killed at many writes: what is common to all that tell such a
tale.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.crash.story import NOON, Counted, Place, Snapshot, _agent, fingerprint, in_turn

from podium.state.disk import Disk
from podium.wiring import App, Parts


@dataclass(frozen=True)
class WavePlace(Place):
    """A project with one run whose views are where they are for everybody."""

    def app(self, disk: Disk | None = None) -> App:
        agent = _agent(json.dumps(self.scenario), self.project)
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.here),
            "XDG_STATE_HOME": str(self.here / "state"),
        }
        parts = Parts(
            environ,
            clock=lambda: NOON,
            disk=disk or Disk(),
            token=lambda: "story",
            agents=lambda _: Counted(agent, self.oracle),
            cwd=self.project,
        )
        return App(self.project, None, parts)

    def committed(self, files: Mapping[str, str]) -> None:
        """The project with these files and its scenario, in a repository of one commit."""
        own = {
            "scenario.json": json.dumps(self.scenario),
            "podium.toml": '[commands]\ntest = "test -f src/app.py"\n',
        }
        for path, text in {**files, **own}.items():
            (self.project / path).parent.mkdir(parents=True, exist_ok=True)
            (self.project / path).write_text(text)
        for words in (
            ["init", "-q", "-b", "main", "--template="],
            ["add", "-A"],
            ["commit", "-q", "-m", "A project"],
        ):
            self.git(*words)

    def begin(self, disk: Disk | None = None, until: str = "") -> None:
        raise NotImplementedError

    def go_on(self, disk: Disk | None = None, until: str = "") -> None:
        raise NotImplementedError

    def ended(self) -> list[str]:
        """Keys of what has ended, by the journal."""
        return self.finished()

    def told(self) -> dict[str, Any]:
        """Where the run stands and all files, without what only says in which order two agents
        ended.
        """
        return {
            **self.state(),
            **self.files(),
            "head": self.git("rev-parse", "HEAD"),
            "dirty": self.git("status", "--short"),
        }


@dataclass
class Whole:
    """The run that nobody killed."""

    place: WavePlace
    in_flight: int
    """How many agents may be asked once more."""
    deaths: list[tuple[str, Snapshot]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    after: dict[str, Any] = field(default_factory=dict)
    content: dict[bytes, bytes] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    every: int = 1
    """Of how many places one is looked at."""
    places: int = 0

    def look(self, operation: int, name: str, tear: int) -> None:
        self.places += 1
        if self.places % self.every:
            return
        left = self.place.kept(self.content)
        if (shown := fingerprint(left)) not in self.seen:
            self.seen.add(shown)
            self.deaths.append((f"operation {operation} {name} ({tear})", left))

    def end(self) -> None:
        self.asked, self.after = self.place.asked(), self.place.told()


@contextmanager
def quiet_root(name: str) -> Iterator[Path]:
    memory = Path("/dev/shm")
    found = Path(
        tempfile.mkdtemp(prefix=f"podium-{name}-", dir=memory if memory.is_dir() else None)
    )
    with in_turn():
        yield found
    shutil.rmtree(found)


def killed(whole: Whole, name: str, left: Snapshot, until: str = "") -> list[str]:
    """What is wrong after a death there, in words."""
    place = whole.place
    place.bring_back(left)
    before = Counter(place.asked())
    try:
        done = set(place.ended())
    except json.JSONDecodeError:  # a torn line: whatever it said is lost
        done = set()
    try:
        if not (place.run / "journal.jsonl").exists():
            place.begin(until=until)
        else:
            place.go_on(until=until)
    except Exception as fault:  # noqa: BLE001  # the other deaths are of interest all the same
        return [f"{name}: {type(fault).__name__}: {fault}"]
    return [
        f"{name}: {fault}"
        for fault in (*_differences(place.told(), whole.after), *_asked_again(whole, before, done))
    ]


def _differences(now: dict[str, Any], wanted: dict[str, Any]) -> Iterator[str]:
    for key in sorted({*wanted, *now}):
        one, other = now.get(key), wanted.get(key)
        if isinstance(one, Counter) and isinstance(other, Counter):
            yield from (f"{key} has more: {line[:400]}" for line in one - other)
            yield from (f"{key} lacks: {line[:400]}" for line in other - one)
        elif one != other:
            yield f"{key}: {str(one)[:300]!r} instead of {str(other)[:300]!r}"


def _asked_again(whole: Whole, before: Counter[str], done: set[str]) -> Iterator[str]:
    asked, ended = Counter(whole.place.asked()), whole.place.ended()
    if twice := [line for line in asked - before if line.split()[0] in done]:
        yield f"asked again after their end was recorded: {twice}"
    more = asked - Counter(whole.asked)
    if len(more) > whole.in_flight or any(count > 1 for count in more.values()):
        yield f"more than those in flight were asked again: {dict(more)}"
    if len(ended) != len(set(ended)):
        yield f"ended twice: {ended}"
