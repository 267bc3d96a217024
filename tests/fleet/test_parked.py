"""Ten thousand runs that wait for people: nothing of them is in a worker."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fleet.fleets import until
from tests.fleet.workers import Site
from tests.state.journals import START

pytestmark = [pytest.mark.fleet, pytest.mark.timeout(240)]
BEAT_S = 0.5
"""Nobody drives anything here, so that nobody is late."""
MANY = 10_000
THREADS = 1 + min(32, (os.cpu_count() or 1) + 4)
"""The loop's own, and those in which parts of a worker ask the database: Python makes a new one
where the last has not yet said that it is free, and no more than so many.
"""
_RUNS = """
    insert into podium_run (id, root, token, epoch, owner, opened, status)
    select 'parked-' || n, 'parked-' || n, '', 1, 'w0', clock_timestamp(), 'waiting' from generate_series(1, %s) as n
"""  # noqa: E501
_EVENTS = """
    insert into podium_event (run, seq, epoch, hash, line)
    select 'parked-' || n, seq, 1, seq::text, repeat('x', 400) from generate_series(1, %s) as n, generate_series(1, 5) as seq
"""  # noqa: E501
_MESSAGES = """
    insert into podium_message (run, key, token, body, posted)
    select 'parked-' || n, 'approve@2', '', '{}', clock_timestamp() - interval '1 day' from generate_series(1, %s) as n
"""  # noqa: E501


@pytest.fixture(params=["none", "procrastinate"])
def site(request: pytest.FixtureRequest, in_memory: Path, database: str) -> Iterator[Site]:
    if request.param == "procrastinate":
        pytest.importorskip(
            "procrastinate",
            reason="procrastinate is not installed (pip install 'podium[postgres]')",
        )
    found = Site(in_memory, database, BEAT_S, engine=request.param)
    yield found
    found.close()
    print(found.logs())  # noqa: T201  # pytest shows it where a test failed


def held(pid: int) -> tuple[int, int]:
    """(threads, kB of memory) of a process."""
    told = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(told["Threads"]), int(told["VmRSS"].split()[0])


def test_ten_thousand_parked_runs_cost_a_worker_no_thread_and_no_memory(site: Site) -> None:
    site.journal.create("warm", [START])
    opened = site.journal.open("warm", "me")
    site.journal.append(
        opened, 1, [{"type": "run.paused", "state": {"step": "build", "status": "waiting"}}]
    )
    site.journal.close(opened)
    worker = site.worker("w1")
    until(lambda: "told by" in site.logs(), "the worker is there")
    time.sleep(BEAT_S * 4)
    before = held(worker.pid)

    def fill(connection: Any) -> None:
        for statement in (_RUNS, _EVENTS, _MESSAGES):
            connection.execute(statement, (MANY,))
        connection.execute("analyze")

    site.journal.link.do(fill)
    began = time.monotonic()
    assert site.journal.with_work() == []
    took = time.monotonic() - began
    time.sleep(BEAT_S * 4)
    after = held(worker.pid)
    print(  # noqa: T201
        f"{MANY} parked runs: threads {before[0]} and {after[0]}, kB {before[1]} and "
        f"{after[1]}, a look {took * 1000:.0f} ms"
    )
    assert worker.poll() is None
    assert len(site.pids("w1")) == 1
    assert after[0] <= THREADS
    assert after[1] - before[1] < 1_000  # 100 bytes for each; so much varies without them
    assert took < 1.0
