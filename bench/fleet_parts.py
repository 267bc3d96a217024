"""How much the shared parts of a fleet can take: appends and pushes per second, sweeps, and how
many of each a step needs.

python -m bench.fleet_parts [--seconds S] [--clients N] [--parked N]

`podium simulate --fleet` takes its defaults from here (src/podium/simulation/fleet/costs.py).
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import shutil
import subprocess
import tempfile
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from bench.fleet import NO_GATES, parked

from podium.cli.demos import project as demo
from podium.core import events
from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.fleet.servers.postgres_server import PostgresServer, free_port
from podium.state.local_journal import LocalJournal
from podium.wiring import App, Parts
from podium.wiring_values import RunOptions


def appends(url: str, seconds: float, client: int) -> tuple[int, float]:
    """How many groups of two events one owner writes at full speed."""
    journal = PostgresJournal(url, lambda: datetime.now(UTC))
    fact = {**events.phase(True, "Build"), "text": "x" * 400}
    run = f"bench-{client}"
    journal.create(run, [fact])
    held = journal.open(run, "bench")
    count, deadline = 0, time.monotonic() + seconds
    while time.monotonic() < deadline:
        journal.append(held, held.seq, [fact, fact])
        count += 1
    used = used_by(journal)
    journal.close(held)
    journal.link.close()
    return count, used


def pushes(base: str, seconds: float, client: int) -> tuple[int, float]:
    """How many small commits one clone pushes at full speed, and the processor time of the
    pushes.
    """
    folder = Path(base) / f"clone-{client}"
    who = ("-c", "user.name=b", "-c", "user.email=b@localhost", "-c", "commit.gpgsign=false")
    subprocess.run(
        ["git", "clone", "--quiet", f"{base}/remote.git", str(folder)],
        check=True,
        capture_output=True,
    )
    count, used, deadline = 0, 0.0, time.monotonic() + seconds
    while time.monotonic() < deadline:
        (folder / "note").write_text(f"{client} {count}\n")
        subprocess.run(["git", "add", "note"], cwd=folder, check=True)
        subprocess.run(["git", *who, "commit", "--quiet", "-m", "x"], cwd=folder, check=True)
        before = os.times()
        subprocess.run(
            ["git", "push", "--quiet", "origin", f"+HEAD:refs/podium/r{client}/1"],
            cwd=folder,
            check=True,
            capture_output=True,
        )
        after = os.times()
        used += (
            after.children_user
            + after.children_system
            - before.children_user
            - before.children_system
        )
        count += 1
    return count, used


def together(work: Any, clients: int) -> tuple[int, float]:
    with multiprocessing.Pool(clients) as pool:
        counts, used = zip(*pool.map(work, range(clients)), strict=True)
    return sum(counts), sum(used)


def used_by(journal: PostgresJournal) -> float:
    """Processor seconds used by the server's process for this connection."""
    process = journal.link.do(
        lambda connection: connection.execute("select pg_backend_pid()").fetchone()[0]
    )
    facts = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(facts[11]) + int(facts[12])) / os.sysconf("SC_CLK_TCK")


def swept(url: str, count: int = 100) -> float:
    """Milliseconds of the server's processor time for one look for runs with work."""
    journal = PostgresJournal(url, lambda: datetime.now(UTC))
    before = used_by(journal)
    for _ in range(count):
        journal.with_work()
    took = used_by(journal) - before
    journal.link.close()
    return took / count * 1000


def needs(base: Path) -> tuple[int, int, int]:
    """Steps, groups of events and moves of a run alone: on a fleet each group is a write and a
    push, each move another push.
    """
    folder = base / "alone"
    story = demo.make(folder, "harness", 0)
    groups: list[int] = []
    whole = LocalJournal.append

    def counted(self: LocalJournal, opened: Any, expected_seq: int, events: Any, **how: Any) -> Any:
        groups.append(len(events))
        return whole(self, opened, expected_seq, events, **how)

    LocalJournal.append = counted  # type: ignore[method-assign]
    app = App(folder, parts=Parts(os.environ, cwd=folder))
    app.start(
        "harness",
        story.inputs,
        RunOptions(agent=f"scripted:{folder / demo.SCENARIO}", policy=NO_GATES, run_id="R"),
    )
    LocalJournal.append = whole  # type: ignore[method-assign]
    told = [each["type"] for each in app.events("R")]
    return told.count("step.finished"), len(groups), told.count("run.advanced")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--parked", type=int, default=10_000)
    told = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="podium-bench-parts-"))
    base.chmod(0o755)
    server = PostgresServer(base / "postgres", free_port())
    server.start()
    try:
        steps, groups, moves = needs(base)
        print(
            f"a step           {groups / steps:6.1f} writes, {(groups + moves) / steps:.1f} "
            f"pushes at most   ({steps} steps, {groups} groups of events, {moves} moves)"
        )
        subprocess.run(["git", "init", "--quiet", "--bare", str(base / "remote.git")], check=True)
        wall = parked(server.url, told.parked)
        print(
            f"sweep            {wall:6.1f} ms with {told.parked} runs that wait, "
            f"{swept(server.url):.1f} ms of a processor"
        )
        count, used = together(partial(appends, server.url, told.seconds), told.clients)
        print(
            f"database         {count / told.seconds:6.0f} writes a second from "
            f"{told.clients} owners, {count / used:.0f} for each second of a processor"
        )
        count, used = together(partial(pushes, str(base), told.seconds), told.clients)
        print(
            f"remote           {count / told.seconds:6.1f} pushes a second from "
            f"{told.clients} clones, {count / used:.0f} for each second of a processor"
        )
    finally:
        server.stop("fast")
        shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    main()
