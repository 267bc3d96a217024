"""Runs that continue after a decision: in a process of their own, which outlives the dashboard."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from podium.core.errors import UsageError
from podium.wiring import App
from podium.wiring_values import RunOptions

LOG = "ui-resume.log"
"""In the run's folder: the process's output."""
PASSWORD = "PODIUM_PASSWORD"  # noqa: S105  # a variable's name
"""Belongs to the dashboard; no run may see it."""


class Going:
    """Starts `podium resume RUN`, never twice at a time."""

    def __init__(self, project: Path, environ: Mapping[str, str]) -> None:
        self._project = project
        self._environ = {name: value for name, value in environ.items() if name != PASSWORD}
        self._started: dict[str, subprocess.Popen[bytes]] = {}
        self._lock = threading.Lock()

    def on(self, app: App, run: str, because: str = "") -> str:
        """Let the run continue; returns what was done, in words."""
        with self._lock:
            known = self._started.get(run)
            holder = app.journal.holder(run)
            if (known is not None and known.poll() is None) or holder is not None:
                return "a process is already driving this run, and continues it"
            if app.has_person(RunOptions(), app.workflow(run).roles(), run):
                raise UsageError(f"a person plays a role in this run, and needs a terminal: podium resume {run}")
            self._started[run] = self._start(app.folder(run), run, because)
        return "the run continues"

    def _start(self, folder: Path, run: str, because: str) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-m", "podium", "resume", run, "--project", str(self._project), "--no-color"]
        # One word, so that a text starting with a dash is not an option.
        words += [f"--because={because}"] if because else []
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        log = os.open(folder / LOG, flags, 0o600)
        try:
            process = subprocess.Popen(
                words,
                cwd=self._project,
                env=self._environ,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        finally:
            os.close(log)
        # Somebody must wait for it, or it remains as a zombie process.
        threading.Thread(target=process.wait, name=f"podium-resume-{run}", daemon=True).start()
        return process
