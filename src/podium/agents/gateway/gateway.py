"""The gateway of one drive: admits dispatches one by one, each with listeners of its own that
close with it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from podium.agents.gateway.budgets import Purse, Purses
from podium.agents.gateway.passes import Pass
from podium.agents.gateway.providers import Route
from podium.agents.gateway.proxy import Proxy
from podium.agents.gateway.recording import Recorder, Replayer, load
from podium.agents.gateway.upstream import Upstream
from podium.agents.serving import Listener, loopback, port_of, unix


class Gateway:
    """Holds the keys. With the token and address of one dispatch, only that dispatch's provider
    can be reached.
    """

    def __init__(
        self,
        purses: Purses | None = None,
        *,
        record: Path | None = None,
        replay: Path | None = None,
        redact: Callable[[str], str] = lambda text: text,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        environ: Mapping[str, str] | None = None,
    ) -> None:
        """`purses` pay for all dispatches. `record` and `replay` are files to write exchanges
        to, or answer from.
        """
        self.purses = purses or Purses()
        self._recorder = Recorder(record, redact) if record else None
        self._replayer = Replayer(load(replay), redact) if replay else None
        self._now = now
        self._near = (environ if environ is not None else os.environ).get("XDG_RUNTIME_DIR", "")
        self._upstream: Upstream | None = None
        self._folder: Path | None = None
        self._number = 0

    @asynccontextmanager
    async def admit(
        self, dispatch: str, route: Route, *, own: Purse | None = None, tcp: bool = True
    ) -> AsyncIterator[Pass]:
        """Admit a dispatch until the end of the block.

        `own`: what its step may use. `tcp`: listen on loopback too, for agents without a room.
        """
        pass_ = Pass(dispatch, route, Purses((own or Purse(), *self.purses.parts)))
        if self._upstream is None:
            self._upstream = Upstream()
        self._number += 1
        pass_.socket = self._home() / f"{self._number}.sock"
        sockets = [unix(str(pass_.socket))]
        if tcp:
            sockets.append(loopback())
            pass_.port = port_of(sockets[1])
        listener = Listener(
            Proxy(
                pass_,
                self._upstream,
                recorder=self._recorder,
                replayer=self._replayer,
                now=self._now,
            )
        )
        try:
            await listener.open(*sockets)
            yield pass_
        finally:
            pass_.ended = True
            await asyncio.shield(listener.close())
            pass_.socket.unlink(missing_ok=True)

    async def close(self) -> None:
        """No further dispatch is admitted, and nothing is left on disk."""
        if self._upstream is not None:
            await self._upstream.close()
            self._upstream = None
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _home(self) -> Path:
        """A folder that nobody else can enter.

        Its path is short, because a socket's path may have about a hundred characters.
        """
        if self._folder is None:
            near = self._near if os.path.isdir(self._near) and len(self._near) < 60 else None
            self._folder = Path(tempfile.mkdtemp(prefix="podium-", dir=near))
        return self._folder
