"""Programs under the shim: fed, read, limited in time and output, and ended as a whole tree."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from podium.agents.environment import MARK, end, leftovers
from podium.agents.protocol import Finished

SHIM = Path(__file__).with_name("shim.py")
KEPT_BYTES = 10 * 1024 * 1024
_LINE_CHARACTERS = 4000
_PATIENCE_S = 10.0
"""How long the shim may take to end the tree before it is ended itself."""
_STRAGGLER_S = 2.0
"""How long a pipe may stay open after the shim is gone: only an escaped process can hold it."""

_T = TypeVar("_T")


class Supervisor:
    """Starts programs that cannot outlive this process; `inherit` are lock descriptors their shims keep."""

    def __init__(
        self, inherit: Sequence[int] = (), *, kept_bytes: int = KEPT_BYTES, patience_s: float = _PATIENCE_S
    ) -> None:
        self._inherit = tuple(inherit)
        self._kept_bytes = kept_bytes
        self._patience_s = patience_s

    async def __call__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        stdin: bytes = b"",
        timeout_s: float | None = None,
        on_output: Callable[[str], None] | None = None,
    ) -> Finished:
        ours, theirs = socket.socketpair()
        with ours:
            talk = _Conversation(self._kept_bytes, on_output)
            with theirs:
                try:
                    # Not cut short by a cancellation: a half-started shim could not be put down in order.
                    transport, cancelled = await _whole(self._spawn(talk, theirs.fileno(), argv, cwd, env))
                except (OSError, ValueError) as fault:  # no such folder, an argument too long or with a NUL
                    return Finished(127, b"", b"", not_started=str(fault))
            timed_out = False
            try:
                if cancelled:
                    raise asyncio.CancelledError
                talk.feed(transport, stdin)
                async with asyncio.timeout(timeout_s):
                    await talk.attention.wait()
            except TimeoutError:
                timed_out = True
            finally:
                # Also on cancellation: whoever cancels may rely on the tree being dead when it is told so.
                await self._put_down(talk, transport, ours, env.get(MARK, ""))
            if talk.fault is not None:
                raise talk.fault
            return talk.finished(transport.get_returncode(), _complaint(ours), timed_out=timed_out)

    async def _spawn(
        self, talk: _Conversation, control: int, argv: Sequence[str], cwd: Path, env: Mapping[str, str]
    ) -> asyncio.SubprocessTransport:
        kept = ",".join(map(str, self._inherit))
        transport, _ = await asyncio.get_running_loop().subprocess_exec(
            lambda: talk,
            *(sys.executable, "-I", "-S", str(SHIM), str(control), kept, *argv),
            cwd=cwd,
            env=dict(env),
            pass_fds=(control, *self._inherit),
            start_new_session=True,
        )
        return transport

    async def _put_down(
        self, talk: _Conversation, transport: asyncio.SubprocessTransport, control: socket.socket, mark: str
    ) -> None:
        """Wait until the shim is gone, and with it the tree; a second cancellation does not cut this short."""
        cancelled = False
        if not talk.over.is_set():
            control.shutdown(socket.SHUT_WR)  # end of file is the kill command that cannot be lost
            _, cancelled = await _whole(self._wait(talk, transport))
        # A shim that died of a signal had no time to clear up: an agent may kill its parent.
        if (transport.get_returncode() or 0) < 0 and mark:
            _, again = await _whole(asyncio.to_thread(_end_marked, mark))
            cancelled = cancelled or again
        transport.close()
        if cancelled:
            raise asyncio.CancelledError

    async def _wait(self, talk: _Conversation, transport: asyncio.SubprocessTransport) -> None:
        try:
            async with asyncio.timeout(self._patience_s):
                await talk.over.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                transport.kill()  # stopped by its own agent, or facing a process that cannot die
            await talk.over.wait()


class _Conversation(asyncio.SubprocessProtocol):
    """One program's streams: kept up to a limit, the rest drained, lines passed on as they come."""

    def __init__(self, limit: int, on_output: Callable[[str], None] | None) -> None:
        self.over = asyncio.Event()
        """The shim is gone and both streams are at their end."""
        self.attention = asyncio.Event()
        """Over, or something happened that the caller must see before the end."""
        self.fault: Exception | None = None
        """What on_output raised; the caller gets it once the tree is dead."""
        self._limit = limit
        self._on_output = on_output
        # The beginning of what it said and the end of what it complained of: a crash explains itself last.
        self._kept = {1: bytearray(), 2: bytearray()}
        self._partial = {1: b"", 2: b""}
        self._dropped = 0
        self._transport: asyncio.SubprocessTransport | None = None
        self._straggler: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport

    def feed(self, transport: asyncio.SubprocessTransport, data: bytes) -> None:
        """The transport buffers and writes as the program reads; one that never reads blocks nobody."""
        pipe = transport.get_pipe_transport(0)
        if isinstance(pipe, asyncio.WriteTransport):
            pipe.write(data)
            pipe.write_eof()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        kept = self._kept[fd]
        kept += data
        if fd == 1 and len(kept) > self._limit:
            self._dropped += len(kept) - self._limit
            del kept[self._limit :]
        elif fd == 2 and len(kept) > 2 * self._limit:
            self._dropped += len(kept) - self._limit
            del kept[: -self._limit]
        if self._on_output is not None and self.fault is None:
            self._pass_on(fd, data)

    def _pass_on(self, fd: int, data: bytes) -> None:
        *lines, rest = (self._partial[fd] + data).split(b"\n")
        if len(rest) > _LINE_CHARACTERS:
            lines, rest = [*lines, rest], b""
        self._partial[fd] = rest
        self._tell(lines)

    def _tell(self, lines: Sequence[bytes]) -> None:
        assert self._on_output is not None
        try:
            for line in lines:
                self._on_output(line.decode(errors="replace")[:_LINE_CHARACTERS].rstrip("\r"))
        except Exception as fault:  # noqa: BLE001  # raised again by the caller, when the tree is dead
            self.fault = fault
            self.attention.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """An end of file, or a program that did not want its input: neither is a fault here."""

    def process_exited(self) -> None:
        self._straggler = asyncio.get_running_loop().call_later(_STRAGGLER_S, self._give_up)

    def _give_up(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  # the base class names it
        if self._straggler is not None:
            self._straggler.cancel()
        if self._on_output is not None and self.fault is None:
            self._tell([rest for rest in self._partial.values() if rest])
        self.over.set()
        self.attention.set()

    def finished(self, code: int | None, complaint: str, *, timed_out: bool) -> Finished:
        errors = bytes(self._kept[2][-self._limit :])
        dropped = self._dropped + len(self._kept[2]) - len(errors)
        exit_code = 137 if code is None else code if code >= 0 else 128 - code
        return Finished(
            exit_code=exit_code,
            output=bytes(self._kept[1]),
            errors=errors,
            timed_out=timed_out,
            overflowed=dropped > 0,
            dropped=dropped,
            not_started=complaint,
        )


def _complaint(control: socket.socket) -> str:
    """What the shim wrote where it could not start the program."""
    control.setblocking(False)
    try:
        return os.read(control.fileno(), 4096).decode(errors="replace")
    except OSError:
        return ""


async def _whole(work: Coroutine[Any, Any, _T]) -> tuple[_T, bool]:
    """The work's result, and whether a cancellation came meanwhile that the caller must raise again."""
    task, cancelled = asyncio.ensure_future(work), False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    if cancelled and task.exception() is not None:
        raise asyncio.CancelledError  # what failed is of no interest any more
    return task.result(), cancelled


def _end_marked(mark: str) -> None:
    """Until none is found twice: what is killed may just have started another."""
    while found := leftovers(mark):
        if end(found):
            return
