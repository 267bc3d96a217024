"""Telemetry of a run while it is driven: spans are sent as they end, by a thread of its own.

How much of each journal was sent is stored with the run, so that a resumed run continues there and
also sends what others wrote meanwhile, such as a decision. After a failure the same spans are sent
again, with the same ids.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from podium.reach.channel import Undelivered
from podium.reach.otel.collector import Collector
from podium.reach.otel.span import Span
from podium.reach.otel.tracing import Tracer

EVERY_S = 5.0
PATIENCE_S = 15.0
RECORD = "telemetry.json"
Past = Callable[[str], Iterable[Mapping[str, Any]]]


class Live:
    """An observer of a run that is being driven."""

    def __init__(
        self,
        collector: Collector,
        past: Past,
        folder: Callable[[str], Path],
        *,
        every_s: float = EVERY_S,
    ) -> None:
        """`past`: from a root run's id to all events of its family so far; `folder`: to where
        its record is kept.
        """
        self._collector, self._past, self._folder, self._every_s = collector, past, folder, every_s
        self._waiting: list[Mapping[str, Any]] = []
        self._guard = threading.Lock()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._root = ""
        self._tracer = Tracer(content=collector.settings.content)
        self._seen: dict[str, int] = {}
        self._sent: dict[str, int] = {}
        self._spans: list[tuple[str, Span]] = []
        self._failed = ""

    def event(self, event: Mapping[str, Any]) -> None:
        """Never raises and never waits."""
        if not self._collector.settings.endpoint:
            return
        with self._guard:
            self._waiting.append(event)
        if self._thread is None:
            self._root = str(event["run"]).partition("/")[0]
            self._thread = threading.Thread(target=self._work, name="podium-telemetry", daemon=True)
            self._thread.start()

    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None:
        """What agents do between their start and end is not sent."""

    def settle(self, patience_s: float = PATIENCE_S) -> list[str]:
        """Called when the run rests: send what is left; returns what failed, in a line."""
        if self._thread is None:
            return []
        self._over.set()
        self._thread.join(patience_s)
        if self._thread.is_alive():
            return [
                (
                    f"[telemetry] gave up after {patience_s:g} s; `podium export {self._root} "
                    "--otel` sends it again"
                )
            ]
        return (
            [f"[telemetry] {self._failed}; `podium export {self._root} --otel` sends it again"]
            if self._failed
            else []
        )

    def _work(self) -> None:
        try:
            self._catch_up()
            over = False
            while not over:
                over = self._over.wait(self._every_s)
                self._send()
        except Exception as fault:  # noqa: BLE001 - no fault here may stop the run
            self._failed = f"{type(fault).__name__}: {fault}"

    def _catch_up(self) -> None:
        """Read what was written before this process, or by others; what was already sent is only
        remembered.
        """
        with suppress(OSError, ValueError, AttributeError):
            known = json.loads((self._folder(self._root) / RECORD).read_bytes())
            self._sent = {str(run): int(seq) for run, seq in known.items()}
        self._read()

    def _read(self) -> None:
        for event in self._past(self._root):
            self._take(event)

    def _take(self, event: Mapping[str, Any]) -> None:
        run, seq = str(event["run"]), int(event["seq"])
        if seq <= self._seen.get(run, 0):
            return
        self._seen[run] = seq
        ended = self._tracer.absorb(event)
        if seq > self._sent.get(run, 0):
            self._spans += [(run, each) for each in ended]

    def _send(self) -> None:
        with self._guard:
            fresh, self._waiting = self._waiting, []
        for event in fresh:
            if int(event["seq"]) > self._seen.get(str(event["run"]), 0) + 1:
                # somebody else wrote in between, for example a decision at this terminal
                self._read()
            self._take(event)
        try:
            if self._spans:
                self._collector.send([span for _, span in self._spans])
        except Undelivered as fault:
            self._failed = str(fault)
            return
        self._failed, self._spans, self._sent = "", [], dict(self._seen)
        with suppress(OSError):
            (self._folder(self._root) / RECORD).write_text(
                json.dumps(self._sent, sort_keys=True), encoding="utf-8"
            )
