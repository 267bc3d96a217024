"""The streams of a supervised program: read to their end, or held open for a conversation."""

from __future__ import annotations

import asyncio
import asyncio.subprocess
from collections.abc import Callable, Sequence

from podium.agents.protocol import Finished

_LINE_CHARACTERS = 4000
_STRAGGLER_S = 2.0
"""How long a pipe may stay open after the shim is gone; only an escaped process can hold it
open.
"""

_REFUSED = {1, 126, 127}
"""Exit codes of programs that could not start another. An agent that fakes one only ends its own
dispatch.
"""


class Watched(asyncio.SubprocessProtocol):
    """What both kinds of program have: an end, and the time they were last heard."""

    def __init__(self, limit: int) -> None:
        self.over = asyncio.Event()
        """Set when the shim is gone and both streams have ended."""
        self.attention = asyncio.Event()
        """Set when it is over, or when the caller must react before the end."""
        self.heard = asyncio.get_running_loop().time()
        self.limit = ""
        """Which limit ended it: time or silence."""
        self.complaints: tuple[bytes, ...] = ()
        """How the makers of the program's room start their error messages, if there is a room."""
        self.afterwards: Callable[[], None] = lambda: None
        self.transport: asyncio.SubprocessTransport | None = None
        self._limit = limit
        # Keep the start of its output and the end of its errors: a crash explains itself last.
        self._kept = {1: bytearray(), 2: bytearray()}
        self._dropped = 0
        self._straggler: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self.transport = transport

    def keep(self, fd: int, data: bytes) -> None:
        self.heard = asyncio.get_running_loop().time()
        kept = self._kept[fd]
        kept += data
        if fd == 1 and len(kept) > self._limit:
            self._dropped += len(kept) - self._limit
            del kept[self._limit :]
        elif fd == 2 and len(kept) > 2 * self._limit:
            self._dropped += len(kept) - self._limit
            del kept[: -self._limit]

    def process_exited(self) -> None:
        self._straggler = asyncio.get_running_loop().call_later(_STRAGGLER_S, self._give_up)

    def _give_up(self) -> None:
        if self.transport is not None:
            self.transport.close()

    # required by the base class
    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        if self._straggler is not None:
            self._straggler.cancel()
        self.over.set()
        self.attention.set()

    @property
    def errors(self) -> bytes:
        """The end of standard error so far."""
        return bytes(self._kept[2][-self._limit :])

    def finished(self, code: int | None, complaint: str) -> Finished:
        errors = self.errors
        dropped = self._dropped + len(self._kept[2]) - len(errors)
        exit_code = 137 if code is None else code if code >= 0 else 128 - code
        if exit_code in _REFUSED and errors.startswith(self.complaints):
            complaint = complaint or errors.decode(errors="replace").strip()
        return Finished(
            exit_code=exit_code,
            output=bytes(self._kept[1]),
            errors=errors,
            timed_out=bool(self.limit),
            silent=self.limit == "silence",
            overflowed=dropped > 0,
            dropped=dropped,
            not_started=complaint,
        )


class ToItsEnd(Watched):
    """A program that gets all its input at once: output is kept up to a limit, the rest drained,
    lines passed on.
    """

    def __init__(self, limit: int, on_output: Callable[[str], None] | None) -> None:
        super().__init__(limit)
        self.fault: Exception | None = None
        """What on_output raised; the caller gets it once the tree is dead."""
        self._on_output = on_output
        self._partial = {1: b"", 2: b""}

    def feed(self, data: bytes) -> None:
        """The transport buffers and writes as the program reads; a program that never reads
        blocks nobody.
        """
        assert self.transport is not None
        pipe = self.transport.get_pipe_transport(0)
        if isinstance(pipe, asyncio.WriteTransport):
            pipe.write(data)
            pipe.write_eof()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self.keep(fd, data)
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
        # raised again by the caller, when the tree is dead
        except Exception as fault:  # noqa: BLE001
            self.fault = fault
            self.attention.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """An end of file, or a program that did not want its input: neither is an error here."""

    def connection_lost(self, exc: Exception | None) -> None:
        if self._on_output is not None and self.fault is None:
            self._tell([rest for rest in self._partial.values() if rest])
        super().connection_lost(exc)


class Dialogue(Watched):
    """A program in a conversation: the caller reads its output and writes its input, at either
    side's pace.
    """

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self._left = False
        # asyncio's own protocol provides real streams and slows down whichever side is too fast.
        self._streams = asyncio.subprocess.SubprocessStreamProtocol(
            limit, asyncio.get_running_loop()
        )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._streams.connection_made(transport)

    @property
    def reader(self) -> asyncio.StreamReader:
        assert self._streams.stdout is not None
        return self._streams.stdout

    @property
    def writer(self) -> asyncio.StreamWriter:
        assert self._streams.stdin is not None
        return self._streams.stdin

    def leave(self) -> None:
        """Nobody reads any more: data still in the pipes does not delay the end."""
        self._left = True
        if self.transport is not None and self.transport.get_returncode() is not None:
            self._give_up()

    def process_exited(self) -> None:
        super().process_exited()
        if self._left:
            self._give_up()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            self.keep(fd, data)  # never held back, because nobody reads it before the end
            return
        self.heard = asyncio.get_running_loop().time()
        self._streams.pipe_data_received(fd, data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._streams.pipe_connection_lost(fd, exc)

    def pause_writing(self) -> None:
        self._streams.pause_writing()

    def resume_writing(self) -> None:
        self._streams.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._streams.connection_lost(exc)
        super().connection_lost(exc)
