"""The events of a YAML text that is written plainly, line by line; of any other text nothing, and the full scanner reads it.

Plain are block tables and lists, quoted texts and words on one line, brackets on one line, and texts
after `|`. That is what this program writes and most of what agents write, at a tenth of the scanner's
time. Whatever else stands in a text, right or wrong, ends the attempt: no fault is ever found here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from podium.core.regex import regex

MAX_DEPTH = 30
EventKind = Literal["scalar", "list", "table", "end", "alias", "document"]

_KNOWN = regex("[\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*")
_LINE = regex(r"( *)([^\n]*)\n?")
_DASH = regex(r"-(?: +(?=[^ #])| *$)")
_NAME = regex(r"([A-Za-z_][A-Za-z0-9_-]{0,99})|\"([^\"\\\n]{1,100})\"", re.ASCII)
_COLON = regex(r":(?: +(?:#.*)?$| +|$)")
_REST = regex(r" *(?: #.*)?$")
_QUOTED = regex(r'"(?:[^"\\]|\\(?:["\\bfnrt]|u[0-9a-cA-CefEF][0-9a-fA-F]{3}))*"', re.ASCII)
_SINGLE = regex(r"'((?:[^']|'')*)'(?!')")
_SIGN = r"(?::(?=[^ \n])|[^ \n:])"
_WORDS = regex(rf"(?:[A-Za-z0-9_./(]|[-+](?=[0-9.])){_SIGN}*(?: +(?!#){_SIGN}+)*")
_FLOW_WORDS = regex(r"(?:[A-Za-z0-9_./]|[-+](?=[0-9]))[A-Za-z0-9_./*+-]*(?: [A-Za-z0-9_./*+-]+)*", re.ASCII)
_LITERAL = regex(r"\|(-?) *$")


class Event(NamedTuple):
    """What a scanner tells: one value, or where a collection begins or ends."""

    kind: EventKind
    line: int
    """From 0."""
    start: int
    end: int
    value: str = ""
    style: str = ""
    flow: bool = False
    anchor: str = ""
    tag: str = ""


class _Line(NamedTuple):
    indent: int
    number: int
    at: int
    """Where its first sign stands in the text."""
    text: str


class _UnknownError(Exception):
    """Something that only the full scanner reads."""


def events(text: str) -> list[Event] | None:
    """The events of the one document in it, None where it is not plain."""
    if not _KNOWN.fullmatch(text):
        return None
    scan = _Scan(text)
    try:
        return scan.document()
    except _UnknownError:
        return None


class _Scan:
    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Event] = []
        self.lines: list[_Line] = []
        """With blank lines and comments, which count only after `|`."""
        self.here = 0
        for number, line in enumerate(_LINE.finditer(text)):
            self.lines.append(_Line(len(line[1]), number, line.start(2), line[2]))

    def document(self) -> list[Event]:
        line = self.line()
        if line is None or line.indent:
            raise _UnknownError
        self.block(line, 0)
        if self.line() is not None:
            raise _UnknownError
        return self.found

    def line(self) -> _Line | None:
        """The next line that says something."""
        while self.here < len(self.lines):
            line = self.lines[self.here]
            if line.text and line.text[0] != "#":
                return line
            self.here += 1
        return None

    def siblings(self, indent: int) -> Iterator[_Line]:
        """The lines that begin at this column; one further right belongs to nothing that was read."""
        while (line := self.line()) is not None and line.indent >= indent:
            if line.indent > indent:
                raise _UnknownError
            yield line

    def block(self, line: _Line, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise _UnknownError
        kind: EventKind = "list" if _DASH.match(line.text) else "table"
        self.found.append(Event(kind, line.number, line.at, line.at))
        for each in self.siblings(line.indent):
            if kind == "list":
                if not self.item(each, depth):
                    break
            else:
                self.entry(each, depth)
        self.found.append(Event("end", 0, 0, 0))

    def item(self, line: _Line, depth: int) -> bool:
        dash = _DASH.match(line.text)
        if dash is None:  # the list stood at the column of its table, which goes on
            return False
        rest = line.text[dash.end() :]
        if not rest:
            self.below(line, depth, least=line.indent + 1)
            return True
        inner = _Line(line.indent + dash.end(), line.number, line.at + dash.end(), rest)
        name = _NAME.match(rest)
        if _DASH.match(rest) or (name and _COLON.match(rest, name.end())):
            self.lines[self.here] = inner
            self.block(inner, depth + 1)
        else:
            self.value(inner, 0, line.indent)
        return True

    def entry(self, line: _Line, depth: int) -> None:
        name = _NAME.match(line.text)
        colon = _COLON.match(line.text, name.end()) if name else None
        if name is None or colon is None:
            raise _UnknownError
        style = '"' if name[2] else ""
        self.found.append(Event("scalar", line.number, line.at, line.at + name.end(), name[1] or name[2], style))
        if colon.end() < len(line.text):
            self.value(line, colon.end(), line.indent)
        else:
            self.below(line, depth, least=line.indent)

    def below(self, line: _Line, depth: int, *, least: int) -> None:
        """What stands below a name or dash: more, or nothing."""
        self.here += 1
        following = self.line()
        if following is not None and (
            following.indent > line.indent or (following.indent == least and _DASH.match(following.text))
        ):
            self.block(following, depth + 1)
        else:
            self.found.append(Event("scalar", line.number, line.at, line.at))

    def value(self, line: _Line, start: int, indent: int) -> None:
        """One value up to the end of its line; lines further right than `indent` would continue it."""
        if literal := _LITERAL.match(line.text, start):
            self.literal(line, start, indent, keep=not literal[1])
            return
        end = self.flow(line, start, 0) if line.text[start] in "[{" else self.scalar(line, start, _WORDS, flow=False)
        if not _REST.match(line.text, end):
            raise _UnknownError
        self.here += 1
        following = self.line()
        if following is not None and following.indent > indent:
            raise _UnknownError

    def scalar(self, line: _Line, start: int, words: re.Pattern[str], *, flow: bool) -> int:
        for pattern, style in ((_QUOTED, '"'), (_SINGLE, "'"), (words, "")):
            if found := pattern.match(line.text, start):
                value = json.loads(found[0]) if style == '"' else found[1].replace("''", "'") if style else found[0]
                place = line.at + start, line.at + found.end()
                self.found.append(Event("scalar", line.number, *place, value, style, flow))
                return found.end()
        raise _UnknownError

    def flow(self, line: _Line, start: int, depth: int) -> int:
        """A value in brackets; where it ends."""
        if depth > MAX_DEPTH:
            raise _UnknownError
        text, table = line.text, line.text[start] == "{"
        self.found.append(Event("table" if table else "list", line.number, line.at + start, line.at + start, flow=True))
        at = start + 1
        while at < len(text) and text[at] != ("}" if table else "]"):
            if at > start + 1:
                if text[at : at + 2] != ", ":
                    raise _UnknownError
                at += 2
            if table:
                at = self.scalar(line, at, _NAME, flow=True)
                if text[at : at + 2] != ": ":
                    raise _UnknownError
                at += 2
            brackets = text[at : at + 1] in {"[", "{"}
            at = self.flow(line, at, depth + 1) if brackets else self.scalar(line, at, _FLOW_WORDS, flow=True)
        if at >= len(text):
            raise _UnknownError
        self.found.append(Event("end", line.number, line.at + at, line.at + at + 1, flow=True))
        return at + 1

    def literal(self, line: _Line, start: int, indent: int, *, keep: bool) -> None:
        self.here += 1
        first = self.lines[self.here] if self.here < len(self.lines) else None
        if first is None or not first.text or first.indent <= indent:
            raise _UnknownError
        held: list[str] = []
        end = first.at
        while self.here < len(self.lines):
            each = self.lines[self.here]
            if not each.text:
                if each.indent:
                    raise _UnknownError
                held.append("")
            elif each.indent >= first.indent:
                held.append(" " * (each.indent - first.indent) + each.text)
                end = each.at + len(each.text)
            else:
                break
            self.here += 1
        following = self.line()
        if following is not None and following.indent > indent:
            raise _UnknownError
        if end == len(self.text):  # without a last line end there is none to keep
            raise _UnknownError
        value = "\n".join(held).rstrip("\n") + ("\n" if keep else "")
        self.found.append(Event("scalar", line.number, line.at + start, end, value, "|"))
