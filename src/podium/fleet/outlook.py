"""The fleet as a dashboard sees it: runs in a mirror that is updated in the background, files
fetched on demand.

What is shown is as of the database's last answer, and says so if that is long ago; decisions go to
the database itself.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from podium.core.errors import PodiumError
from podium.fleet.app import FleetApp, there_said
from podium.fleet.figures.census import census
from podium.fleet.figures.counts import Figures, figures
from podium.fleet.figures.exposition import exposition
from podium.fleet.journal.link import Unreachable
from podium.fleet.parcels.workshop import unpack_documents, unpack_run
from podium.fleet.places import remote_of
from podium.fleet.store.stores import store_of
from podium.state.run_folder import RunFolder, run_ids
from podium.wiring import App, Parts
from podium.wiring_values import Summary

PAUSE_S = 0.7
FIRST_S = 3.0
STALE_S = 15.0
"""Seconds of silence from the database after which people are told."""
FRESH_S = 1.5
"""How long computed figures are reused."""


class Outlook:
    """Created once per dashboard; its methods may be called from any thread."""

    def __init__(self, project: Path, environ: Mapping[str, str]) -> None:
        self._project, self._environ = project, dict(environ)
        self._first = self._made()
        self.truth = self._first.truth
        self.mirror = self._first.mirror
        self.home = self.mirror.folder
        """The folder whose `.podium` has the runs."""
        self._answered = time.time()
        self._fault = ""
        self._over, self._ready = threading.Event(), threading.Event()
        self._looking = threading.Lock()
        self._unasked: set[str] = set()
        """Runs whose messages were wanted while the database was unreachable; what pages show
        may be outdated.
        """
        self._files = threading.Lock()
        self._unpacked: dict[str, str] = {}
        self._figures: dict[float, tuple[float, Figures]] = {}
        self._thread = threading.Thread(target=self._keep, name="podium-fleet", daemon=True)

    def start(self) -> None:
        """Start, and wait only briefly: a first look at many runs takes long, and pages need not
        wait for the last.
        """
        self._thread.start()
        self._ready.wait(FIRST_S)

    def end(self) -> None:
        self._over.set()
        self._thread.join(PAUSE_S + self.truth.link.patience_s)
        self.truth.link.close()

    def look(self) -> None:
        """Fetch what is new. If the database is unreachable or the disk fails, what is known
        stays.
        """
        try:
            with self._looking:
                self.mirror.bring_all()
                while self._unasked:
                    os.utime(
                        RunFolder(self.home, self._unasked.pop()).inbox
                    )  # tells pages that they are outdated
            self._answered, self._fault = time.time(), ""
        except PodiumError:
            self._fault = "The fleet's database has not answered"
        except (
            OSError
        ) as fault:  # a full disk; without this, nobody would look again once there is room
            self._fault = f"Runs of the fleet could not be written here ({fault.strerror or fault})"

    def _keep(self) -> None:
        self.look()
        self._ready.set()
        while not self._over.wait(PAUSE_S):
            self.look()

    # -- what the pages ask

    def stale(self) -> str:
        """Since when nothing new has come, and why; empty if it comes."""
        silent = time.time() - self._answered
        if not self._fault or silent < STALE_S:
            return ""  # a first look at very many runs takes long, but is not silence
        return f"{self._fault} for {round(silent)} seconds; this page shows the state of that time."

    def runs(self) -> Iterable[str]:
        """Runs of the fleet, without those that have a local namesake."""
        return set(self.mirror.runs) - set(run_ids(self._project / ".podium" / "runs"))

    def has(self, run: str) -> bool:
        return run in self.mirror.runs and not RunFolder(self._project, run).journal.is_file()

    def holder(self, run: str) -> dict[str, Any] | None:
        known = self.mirror.runs.get(run.partition("/")[0])
        return known.holder if known is not None else None

    def inbox(self, run: str) -> Mapping[str, Mapping[str, Any]]:
        """The messages. If the database is unreachable, the known ones: decisions ask the
        database again anyway.
        """
        root = run.partition("/")[0]
        try:
            return self.mirror.inbox(root)
        except Unreachable:
            if (known := self.mirror.runs.get(root)) is None:
                raise
            self._unasked.add(root)
            return known.inbox[1]

    def facade(self) -> FleetApp:
        """For decisions: a new facade for each caller, over the shared connection."""
        made = self._made()
        made.__dict__.update(truth=self.truth, mirror=self.mirror)
        return made

    def window(self) -> App:
        """For looking: a facade over the mirror that does not ask the database."""
        return _Looking(self.home, self)

    def files(self, run: str) -> None:
        """Fetch the files of the run's steps, as in its last parcel."""
        parcel = self.mirror.runs[run].parcel
        with self._files:
            if parcel and self._unpacked.get(run) != parcel:
                unpack_run(
                    parcel,
                    run,
                    self._remote(),
                    self.home,
                    self._git(),
                    store_of(self._first.settings.fleet),
                )
                self._unpacked[run] = parcel

    def documents(self, run: str, paths: Iterable[str]) -> Path:
        """A folder with these files of the project, as in the run's last parcel."""
        parcel = self.mirror.runs[run].parcel
        top = self._project / ".podium" / "cache" / "fleet-documents" / run
        folder = top / parcel[:20]
        with self._files:
            if not folder.is_dir():
                shutil.rmtree(top, ignore_errors=True)
            unpack_documents(
                parcel,
                run,
                self._remote(),
                folder,
                self._git(),
                paths,
                store_of(self._first.settings.fleet),
            )
        return folder

    def figures(self, window_s: float) -> Figures:
        known = self._figures.get(window_s)
        if known is None or time.monotonic() - known[0] > FRESH_S:
            found = figures(census(self.truth.link, self.truth.lease_s, window_s))
            known = self._figures[window_s] = (time.monotonic(), found)
        return known[1]

    def metrics(self, window_s: float) -> str:
        return exposition(self.truth, window_s)

    def _remote(self) -> str:
        return remote_of(self._first.settings.fleet, self._project)

    def _git(self) -> Path:
        return self._project / ".podium" / "cache" / "fleet-mirror.git"

    def _made(self) -> FleetApp:
        return FleetApp(self._project, parts=Parts(self._environ, cwd=self._project))


class _Looking(App):
    """Runs of the mirror, with advice for people who do not drive them."""

    def __init__(self, home: Path, outlook: Outlook) -> None:
        made = outlook.facade().window(outlook)
        super().__init__(home, parts=made.parts)

    def summary(self, run: str) -> Summary:
        return there_said(super().summary(run), {})
