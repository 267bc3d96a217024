"""Limits, labels, turns and staying with a worker, as people have them: `podium worker`
processes and real engines.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.project import TASK
from tests.fakes.repository import git
from tests.fleet.fleets import BEAT_S, until
from tests.fleet.test_conformance import temporal  # noqa: F401  # a fixture
from tests.fleet.workers import NO_GATES, Site

pytestmark = [pytest.mark.fleet, pytest.mark.timeout(300)]


Turn = tuple[str, int, str]


@dataclass
class Busy(Site):
    """A fleet with settings of its own, and a build that tells when it begins and ends."""

    told: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        return {
            **super().environment(),
            **{f"PODIUM_{name}": value for name, value in self.told.items()},
        }

    def scenario(self, agents: dict[str, Any] | None = None) -> str:
        """Each build of its own run: `begin` and `end` are lines in one file that all share."""
        return super().scenario(
            agents
            or {
                "build": [
                    {
                        "behave": "well",
                        "run": [f"echo begin >> {self.marks}; sleep 1; echo end >> {self.marks}"],
                    }
                ]
            }
        )

    @property
    def marks(self) -> Path:
        return self.base / "marks"

    def ended(self, *runs: str) -> None:
        until(
            lambda: all(self.status(run) == "complete" for run in runs),
            f"{runs} end\n{self.logs()}",
            150,
        )

    def seen_at_work(self, over: Callable[[list[Turn]], bool], most: int) -> list[Turn]:
        """Every turn as (run, epoch, worker) in the order of their begin, until enough was seen;
        never more than `most` at once.
        """
        found: list[Turn] = []
        query = (
            "select id, epoch, worker from podium_run where seen > clock_timestamp() - "
            "make_interval(secs => %s) order by opened"
        )
        deadline = time.monotonic() + 200
        while not over(found):
            rows = self.journal.link.do(
                lambda connection: connection.execute(query, (self.journal.lease_s,)).fetchall()
            )
            assert len(rows) <= most
            found += [row for row in rows if row not in found]
            assert time.monotonic() < deadline, self.logs()
            time.sleep(0.05)
        return found


@pytest.fixture
def site(tmp_path: Path, database: str) -> Iterator[Busy]:
    found = Busy(tmp_path, database)
    yield found
    found.close()
    print(found.logs())  # noqa: T201  # pytest shows it where a test failed


def named(site: Site, number: int) -> str:
    return f"R{number}-{site.database[-2:].strip('/')}-{os.getpid()}"


@pytest.mark.parametrize("engine", ["none", "procrastinate", "temporal"])
def test_a_limit_holds_across_workers_and_every_run_ends(
    site: Busy, engine: str, request: pytest.FixtureRequest
) -> None:
    if engine == "temporal":
        site.temporal = request.getfixturevalue("temporal")
    if engine == "procrastinate":
        pytest.importorskip("procrastinate")
    site.engine = engine
    site.told = {"FLEET__LIMITS__AGENTS__SCRIPTED": "1"}
    runs = [named(site, number) for number in range(3)]
    for name in ("w1", "w2"):
        site.worker(name, "--concurrency", "2")
    for run in runs:
        site.submitted(run)
    site.seen_at_work(lambda _: all(site.status(run) == "complete" for run in runs), most=1)
    assert site.marks.read_text().split() == ["begin", "end"] * 3


def slow(site: Busy) -> dict[str, Any]:
    return {"build": [{"behave": "well", "run": [f"echo $$ >> {site.marks}; exec sleep 600"]}]}


def test_a_run_says_which_limit_it_waits_for_and_begins_when_the_holder_is_dead(site: Busy) -> None:
    site.told = {"FLEET__LIMITS__USERS__DEFAULT": "1", "FLEET__LIMITS__PROVIDERS__SCRIPTED": "5"}
    site.submitted("R1", slow(site))
    first = site.worker("w1", "--concurrency", "2")
    until(site.marks.exists, f"the build begins\n{site.logs()}", 90)
    site.submitted("R2")
    until(lambda: site.waits("R2") == "users.Ada: 1 of 1 under way", "R2 says why it waits", 20)
    assert site.podium("status", "R2")["waits"] == site.waits("R2")
    listed = {each["run"]: each["waits"] for each in site.podium("list")["runs"]}
    assert listed == {"R1": "", "R2": "users.Ada: 1 of 1 under way"}
    shown = site.said("status", "R2")
    assert "waits" in shown
    assert "users.Ada: 1 of 1 under way" in shown
    assert "in line" in site.said("list")
    time.sleep(BEAT_S)
    assert not site.events("step.started", "R2")
    # Somebody else's runs are not concerned.
    site.told |= {"USER": "Ben"}
    site.submitted("R3")
    site.ended("R3")
    assert not site.events("step.started", "R2")
    site.worker("w2")
    first.kill()
    until(
        lambda: site.journal.holder("R2") or site.journal.holder("R1"),
        "a place is free when the lease is over",
        BEAT_S * 2 + 25,
    )
    site.cancel("R1")
    site.ended("R2")


def test_a_run_that_waits_for_a_person_counts_for_no_limit(site: Busy) -> None:
    site.told = {"FLEET__LIMITS__AGENTS__SCRIPTED": "1"}
    site.worker("w1")
    site.submitted("R1", gates=True)
    until(lambda: site.status("R1") == "waiting", f"the gate opens\n{site.logs()}", 90)
    site.submitted("R2")
    site.ended("R2")
    assert site.status("R1") == "waiting"


def test_a_worker_takes_one_run_with_an_agent_at_once_and_fills_its_places_with_others(
    site: Busy,
) -> None:
    (site.base / "other.json").write_text('{"agents": {}}')
    table = f'[agents.other]\nbackend = "scripted"\nscenario = "{site.base / "other.json"}"\n'
    (site.project / "podium.toml").write_text(f'[commands]\ntest = "sh tests.sh"\n{table}')
    git(site.project, "commit", "-qam", "another agent")
    site.worker("w1", "--concurrency", "3", "--concurrency", "scripted=1")
    site.submitted("R1", slow(site))
    until(site.marks.exists, f"the build begins\n{site.logs()}", 90)
    site.submitted("R2", {"build": [{"behave": "well"}]})
    other = replace(site.options(run_id="R3"), agent="other", by="Ada")
    site.asked(lambda app: app.give("harness", [TASK], other))
    site.ended("R3")
    assert site.waits("R2") == "w1 takes 1 with scripted at once"
    assert len(site.journal.read("R2")) == 1
    site.cancel("R1")
    site.ended("R2")


@pytest.mark.parametrize("engine", ["none", "procrastinate", "temporal"])
def test_a_run_goes_to_the_worker_that_has_its_agent_and_what_it_needs(
    site: Busy, engine: str, request: pytest.FixtureRequest
) -> None:
    if engine == "temporal":
        site.temporal = request.getfixturevalue("temporal")
    if engine == "procrastinate":
        pytest.importorskip("procrastinate")
    site.engine = engine
    run, other = named(site, 1), named(site, 2)
    site.podium("submit", "harness", TASK, "--run-id", run, "--agent", "claude")
    site.podium(
        "submit",
        "harness",
        TASK,
        "--run-id",
        other,
        "--agent",
        site.scenario(),
        "--need",
        "cores=1",
        "--need",
        "agent=codex",
        *NO_GATES,
    )
    assert site.waits(run) == "no worker is running"
    site.worker("w1", "--agent", "gemini")
    until(
        lambda: site.waits(run) == "no worker has what it needs: agent claude",
        f"it says what is missing\n{site.logs()}",
        30,
    )
    assert site.waits(other) == "no worker has what it needs: agent codex"
    time.sleep(BEAT_S * 2)
    assert [site.journal.read(each)[-1]["seq"] for each in (run, other)] == [1, 1]
    gone = named(site, 3)
    claude = replace(site.options(run_id=gone), agent="claude", by="Ada")
    site.asked(lambda app: app.give("harness", [TASK], claude))
    site.cancel(gone)
    until(
        lambda: site.status(gone) == "cancelled",
        f"it is cancelled by a worker that could not drive it\n{site.logs()}",
        40,
    )
    site.worker("w2", "--agent", "claude", "--agent", "codex")
    # The program itself is not on this machine, so what becomes of the run is not our concern.
    until(lambda: len(site.journal.read(run)) > 1, f"it is driven\n{site.logs()}", 60)
    until(lambda: site.status(other) == "complete", f"it ends\n{site.logs()}", 100)
    query = "select id, worker from podium_run"
    found = site.journal.link.do(lambda connection: connection.execute(query).fetchall())
    assert dict(found) == {run: "w2", other: "w2", gone: "w1"}


def test_users_take_turns_on_one_worker_and_no_run_waits_for_the_others_to_end(site: Busy) -> None:
    """With an engine that tells of the runs in another order; without one a worker takes what is
    first in line.
    """
    pytest.importorskip("procrastinate")
    site.engine = "procrastinate"
    site.told = {"FLEET__STEPS": "1", "USER": "Anna"}
    quick: dict[str, Any] = {"build": [{"behave": "well"}]}
    for number in range(3):
        site.submitted(f"A{number}", quick)
    site.told |= {"USER": "Ben"}
    site.submitted("B0", quick)
    site.worker("w1")
    turns = site.seen_at_work(lambda turns: sum(run == "B0" for run, _, _ in turns) >= 4, most=1)
    whose = [run[0] for run, _, _ in turns]
    # Ben came last with one run, and has every other turn.
    assert max(len(list(group)) for _, group in groupby(whose)) <= 2
    assert abs(whose.count("A") - whose.count("B")) <= 2
    # Anna's runs share her turns: none had two before all had one.
    annas = [run for run, _, _ in turns if run[0] == "A"]
    assert set(annas[:3]) == {"A0", "A1", "A2"}
    assert {run: site.status(run) for run in ("A0", "A1", "A2")} == dict.fromkeys(
        ("A0", "A1", "A2"), "active"
    )


@pytest.mark.parametrize("engine", ["none", "procrastinate"])
def test_a_run_stays_with_its_last_worker_while_that_lives(site: Busy, engine: str) -> None:
    if engine == "procrastinate":
        pytest.importorskip("procrastinate")
    site.engine = engine
    site.told = {"FLEET__STEPS": "1", "FLEET__STAY_S": "20"}
    site.worker("w1")
    site.worker("w2")
    site.worker("w3")
    until(lambda: len(site.journal.line().offers) == 3, "all are there", 60)
    site.submitted("R1")
    until(lambda: len(site.events("step.finished")) >= 3, f"some turns\n{site.logs()}", 100)
    query = "select worker from podium_run where id = 'R1'"
    last = site.journal.link.do(lambda connection: connection.execute(query).fetchone()[0])
    assert len(list((site.base / f"home/state/podium/fleet/{last}").glob("mirror.git"))) == 1
    others = {"w1", "w2", "w3"} - {last}
    assert not [name for name in others if (site.base / f"home/state/podium/fleet/{name}").exists()]
    # Told to stop, it leaves the run at once: nobody waits for one that takes no more.
    site.workers[last].send_signal(signal.SIGTERM)
    site.workers[last].wait(timeout=60)
    done = len(site.events("step.finished"))
    until(lambda: len(site.events("step.finished")) > done, f"another goes on\n{site.logs()}", 60)
    assert (
        site.journal.link.do(lambda connection: connection.execute(query).fetchone()[0]) in others
    )


def test_another_worker_takes_a_run_after_a_moment_if_its_last_one_is_busy(site: Busy) -> None:
    site.told = {"FLEET__STAY_S": "3"}
    site.worker("w1")
    site.submitted("R1", gates=True)
    until(lambda: site.status("R1") == "waiting", f"the gate opens\n{site.logs()}", 90)
    site.submitted("R2", slow(site))
    until(site.marks.exists, f"the build of R2 begins\n{site.logs()}", 90)
    site.worker("w2")
    until(lambda: len(site.journal.line().offers) == 2, "the other is there", 60)
    decided = time.monotonic()
    site.approve("R1")
    until(
        lambda: (
            site.waits("R1") == "every place of the workers that could take it is taken"
            or site.journal.holder("R1")
        ),
        "w2 leaves it",
        10,
    )
    until(lambda: site.journal.holder("R1"), f"w2 takes it\n{site.logs()}", 40)
    assert time.monotonic() - decided > 2.5
    assert str((site.journal.holder("R1") or {"owner": "w2"})["owner"]).startswith("w2")
