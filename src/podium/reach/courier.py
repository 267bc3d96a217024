"""Tells people what the journal says, in a thread of its own: a run never waits for it and never
fails because of it.

Every fact comes once: the journal appends it once and its observer hears it once, in a resumed run
too. What was not delivered when the process ended is lost, and `podium doctor` says so.
"""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from podium.reach.channel import Channel, Undelivered
from podium.reach.notice import About, Notice, notice_of

HOLD_S = 0.5
"""A gate decided within this time was never a person's: all gates were approved beforehand."""
PATIENCE_S = 40.0
"""How long an ending process waits for pending deliveries."""
LARGEST_QUEUE = 500
RECORD = "notices.jsonl"
"""In the run's folder: what was tried and the result; not part of the journal."""


@dataclass(frozen=True)
class Wanted:
    """What is reported, over which channels, and what is redacted."""

    channels: Sequence[Channel]
    events: frozenset[str]
    link: str = ""
    redact: Callable[[Any], Any] = lambda value: value


class Courier:
    """An observer of a run that is being driven."""

    def __init__(
        self,
        wanted: Wanted,
        about: Callable[[str], About],
        folder: Callable[[str], Path],
        *,
        hold_s: float = HOLD_S,
    ) -> None:
        """`about`: from a root run's id to its description; `folder`: to where its record is
        kept.
        """
        self._wanted, self._about, self._folder, self._hold_s = wanted, about, folder, hold_s
        self._known: dict[str, About] = {}
        self._decided: set[str] = set()
        self._queue: queue.Queue[tuple[float, Notice] | None] = queue.Queue(LARGEST_QUEUE)
        self._thread: threading.Thread | None = None
        self._failed: list[str] = []

    def event(self, event: Mapping[str, Any]) -> None:
        """Never raises and never waits: a notice is not worth a run."""
        if not self._wanted.channels:
            return
        try:
            self._take(event)
        except Exception as fault:  # noqa: BLE001 - no fault here may stop the run
            self._failed.append(f"[notify] {type(fault).__name__}: {fault}")

    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None:
        """What agents do is not reported."""

    def settle(self, patience_s: float = PATIENCE_S) -> list[str]:
        """Wait for pending deliveries; returns what failed, one line each."""
        if self._thread is not None:
            with suppress(queue.Full):
                self._queue.put(None, timeout=patience_s)
            self._thread.join(patience_s)
            left = self._queue.qsize()
            if self._thread.is_alive():
                self._failed.append(
                    f"[notify] gave up after {patience_s:g} s; {left + 1} notices may not "
                    "have arrived"
                )
        return list(dict.fromkeys(self._failed))

    def _take(self, event: Mapping[str, Any]) -> None:
        if event["type"] in {"gate.decided", "gate.stale"}:
            self._decided.add(f"{event['run']}\n{event['key']}")
            return
        root = str(event["run"]).partition("/")[0]
        notice = notice_of(event, About(root), self._wanted.link)
        if notice is None or notice.event not in self._wanted.events:
            return
        self._decided.discard(notice.key)
        if root not in self._known:
            self._known[root] = self._about(root)
        known = self._known[root]
        told = replace(notice, title=known.title, workflow=known.workflow)
        told = replace(
            told,
            title=self._wanted.redact(told.title),
            detail=self._wanted.redact(dict(told.detail)),
        )
        try:
            self._queue.put_nowait((time.monotonic(), told))
        except queue.Full:
            self._failed.append(
                f"[notify] {told.event}: too many notices are waiting; this one is dropped"
            )
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="podium-notify", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            came, notice = item
            if notice.key:
                time.sleep(max(0.0, came + self._hold_s - time.monotonic()))
                if notice.key in self._decided:
                    continue
            deliver(notice, self._wanted.channels, self._heard(notice))

    def _heard(self, notice: Notice) -> Callable[[str, str], None]:
        def heard(channel: str, why: str) -> None:
            if why:
                self._failed.append(f"[notify] {channel}: {notice.event} was not delivered: {why}")
            line = {
                "at": notice.at,
                "id": notice.id,
                "event": notice.event,
                "channel": channel,
                "ok": not why,
                "why": why,
            }
            with (
                suppress(OSError),
                open(self._folder(notice.run) / RECORD, "a", encoding="utf-8") as file,
            ):
                file.write(
                    json.dumps({name: value for name, value in line.items() if value != ""}) + "\n"
                )

        return heard


def deliver(notice: Notice, channels: Sequence[Channel], heard: Callable[[str, str], None]) -> None:
    """Deliver over every channel; `heard` gets each channel's name and why it failed, or ""."""
    for channel in channels:
        try:
            channel.send(notice)
        except Undelivered as fault:
            heard(channel.name, str(fault))
        # whatever this channel met, the next must be tried
        except Exception as fault:  # noqa: BLE001
            heard(channel.name, f"{type(fault).__name__}: {fault}")
        else:
            heard(channel.name, "")


def failures(folder: Path) -> list[Mapping[str, Any]]:
    """What is recorded as undelivered for a run since each channel last worked."""
    try:
        lines = (folder / RECORD).read_text(encoding="utf-8", errors="replace").splitlines()[-200:]
    except OSError:
        return []
    last: dict[str, Mapping[str, Any]] = {}
    for line in lines:
        with suppress(ValueError):
            found = json.loads(line)
            if isinstance(found, dict) and isinstance(found.get("channel"), str):
                last[found["channel"]] = found
    return [each for each in last.values() if not each.get("ok")]
