"""A private PostgreSQL for trying out a fleet: from the system's programs, or from the package
pgserver.
"""

from __future__ import annotations

import contextlib
import glob
import os
import pwd
import secrets
import shutil
import socket
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from podium.core.errors import PodiumError, UsageError

USER = "podium"
_ENCODING = ("--encoding=UTF8", "--locale=C", "--auth=scram-sha-256", f"--username={USER}")


def programs() -> Path | None:
    """The folder with initdb and pg_ctl; None if there is none."""
    found = shutil.which("pg_ctl")
    if found:
        return Path(found).resolve().parent
    for folder in sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True):
        if os.path.exists(f"{folder}/pg_ctl"):
            return Path(folder)
    spec = find_spec("pgserver")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        if os.path.exists(f"{place}/pginstall/bin/pg_ctl"):
            return Path(place) / "pginstall" / "bin"
    return None


@dataclass(frozen=True)
class PostgresServer:
    """A cluster in a folder, reachable only from this machine, with a password stored next to
    it.
    """

    folder: Path
    port: int
    durable: bool = True
    """Off only for tests: a database that forgets at a power cut is faster."""

    @property
    def url(self) -> str:
        word = (self.folder / "password").read_text().strip()
        return f"postgresql://{USER}:{word}@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        data = self.folder / "data"
        if not (data / "PG_VERSION").exists():
            self._make(data)
        sync = "" if self.durable else " -c fsync=off"
        told = (
            f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories=''{sync}"
        )
        self._call(
            "pg_ctl",
            "-D",
            str(data),
            "-l",
            str(self.folder / "log"),
            "-w",
            "-t",
            "60",
            "-o",
            told,
            "start",
        )

    def stop(self, how: str = "fast") -> None:
        """`immediate` is a crash: the next start recovers from the log."""
        self._call("pg_ctl", "-D", str(self.folder / "data"), "-m", how, "-w", "stop")

    def runs(self) -> bool:
        with (
            contextlib.suppress(OSError),
            socket.create_connection(("127.0.0.1", self.port), timeout=1),
        ):
            return True
        return False

    def _make(self, data: Path) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        word = self.folder / "password"
        word.touch(mode=0o600)
        word.write_text(secrets.token_hex(16) + "\n")
        whom = _servant()
        if whom is not None:
            for path in (self.folder, word):
                os.chown(path, whom, -1)
        self._call("initdb", "-D", str(data), f"--pwfile={word}", *_ENCODING)

    def _call(self, name: str, *words: str) -> None:
        folder = programs()
        if folder is None:
            raise UsageError(
                "there is no PostgreSQL here: install the system's package, or `pip install "
                "pgserver`"
            )
        more: Mapping[str, Any] = {} if (whom := _servant()) is None else {"user": whom}
        # Not to our own streams: the server keeps open what it inherits.
        with open(os.devnull, "r+b") as nothing:
            done = subprocess.run(
                [str(folder / name), *words],
                cwd="/",
                stdin=nothing,
                stdout=nothing,
                stderr=subprocess.DEVNULL,
                check=False,
                start_new_session=True,
                **more,
            )
        if done.returncode:
            raise PodiumError(
                f"{name} ended with {done.returncode}; {self.folder / 'log'} may say why"
            )


def free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])


def _servant() -> int | None:
    """The user to run as if we are root, since PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return None
    for name in ("postgres", "pgserver", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_uid
    raise UsageError("PostgreSQL does not run as root; use another user")
