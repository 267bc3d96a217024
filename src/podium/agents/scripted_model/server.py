"""The scripted model's server, for tests and checks of agents: on loopback or a unix socket,
never elsewhere.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from podium.agents.protocol import Agent, Job
from podium.agents.scenario import Scenario
from podium.agents.scripted_model.app import application
from podium.agents.scripted_model.dispatches import Dispatches, Rehearsed
from podium.agents.scripted_model.scenes import Always, Marked, Source
from podium.agents.scripted_model.script import Script, Tokens
from podium.agents.scripted_model.served import Served, total
from podium.agents.scripted_model.standard import STANDARD
from podium.agents.scripted_model.turns import Turns
from podium.agents.serving import Listener, loopback, port_of, unix

Played = Script | Scenario | Mapping[str, Script]
"""One script for every request; a scenario of roles for Podium's dispatches; or scripts by name."""


class ScriptedModel:
    """A model that plays a script: `async with` in the running loop, `with` in a thread of its own.

    Whatever it is given, a prompt that contains `[[script:NAME cwd=/folder]]` gets the script of
    that name: one of those given, or a standard one.
    """

    def __init__(
        self, played: Played | None = None, *, home: Path | None = None, socket: Path | None = None
    ) -> None:
        """`home`: where a scenario finds files to copy. `socket`: listen there too."""
        self.calls: list[Served] = []
        self.socket = socket
        self.port = 0
        named = dict(played) if isinstance(played, Mapping) else {}
        sources: list[Source] = [Marked({**STANDARD, **named})]
        self.dispatches = Dispatches(
            played if isinstance(played, Scenario) else Scenario(), home or Path.cwd()
        )
        sources.append(Always(played) if isinstance(played, Script) else self.dispatches)
        self._listener = Listener(application(Turns(sources), self.calls))
        self._thread: _Thread | None = None

    @property
    def url(self) -> str:
        """Its address; OpenAI's clients expect `/v1` after it."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def total(self) -> Tokens:
        """The usage that all answers so far reported."""
        return total(self.calls)

    def rehearse(self, job: Job) -> None:
        """Announce a dispatch, so that its files follow its contract and not just the words of
        its prompt.
        """
        self.dispatches.rehearse(job)

    def rehearsed(self, agent: Agent) -> Agent:
        """The same agent, with each of its jobs announced."""
        return Rehearsed(agent, self.dispatches)

    async def __aenter__(self) -> Self:
        await self._open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._close()

    def __enter__(self) -> Self:
        self._thread = _Thread(self)
        self._thread.begin()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _fault: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        assert self._thread is not None
        self._thread.end()

    async def _open(self) -> None:
        tcp = loopback()
        self.port = port_of(tcp)
        more = [unix(str(self.socket))] if self.socket else []
        await self._listener.open(tcp, *more)

    async def _close(self) -> None:
        await self._listener.close()
        if self.socket is not None:
            self.socket.unlink(missing_ok=True)


class _Thread(threading.Thread):
    """The server in an event loop of its own, for callers that have none or block theirs."""

    def __init__(self, model: ScriptedModel) -> None:
        super().__init__(name="scripted-model", daemon=True)
        self._model = model
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: asyncio.Event | None = None
        self._fault: BaseException | None = None

    def begin(self) -> None:
        self.start()
        self._ready.wait()
        if self._fault is not None:
            raise self._fault

    def end(self) -> None:
        assert self._loop is not None
        assert self._end is not None
        self._loop.call_soon_threadsafe(self._end.set)
        self.join()

    def run(self) -> None:
        asyncio.run(self._main())

    async def _main(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        try:
            await self._model._open()  # noqa: SLF001 - one class in two parts
        except OSError as fault:
            self._fault = fault
            return
        finally:
            self._ready.set()
        await self._end.wait()
        await self._model._close()  # noqa: SLF001
