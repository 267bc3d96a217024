"""The server of `podium ui`: a socket, an address to open, and an end by Ctrl-C."""

from __future__ import annotations

import errno
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn

from podium.agents.serving import quiet
from podium.core.errors import InputError, UsageError
from podium.settings.environment import under_agent
from podium.settings.sources import load
from podium.web.access import Access
from podium.web.patience import MOST_HEAD, PatientProtocol
from podium.web.routes import application
from podium.web.site import Site

if TYPE_CHECKING:
    from podium.fleet.outlook import Outlook

PORT = 8790
"""The first port tried if none is given."""
PORTS = 50
CONNECTIONS = 128
KEEP_S = 10
WARM_S = 1.5
"""How long the link may wait for the list to be ready, so that whoever opens it need not wait."""
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True)
class Wanted:
    """What a person asked for."""

    project: Path
    who: str
    port: int = 0
    """0: the first free one."""
    host: str = "127.0.0.1"
    names: Sequence[str] = ()
    """Other names by which people reach it, `name` or `name:port`."""
    password: str = ""
    header: str = ""


class Served:
    """A server that is ready: its address is known, and it answers nobody yet."""

    def __init__(
        self, wanted: Wanted, environ: Mapping[str, str], entered: Callable[[str], None]
    ) -> None:
        if under_agent(environ):
            raise UsageError(
                "decisions are for people: this process was started by an agent, and was refused"
            )
        self._socket = listening(wanted.host, wanted.port)
        self.port = int(self._socket.getsockname()[1])
        self._host = wanted.host
        self._entered = entered
        self.access = Access(
            self.port, who=wanted.who, password=wanted.password, header=wanted.header
        )
        self.site = Site(
            wanted.project,
            self.access,
            environ,
            self._used,
            lambda: self._server.should_exit,
            fleet_of(wanted.project, environ),
        )
        self._warming = threading.Thread(
            target=self.site.index.warm, name="podium-warm", daemon=True
        )
        self._warming.start()
        schemes = ("http", "https") if self.access.remote else ("http",)
        app = application(self.site, hosts(wanted.host, self.port, wanted.names), schemes)
        self._server = uvicorn.Server(
            quiet(
                app,
                http=PatientProtocol,
                limit_concurrency=CONNECTIONS,
                timeout_keep_alive=KEEP_S,
                timeout_graceful_shutdown=2,
                h11_max_incomplete_event_size=MOST_HEAD,
            )
        )

    @property
    def address(self) -> str:
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self.port}/"

    def link(self) -> str:
        """The address to open; if it lets somebody in, it does so once."""
        self._warming.join(WARM_S)
        return (
            self.address
            if self.access.remote
            else f"{self.address}?token={self.access.new_token()}"
        )

    def run(self) -> None:
        """Serve until interrupted."""
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self.site.index.end()
            if self.site.fleet is not None:
                self.site.fleet.end()
            self._socket.close()

    def stop(self) -> None:
        """Called from another thread."""
        self._server.should_exit = True

    def _used(self) -> None:
        self._entered(self.link())


def fleet_of(project: Path, environ: Mapping[str, str]) -> Outlook | None:
    """The fleet's runs, if the settings name a fleet. Unreadable settings are reported by
    commands that need them.
    """
    try:
        if not load(project, environ).fleet.database:
            return None
    except InputError:
        return None
    # loads the database only if one is set
    from podium.fleet.outlook import Outlook  # noqa: PLC0415

    found = Outlook(project, environ)
    found.start()
    return found


def listening(host: str, port: int) -> socket.socket:
    """A socket at that port, or at the first free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for each in [port] if port else [*range(PORT, PORT + PORTS), 0]:
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((host, each))
            found.listen(128)  # only this fails on every system if the port is in use
        except OSError as fault:
            found.close()
            if fault.errno != errno.EADDRINUSE or port:
                raise UsageError(_no_socket(host, each, fault)) from None
            continue
        return found
    raise UsageError(f"no port of {host} is free")


def _no_socket(host: str, port: int, fault: OSError) -> str:
    if fault.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is taken; name another one with --port, or leave it out"
    return f"cannot listen at {host}, port {port}: {fault.strerror or fault}"


def hosts(host: str, port: int, names: Sequence[str]) -> list[str]:
    """The `Host` values that are answered: a foreign site must not reach this machine through
    somebody's browser.
    """
    own = sorted(LOOPBACK) if host in LOOPBACK else [] if host in {"0.0.0.0", "::"} else [host]  # noqa: S104
    bare = [f"[{each}]" if ":" in each else each for each in own]
    found = [f"{each}:{port}" for each in bare]
    for name in names:
        # Behind a proxy people use its port, which is omitted if it is the default.
        found += [name] if ":" in name else [name, f"{name}:{port}"]
    return found
