"""`python -m podium.fleet.driver`: one process drives one run for a worker, and dies with it.

The order is the first line of its standard input; the end of the input means that the worker is
gone. Agents are children of shims that end with this process, so wherever it dies, nothing of the
attempt survives.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
import threading
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import podium
from podium.core.errors import Busy, Fenced, PodiumError, UsageError
from podium.core.history import CANCEL
from podium.core.run import ENDED, Status
from podium.engine.collector import spare_what_is_loaded
from podium.engine.git.git import GitFailed
from podium.engine.services import Services
from podium.engine.workspace import Workspace
from podium.fleet import rewinds
from podium.fleet.acquaintance import refuse_unknown
from podium.fleet.heart import Heart, clock
from podium.fleet.journal.fleet_days import FleetDays
from podium.fleet.journal.mirrored_journal import MirroredJournal, lines_of
from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.fleet.line.placement import Full, Terms
from podium.fleet.line.wants import read as read_wants
from podium.fleet.orders import CODES, DRAIN, Order, Result, reason, standing
from podium.fleet.parcels.parcels import Parcels, spoken_of
from podium.fleet.parcels.workshop import unpack, write_journal
from podium.fleet.store.stores import opened
from podium.reach.listeners import Listener, listeners
from podium.state.port import Opened
from podium.state.sealing import stamp
from podium.wiring import App, Parts
from podium.wiring_values import RunOptions

ASKED = threading.Event()
"""Set when the worker wants to stop: the run is left after the current step."""

SHOWN = frozenset(
    {"step.started", "gate.opened", "run.paused", "run.blocked", "run.completed", "run.cancelled"}
)
"""After these events the previous step's work has arrived, and people may want to look at the
run's branch.
"""


def main() -> int:
    signal.signal(DRAIN, lambda *_: ASKED.set())
    order = Order.read(sys.stdin.readline())
    threading.Thread(target=_die_with_worker, daemon=True).start()
    try:
        result = drive(order)
    except Full as full:
        return _said(Result.FULL, full)
    except Busy as busy:
        return _said(Result.BUSY, busy)
    except Fenced as fenced:
        return _said(Result.FENCED, fenced)
    except PodiumError as fault:
        return _said(Result.REFUSED, fault)
    return CODES[result]


def drive(order: Order) -> Result:
    spare_what_is_loaded()
    truth = PostgresJournal(order.database, _now, beat_s=order.beat_s, worker=order.worker)
    since = clock()
    terms = Terms(order.worker, order.limits, read_wants(order.usual))
    held = truth.open(
        order.run,
        f"{order.worker} ({os.environ.get('USER', 'user')}@{socket.gethostname()})",
        terms,
    )
    heart = Heart(order.database, order.run, held.epoch, order.beat_s, since)
    heart.start()
    give_back, result = truth.abandon, Result.FAILED
    try:
        result = _Attempt(order, truth, held, heart).go()
        # A driver told to stop may not have read all messages yet; a run that has ended has none
        # left to read.
        done = result is Result.FINISHED or (result is not Result.CONTINUE and not ASKED.is_set())
        give_back = truth.close if done else truth.abandon
    finally:
        heart.stop()
        give_back(held, result)
        truth.link.close()
    return result


class _Attempt:
    """One owner's time with a run, in a checkout of its own."""

    def __init__(self, order: Order, truth: PostgresJournal, held: Opened, heart: Heart) -> None:
        self.order, self.truth, self.held, self.heart = order, truth, held, heart
        self.folder = Path(order.work) / "runs" / order.run / str(held.epoch)
        self.store = opened(order.store, order.store_endpoint)
        self.done = 0
        self.listeners: list[Listener] = []
        """Others that hear about the run besides the database: people, a collector."""

    def go(self) -> Result:
        for run in self.truth.family(self.order.run):
            refuse_unknown(self.truth.read(run), podium.__version__)
        project = self._unpacked()
        parcels = self._parcels(project)
        app = _Driving(project, self, self._parts(parcels))
        self.listeners = listeners(app.settings, project, os.environ, app.events)
        status = self._drive(app)
        parcels.send(_stamp())
        self.truth.keep_parcel(self.held, parcels.last)
        parcels.show(_stamp(), f"{self.order.run}: {status.value}")
        for line in (line for each in self.listeners for line in each.settle()):
            sys.stderr.write(f"podium worker: {line}\n")
        if status in ENDED:
            parcels.tidy()
        # What dead attempts left is kept until the run has ended: somebody may want to look.
        shutil.rmtree(self.folder.parent if status in ENDED else self.folder, ignore_errors=True)
        return standing(status)

    def _drive(self, app: App) -> Status:
        message = self.truth.inbox(self.order.run).get(CANCEL)
        if message is not None and Status(app.summary(self.order.run).status) not in ENDED:
            app.cancel(
                self.order.run, str(message.get("reason", "")), str(message.get("by", "somebody"))
            )
            return Status.CANCELLED
        if ASKED.is_set():
            return Status.ACTIVE
        self._set_back(app)
        self.heart.on_cancel = lambda: os.kill(os.getpid(), signal.SIGTERM)
        because = reason(self.held.events, self.truth.inbox(self.order.run))
        return app.resume(self.order.run, RunOptions(because=because)).status

    def _set_back(self, app: App) -> None:
        """Rewind as a person asked while nobody drove the run; if that is impossible, say so and
        forget it.
        """
        wish = rewinds.due(self.held.events, self.truth.inbox(self.order.run))
        if wish is None:
            return
        try:
            app.rewind(
                self.order.run,
                str(wish.get("to", "")),
                restore_code=wish.get("restore_code") is True,
                by=str(wish.get("by", "somebody")),
            )
        except UsageError as fault:
            _said(Result.REFUSED, fault)
            rewinds.refuse(self.truth, self.held)

    def _unpacked(self) -> Path:
        shutil.rmtree(self.folder, ignore_errors=True)
        parcel = self.truth.parcel(self.order.run)
        mirror = Path(self.order.work) / "mirror.git"
        origin = str(self.truth.request(self.order.run).get("remote", self.order.remote))
        project = unpack(
            parcel,
            self.order.run,
            self.order.remote,
            self.folder,
            mirror,
            self.store,
            origin=origin,
        )
        for run in self.truth.family(self.order.run):
            write_journal(project, run, lines_of(self.truth.read(run)))
        return project

    def _parcels(self, project: Path) -> Parcels:
        workspace = Workspace.find(project, project / ".podium")
        found = Parcels(
            workspace,
            self.order.remote,
            self.order.run,
            self.held.epoch,
            self.truth.parcel(self.order.run),
            synced=False,
        )
        found.store, found.above = self.store, self.order.store_above
        for run in self.truth.family(self.order.run):
            found.documents |= spoken_of(self.truth.read(run))
        return found

    def _parts(self, parcels: Parcels) -> Parts:
        def send(events: Sequence[Mapping[str, Any]]) -> str:
            self.flush()
            parcels.documents |= spoken_of(events)
            return parcels.send(_stamp())

        def told(events: Sequence[Mapping[str, Any]]) -> None:
            if any(each["type"] in SHOWN for each in events):
                parcels.show(_stamp(), f"{self.order.run}: as of event {self.held.seq}", soon=True)

        journal = partial(MirroredJournal, truth=self.truth, held=self.held, send=send, told=told)
        return Parts(os.environ, journal=journal, cwd=parcels.workspace.project)

    def flush(self) -> None:
        """Replaced once the services exist: files they still hold back must be sent too."""

    def enough(self) -> bool:
        return ASKED.is_set() or 0 < self.order.steps <= self.done

    # -- an observer that counts steps

    def event(self, event: Mapping[str, Any]) -> None:
        for each in self.listeners:
            each.event(event)
        self.done += event["type"] == "run.advanced" and event["run"] == self.order.run

    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None: ...


class _Driving(App):
    """The application of one attempt. It gets hold of the services, so that their files are
    written in time.
    """

    def __init__(self, project: Path, attempt: _Attempt, parts: Parts) -> None:
        super().__init__(project, attempt, parts)
        self.attempt = attempt

    def _services(self, entry: Any, request: Mapping[str, Any], options: RunOptions) -> Services:
        services = super()._services(entry, request, options)
        self.attempt.flush = services.scribe.flush  # type: ignore[method-assign]
        services.stopping = self.attempt.enough
        services.fresh = True
        services.days = FleetDays(self.attempt.truth, self.attempt.order.run)
        return services


def _die_with_worker() -> None:
    while sys.stdin.readline():
        continue
    os._exit(CODES[Result.FENCED])


def _said(result: Result, fault: Exception) -> int:
    sys.stderr.write(f"podium worker: {result.value}: {fault}\n")
    return CODES[result]


def _now() -> datetime:
    return datetime.now(UTC)


def _stamp() -> str:
    return stamp(_now())


if __name__ == "__main__":
    try:
        code = main()
    except (GitFailed, OSError) as failed:  # also a full disk
        code = _said(Result.REFUSED, failed)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # do not let the thread that waits for the worker keep the process alive
