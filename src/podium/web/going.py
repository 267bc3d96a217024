"""Runs that continue after a decision: in a process of their own, which outlives the dashboard."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path

from podium.core.errors import UsageError
from podium.state import own_process
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
                raise UsageError(
                    f"a person plays a role in this run, and needs a terminal: podium resume {run}"
                )
            self._started[run] = self._start(app.folder(run), run, because)
        return "the run continues"

    def _start(self, folder: Path, run: str, because: str) -> subprocess.Popen[bytes]:
        # One word, so that a text starting with a dash is not an option.
        reason = [f"--because={because}"] if because else []
        process = own_process.start(
            self._project, ["resume", run, "--no-color", *reason], self._environ, folder / LOG
        )
        # Somebody must wait for it, or it remains as a zombie process.
        threading.Thread(target=process.wait, name=f"podium-resume-{run}", daemon=True).start()
        return process
