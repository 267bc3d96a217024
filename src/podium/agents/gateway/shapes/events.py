"""Server-sent events from bytes that may be split anywhere."""

from __future__ import annotations

import re

LARGEST = 16 * 1024 * 1024
"""A longer line is not kept: it holds no figures, and may never end."""
_END = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n))")


class Events:
    """Takes bytes, returns the data of each complete event."""

    def __init__(self, largest: int = LARGEST) -> None:
        self._largest = largest
        self._line = bytearray()
        self._skipping = False
        self._data: list[bytes] = []
        self._after_cr = False
        self._first = True

    def feed(self, data: bytes) -> list[str]:
        """The data of the events that these bytes complete."""
        if self._after_cr and data.startswith(b"\n"):
            data = data[1:]
            self._after_cr = False
        if not data:
            return []
        self._after_cr = data.endswith(b"\r")
        *ended, rest = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        found: list[str] = []
        for each in ended:
            self._keep(each)
            found += self._end_of_line()
        self._keep(rest)
        return found

    def finish(self) -> list[str]:
        """What is left at the end. An unfinished event is taken as well, for what it may tell."""
        return [*self._end_of_line(), *self._event()]

    def _keep(self, part: bytes) -> None:
        if len(self._line) + len(part) > self._largest:
            self._skipping = True
        if not self._skipping:
            self._line += part

    def _end_of_line(self) -> list[str]:
        line, skipped = bytes(self._line), self._skipping
        self._line.clear()
        self._skipping = False
        if self._first:
            line = line.removeprefix(b"\xef\xbb\xbf")
            self._first = False
        if skipped:
            return []
        if not line:
            return self._event()
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
        return []

    def _event(self) -> list[str]:
        found = b"\n".join(self._data).decode(errors="replace") if self._data else None
        self._data = []
        return [] if found is None else [found]


class Blocks:
    """The same bytes, split into whole events, so that one of them can be left out."""

    def __init__(self, largest: int = LARGEST) -> None:
        self._largest = largest
        self._held = b""

    def feed(self, data: bytes) -> list[bytes]:
        self._held += data
        found: list[bytes] = []
        at = 0
        while ended := _END.search(self._held, at):
            found.append(self._held[at : ended.end()])
            at = ended.end()
        self._held = self._held[at:]
        if (
            len(self._held) > self._largest
        ):  # passed on unchanged: do not wait for an end that may never come
            found.append(self._held)
            self._held = b""
        return found

    def finish(self) -> bytes:
        held, self._held = self._held, b""
        return held
