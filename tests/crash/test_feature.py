"""A feature run is killed at every write of a wave with two tasks side by side, and at many of the whole run."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.crash.death import WatchedDisk
from tests.crash.share import share
from tests.crash.story import NOON, Counted, Place, Snapshot, _agent, fingerprint, scribes, still_clocks
from tests.fakes.feature import REQUEST, finds, planner

from podium.state.disk import Disk
from podium.wiring import App, Parts, RunOptions

RUN = "count-words-story"
LINES = [f"LINE_{number} = {number}\n" for number in range(12)]


def changed(number: int, value: str) -> str:
    return "".join([*LINES[:number], f"LINE_{number} = {value}\n", *LINES[number + 1 :]])


SCENARIO: dict[str, Any] = {
    "agents": {
        "planner": [planner({"01-a": [], "02-b": []})],
        "ct-security": [finds("High"), {"behave": "well"}],
        "r-quality": [finds("Major", "NEEDS_REVISION", tasks=["02"]), {"behave": "well"}],
    },
    "keys": {
        # Both change one file: what the second made is merged over what the first brought in.
        "wave/1/01-a": [{"write": {"src/app.py": changed(1, "'a'"), "src/a.py": "A = 1\n"}, "say": "DONE: 01-a"}],
        "wave/1/02-b": [{"write": {"src/app.py": changed(10, "'b'")}, "delete": ["src/old.py"], "say": "DONE: 02-b"}],
    },
    "defaults": {"behave": "well"},
}


@dataclass(frozen=True)
class FeaturePlace(Place):
    scenario: Any = field(default_factory=lambda: SCENARIO)

    @property
    def run(self) -> Path:
        return self.project / ".podium" / "runs" / RUN

    def make(self) -> None:
        (self.project / "src").mkdir(parents=True)
        (self.project / "src" / "app.py").write_text("".join(LINES))
        (self.project / "src" / "old.py").write_text("OLD = 1\n")
        (self.project / "scenario.json").write_text(json.dumps(self.scenario))
        (self.project / "podium.toml").write_text('[commands]\ntest = "test -f src/app.py"\n')
        for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "A project"]):
            self.git(*words)

    def app(self, disk: Disk | None = None) -> App:
        agent = _agent(json.dumps(self.scenario), self.project)
        environ = {"PATH": os.environ["PATH"], "HOME": str(self.here), "XDG_STATE_HOME": str(self.here / "state")}
        parts = Parts(
            environ, clock=lambda: NOON, disk=disk or Disk(), token=lambda: "story",
            agents=lambda _: Counted(agent, self.oracle), cwd=self.project,
        )  # fmt: skip
        return App(self.project, None, parts)

    def begin(self, disk: Disk | None = None, until: str = "") -> None:
        self.app(disk).start("feature", [REQUEST], RunOptions(agent="scripted:scenario.json", until=until))

    def go_on(self, disk: Disk | None = None, until: str = "") -> None:
        self.app(disk).resume(RUN, RunOptions(until=until))

    def told(self) -> dict[str, Any]:
        """Where the run stands and all files, without what only says in which order two agents ended."""
        state = self.state()
        return {**state, **self.files(), "head": self.git("rev-parse", "HEAD"), "dirty": self.git("status", "--short")}


@dataclass
class Whole:
    place: FeaturePlace
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


async def _here(work: Callable[..., Any], *given: Any, **named: Any) -> Any:
    return work(*given, **named)


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    """Work of git is done in its turn: a look at the folder from beside it would find locks that no death leaves."""
    memory = Path("/dev/shm")
    found = Path(tempfile.mkdtemp(prefix="podium-feature-", dir=memory if memory.is_dir() else None))
    with still_clocks(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio, "to_thread", _here)
        yield found
    shutil.rmtree(found)


def killed(whole: Whole, name: str, left: Snapshot, until: str = "") -> list[str]:
    """What is wrong after a death there, in words."""
    place = whole.place
    place.bring_back(left)
    done, before = set(place.finished()), Counter(place.asked())
    try:
        if not (place.run / "journal.jsonl").exists():
            place.begin(until=until)
        else:
            place.go_on(until=until)
    except Exception as fault:  # noqa: BLE001  # the other deaths are of interest all the same
        return [f"{name}: {type(fault).__name__}: {fault}"]
    faults = [
        f"{name}: {key}: {str(place.told().get(key))[:200]!r} instead of {str(value)[:200]!r}"
        for key, value in whole.after.items()
        if place.told().get(key) != value
    ]
    again = Counter(place.asked()) - before
    if twice := [line for line in again if line.split()[0] in done]:
        faults.append(f"{name}: asked again after their end was recorded: {twice}")
    more = Counter(place.asked()) - Counter(whole.asked)
    if len(more) > 4 or any(count > 1 for count in more.values()):
        faults.append(f"{name}: more than those in flight were asked again: {dict(more)}")
    finished = place.finished()
    if len(finished) != len(set(finished)):
        faults.append(f"{name}: finished twice: {finished}")
    return faults


@pytest.fixture(scope="module")
def wave(root: Path) -> Whole:
    """From the schedule to the end of the wave, looked at before and in the middle of every write; told one step further."""
    whole = Whole(FeaturePlace(root / "wave"))
    whole.place.make()
    with scribes(lazy=True):
        whole.place.begin(until="schedule/1")
        whole.place.go_on(WatchedDisk(whole.look), until="wave/1")
        whole.place.go_on(until="v-build/1")
    whole.end()
    return whole


def test_the_wave_brings_in_the_work_of_both(wave: Whole) -> None:
    assert wave.after["step"] == "v"
    text = wave.after["src/app.py"].decode()
    assert "LINE_1 = 'a'" in text
    assert "LINE_10 = 'b'" in text
    assert "src/old.py" not in wave.after
    assert len(wave.deaths) > 30


@pytest.mark.crash
@pytest.mark.timeout(300)
@pytest.mark.parametrize("chunk", range(2))
def test_a_wave_that_is_killed_at_any_write_goes_on_and_tasks_that_had_ended_are_not_done_again(wave: Whole, chunk: int) -> None:
    with scribes(lazy=True):
        faults = [each for name, left in share(wave.deaths, 3)[chunk::2] for each in killed(wave, name, left, "v-build/1")]
    assert not faults, "\n".join(faults)


@pytest.fixture(scope="module")
def line(root: Path) -> Whole:
    """The whole run: a design sent back, a fix pass, the review again. Odd, so that all kinds of places have their turn."""
    whole = Whole(FeaturePlace(root / "line"), every=61)
    whole.place.make()
    with scribes(lazy=False):
        whole.place.begin(WatchedDisk(whole.look))
    whole.end()
    return whole


@pytest.mark.crash
@pytest.mark.timeout(300)
@pytest.mark.parametrize("chunk", range(3))
def test_a_run_that_is_killed_anywhere_ends_like_one_that_was_not(line: Whole, chunk: int) -> None:
    with scribes(lazy=False):
        faults = [each for name, left in line.deaths[chunk::3] for each in killed(line, name, left)]
    assert len(line.deaths) >= 9
    assert not faults, "\n".join(faults)
