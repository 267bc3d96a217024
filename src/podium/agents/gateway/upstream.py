"""The way to the provider: the HTTP clients that all calls of a gateway share."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from podium.agents.gateway.providers import is_loopback

CONNECT_S = 30.0
SILENCE_S = 600.0
"""How long a provider may be silent: models think for minutes, and the dispatch has a limit of
its own.
"""
_LOUD = ("httpx", "httpcore", "hpack")


class Upstream:
    """Requests to providers, streamed. Keys go into requests and nowhere else."""

    def __init__(self) -> None:
        # Below this level these libraries log every header of every request.
        for name in _LOUD:
            logging.getLogger(name).setLevel(logging.WARNING)
        self._clients: dict[bool, httpx.AsyncClient] = {}

    def _client(self, *, own: bool) -> httpx.AsyncClient:
        """`own`: for addresses on this machine, which do not go through the environment's proxy."""
        if own not in self._clients:
            self._clients[own] = self._made(own=own)
        return self._clients[own]

    @staticmethod
    def _made(*, own: bool) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            timeout=httpx.Timeout(SILENCE_S, connect=CONNECT_S, pool=None),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=40),
            follow_redirects=False,
            trust_env=not own,
        )

    @asynccontextmanager
    async def ask(
        self, method: str, address: str, headers: list[tuple[str, str]], body: bytes
    ) -> AsyncIterator[httpx.Response]:
        client = self._client(own=is_loopback(address))
        request = httpx.Request(method, address, headers=headers, content=body)
        answer = await client.send(request, stream=True)
        try:
            yield answer
        finally:
            await answer.aclose()

    async def close(self) -> None:
        for each in self._clients.values():
            await each.aclose()
        self._clients.clear()
