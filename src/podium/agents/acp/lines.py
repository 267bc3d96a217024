"""An agent's standard streams as messages: one JSON object per line, within limits.

The input comes from a hostile peer. A line that is not a message counts as noise, because programs
do print such lines; too many of them, or a line that is too large, ends the conversation. After
that, or after the end of the stream, nothing more is received.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Limits:
    """Limits of one conversation."""

    message: int = 16 * 1024 * 1024
    """Bytes in one line. Agents send whole files in one line."""
    total: int = 512 * 1024 * 1024
    noise: int = 200
    """Lines that are not messages."""
    requests: int = 20_000
    """Requests from the agent; each one is answered."""


class Lines:
    """What the SDK calls a transport."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        noise: Callable[[str], None],
        limits: Limits | None = None,
    ) -> None:
        self.fault = ""
        """Which limit the peer broke, after which nothing more is received."""
        self._reader = reader
        self._writer = writer
        self._noise = noise
        self._limits = limits or Limits()
        self._kept = bytearray()
        self._searched = 0
        self._total = self._noises = self._requests = 0

    async def receive(self) -> dict[str, Any] | None:
        while not self.fault:
            line = await self._line()
            if line is None:
                return None
            if not line.strip():
                continue
            message = _message(line)
            if message is None:
                self._noises += 1
                if self._noises > self._limits.noise:
                    self.fault = (
                        f"more than {self._limits.noise} lines of its output are not messages of "
                        "the protocol"
                    )
                else:
                    self._noise(line[:400].decode(errors="replace"))
                continue
            if "method" in message and "id" in message:
                self._requests += 1
                if self._requests > self._limits.requests:
                    self.fault = f"it made more than {self._limits.requests} requests"
                    return None
            return message
        return None

    async def _line(self) -> bytes | None:
        """The next line; None at the end of the stream, even if an incomplete line precedes it."""
        while (end := self._kept.find(b"\n", self._searched)) < 0:
            self._searched = len(self._kept)
            if self._searched > self._limits.message:
                self.fault = f"one of its messages is larger than {self._limits.message} bytes"
                self._kept.clear()
                return None
            try:
                data = await self._reader.read(256 * 1024)
            except OSError:
                data = b""
            if not data:
                return None
            self._total += len(data)
            if self._total > self._limits.total:
                self.fault = f"it sent more than {self._limits.total} bytes"
                return None
            self._kept += data
        line = bytes(self._kept[:end])
        del self._kept[: end + 1]
        self._searched = 0
        return line

    async def send(self, message: Mapping[str, Any]) -> None:
        """Send a message. If the peer is gone, reading notices it and can say why."""
        try:
            self._writer.write(
                json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
            )
            await self._writer.drain()
        except (OSError, RuntimeError):
            return

    async def close(self) -> None:
        self.fault = self.fault or "closed"


def _message(line: bytes) -> dict[str, Any] | None:
    """A message in a form the SDK can handle; None for anything else."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    ident, method, error = found.get("id"), found.get("method"), found.get("error")
    plain = ident is None or (isinstance(ident, str | int) and not isinstance(ident, bool))
    if not plain or not (method is None or isinstance(method, str)):
        return None
    if method is None and ("id" not in found or not ("result" in found or isinstance(error, dict))):
        return None
    if method is None and isinstance(error, dict):
        found["error"] = {
            "code": error["code"] if isinstance(error.get("code"), int) else -32603,
            "message": str(error.get("message", "")),
            "data": error.get("data"),
        }
    return found
