"""An agent's standard streams as messages: one JSON object a line, within limits, and nothing that is no message.

What comes in is a hostile peer's. A line that is no message is noise, which programs do print; too much of it, or
any of it too large, ends the talk. After that, and after the end of the stream, there is nothing more to receive.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

from podium.core.dataclass import dataclass


@dataclass(frozen=True)
class Limits:
    """Of one talk."""

    message: int = 16 * 1024 * 1024
    """Bytes of one line: agents send whole files in one."""
    total: int = 512 * 1024 * 1024
    noise: int = 200
    """Lines that are no message."""
    requests: int = 20_000
    """Requests from the agent, each of which is answered."""


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
        """Why nothing more is received, where the peer broke the rules."""
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
                    self.fault = f"more than {self._limits.noise} lines of its output are not messages of the protocol"
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
        """The next line; None at the end, also where the last one has no end."""
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
        """A peer that is gone is found out by reading, where it can be told why."""
        try:
            self._writer.write(json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
            await self._writer.drain()
        except (OSError, RuntimeError):
            return

    async def close(self) -> None:
        self.fault = self.fault or "closed"


def _message(line: bytes) -> dict[str, Any] | None:
    """A message in the shape that the SDK may be given; None for anything else."""
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
