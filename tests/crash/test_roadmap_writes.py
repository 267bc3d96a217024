"""A loop over two items is killed at every operation of its disk, and goes on as if nothing had
happened.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.crash.death import WatchedDisk
from tests.crash.share import share
from tests.crash.story import RUN, Place, Snapshot, fingerprint, in_turn, scribes
from tests.crash.test_every_write import differences
from tests.fakes.roadmap import KNOWN, built, failing, item

from podium.state.disk import Disk
from podium.wiring_values import RunOptions

CHUNKS = 8
STOPS = (
    "item/US-1/implement/1",
    "item/US-1/testing/1",
    "item/US-1/implement/2",
    "item/US-1/review/1",
    "commit/1",
    "item/US-2/architect",
    "item/US-2/implement/1",
    "item/US-2/review/1",
    "",
)
"""The story in pieces: each call ends after that step, so that a death costs one piece and not
the whole.
"""
SCENARIO: dict[str, Any] = {
    "keys": {
        "item/US-1/implement/1": [built("src/a.py", "A = 1\n")],
        "item/US-1/testing/1": [failing("test_a: 1 is not 2")],
        "item/US-1/implement/2": [built("src/a.py", "A = 2\n")],
        "item/US-2/implement/1": [{**built("src/b.py", "B = 1\n"), "delete": ["src/old.py"]}],
    },
    "defaults": {"behave": "well"},
}
ITEMS = [
    item("US-1", verification=[]),
    item("US-2", "medium", planningResearch=KNOWN, verification=["test -f src/b.py"]),
]


class Road(Place):
    """The story's project with a roadmap instead of a harness."""

    def make(self) -> None:
        (self.project / "src").mkdir(parents=True)
        (self.project / "src" / "old.py").write_text("OLD = 1\n")
        (self.project / "scenario.json").write_text(json.dumps(self.scenario))
        (self.project / "roadmap.json").write_text(json.dumps({"items": ITEMS}, indent=2) + "\n")
        for words in (
            ["init", "-q", "-b", "main", "--template="],
            ["add", "-A"],
            ["commit", "-q", "-m", "A project"],
        ):
            self.git(*words)

    def go(self, until: str, disk: Disk | None = None) -> None:
        app = self.app(disk)
        if (self.run / "journal.jsonl").exists():
            app.resume(RUN, RunOptions(until=until))
        else:
            app.start(
                "roadmap", [], RunOptions(agent="scripted:scenario.json", until=until, run_id=RUN)
            )

    def events(self) -> Sequence[Any]:
        """Of the loop and of its items; every chain is checked."""
        return self.app().events(RUN) if (self.run / "journal.jsonl").exists() else []

    def ended(self) -> list[str]:
        return [each["key"] for each in self.events() if each["type"] == "step.finished"]

    def journals(self) -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in sorted(self.run.rglob("journal.jsonl"))}

    def commits(self) -> list[str]:
        return self.git("log", "--format=%s").splitlines()


def seen(place: Road) -> dict[str, Any]:
    """What counts. A decision whose memory was lost on the way is taken again: its visit has
    another number.
    """
    return {name: value for name, value in place.visible().items() if name != "visits"}


@dataclass
class Told:
    """The story that nobody killed, and every place where it can be."""

    place: Road
    deaths: list[tuple[int, str, Snapshot]] = field(default_factory=list)
    after: list[dict[str, Any]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    continued: set[tuple[int, str]] = field(default_factory=set)
    content: dict[bytes, bytes] = field(default_factory=dict)
    seen: set[tuple[int, str]] = field(default_factory=set)

    def look(self, at: int, operation: int, name: str, tear: int) -> None:
        left = self.place.kept(self.content)
        if (at, shown := fingerprint(left)) not in self.seen:
            self.seen.add((at, shown))
            self.deaths.append((at, f"operation {operation} {name} {tear}", left))


@pytest.fixture(scope="module")
def told() -> Iterator[Told]:
    memory = Path("/dev/shm")
    root = Path(tempfile.mkdtemp(prefix="podium-crash-", dir=memory if memory.is_dir() else None))
    with in_turn(), scribes(lazy=True):
        found = Told(Road(root, SCENARIO))
        found.place.make()
        for at, until in enumerate(STOPS):
            found.place.go(until, WatchedDisk(lambda *where, at=at: found.look(at, *where)))
            found.after.append(seen(found.place))
        found.asked = found.place.asked()
        yield found
    shutil.rmtree(root)


def test_the_story_is_two_items_with_a_retry_and_a_commit_each(told: Told) -> None:
    assert [line.split()[0] for line in told.asked] == [
        "item/US-1/implement/1",
        "item/US-1/testing/1",
        "item/US-1/implement/2",
        "item/US-1/testing/2",
        "item/US-1/review/1",
        "item/US-2/architect",
        "item/US-2/implement/1",
        "item/US-2/testing/1",
        "item/US-2/review/1",
    ]
    assert len(told.deaths) > 150


@pytest.mark.crash
@pytest.mark.timeout(300)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_killed_loop_goes_on_where_it_was(told: Told, chunk: int) -> None:
    faults = [
        fault for death in share(told.deaths, 12)[chunk::CHUNKS] for fault in killed(told, *death)
    ]
    assert not faults, "\n".join(faults)


def killed(told: Told, at: int, name: str, left: Snapshot) -> list[str]:
    """What is wrong after a death there, in words."""
    place = told.place
    place.bring_back(left)
    where = f"on the way to {STOPS[at] or 'the end'}, {name}"
    before, durable, done = place.asked(), place.journals(), set(place.ended())
    try:
        for now in range(at, len(STOPS)):
            if STOPS[now] in done and now == at:
                continue  # that step had ended: only the next piece is left to ask for
            place.go(STOPS[now])
            if faults := [
                *differences(seen(place), told.after[now]),
                *faults_of(told, before, durable, done, last=not STOPS[now]),
            ]:
                return [
                    f"{where}: after the piece to {STOPS[now] or 'the end'}: {fault}"
                    for fault in faults
                ]
            # From the same bytes the rest goes the same way, and has been seen to.
            stands = (now, fingerprint(place.kept({})))
            if stands in told.continued:
                return []
            told.continued.add(stands)
    except Exception as fault:  # noqa: BLE001  # the other deaths are of interest all the same
        return [f"{where}: {type(fault).__name__}: {fault}"]
    return []


def faults_of(
    told: Told, before: list[str], durable: dict[str, bytes], done: set[str], *, last: bool
) -> Iterator[str]:
    place = told.place
    now = place.journals()
    for path, data in durable.items():
        if not now.get(path, b"").startswith(data[: data.rfind(b"\n") + 1]):
            yield f"an event of {path} that was durable is lost"
    ended = place.ended()
    if len(ended) != len(set(ended)):
        yield f"ended twice: {ended}"
    again = place.asked()[len(before) :]
    if any(line.split()[0] in done for line in again):
        yield f"asked again after its end was recorded: {again}"
    wanted = (told.asked[len(before) :], told.asked[max(len(before) - 1, 0) :])
    if again not in wanted if last else not any(each[: len(again)] == again for each in wanted):
        yield f"asked {again}"
    if last and place.commits() != ["US-2: Item US-2", "US-1: Item US-1", "A project"]:
        yield f"commits: {place.commits()}"
    if last and place.left:
        yield f"views left: {place.left}"
