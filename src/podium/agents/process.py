"""Programs under the shim: enclosed, fed, read, limited in time, silence and output, and ended
as a whole tree.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from podium.agents.confine.room import Enclose, unconfined
from podium.agents.environment import MARK, end, leftovers
from podium.agents.protocol import Finished, NotStarted
from podium.agents.streams import Dialogue, ToItsEnd, Watched

SHIM = Path(__file__).with_name("shim.py")
KEPT_BYTES = 10 * 1024 * 1024
_PATIENCE_S = 10.0
"""How long the shim may take to end the tree before the shim itself is killed."""

_T = TypeVar("_T")


@dataclass(frozen=True)
class _Asked:
    """A program and where to run it."""

    argv: Sequence[str]
    cwd: Path
    env: Mapping[str, str]
    needs: Sequence[Path]
    timeout_s: float | None
    silence_s: float | None


@dataclass
class Spoken:
    """A `Talk` over the streams of a supervised program."""

    streams: Dialogue = field(repr=False)
    finished: Finished | None = None

    @property
    def reader(self) -> asyncio.StreamReader:
        return self.streams.reader

    @property
    def writer(self) -> asyncio.StreamWriter:
        return self.streams.writer

    @property
    def errors(self) -> bytes:
        return self.streams.errors

    @property
    def ended(self) -> asyncio.Event:
        return self.streams.over


class Supervisor:
    """Starts programs that cannot outlive this process. `inherit`: lock descriptors that their
    shims keep open.
    """

    def __init__(
        self,
        inherit: Sequence[int] = (),
        *,
        enclose: Enclose = unconfined,
        kept_bytes: int = KEPT_BYTES,
        patience_s: float = _PATIENCE_S,
    ) -> None:
        self._inherit = tuple(inherit)
        self._enclose = enclose
        self._kept_bytes = kept_bytes
        self._patience_s = patience_s

    async def __call__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        stdin: bytes = b"",
        needs: Sequence[Path] = (),
        timeout_s: float | None = None,
        silence_s: float | None = None,
        on_output: Callable[[str], None] | None = None,
    ) -> Finished:
        asked = _Asked(argv, cwd, env, needs, timeout_s, silence_s)
        streams = ToItsEnd(self._kept_bytes, on_output)
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                try:
                    # A cancellation does not interrupt this: a half-started shim could not be ended
                    # properly.
                    transport, cancelled = await _whole(
                        self._spawn(streams, theirs.fileno(), asked)
                    )
                except (
                    OSError,
                    ValueError,
                ) as fault:  # no such folder, an argument too long or with a NUL
                    return Finished(127, b"", b"", not_started=str(fault))
            try:
                if cancelled:
                    raise asyncio.CancelledError
                streams.feed(stdin)
                await _limit_of(streams, asked)
            finally:
                # Also on cancellation: whoever cancels may rely on the tree being dead once this
                # returns.
                await self._put_down(streams, transport, ours, env.get(MARK, ""))
            if streams.fault is not None:
                raise streams.fault
            return streams.finished(transport.get_returncode(), _complaint(ours))

    @contextlib.asynccontextmanager
    async def converse(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        needs: Sequence[Path] = (),
        timeout_s: float | None = None,
        silence_s: float | None = None,
    ) -> AsyncIterator[Spoken]:
        asked = _Asked(argv, cwd, env, needs, timeout_s, silence_s)
        streams = Dialogue(self._kept_bytes)
        talk = Spoken(streams)
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                try:
                    transport, cancelled = await _whole(
                        self._spawn(streams, theirs.fileno(), asked)
                    )
                except (OSError, ValueError) as fault:
                    raise NotStarted(str(fault)) from None
            watch = asyncio.ensure_future(self._hold(streams, transport, ours, asked))
            broken: Exception | None = None
            try:
                if cancelled:
                    raise asyncio.CancelledError  # noqa: TRY301  # its handler is the finally below
                yield talk
            except Exception as raised:  # noqa: BLE001  # raised again below, when the tree is dead
                broken = raised
            finally:
                await self._wind_up(streams, transport, ours, asked, watch)
                talk.finished = streams.finished(transport.get_returncode(), _complaint(ours))
            if talk.finished.not_started:
                raise NotStarted(talk.finished.not_started) from broken
            if broken is not None:
                raise broken

    async def _hold(
        self,
        streams: Watched,
        transport: asyncio.SubprocessTransport,
        control: socket.socket,
        asked: _Asked,
    ) -> None:
        """End the program at its limit while somebody else talks to it."""
        await _limit_of(streams, asked)
        if streams.limit:
            await self._put_down(streams, transport, control, asked.env.get(MARK, ""))

    async def _wind_up(
        self,
        streams: Dialogue,
        transport: asyncio.SubprocessTransport,
        control: socket.socket,
        asked: _Asked,
        watch: asyncio.Future[None],
    ) -> None:
        streams.leave()
        watch.cancel()  # if it is already ending the tree, it finishes that first
        _, cancelled = await _whole(_settled(watch))
        await self._put_down(streams, transport, control, asked.env.get(MARK, ""))
        if cancelled:
            raise asyncio.CancelledError

    async def _spawn(
        self, streams: Watched, control: int, asked: _Asked
    ) -> asyncio.SubprocessTransport:
        """The only place where a program is started, so no transport can forget the room."""
        inside = self._enclose(asked.argv, asked.cwd, asked.env, asked.needs)
        streams.complaints, streams.afterwards = inside.complaints, inside.afterwards
        kept = ",".join(map(str, self._inherit))
        try:
            transport, _ = await asyncio.get_running_loop().subprocess_exec(
                lambda: streams,
                *(sys.executable, "-I", "-S", str(SHIM), str(control), kept, *inside.argv),
                cwd=inside.cwd,
                env=dict(inside.env),
                pass_fds=(control, *self._inherit, *inside.descriptors),
                start_new_session=True,
            )
        finally:
            for each in inside.descriptors:
                os.close(each)
        return transport

    async def _put_down(
        self,
        streams: Watched,
        transport: asyncio.SubprocessTransport,
        control: socket.socket,
        mark: str,
    ) -> None:
        """Wait until the shim, and with it the tree, is gone. A second cancellation does not
        interrupt this.
        """
        cancelled = False
        if not streams.over.is_set():
            with contextlib.suppress(OSError):
                control.shutdown(
                    socket.SHUT_WR
                )  # end of file is a kill command that cannot get lost
            _, cancelled = await _whole(self._wait(streams, transport))
        # A shim killed by a signal could not clean up; an agent can kill its parent.
        if (transport.get_returncode() or 0) < 0 and mark:
            _, again = await _whole(asyncio.to_thread(_end_marked, mark))
            cancelled = cancelled or again
        transport.close()
        streams.afterwards()
        if cancelled:
            raise asyncio.CancelledError

    async def _wait(self, streams: Watched, transport: asyncio.SubprocessTransport) -> None:
        try:
            async with asyncio.timeout(self._patience_s):
                await streams.over.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                # stopped by its own agent, or waiting for a process that cannot die
                transport.kill()
            await streams.over.wait()


async def _limit_of(streams: Watched, asked: _Asked) -> None:
    """Wait for the end, or for the limit that comes first."""
    clock = asyncio.get_running_loop().time
    began = clock()
    while True:
        ends: list[tuple[float, str]] = []
        if asked.timeout_s is not None:
            ends.append((began + asked.timeout_s, "time"))
        if asked.silence_s is not None:
            ends.append((streams.heard + asked.silence_s, "silence"))
        at, which = min(ends) if ends else (None, "")
        try:
            async with asyncio.timeout_at(at):
                await streams.attention.wait()
        except TimeoutError:
            # Output in the meantime restarts the silence.
            if which == "time" or streams.heard + (asked.silence_s or 0) <= clock():
                streams.limit = which
                return
        else:
            return


async def _settled(task: asyncio.Future[None]) -> None:
    await asyncio.wait({task})


def _complaint(control: socket.socket) -> str:
    """What the shim wrote if it could not start the program."""
    control.setblocking(False)
    try:
        return os.read(control.fileno(), 4096).decode(errors="replace")
    except OSError:
        return ""


async def _whole(work: Coroutine[Any, Any, _T]) -> tuple[_T, bool]:
    """The result, and whether a cancellation arrived meanwhile, which the caller must raise
    again.
    """
    task, cancelled = asyncio.ensure_future(work), False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    if cancelled and task.exception() is not None:
        raise asyncio.CancelledError  # the failure no longer matters
    return task.result(), cancelled


def _end_marked(mark: str) -> None:
    """Repeat until none is found: a process may start another just before it is killed."""
    while found := leftovers(mark):
        if end(found):
            return
