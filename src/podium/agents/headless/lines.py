"""JSON lines from bytes as they come: cut anywhere, too long, not UTF-8, not JSON. What is no value is counted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

LONGEST = 16 * 1024 * 1024
"""Bytes of one line: agents print whole files in one. A longer line is not kept."""
_SHOWN = 200


class JsonLines:
    """Feed it pieces, get values; `strange` counts the lines that were none."""

    def __init__(self, longest: int = LONGEST) -> None:
        self.strange = 0
        self.last = ""
        """The last line that was no value, for a person to see."""
        self._longest = longest
        self._kept = bytearray()
        self._lost = False

    def feed(self, data: bytes) -> Iterator[Any]:
        *whole, rest = data.split(b"\n")
        for each in whole:
            yield from self._line(each)
        self._keep(rest)

    def end(self) -> Iterator[Any]:
        """What came after the last line end."""
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
