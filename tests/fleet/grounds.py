"""A fleet with servers of its own, which can be killed, stopped and started again: PostgreSQL,
git over the network, Temporal.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.fleet.fleets import until
from tests.fleet.processes import descendants, tell
from tests.fleet.workers import Site, temporal_program

from podium.fleet.servers.postgres_server import PostgresServer, free_port


@dataclass
class Server:
    """A program that listens on a port: killed with all it started, stopped, started again."""

    words: list[str]
    port: int
    log: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        if self.process is None or self.process.poll() is not None:
            with open(self.log, "ab") as log:
                self.process = subprocess.Popen(
                    self.words,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            until(lambda: PostgresServer(Path(), self.port).runs(), f"{self.words[0]} answers")

    def tell(self, number: int) -> None:
        if self.process is not None and self.process.poll() is None:
            tell([self.process.pid, *descendants(self.process.pid)], number)

    def kill(self) -> None:
        self.tell(signal.SIGKILL)
        if self.process is not None:
            self.process.wait()


def git_server(base: Path) -> Server:
    """All repositories below the folder, to whoever asks."""
    port = free_port()
    words = [
        "git",
        "daemon",
        "--reuseaddr",
        "--export-all",
        "--enable=receive-pack",
        f"--base-path={base}",
        "--listen=127.0.0.1",
        f"--port={port}",
    ]
    return Server(words, port, base / "git-daemon.log")


def temporal_server(base: Path) -> Server:
    port = free_port()
    words = [
        temporal_program(),
        "server",
        "start-dev",
        "--headless",
        "--ip",
        "127.0.0.1",
        "--port",
        str(port),
        "--db-filename",
        str(base / "temporal.db"),
        "--log-level",
        "error",
    ]
    return Server(words, port, base / "temporal-server.log")


@dataclass
class Ground(Site):
    """A site whose parts can be struck."""

    postgres: PostgresServer | None = None
    servers: dict[str, Server] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.servers["remote"] = git_server(self.base)
        if self.engine == "temporal":
            self.servers["engine"] = temporal_server(self.base)
            self.temporal = f"127.0.0.1:{self.servers['engine'].port}"
        for each in self.servers.values():
            each.start()

    def close(self) -> None:
        for each in self.workers.values():
            tell([each.pid, *descendants(each.pid)], signal.SIGCONT)
        self.tell_database(signal.SIGCONT)
        super().close()
        for server in self.servers.values():
            server.kill()

    @property
    def address(self) -> str:
        return f"git://127.0.0.1:{self.servers['remote'].port}/{self.remote.name}"

    def tell_database(self, number: int) -> None:
        """The server and all that it forked."""
        assert self.postgres is not None
        with contextlib.suppress(FileNotFoundError):
            top = int((self.postgres.folder / "data" / "postmaster.pid").read_text().split()[0])
            tell([top, *descendants(top)], number)

    def lose_engine(self) -> None:
        """All that the engine knew is gone."""
        if self.engine == "temporal":
            self.servers["engine"].kill()
            for file in self.base.glob("temporal.db*"):
                file.unlink()
            self.servers["engine"].start()
        else:
            self.forget()


def roomy() -> str | None:
    """Memory, where there is some: git and PostgreSQL sync often."""
    return "/dev/shm" if sys.platform == "linux" and os.access("/dev/shm", os.W_OK) else None
