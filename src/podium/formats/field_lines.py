"""One line of Markdown as `Key: value`, and texts in a form that fits there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_PREFIX = re.compile(
    r"[ \t]{0,12}(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?(?P<open>[*_`]{0,3})"
)
_KEY = re.compile(r"[^\s:*_`|#<>][^:*_`|<>]{0,79}")
_WRAPPED = re.compile(r"`([^`]*)`|\*\*([^*]*)\*\*|__([^_]*)__")
# Everything that some reader takes for the end of a line, and control characters that a terminal
# would act on.
_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


@dataclass(frozen=True)
class Field:
    """One `Key: value` line."""

    key: str
    """As written, without emphasis; runs of white space are one space."""
    value: str
    """Without emphasis, backticks, a trailing comment and surrounding space."""
    line: int
    """Index of its line, from 0."""
    start: int
    """Where the value begins in that line."""
    end: int
    """Where it ends."""


def one_line(text: str) -> str:
    """Any text as part of one line, so that it cannot open a comment that hides the lines after
    it.
    """
    return _BREAKS.sub(" ", text).replace("<!--", "<! --").strip()


def field_value(text: str) -> str:
    """The form in which a text can be a value: the same as reading it back gives."""
    return _unwrap(one_line(text))


def fold_key(key: str) -> str:
    return " ".join(key.split()).casefold()


def parse_field(text: str, line: int = 0) -> Field | None:
    """The field on a line of prose, or None; a bullet or a checkbox may come before it."""
    prefix = _PREFIX.match(text)
    key = _KEY.match(text, prefix.end()) if prefix else None
    if not prefix or not key:
        return None
    at, marks = key.end(), prefix["open"]
    closed = bool(marks) and text.startswith(marks, at)
    at += len(marks) if closed else 0
    if not text.startswith(":", at):
        return None
    at += 1
    around = bool(marks) and not closed and not text.startswith(marks, at)
    if marks and not closed and not around:
        at += len(marks)
    if text.startswith("//", at):
        return None
    start, end = _span(text, at)
    if around:  # emphasis around key and value: it must end where the line does
        end -= len(marks)
        if "`" in marks or end <= start or text.find(marks, start) != end:
            return None
        end = start + len(text[start:end].rstrip())
    return Field(" ".join(key[0].split()), _unwrap(text[start:end]), line, start, end)


def _span(text: str, at: int) -> tuple[int, int]:
    """Where the value is: after one space, before trailing space and any comment."""
    comment = text.find("<!--", at)
    limit = comment if comment >= 0 else len(text)
    rest = text[at:limit]
    if not rest.strip():
        start = min(at + 1, limit) if rest else at
        return start, start
    return at + len(rest) - len(rest.lstrip()), at + len(rest.rstrip())


def _unwrap(value: str) -> str:
    # At most three layers match, because the inside of a layer never contains its own mark.
    while wrapped := _WRAPPED.fullmatch(value):
        value = next(inside for inside in wrapped.groups() if inside is not None).strip()
    return value


def fields_in(lines: Iterable[tuple[int, str]]) -> tuple[Field, ...]:
    found = (parse_field(text, line) for line, text in lines)
    return tuple(field for field in found if field)
