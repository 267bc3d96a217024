"""JSON lines from raw bytes, which may be split anywhere, too long, not UTF-8 or not JSON. Bad
lines are counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

LONGEST = 16 * 1024 * 1024
"""Bytes in one line. Agents print whole files in one line; a longer one is not kept."""
_SHOWN = 200


class JsonLines:
    """Takes bytes, returns values; `strange` counts the lines that are not JSON."""

    def __init__(self, longest: int = LONGEST) -> None:
        self.strange = 0
        self.last = ""
        """The last such line, to show to a person."""
        self._longest = longest
        self._kept = bytearray()
        self._lost = False

    def feed(self, data: bytes) -> Iterator[Any]:
        *whole, rest = data.split(b"\n")
        for each in whole:
            yield from self._line(each)
        self._keep(rest)

    def end(self) -> Iterator[Any]:
        """What came after the last newline."""
        if self._kept or self._lost:
            yield from self._line(b"")

    def _keep(self, data: bytes) -> None:
        if len(self._kept) + len(data) > self._longest:
            self._kept.clear()
            self._lost = True
        elif not self._lost:
            self._kept += data

    def _line(self, data: bytes) -> Iterator[Any]:
        self._keep(data)
        line, lost = bytes(self._kept), self._lost
        self._kept.clear()
        self._lost = False
        if lost:
            self._odd("(a line that is too long)")
        elif line.strip():
            try:
                yield json.loads(line.decode())
            except (ValueError, RecursionError):
                self._odd(line[:_SHOWN].decode(errors="replace"))

    def _odd(self, shown: str) -> None:
        self.strange += 1
        self.last = shown.strip()
