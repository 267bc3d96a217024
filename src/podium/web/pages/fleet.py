"""The page of the fleet: who is there, what waits and how long, how busy it was, and what went
wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from podium.views import figures as said
from podium.web.pages import plots
from podium.web.pages.frame import Frame
from podium.web.pages.rendering import render

if TYPE_CHECKING:
    from podium.fleet.figures.counts import Figures, Worker

WINDOWS = {"15m": 900.0, "1h": 3600.0, "6h": 21600.0, "24h": 86400.0, "7d": 604800.0}
USUAL = "1h"
ROWS = 100
"""How many queued runs are listed."""
LONG_S = 300.0
"""A longer wait is pointed out on the page."""
TONES = {"alive": "good", "draining": "busy", "lost": "bad", "stopped": "dim"}
TROUBLES = {
    "lost": "taken over: its worker fell silent",
    "failed": "the driver failed",
    "refused": "the worker refused it",
}


@dataclass(frozen=True)
class Head:
    tone: str
    word: str
    sentence: str


def window(params: Mapping[str, str]) -> str:
    """The time window that was asked for."""
    asked = str(params.get("window", USUAL))
    return asked if asked in WINDOWS else USUAL


def page(frame: Frame, now: Figures, chosen: str) -> str:
    return render(
        "fleet.html",
        frame=frame,
        live="/fleet/events",
        place="fleet",
        title="Fleet",
        now=now,
        head=head(now),
        stats=stats(now),
        plots=drawn(now, chosen),
        ends=(_moment(now.at - now.window_s, chosen), _moment(now.at, chosen)),
        windows=[
            (name, f"/fleet?window={name}" if name != USUAL else "/fleet") for name in WINDOWS
        ],
        chosen=chosen,
        workers=[
            (each, TONES[each.process.state], _ago(now, each), said.share(each.utilisation))
            for each in sorted(now.workers, key=_worker_order)
        ],
        workflows=now.workflows,
        queue=[(each, said.seconds(max(0.0, now.at - each.ready))) for each in now.queue[:ROWS]],
        queue_more=max(0, len(now.queue) - ROWS),
        troubles=[
            (each, TROUBLES.get(each.result, each.result), _stamp(each.closed))
            for each in now.troubles
        ],
        took=said.seconds,
        stamp=_stamp,
    )


def head(now: Figures) -> Head:
    """The state at a glance: the worst condition that applies."""
    queued, alive = now.total.queued, now.alive
    if not alive:
        waits = (
            f"; {said.plural(queued, 'run')} waits for one"
            if queued == 1
            else f"; {queued} runs wait for one"
            if queued
            else ""
        )
        return Head(
            "bad" if queued else "dim",
            "no worker",
            f"No worker is there{waits}. On a machine with the agents: podium worker",
        )
    stuck = sum(each.stranded for each in now.queue)
    if stuck:
        return Head(
            "bad",
            "stuck",
            (
                f"{said.plural(stuck, 'run')} of the queue {'needs' if stuck == 1 else 'need'} "
                "what no worker has."
            ),
        )
    if now.total.oldest_s > LONG_S:
        return Head(
            "ask",
            "long waits",
            (
                f"The first of the queue has waited for {said.seconds(now.total.oldest_s)}: more "
                "workers, or more places, would help."
            ),
        )
    lost = [each.process.name for each in now.workers if each.process.state == "lost"]
    if lost:
        return Head(
            "ask",
            "worker lost",
            f"Not heard of any more: {', '.join(lost[:5])}. Its runs are taken over.",
        )
    busy = len(now.total.under_way)
    return Head(
        "busy" if busy else "good",
        "at work" if busy else "ready",
        f"{busy} of {said.plural(now.places, 'place')} busy.",
    )


def stats(now: Figures) -> list[tuple[str, str]]:
    total, hours = now.total, now.window_s / 3600
    return [
        ("workers", str(now.alive)),
        ("places busy", f"{len(total.under_way)} of {now.places}"),
        ("in the queue", str(total.queued)),
        ("wait, p50", said.seconds(total.wait_p50_s)),
        ("wait, p95", said.seconds(total.wait_p95_s)),
        ("utilisation", said.share(now.utilisation)),
        ("runs ended", str(total.ended)),
        ("runs an hour", f"{total.ended / hours:.1f}"),
        ("steps", str(total.steps)),
        ("blocked", str(total.blocked)),
        ("failed turns", str(total.failed)),
        ("taken over", str(total.lost)),
    ]


def drawn(now: Figures, chosen: str) -> list[plots.Plot]:
    curves = now.curves
    moments = [_moment(each, chosen) for each in curves.ends]
    return [
        plots.plot(
            "Queue",
            str(now.total.queued),
            [plots.Series("area", "ask", "in the queue", curves.queue)],
            moments,
            _whole,
            plots.nice,
        ),
        plots.plot(
            "Places",
            f"{len(now.total.under_way)} of {now.places}",
            [
                plots.Series("area", "busy", "busy", curves.busy),
                plots.Series("line", "dim", "there", curves.places),
            ],
            moments,
            _whole,
            plots.nice,
        ),
        plots.plot(
            "Wait, p50 and p95",
            f"{said.seconds(now.total.wait_p50_s)}, {said.seconds(now.total.wait_p95_s)}",
            [
                plots.Series("bars", "ask", "p95", curves.wait_p95_s),
                plots.Series("bars", "busy", "p50", curves.wait_p50_s),
            ],
            moments,
            said.seconds,
            plots.nice_seconds,
        ),
        plots.plot(
            "Runs ended and troubles",
            f"{now.total.ended} and {now.total.failed + now.total.lost}",
            [
                plots.Series("bars", "good", "ended", curves.ended),
                plots.Series("bars", "bad", "failed or taken over", curves.trouble),
            ],
            moments,
            _whole,
            plots.nice,
        ),
    ]


def _worker_order(worker: Worker) -> tuple[int, str]:
    return list(TONES).index(worker.process.state), worker.process.name


def _ago(now: Figures, worker: Worker) -> str:
    return f"{said.seconds(max(0.0, now.at - worker.process.seen))} ago"


def _whole(value: float) -> str:
    return f"{value:g}"


def _moment(at: float, chosen: str) -> str:
    return datetime.fromtimestamp(at, UTC).strftime(
        "%d %b %H:%M" if WINDOWS[chosen] > 86000 else "%H:%M"
    )


def _stamp(at: float | None) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat() if at is not None else ""
