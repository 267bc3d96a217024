"""A governed run is killed at every write of a wave with two phases side by side, and at many of
the whole run (at all of them in `make torture`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.crash.death import WatchedDisk
from tests.crash.share import every, patience, share
from tests.crash.story import scribes
from tests.crash.waves import WavePlace, Whole, killed, quiet_root
from tests.fakes import governed as g

from podium.state.disk import Disk
from podium.wiring_values import RunOptions

RUN = "add-rate-limits-story"
IN_FLIGHT = 2
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
class GovernedPlace(WavePlace):
    scenario: Any = field(default_factory=lambda: SCENARIO)

    @property
    def run(self) -> Path:
        return self.project / ".podium" / "runs" / RUN

    def make(self) -> None:
        self.committed({"src/app.py": "VALUE = 1\n"})

    def begin(self, disk: Disk | None = None, until: str = "") -> None:
        told = RunOptions(
            agent="scripted:scenario.json",
            until=until,
            approve_all=True,
            by="Ada",
            policy={"retry_backoff_s": 0.0},
        )
        self.app(disk).start("governed", [g.REQUEST], told)

    def go_on(self, disk: Disk | None = None, until: str = "") -> None:
        self.app(disk).resume(RUN, RunOptions(until=until, approve_all=True, by="Ada"))

    def events(self, kind: str) -> list[dict[str, Any]]:
        """Of the run and its phases."""
        lines = [
            line
            for file in sorted(self.run.rglob("journal.jsonl"))
            for line in file.read_text().splitlines()
        ]
        return [each for line in lines if (each := json.loads(line))["type"] == kind]

    def ended(self) -> list[str]:
        """Keys of dispatches whose end is recorded."""
        started = {
            each["key"] for each in self.events("step.started") if each["kind"] == "dispatch"
        }
        return [each["key"] for each in self.events("step.finished") if each["key"] in started]

    def asked(self) -> list[str]:
        """Without the count of calls by role: which of two phases is first is nobody's business."""
        return [line.partition(" call ")[0] for line in super().asked()]

    def told(self) -> dict[str, Any]:
        """Where the run stands and all files, without what only says in which order two agents
        ended.
        """
        files = self.files()
        state = {name: value for name, value in self.state().items() if name != "visits"}
        lines = Counter(files.pop(SINK, b"").decode().splitlines())
        return {
            **state,
            **files,
            "sink": lines,
            "head": self.git("rev-parse", "HEAD"),
            "dirty": self.git("status", "--short"),
            "todos marked": sorted(each["title"] for each in self.events("governed.todo")),
        }


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    with quiet_root("governed") as found:
        yield found


@pytest.fixture(scope="module")
def wave(root: Path) -> Whole:
    """From the first wave's approval to its end, looked at before and in the middle of every
    write; told one step further.
    """
    whole = Whole(GovernedPlace(root / "wave"), IN_FLIGHT)
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
@pytest.mark.timeout(patience(600))
@pytest.mark.parametrize("chunk", range(3))
def test_a_wave_that_is_killed_at_any_write_goes_on_and_what_had_ended_is_not_done_again(
    wave: Whole, chunk: int
) -> None:
    with scribes(lazy=True):
        faults = [
            each
            for name, left in share(wave.deaths, 12)[chunk::3]
            for each in killed(wave, name, left, AFTER)
        ]
    assert not faults, "\n".join(faults)


@pytest.fixture(scope="module")
def line(root: Path) -> Whole:
    """The whole run: a plan sent back, a rehearsal, two waves, the final review. Odd, so that
    all kinds of places have their turn.
    """
    whole = Whole(GovernedPlace(root / "line"), IN_FLIGHT, every=every(61))
    whole.place.make()
    with scribes(lazy=False):
        whole.place.begin(WatchedDisk(whole.look))
    whole.end()
    return whole


@pytest.mark.crash
@pytest.mark.timeout(patience(600))
@pytest.mark.parametrize("chunk", range(3))
def test_a_run_that_is_killed_anywhere_ends_like_one_that_was_not(line: Whole, chunk: int) -> None:
    with scribes(lazy=False):
        faults = [each for name, left in line.deaths[chunk::3] for each in killed(line, name, left)]
    assert line.after["status"] == "complete"
    assert len(line.deaths) >= 9
    assert not faults, "\n".join(faults)
