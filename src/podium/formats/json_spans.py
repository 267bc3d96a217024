"""Where the members of a JSON object and the elements of an array are in the text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

_GAP = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


class Part(NamedTuple):
    """The place of a member or an element."""

    at: int
    """Where its key begins; an element has no key and begins with its value."""
    start: int
    end: int


@dataclass
class Holder:
    """An object or an array in a valid JSON text, read only as far as needed.

    Finding the end of a value means decoding it, so the end of the last value asked for is not
    looked up yet.
    """

    text: str
    start: int
    _starts: dict[str | int, tuple[int, int]] = field(default_factory=dict)
    _parts: dict[str | int, Part] = field(default_factory=dict)
    _next: int = -1

    def start_of(self, name: str | int) -> tuple[int, int] | None:
        """Where the part and its value begin; None if there is no such part."""
        while name not in self._starts and self._read_on():
            pass
        return self._starts.get(name)

    def parts(self) -> Mapping[str | int, Part]:
        """All parts in order; a value that is not a container has none."""
        while self._read_on():
            pass
        return self._parts

    def part(self, name: str | int) -> Part | None:
        if name not in self._parts and self.start_of(name) is not None:
            self._close()
        return self._parts.get(name)

    def _read_on(self) -> bool:
        text = self.text
        if text[self.start] not in "{[":
            return False
        self._close()
        at = self._next if self._starts else after_gap(text, self.start + 1)
        if text[at] in "}]":
            return False
        if self._starts:
            at = after_gap(text, at + 1)
        begin, key = at, len(self._starts)
        if text[self.start] == "{":
            key, at = decoded(text, at)
            at = after_gap(text, after_gap(text, at) + 1)
        self._starts[key] = begin, at
        return True

    def _close(self) -> None:
        """Find the end of the value begun last."""
        if len(self._parts) < len(self._starts):
            key = next(reversed(self._starts))
            begin, at = self._starts[key]
            end = decoded(self.text, at)[1]
            self._parts[key] = Part(begin, at, end)
            self._next = after_gap(self.text, end)


def decoded(text: str, at: int) -> tuple[Any, int]:
    """The value that begins there, and where it ends."""
    return _DECODER.raw_decode(text, at)


def after_gap(text: str, at: int) -> int:
    found = _GAP.match(text, at)
    assert found
    return found.end()
