"""How long it takes to open a long run again, as a ratio to parsing and hashing its lines once.

python -m bench.resume [--events N]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from bench.disk import work_folder
from bench.hundred import Chain, Watch, Writer, project, services

from podium.core import events
from podium.core.advance import advance
from podium.core.digest import digest
from podium.core.run import DONE, Run
from podium.core.workflow import Workflow
from podium.engine import runs
from podium.engine.services import Services
from podium.state import state_file

ROUNDS = 9
TARGET_S = 0.3
"""For a run of 10,000 events, from its files to a session that can continue."""


def history(workflow: Workflow, first: Run, count: int) -> tuple[list[dict[str, Any]], Run]:
    """The facts of a run that went through its stages again and again, and its final position."""
    facts: list[dict[str, Any]] = []
    run = first
    while len(facts) < count:
        name = run.step
        key, path, mark = (
            f"{name}/{run.visit()}",
            f"docs/{name}.md",
            digest(f"{name}/{run.visit()}"),
        )
        after = advance(workflow, run, "ok")
        if after.step == DONE:
            break
        facts += [
            events.step_started(key, name, "dispatch", "writer", 1, {"before": mark}),
            events.artifact_verified(key, path, mark),
            events.step_finished(
                key,
                "ok",
                "done",
                outputs={path: mark},
                evidence=(),
                usage={"tokens_in": 1, "tokens_out": 1, "cost_usd": 0.0, "seconds": 1.0},
                assurance={"read": "asked", "write": "audited"},
            ),
            events.run_advanced(run, after, "ok"),
            events.document_saved(path, mark),
        ]
        run = after
    return facts, run


class Loop(Chain):
    """Ten stages in a ring."""

    def __init__(self) -> None:
        super().__init__(10)
        last = self.steps["stage_010"]
        ring = type(last)(last.name, last.effect, lambda *_: "stage_001", ("ok",), ("stage_001",))
        self.steps = {**self.steps, last.name: ring}


def prepare(services_: Services, workflow: Workflow, request: dict[str, Any], count: int) -> Path:
    first = workflow.first()
    assert runs.create(services_, workflow, "bench", first, request)
    opened = services_.journal.open("bench", "bench")
    facts, run = history(workflow, first, count - 1)
    written = services_.journal.append(opened, opened.seq, facts[: count - 1])
    services_.journal.close(opened)
    home = services_.project / ".podium" / "runs" / "bench"
    state_file.save(
        home / "state.json", "bench", workflow.name, run, written[-1]["seq"], services_.disk
    )
    return home / "journal.jsonl"


def floor(journal: Path) -> None:
    """The least that any check of a chain of JSON lines must do."""
    for line in journal.read_bytes().splitlines():
        json.loads(line)
        hashlib.sha256(line).hexdigest()


def timed(work: Callable[[], object]) -> float:
    began = perf_counter()
    work()
    return perf_counter() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=10_000)
    args = parser.parse_args()
    with work_folder("resume") as folder:
        workflow = Loop()
        services_, request = services(project(folder), workflow, Watch(Writer()))
        journal = prepare(services_, workflow, request, args.events)

        def whole() -> None:
            session, edited = runs.open_session(services_, workflow, "bench")
            assert not edited
            assert session.opened.seq == args.events, session.opened.seq
            services_.journal.close(session.opened)

        names: dict[str, Callable[[], object]] = {
            "floor: parse and hash": lambda: floor(journal),
            "journal read": lambda: services_.journal.read("bench"),
            "run opened": whole,
        }
        took: dict[str, list[float]] = {name: [] for name in names}
        for _ in range(ROUNDS):
            for name, work in names.items():
                took[name].append(timed(work))
        size = journal.stat().st_size
    base = median(took["floor: parse and hash"])
    print(f"resume    {args.events:,} events, {size / 1e6:.1f} MB")
    for name, each in took.items():
        wanted = f" (target {TARGET_S * 1e3:g} ms)" if name == "run opened" else ""
        print(
            f"resume    {name:<24} {median(each) * 1e3:6.1f} ms  {median(each) / base:5.2f} "
            f"x{wanted}"
        )
    return int(median(took["run opened"]) > TARGET_S)


if __name__ == "__main__":
    sys.exit(main())
