"""A feature run is killed at every write of a wave with two tasks side by side, and at many of
the whole run (at all of them in `make torture`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.crash.death import WatchedDisk
from tests.crash.share import every, patience, share
from tests.crash.story import scribes
from tests.crash.waves import WavePlace, Whole, killed, quiet_root
from tests.fakes.feature import REQUEST, finds, planner

from podium.state.disk import Disk
from podium.wiring_values import RunOptions

RUN = "count-words-story"
IN_FLIGHT = 4
LINES = [f"LINE_{number} = {number}\n" for number in range(12)]


def changes(number: int, value: str) -> str:
    """One line and no other: whoever begins again after a crash may find the other's work in the
    file.
    """
    return f"sed -i 's/^LINE_{number} = .*/LINE_{number} = \"{value}\"/' src/app.py"


SCENARIO: dict[str, Any] = {
    "agents": {
        "planner": [planner({"01-a": [], "02-b": []})],
        "ct-security": [finds("High"), {"behave": "well"}],
        "r-quality": [finds("Major", "NEEDS_REVISION", tasks=["02"]), {"behave": "well"}],
    },
    "keys": {
        # Both change one file: what the second made is merged over what the first brought in.
        "wave/1/01-a": [
            {"run": changes(1, "a"), "write": {"src/a.py": "A = 1\n"}, "say": "DONE: 01-a"}
        ],
        "wave/1/02-b": [{"run": changes(10, "b"), "delete": ["src/old.py"], "say": "DONE: 02-b"}],
    },
    "defaults": {"behave": "well"},
}


@dataclass(frozen=True)
class FeaturePlace(WavePlace):
    scenario: Any = field(default_factory=lambda: SCENARIO)

    @property
    def run(self) -> Path:
        return self.project / ".podium" / "runs" / RUN

    def make(self) -> None:
        self.committed({"src/app.py": "".join(LINES), "src/old.py": "OLD = 1\n"})

    def begin(self, disk: Disk | None = None, until: str = "") -> None:
        self.app(disk).start(
            "feature", [REQUEST], RunOptions(agent="scripted:scenario.json", until=until)
        )

    def go_on(self, disk: Disk | None = None, until: str = "") -> None:
        self.app(disk).resume(RUN, RunOptions(until=until))


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    with quiet_root("feature") as found:
        yield found


@pytest.fixture(scope="module")
def wave(root: Path) -> Whole:
    """From the schedule to the end of the wave, looked at before and in the middle of every
    write; told one step further.
    """
    whole = Whole(FeaturePlace(root / "wave"), IN_FLIGHT)
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
    assert 'LINE_1 = "a"' in text
    assert 'LINE_10 = "b"' in text
    assert "src/old.py" not in wave.after
    assert len(wave.deaths) > 20


@pytest.mark.crash
@pytest.mark.timeout(patience(300))
@pytest.mark.parametrize("chunk", range(2))
def test_a_wave_that_is_killed_at_any_write_goes_on_and_tasks_that_had_ended_are_not_done_again(
    wave: Whole, chunk: int
) -> None:
    with scribes(lazy=True):
        faults = [
            each
            for name, left in share(wave.deaths, 6)[chunk::2]
            for each in killed(wave, name, left, "v-build/1")
        ]
    assert not faults, "\n".join(faults)


@pytest.fixture(scope="module")
def line(root: Path) -> Whole:
    """The whole run: a design sent back, a fix pass, the review again. Odd, so that all kinds of
    places have their turn.
    """
    whole = Whole(FeaturePlace(root / "line"), IN_FLIGHT, every=every(61))
    whole.place.make()
    with scribes(lazy=False):
        whole.place.begin(WatchedDisk(whole.look))
    whole.end()
    return whole


@pytest.mark.crash
@pytest.mark.timeout(patience(300))
@pytest.mark.parametrize("chunk", range(3))
def test_a_run_that_is_killed_anywhere_ends_like_one_that_was_not(line: Whole, chunk: int) -> None:
    with scribes(lazy=False):
        faults = [each for name, left in line.deaths[chunk::3] for each in killed(line, name, left)]
    assert len(line.deaths) >= 9
    assert not faults, "\n".join(faults)
