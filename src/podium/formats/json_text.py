"""JSON text edited in place: single values change, every other byte stays as it was written.

Order of keys, indentation, spelling of numbers, line ends and a byte order mark belong to
the file's author. The standard decoder reads the values; their places are looked up only
when needed, so that a large file costs little.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from podium.core.errors import Fault, InputError
from podium.formats import strict_json
from podium.formats.json_spans import Holder, Part, after_gap, decoded

Way = tuple[str | int, ...]
"""Keys and indexes from the outermost value inward."""

DEEPEST = 100
_CONTAINERS = frozenset({dict, list})
_MARK = "\ufeff"
_EMPTY = re.compile(r"[\[{][ \t\n\r]*[\]}]")
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_TOKEN = re.compile(
    r'(?P<text>"[^"\\]*(?:\\.[^"\\]*)*")(?P<colon>[ \t\n\r]*:)?|(?P<open>[{\[])|(?P<close>[}\]])'
    r'|(?P<word>[^ \t\n\r{}\[\]:,"]+)',
    re.DOTALL,
)


@dataclass(frozen=True)
class Tree:
    """A JSON text, its value, and where everything is in it."""

    value: Any
    text: str
    """Without the byte order mark."""
    mark: str = ""
    _holders: dict[int, Holder] = field(default_factory=dict, repr=False, compare=False)

    def span(self, way: Way) -> tuple[int, int]:
        """Where the value begins and ends in the text; LookupError if there is none."""
        if not way:
            start = after_gap(self.text, 0)
            return start, decoded(self.text, start)[1]
        return self._part(way)[1:]

    def line(self, way: Way) -> int:
        """The line of a value, or of the innermost existing one on the way to it."""
        while way:
            try:
                return self.text.count("\n", 0, self._part(way).at) + 1
            except LookupError:
                way = way[:-1]
        return self.text.count("\n", 0, after_gap(self.text, 0)) + 1

    def edited(self, changes: Mapping[Way, Any]) -> str:
        """The text with these values; a new last key is added at the end of its object."""
        edits: list[tuple[int, int, str]] = []
        added: dict[int, dict[str, Any]] = {}
        for way, value in changes.items():
            if not way:
                raise LookupError("the outermost value cannot be replaced")
            holder = self._holder(way[:-1])
            part = holder.part(way[-1])
            if part is not None:
                if not _same(decoded(self.text, part.start)[0], value):
                    edits.append((part.start, part.end, self._rendered(value, holder, part)))
            elif isinstance(way[-1], str) and self.text[holder.start] == "{":
                added.setdefault(holder.start, {})[way[-1]] = value
            else:
                raise LookupError(f"there is no {_spoken(way)} and only members can be added")
        edits += [self._joined(self._held(start), members) for start, members in added.items()]
        return self.mark + _replaced(self.text, sorted(edits, key=lambda edit: edit[:2]))

    def _holder(self, way: Way) -> Holder:
        """The value at the end of the way, found without reading more of the text than comes
        before it.
        """
        holder = self._held(after_gap(self.text, 0))
        for step, name in enumerate(way, 1):
            found = holder.start_of(name)
            if found is None:
                raise LookupError(f"there is no {_spoken(way[:step])}")
            holder = self._held(found[1])
        return holder

    def _held(self, start: int) -> Holder:
        return self._holders.setdefault(start, Holder(self.text, start))

    def _part(self, way: Way) -> Part:
        found = self._holder(way[:-1]).part(way[-1])
        if found is None:
            raise LookupError(f"there is no {_spoken(way)}")
        return found

    def _joined(self, holder: Holder, members: Mapping[str, Any]) -> tuple[int, int, str]:
        """New members, written like the object's last one."""
        parts = list(holder.parts().values())
        at, gap, colon = holder.start + 1, "", ": "
        if parts:
            last, before = parts[-1], parts[-2].end if len(parts) > 1 else -1
            colon = self.text[decoded(self.text, last.at)[1] : last.start]
            lead = self.text[holder.start + 1 : last.at]
            if before >= 0:
                gap = self.text[before : last.at]
            else:
                gap = "," + (lead if "\n" in lead else " " * colon[-1:].isspace())
            at = last.end
        texts = [
            f"{_dumped(key, escaped=self._escapes)}{colon}{self._rendered(value, holder, None)}"
            for key, value in members.items()
        ]
        return at, at, (gap if parts else "") + (gap or ", ").join(texts)

    @property
    def _escapes(self) -> bool:
        """Whether the author escapes letters outside ASCII."""
        return self.text.isascii() and "\\u" in self.text

    def _rendered(self, value: Any, holder: Holder, old: Part | None) -> str:
        """A new value in the style of its surroundings."""
        if not isinstance(value, Mapping | Sequence) or isinstance(value, str) or not value:
            return _dumped(value, escaped=self._escapes)
        parts = list(holder.parts().values())
        lead = self.text[holder.start + 1 : parts[0].at] if parts else ""
        models = [part for part in ([old] if old else []) if self._filled(part)]
        models = models or [part for part in parts if self._filled(part)]
        one_line = models and not any("\n" in self.text[part.start : part.end] for part in models)
        if "\n" not in lead or one_line:
            tight = len(parts) > 1 and not self.text[parts[-2].end : parts[-1].at].strip(",")
            separators = (",", ":") if tight else (", ", ": ")
            return _dumped(value, escaped=self._escapes, separators=separators)
        margin = lead.rpartition("\n")[2]
        tail = self.text[parts[-1].end : after_gap(self.text, parts[-1].end)].rpartition("\n")[2]
        unit = margin.removeprefix(tail) if margin.startswith(tail) else ""
        text = _dumped(value, escaped=self._escapes, indent=unit or "  ")
        return text.replace("\n", ("\r\n" if "\r\n" in lead else "\n") + margin)

    def _filled(self, part: Part) -> bool:
        return self.text[part.start] in "[{" and not _EMPTY.match(self.text, part.start)


def parse(text: str, path: str) -> Tree:
    """The text as a tree; InputError names line, column and fault if it is not strict JSON."""
    mark = _MARK if text.startswith(_MARK) else ""
    body = text[len(mark) :]
    try:
        body.encode()
        value = strict_json.decode(body)
    except json.JSONDecodeError as fault:
        _refuse(path, body, fault.pos, fault.msg)
    except UnicodeEncodeError as fault:
        _refuse(path, body, fault.start, "half of a surrogate pair")
    except (ValueError, RecursionError) as fault:
        _refuse(path, body, *(_first_fault(body) or (0, str(fault))))
    # Go through the whole text only to find faults that the decoder lets through.
    if _HALF.search(body) or _too_deep(value):
        found = _first_fault(body)
        if found:
            _refuse(path, body, *found)
    return Tree(value, body, mark)


def _refuse(path: str, text: str, at: int, what: str) -> NoReturn:
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    raise InputError(Fault(f"{path}:{line}", f"is not JSON: {what}, column {column}")) from None


def _too_deep(value: Any) -> bool:
    level = [value] if type(value) in _CONTAINERS else []
    for _ in range(DEEPEST):
        # The exact type, for speed: the decoder creates no others.
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) in _CONTAINERS
        ]
        if not level:
            return False
    return True


def _first_fault(text: str) -> tuple[int, str] | None:
    """Offset and description of a fault that the decoder lets through or cannot locate."""
    stack: list[set[str] | None] = []
    for token in _TOKEN.finditer(text):
        what = ""
        if token["open"]:
            stack.append(set() if token["open"] == "{" else None)
            what = f"nested deeper than {DEEPEST} levels" if len(stack) > DEEPEST else ""
        elif token["close"]:
            stack[-1:] = []
        elif token["text"]:
            what = _text_fault(token["text"], stack[-1] if stack and token["colon"] else None)
        elif token["word"]:
            what = _word_fault(token["word"])
        if what:
            return token.start(), what
    return None


def _text_fault(quoted: str, keys: set[str] | None) -> str:
    try:
        text: str = json.loads(quoted)
        text.encode()
    except UnicodeEncodeError:
        return "half of a surrogate pair"
    except ValueError:
        return ""  # the decoder has already refused it, or will not get this far
    if keys is not None and text in keys:
        return f"the key {quoted[:80]} occurs twice in one object"
    if keys is not None:
        keys.add(text)
    return ""


def _word_fault(word: str) -> str:
    try:
        strict_json.decode(word)
    except json.JSONDecodeError:
        return ""
    except ValueError as fault:
        return str(fault) if len(word) <= 40 else f"a number of {len(word)} characters"
    return ""


def _replaced(text: str, edits: Sequence[tuple[int, int, str]]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end, new in edits:
        if start < done:
            raise LookupError("one change is inside another")
        pieces += [text[done:start], new]
        done = end
    return "".join([*pieces, text[done:]])


def _dumped(value: Any, *, escaped: bool, **style: Any) -> str:
    plain = json.dumps(value, ensure_ascii=False, allow_nan=False, **style)
    # half of a surrogate pair could be written as an escape, but no reader could use it
    plain.encode()
    return json.dumps(value, **style) if escaped else plain


def _same(one: Any, other: Any) -> bool:
    """Equality of JSON values: true is not 1, and a tuple equals a list."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def _spoken(way: Way) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in way).lstrip(".")
