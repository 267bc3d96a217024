"""Server-sent events: each listener has its own cursor, so nothing has to be kept for slow ones."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Any

from podium.core.errors import PodiumError
from podium.views.lines import important, log_line
from podium.web.cards import Cards
from podium.web.homes import Homes
from podium.web.index import Index
from podium.web.tail import Event, Tail

LISTENERS = 40
BEAT_S = 15.0
LOOK_S = 0.3
FLEET_S = 2.0
BATCH = 200
"""The most events reported per look; the page has the others."""
LIFE_S = 4 * 3600.0
"""After this time the connection ends; the browser reconnects by itself."""


class Full(Exception):
    """Too many listeners already."""


class Feeds:
    """Everybody who listens. `ending` says whether the server is shutting down."""

    def __init__(
        self, homes: Homes, index: Index, cards: Cards, ending: Callable[[], bool]
    ) -> None:
        self._homes, self._index, self._cards, self._ending = homes, index, cards, ending
        self._listeners = 0

    def admit(self) -> None:
        if self._listeners >= LISTENERS:
            raise Full

    async def run(self, run: str, after: str) -> AsyncGenerator[bytes, None]:
        """Report that a run changed, and how: from a mark on, or from now on."""
        tail = Tail(self._homes.of(run), run)
        driven: bool | None = None

        async def look(first: bool) -> list[bytes]:
            nonlocal driven
            if first:
                events = await asyncio.to_thread(tail.begin, after)
                # Without a mark, a page was just loaded; it may not know what has happened since.
                told = (
                    events is None
                    or bool(events)
                    or (not after and await asyncio.to_thread(tail.fresh))
                )
            else:
                events = await asyncio.to_thread(tail.news)
                told = bool(events)
            now = await asyncio.to_thread(self._homes.driven, run)
            told, driven = told or (driven is not None and now != driven), now
            data = {
                "run": run,
                "driven": now,
                "events": [compact(each, run) for each in (events or ())[-BATCH:]],
            }
            return [message("change", data, tail.mark())] if told else []

        async for each in self._told(look, LOOK_S):
            yield each

    async def runs(self, after: str) -> AsyncGenerator[bytes, None]:
        """Report which runs changed, appeared or disappeared."""
        known: dict[str, Any] = {}
        version = self._index.version

        async def look(first: bool) -> list[bytes]:
            nonlocal known, version
            now = await asyncio.to_thread(self._cards.signatures)
            mark = self._cards.mark()
            changed = sorted(run for run in {*known, *now} if known.get(run) != now.get(run))
            known = now
            if first:
                changed = [] if after in {"", mark} else ["*"]
            if version != self._index.version:
                changed, version = changed or ["*"], self._index.version
            return [message("change", {"run": run}, mark) for run in changed[:1]]

        async for each in self._told(look, 2 * LOOK_S):
            yield each

    async def fleet(self, mark: Callable[[], str]) -> AsyncGenerator[bytes, None]:
        """Report that the fleet's figures may have changed, as often as a page can use it."""
        known = ""

        async def look(first: bool) -> list[bytes]:
            nonlocal known
            before, known = known, await asyncio.to_thread(mark)
            return [] if first or before == known else [message("change", {}, known)]

        async for each in self._told(look, FLEET_S):
            yield each

    async def _told(
        self, look: Callable[[bool], Awaitable[list[bytes]]], pause: float
    ) -> AsyncGenerator[bytes, None]:
        self._listeners += 1
        try:
            began = said = time.monotonic()
            first = True
            yield b"retry: 2000\n\n"
            while not self._ending() and time.monotonic() - began < LIFE_S:
                try:
                    told = await look(first)
                except (OSError, PodiumError, KeyError):  # the run's folder was moved away
                    yield message("bye", {}, "")
                    return
                first = False
                if told:
                    yield b"".join(told)
                elif time.monotonic() - said > BEAT_S:
                    yield b": still here\n\n"
                if told or time.monotonic() - said > BEAT_S:
                    said = time.monotonic()
                await asyncio.sleep(pause)
            if self._ending():
                yield message("bye", {}, "")
        finally:
            self._listeners -= 1


def message(kind: str, data: Mapping[str, Any], mark: str) -> bytes:
    head = f"id: {mark}\n" if mark else ""
    return f"{head}event: {kind}\ndata: {json.dumps(data, ensure_ascii=True)}\n\n".encode()


def compact(event: Event, run: str) -> dict[str, Any]:
    """What a page is told about an event: short, and one line for people."""
    state = event.get("state")
    told = {name: str(event.get(name, ""))[:200] for name in ("ts", "type", "key")}
    return {
        **told,
        "seq": event.get("seq"),
        "child": str(event.get("run", "")).partition("/")[2][:200],
        "status": str(state.get("status", ""))
        if isinstance(state, Mapping) and event.get("run") == run
        else "",
        "line": log_line(event),
        "loud": important(event),
    }
