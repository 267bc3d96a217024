"""The operational memory as values, each in the one form that can be written and read back.

Whatever text goes in, a value is a single line: no heading, table cell or list item can be forged
inside it. An entry keeps at most two sentences and 400 characters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from podium.formats.field_lines import field_value, one_line

MAX_ENTRY = 400
"""Characters in the text of an entry."""
MAX_NAME = 80
"""Characters in an agent's name, a step, a reason, a key section."""
MAX_PATH = 240
MAX_SECTIONS = 12
"""Key sections named per artifact."""
UNKNOWN = "unknown"
"""The agent of an entry that names none."""
UNDATED = "?"
"""The step of an entry that names none."""
NO_REASON = "no reason given"
_LOOKED_AT = 4 * MAX_ENTRY
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]*_`]*\s+(?=[^\sa-z])")
_MARK = r"[*_`]{0,3}\[INVALIDATED\b ?(?:[—–:-]+ ?)?([^\[\]]*)\][*_`]{0,3}"
_MARK_FIRST = re.compile(rf"{_MARK}\s*", re.IGNORECASE)
_MARK_LAST = re.compile(rf"\s*{_MARK}$", re.IGNORECASE)
_LEAD = re.compile(r"(?:[:—–-]+(?=\s|$)|:)\s*")
_STEP_WORD = re.compile(r"(?:step(?![a-z])|[-_ .:])+", re.IGNORECASE)
_IN_BRACKETS = str.maketrans("[](),;|", "       ")
_IN_REASON = str.maketrans("[]", "()")


@dataclass(frozen=True)
class Artifact:
    """One row of the index."""

    path: str
    sections: tuple[str, ...] = ()
    updated_by: str = ""

    def __post_init__(self) -> None:
        sections = (_cell(each.replace(",", " "), MAX_NAME) for each in self.sections)
        path = _cell(self.path, MAX_PATH)
        _set(self, "path", path if any(map(str.isalnum, path)) else UNKNOWN)
        _set(
            self,
            "sections",
            tuple(each for each in sections if any(map(str.isalnum, each)))[:MAX_SECTIONS],
        )
        _set(self, "updated_by", _cell(self.updated_by, MAX_NAME))


@dataclass(frozen=True)
class Entry:
    """One line of a section: who said it, at which step, and what."""

    agent: str
    step: str
    """Without the word `step`: `3b`, `5.2`."""
    text: str
    invalidated: str = ""
    """Why it no longer counts; empty if it does."""

    def __post_init__(self) -> None:
        text, marked, _ = _settled(self.text)
        _set(self, "agent", _agent(self.agent))
        _set(self, "step", _step(self.step))
        _set(self, "text", text)
        _set(self, "invalidated", _reason(self.invalidated) if self.invalidated else marked)


@dataclass(frozen=True)
class Memory:
    """What the agents of a run tell each other besides their documents."""

    artifacts: tuple[Artifact, ...] = ()
    decisions: tuple[Entry, ...] = ()
    lessons: tuple[Entry, ...] = ()
    updates: tuple[Entry, ...] = ()


def was_cut(text: str) -> bool:
    """Whether an entry made from this text loses part of it."""
    return _settled(text)[2]


def _set(value: Artifact | Entry, name: str, text: str | tuple[str, ...]) -> None:
    object.__setattr__(value, name, text)


def _flat(text: str) -> str:
    """The text on one line, in characters that can be written to a file."""
    return " ".join(one_line(text.encode(errors="replace").decode()).split())


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _cell(text: str, limit: int) -> str:
    return _cut(" ".join(field_value(_flat(text).replace("|", "/")).split()), limit)


def _name(text: str) -> str:
    """The text in a form that fits inside brackets, between commas."""
    return " ".join(_flat(text).translate(_IN_BRACKETS).strip("*_` -—–:").split())


def _reason(text: str) -> str:
    return _cut(_flat(text).translate(_IN_REASON).strip("*_` -—–:"), MAX_NAME) or NO_REASON


def _agent(text: str) -> str:
    name = _name(text)
    # Neither a mark nor a name without letters or digits is a signature.
    named = any(map(str.isalnum, name)) and not name.upper().startswith("INVALIDATED")
    return _cut(name, MAX_NAME) if named else UNKNOWN


def _step(text: str) -> str:
    step = _name(text)
    while found := _STEP_WORD.match(step):
        step = _name(step[found.end() :])
    return _cut(step, MAX_NAME) or UNDATED


def _settled(text: str) -> tuple[str, str, bool]:
    """The text of an entry, the reason of a mark at its ends, and whether anything was cut off."""
    flat = _flat(text)
    now, reason, cut = flat[:_LOOKED_AT], "", len(flat) > _LOOKED_AT
    while True:
        before = now
        for found in (_MARK_FIRST.match(now), _MARK_LAST.search(now)):
            # The match at the end was made before the one at the start was removed.
            if found and now[found.start() : found.end()] == found[0]:
                reason = reason or _reason(found[1])
                now = now[: found.start()] + now[found.end() :]
        if lead := _LEAD.match(now):
            now = now[lead.end() :]
        short = _cut(_two_sentences(now), MAX_ENTRY)
        cut, now = cut or short != now, short.strip()
        if now == before:
            return now, reason, cut


def _two_sentences(text: str) -> str:
    ends = list(_SENTENCE_END.finditer(text))
    return text[: ends[1].end()].rstrip() if len(ends) > 1 else text
