"""The figures of a fleet as lines and as data for `podium fleet status`. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from podium.fleet.figures.counts import Figures, Tally, Worker
from podium.state.sealing import stamp
from podium.views import figures as said
from podium.views import safe

SHOWN = 20
"""How many queued runs are listed."""


def text(now: Figures) -> str:
    parts = [_head(now), *_workers(now), *_flows(now), *_queue(now)]
    return "\n".join(parts)


def data(now: Figures) -> dict[str, Any]:
    """Times as in the journal; shares from 0 to 1."""
    return {
        "at": _stamp(now.at),
        "window_s": now.window_s,
        "queued": now.total.queued,
        "places": now.places,
        "utilisation": now.utilisation,
        "runs": dict(now.statuses),
        "total": _tally(now.total),
        "workflows": [_tally(each) for each in now.workflows],
        "workers": [_worker(each) for each in now.workers],
        "queue": [
            {
                "run": each.run,
                "workflow": each.workflow,
                "since": _stamp(each.ready),
                "needs": list(each.needs),
                "waits": each.why,
            }
            for each in now.queue
        ],
    }


def _tally(tally: Tally) -> dict[str, Any]:
    return {**asdict(tally), "under_way": list(tally.under_way)}


def _worker(worker: Worker) -> dict[str, Any]:
    process = worker.process
    return {
        **_tally(worker.tally),
        "state": process.state,
        "host": process.host,
        "pid": process.pid,
        "labels": list(process.labels),
        "concurrency": process.concurrency,
        "version": process.version,
        "started": _stamp(process.started),
        "seen": _stamp(process.seen),
        "utilisation": worker.utilisation,
    }


def _head(now: Figures) -> str:
    total = now.total
    here = (
        f"{said.plural(now.alive, 'worker')}, {len(total.under_way)} of "
        f"{said.plural(now.places, 'place')} busy"
    )
    waits = f"{said.plural(total.queued, 'run')} in the queue" + (
        f", the first for {said.seconds(total.oldest_s)}" if total.queued else ""
    )
    last = (
        f"last {said.seconds(now.window_s)}: {said.plural(total.turns, 'turn')}, "
        f"{said.plural(total.steps, 'step')}, "
        f"{said.plural(total.ended, 'run')} ended, {total.blocked} blocked, {total.failed} "
        f"failed, {total.lost} taken over; "
        f"waited {said.seconds(total.wait_p50_s)} (p50), {said.seconds(total.wait_p95_s)} "
        f"(p95); busy {said.share(now.utilisation)}"
    )
    return f"{here}; {waits}\n{last}"


def _workers(now: Figures) -> list[str]:
    rows = [
        (
            "worker",
            "state",
            "busy",
            "used",
            "turns",
            "steps",
            "failed",
            "lost",
            "version",
            "last word",
            "labels, runs",
        )
    ]
    for each in now.workers:
        process, tally = each.process, each.tally
        more = [*process.labels, *tally.under_way]
        rows.append(
            (
                safe.line(f"{process.name} ({process.host})", 48),
                process.state,
                f"{len(tally.under_way)}/{process.concurrency}",
                said.share(each.utilisation),
                str(tally.turns),
                str(tally.steps),
                str(tally.failed),
                str(tally.lost),
                process.version,
                f"{said.seconds(max(0.0, now.at - process.seen))} ago",
                safe.line(" ".join(more), 80),
            )
        )
    return (
        ["", *_table(rows)]
        if len(rows) > 1
        else ["", "no worker was running in this time: `podium worker` starts one"]
    )


def _flows(now: Figures) -> list[str]:
    head = (
        "workflow",
        "queued",
        "under way",
        "p50",
        "p95",
        "turns",
        "steps",
        "ended",
        "blocked",
        "failed",
        "lost",
    )
    rows = [
        (
            each.name or "?",
            str(each.queued),
            str(len(each.under_way)),
            said.seconds(each.wait_p50_s),
            said.seconds(each.wait_p95_s),
            str(each.turns),
            str(each.steps),
            str(each.ended),
            str(each.blocked),
            str(each.failed),
            str(each.lost),
        )
        for each in now.workflows
    ]
    return ["", *_table([head, *rows])] if rows else []


def _queue(now: Figures) -> list[str]:
    if not now.queue:
        return []
    lines = ["", "in the queue"]
    lines += [
        (
            f"  {each.run}  {said.seconds(max(0.0, now.at - each.ready))}  "
            f"{safe.line(each.why, 120)}"
        ).rstrip()
        for each in now.queue[:SHOWN]
    ]
    more = len(now.queue) - SHOWN
    return [*lines, f"  … and {more} more"] if more > 0 else lines


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _stamp(moment: float) -> str:
    return stamp(datetime.fromtimestamp(moment, UTC))
