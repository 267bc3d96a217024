"""A small run of `ticket` is killed at every operation of its disk, and goes on as if nothing
had happened.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.crash.death import WatchedDisk
from tests.crash.share import share
from tests.crash.story import Place, Snapshot, fingerprint, in_turn, scribes
from tests.fakes.ticket import BRANCH, FILES, FOLDER, WORDS, planned, task

from podium.core.digest import digest
from podium.wiring_values import RunOptions
from podium.workflows.ticket.docs_cache import cache_text
from podium.workflows.ticket.request.naming import DOCS, DOCS_CACHE

RUN = "PROJ-12-story"
CHUNKS = 4
TALES: dict[str, dict[str, Any]] = {
    "one trivial task": {"agents": {"planner": [planned(task(1, "src/app.py"))]}},
    "two tasks, one of them twice": {
        "agents": {"planner": [planned(task(1), task(2))]},
        "keys": {
            "iteration/0/task/TASK-2/1": [
                {"say": "no", "verdict": {"status": "ERROR", "evidence": "no"}}
            ]
        },
    },
}
TALES_SHARE = {"one trivial task": 1, "two tasks, one of them twice": 4}
"""Of which deaths of a tale one is tried: they go the same way but for the tasks."""


@dataclass(frozen=True)
class TicketPlace(Place):
    @property
    def run(self) -> Path:
        return self.project / ".podium" / "runs" / RUN

    def make(self) -> None:
        documents = {path: f"# {path}\n" for path in DOCS}
        cache = {DOCS_CACHE: cache_text(documents, "2026-01-15T12:00:00Z")}
        for path, text in {
            **FILES,
            **documents,
            **cache,
            "scenario.json": json.dumps(self.scenario),
        }.items():
            (self.project / path).parent.mkdir(parents=True, exist_ok=True)
            (self.project / path).write_text(text)
        for words in (
            ["init", "-q", "-b", "main", "--template="],
            ["add", "-A"],
            ["commit", "-q", "-m", "A project"],
        ):
            self.git(*words)

    def begin(self, disk: Any = None, until: str = "") -> None:
        told = RunOptions(
            agent="scripted:scenario.json",
            run_id=RUN,
            policy={"max_parallel_tasks": 2, "retry_backoff_s": 0.0},
            until=until,
        )
        self.app(disk).start("ticket", [WORDS], told)

    def go_on(self) -> None:
        """What a person does after a death; one step is enough to see whether it goes on as it
        should.
        """
        if (self.run / "journal.jsonl").exists():
            self.app().resume(RUN, RunOptions(until="*"))
        else:
            self.begin(until="*")

    def visible(self) -> dict[str, Any]:
        """Everything a person sees; that the run was taken up again may be told, too."""
        found: dict[str, Any] = {**self.state(), **self.files()}
        del found["visits"]  # a decision of the program's own whose record was lost is taken again
        # An act of git that is found done says so.
        log = (
            found.pop(f"{FOLDER}/log.jsonl", b"")
            .decode()
            .replace("on it already", f"on {BRANCH}")
            .splitlines()[1:]
        )
        refs = self.git(
            "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/stash"
        ).splitlines()
        found |= {
            "log lines": [line for line in log if "orchestrator.resume" not in line],
            "index": self.git("ls-files", "--stage"),
        }
        return {
            **found,
            "head": (self.project / ".git" / "HEAD").read_text(),
            "refs": [line for line in refs if "/podium/" not in line],
        }

    def stands_at(self) -> str:
        state = self.state()
        return json.dumps(
            [state.get(name) for name in ("step", "status", "batch", "tasks")], sort_keys=True
        )


@dataclass
class Whole:
    """The run that nobody killed: every place where it can be, and what is to be seen after each
    of its steps.
    """

    place: TicketPlace
    deaths: list[tuple[str, Snapshot]] = field(default_factory=list)
    stands: dict[str, dict[str, Any]] = field(default_factory=dict)
    content: dict[bytes, bytes] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)

    def look(self, operation: int, name: str, tear: int) -> None:
        left = self.place.kept(self.content)
        if (shown := fingerprint(left)) not in self.seen:
            self.seen.add(shown)
            self.deaths.append((f"operation {operation} {name} {tear}", left))


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    memory = Path("/dev/shm")
    found = Path(tempfile.mkdtemp(prefix="podium-ticket-", dir=memory if memory.is_dir() else None))
    with in_turn():
        yield found
    shutil.rmtree(found)


@pytest.fixture(scope="module")
def wholes(root: Path) -> dict[str, Whole]:
    return {
        name: told(TicketPlace(root / digest(name)[-8:], scenario))
        for name, scenario in TALES.items()
    }


def told(place: TicketPlace) -> Whole:
    whole = Whole(place)
    place.make()
    untouched = place.kept(whole.content)
    with scribes(lazy=True):
        place.begin(WatchedDisk(whole.look))
        assert place.state()["status"] == "complete"
        place.bring_back(untouched)
        while place.state().get("status") != "complete":
            place.go_on()
            whole.stands[place.stands_at()] = place.visible()
    return whole


@pytest.mark.crash
@pytest.mark.timeout(300)
@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("tale", TALES)
def test_a_killed_run_goes_on_where_it_was(wholes: dict[str, Whole], tale: str, chunk: int) -> None:
    whole = wholes[tale]
    deaths = share(whole.deaths, 4 * TALES_SHARE[tale])[chunk::CHUNKS]
    with scribes(lazy=True):
        faults = [fault for name, left in deaths for fault in killed(whole, name, left)]
    assert not faults, "\n".join(faults)


def killed(whole: Whole, name: str, left: Snapshot) -> list[str]:
    """What is wrong after a death there, in words."""
    place = whole.place
    place.bring_back(left)
    done, before = set(place.finished()), place.asked()
    try:
        place.go_on()
    except Exception as fault:  # noqa: BLE001  # the other deaths are of interest all the same
        return [f"{name}: {type(fault).__name__}: {fault}"]
    wanted, seen = whole.stands.get(place.stands_at()), place.visible()
    if wanted is None:
        return [f"{name}: it stands where it never stood: {place.stands_at()}"]
    found = [
        f"{name}: {what}: {seen.get(what)!r} instead of {wanted.get(what)!r}"[:400]
        for what in {*seen, *wanted}
        if seen.get(what) != wanted.get(what)
    ]
    again = place.asked()[len(before) :]
    found += [
        f"{name}: asked again after its end was recorded: {line}"
        for line in again
        if line.split()[0] in done
    ]
    return found


def test_every_step_is_among_the_cuts(wholes: dict[str, Whole]) -> None:
    for each in wholes.values():
        assert len(each.deaths) > 100
        assert len(each.stands) > 15
