"""The way to the provider: one client for a gateway, told apart by nothing but the request."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from podium.agents.gateway.providers import is_loopback

CONNECT_S = 30.0
SILENCE_S = 600.0
"""How long a provider may say nothing: models think for minutes, and the dispatch has a limit of its own."""
_LOUD = ("httpx", "httpcore", "hpack")


class Upstream:
    """Requests to providers, streamed. Keys go into requests and nowhere else."""

    def __init__(self) -> None:
        # Below this level these libraries write every header of every request into the log.
        for name in _LOUD:
            logging.getLogger(name).setLevel(logging.WARNING)
        self._near = self._client(own=True)
        self._far: httpx.AsyncClient | None = None

    @staticmethod
    def _client(*, own: bool) -> httpx.AsyncClient:
        """`own`: this machine, which no proxy of the environment leads to."""
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
        client = self._near if is_loopback(address) else self._distant()
        request = httpx.Request(method, address, headers=headers, content=body)
        answer = await client.send(request, stream=True)
        try:
            yield answer
        finally:
            await answer.aclose()

    def _distant(self) -> httpx.AsyncClient:
        if self._far is None:
            self._far = self._client(own=False)
        return self._far

    async def close(self) -> None:
        await self._near.aclose()
        if self._far is not None:
            await self._far.aclose()
