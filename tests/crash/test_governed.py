"""A governed run is killed at every write of a wave with two phases side by side, and at many of the whole run."""

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
from tests.fakes import governed as g

from podium.state.disk import Disk
from podium.wiring import App, Parts, RunOptions

RUN = "add-rate-limits-story"
WAVE_END = "close-wave/1"
AFTER = "approve-wave/2"
SINK = f"plans/artifacts/observability/{g.TASK}.ndjson"
SCENARIO: dict[str, Any] = {
    "agents": {
        "planner": [g.plan({}, {}, {"wave": 2}, complexity_tier="LARGE")],
        "plan-auditor": [g.audit("NEEDS_REVISION", g.finding()), {"behave": "well"}],
    },
    "keys": {
        # One that fails in passing, and one whose work a reviewer refuses once.
        "wave/1/phase/1/execute/1": [g.failed("transient")],
        "wave/1/phase/2/review/1": [g.reviewed("NEEDS_REVISION", g.issue(file="src/part2.py"))],
        "wave/1/phase/2/execute/2": [g.writes("src/part2.py", "LOCK = True\n")],
    },
    "defaults": {"behave": "well"},
}


@dataclass(frozen=True)
class GovernedPlace(Place):
    scenario: Any = field(default_factory=lambda: SCENARIO)

    @property
    def run(self) -> Path:
        return self.project / ".podium" / "runs" / RUN

    def make(self) -> None:
        (self.project / "src").mkdir(parents=True)
        (self.project / "src" / "app.py").write_text("VALUE = 1\n")
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
        told = RunOptions(agent="scripted:scenario.json", until=until, approve_all=True, by="Ada", policy={"retry_backoff_s": 0.0})
        self.app(disk).start("governed", [g.REQUEST], told)

    def go_on(self, disk: Disk | None = None, until: str = "") -> None:
        self.app(disk).resume(RUN, RunOptions(until=until, approve_all=True, by="Ada"))

    def events(self, kind: str) -> list[dict[str, Any]]:
        """Of the run and its phases."""
        lines = [line for file in sorted(self.run.rglob("journal.jsonl")) for line in file.read_text().splitlines()]
        return [each for line in lines if (each := json.loads(line))["type"] == kind]

    def ended(self) -> list[str]:
        """Keys of dispatches whose end is recorded."""
        started = {each["key"] for each in self.events("step.started") if each["kind"] == "dispatch"}
        return [each["key"] for each in self.events("step.finished") if each["key"] in started]

    def asked(self) -> list[str]:
        """Without the count of calls by role: which of two phases is first is nobody's business."""
        return [line.partition(" call ")[0] for line in super().asked()]

    def told(self) -> dict[str, Any]:
        """Where the run stands and all files, without what only says in which order two agents ended."""
        files = self.files()
        state = {name: value for name, value in self.state().items() if name != "visits"}
        lines = Counter(files.pop(SINK, b"").decode().splitlines())
        return {
            **state, **files, "sink": lines, "head": self.git("rev-parse", "HEAD"), "dirty": self.git("status", "--short"),
            "todos marked": sorted(each["title"] for each in self.events("governed.todo")),
        }  # fmt: skip


@dataclass
class Whole:
    place: GovernedPlace
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
    found = Path(tempfile.mkdtemp(prefix="podium-governed-", dir=memory if memory.is_dir() else None))
    with still_clocks(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio, "to_thread", _here)
        yield found
    shutil.rmtree(found)


def killed(whole: Whole, name: str, left: Snapshot, until: str = "") -> list[str]:
    """What is wrong after a death there, in words."""
    place = whole.place
    place.bring_back(left)
    try:
        done, before = set(place.ended()), Counter(place.asked())
    except json.JSONDecodeError:  # a torn line: whatever it said is lost
        done, before = set(), Counter(place.asked())
    try:
        if not (place.run / "journal.jsonl").exists():
            place.begin(until=until)
        else:
            place.go_on(until=until)
    except Exception as fault:  # noqa: BLE001  # the other deaths are of interest all the same
        return [f"{name}: {type(fault).__name__}: {fault}"]
    now = place.told()
    sinks = [now.pop("sink", Counter()), {**whole.after}.pop("sink", Counter())]
    faults = [
        *(f"{name}: the sink has more: {line[:400]}" for line in sinks[0] - sinks[1]),
        *(f"{name}: the sink lacks: {line[:400]}" for line in sinks[1] - sinks[0]),
    ]
    faults += [
        f"{name}: {key}: {str(now.get(key))[:300]!r} instead of {str(whole.after.get(key))[:300]!r}"
        for key in sorted({*whole.after, *now} - {"sink"})
        if now.get(key) != whole.after.get(key)
    ]
    again = Counter(place.asked()) - before
    if twice := [line for line in again if line.split()[0] in done]:
        faults.append(f"{name}: asked again after their end was recorded: {twice}")
    more = Counter(place.asked()) - Counter(whole.asked)
    if len(more) > 2 or any(count > 1 for count in more.values()):
        faults.append(f"{name}: more than those in flight were asked again: {dict(more)}")
    if len(place.ended()) != len(set(place.ended())):
        faults.append(f"{name}: finished twice: {place.ended()}")
    return faults


@pytest.fixture(scope="module")
def wave(root: Path) -> Whole:
    """From the first wave's approval to its end, looked at before and in the middle of every write; told one step further."""
    whole = Whole(GovernedPlace(root / "wave"))
    whole.place.make()
    with scribes(lazy=True):
        whole.place.begin(until="approve-wave/1")
        whole.place.go_on(WatchedDisk(whole.look), until=WAVE_END)
        whole.place.go_on(until=AFTER)
    whole.end()
    return whole


def test_the_wave_brings_in_the_work_of_both(wave: Whole) -> None:
    assert wave.after["complete"] == [1, 2]
    assert wave.after["src/part2.py"].endswith(b"LOCK = True\n")
    assert wave.after["todos marked"] == ["Phase 1 — Part 1", "Phase 2 — Part 2"]
    assert len(wave.deaths) > 60


@pytest.mark.crash
@pytest.mark.timeout(600)
@pytest.mark.parametrize("chunk", range(3))
def test_a_wave_that_is_killed_at_any_write_goes_on_and_what_had_ended_is_not_done_again(wave: Whole, chunk: int) -> None:
    with scribes(lazy=True):
        faults = [each for name, left in share(wave.deaths, 4)[chunk::3] for each in killed(wave, name, left, AFTER)]
    assert not faults, "\n".join(faults)


@pytest.fixture(scope="module")
def line(root: Path) -> Whole:
    """The whole run: a plan sent back, a rehearsal, two waves, the final review. Odd, so that all kinds of places have their turn."""
    whole = Whole(GovernedPlace(root / "line"), every=61)
    whole.place.make()
    with scribes(lazy=False):
        whole.place.begin(WatchedDisk(whole.look))
    whole.end()
    return whole


@pytest.mark.crash
@pytest.mark.timeout(600)
@pytest.mark.parametrize("chunk", range(3))
def test_a_run_that_is_killed_anywhere_ends_like_one_that_was_not(line: Whole, chunk: int) -> None:
    with scribes(lazy=False):
        faults = [each for name, left in line.deaths[chunk::3] for each in killed(line, name, left)]
    assert line.after["status"] == "complete"
    assert len(line.deaths) >= 9
    assert not faults, "\n".join(faults)
