"""HTTP servers inside this process: on loopback or a unix socket, without signal handlers, logs
or threads.
"""

from __future__ import annotations

import asyncio
import os
import socket
from typing import Any

import uvicorn


def loopback() -> socket.socket:
    """A socket bound to a free port of 127.0.0.1."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.bind(("127.0.0.1", 0))
    return found


def unix(path: str) -> socket.socket:
    """A socket at that path which only its owner can open."""
    found = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        found.bind(path)
        os.chmod(path, 0o600)  # nobody can connect before it listens
    except OSError:
        found.close()
        raise
    return found


def port_of(listening: socket.socket) -> int:
    return int(listening.getsockname()[1])


def quiet(app: Any, **more: Any) -> uvicorn.Config:
    """Plain HTTP: no log, no server header, and no trust in proxy headers."""
    return uvicorn.Config(
        app,
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        **more,
    )


class Listener:
    """One application on sockets that are closed with it."""

    def __init__(self, app: Any) -> None:
        self._server = uvicorn.Server(
            quiet(app, http="h11", date_header=False, timeout_keep_alive=60)
        )
        self._sockets: list[socket.socket] = []

    async def open(self, *sockets: socket.socket) -> None:
        self._sockets = list(sockets)
        server = self._server
        server.config.load()
        server.lifespan = server.config.lifespan_class(server.config)
        await server.startup(sockets=self._sockets)  # not serve(), which takes over the signals

    async def close(self) -> None:
        """Close at once: requests in progress are cut off."""
        for each in getattr(self._server, "servers", ()):
            each.close()
        for listening in self._sockets:
            listening.close()
        state = self._server.server_state
        for connection in list(state.connections):
            transport = getattr(connection, "transport", None)
            if transport is not None:
                transport.abort()
        await asyncio.sleep(0)  # let the protocols notice
        tasks = list(state.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
