"""`Key: value` on one line of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from podium.documents.markdown import LONGEST, Line
from podium.documents.text import fold, spellings, unwrap

_FIELD = re.compile(
    r"[ \t]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?(?P<open>[*_`]{0,3})"
    r"(?P<key>[^\s:*_`|#<>][^:*`|<>]{0,79}?)(?P<middle>[*_`]{0,3})[ \t]*:(?!//)"
    r"(?P<close>[*_`]{0,3})"
)


@dataclass(frozen=True)
class Field:
    """A key with its value, and where the value stands."""

    key: str
    """Folded."""
    label: str
    """The key as it is written, without emphasis."""
    value: str
    """Without emphasis, backquotes and a trailing comment."""
    line: int
    """From 0."""
    start: int
    """Where the value begins in its line."""
    end: int

    def is_one_of(self, keys: frozenset[str]) -> bool:
        return not keys.isdisjoint(spellings(self.label))


def parse_field(line: Line) -> Field | None:
    """The field on a line, also as a list item, with a check box or in emphasis."""
    raw = line.raw if len(line.raw) <= LONGEST else line.raw[:LONGEST]
    match = _FIELD.match(raw) if ":" in raw and not line.is_row else None
    if not match:
        return None
    start, end = _value_span(raw, match.end())
    marks = match["open"]
    if marks and not match["middle"] and not match["close"]:
        # Emphasis around key and value: it ends where the line does, or before the prose after it.
        closing = raw.find(marks, start)
        if closing < 0 or "`" in marks:
            return None
        end = start + len(raw[start:closing].rstrip())
    label = " ".join(match["key"].split())
    return Field(fold(label), label, unwrap(raw[start:end]), line.number, start, end)


def _value_span(raw: str, at: int) -> tuple[int, int]:
    """Where the value is: after one space, before trailing space and any comment."""
    comment = raw.find("<!--", at)
    rest = raw[at : comment if comment >= 0 else len(raw)]
    if not rest.strip():
        start = at + (1 if rest else 0)
        return start, start
    return at + len(rest) - len(rest.lstrip()), at + len(rest.rstrip())


def fields_in(lines: Iterable[Line]) -> Iterator[Field]:
    return (field for line in lines if (field := parse_field(line)))
