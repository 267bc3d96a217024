"""Verdicts: from an agent's words or data to one of five outcomes, failing closed.

Each workflow has its own words. A dialect is a table of those words and a reader for
the object an agent may send instead; the original word stays in the journal. Only this
module and the workflow that owns a dialect know it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from podium.core.nearest import nearest
from podium.core.schema import Schema

Outcome = Literal["ok", "revise", "fail", "abstain", "needs_input"]
_RANK: Mapping[str, int] = {"ok": 0, "abstain": 1, "revise": 2, "needs_input": 3, "fail": 4}


@dataclass(frozen=True)
class Verdict:
    """What an agent said, already mapped to an outcome."""

    outcome: Outcome
    word: str
    """The dialect's own word."""
    reason: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    """The object as it was sent, if one was."""


@dataclass(frozen=True)
class Judgement:
    """What the engine concludes from a finished dispatch: verdict, files and evidence together."""

    outcome: Outcome
    word: str = ""
    reason: str = ""
    classification: str = ""
    """A finer outcome that a route may distinguish; empty if the outcome is enough."""
    contradictions: tuple[str, ...] = ()
    sets: Mapping[str, Any] = field(default_factory=dict)
    """Members of the run that this result sets before the route is called."""
    stop: str = ""
    """One word for why the run stops, if it does."""
    facts: tuple[Mapping[str, Any], ...] = ()
    """The workflow's own events, recorded with the step."""
    writes: Mapping[str, str] = field(default_factory=dict)
    """Project path to text of documents that a check makes: their digests are recorded, then they
    are written; after a crash in between they are made again.
    """
    pause: bool = False
    """Whether this call ends here; the run continues another time."""
    delay_s: float = 0.0
    """How long the run waits before its next step; a long wait is a durable sleep."""

    @property
    def route(self) -> str:
        return self.classification or self.outcome


class MalformedVerdict(Exception):
    """The answer contains no verdict that the dialect allows; the message is the exact fault."""


@dataclass(frozen=True)
class Dialect:
    name: str
    read: Callable[[Mapping[str, Any]], Verdict]
    """Verdict object to verdict; raises MalformedVerdict."""
    line: Callable[[str], Verdict | None] | None = None
    """Final message to verdict; None if it contains none."""
    required: bool = False
    """Whether an answer without a verdict is a fault."""
    good: Mapping[str, Any] = field(default_factory=dict)
    """The object of a successful answer; `behave: well` sends it."""
    told: tuple[str, ...] = ()
    """How to report, in sentences for the brief."""
    schema: Schema = field(default_factory=dict)
    """The object as a tool may take it (core.schema); empty if the step takes none."""
    stored: Callable[[], Schema] | None = None
    """The same, if it comes from a file: read only when asked for."""

    def tool(self) -> Schema:
        return self.schema if self.stored is None else self.stored()


def worse(first: Verdict, second: Verdict) -> Verdict:
    """If two answers disagree, the worse counts."""
    return second if _RANK[second.outcome] > _RANK[first.outcome] else first


def members(
    data: Mapping[str, Any],
    allowed: Mapping[str, type | tuple[type, ...]],
    required: Iterable[str] = (),
) -> Mapping[str, Any]:
    """The object, its members checked by name and type; an unknown one is refused with the
    nearest name.
    """
    for name, value in data.items():
        if name not in allowed:
            near = nearest(str(name), allowed)
            raise MalformedVerdict(
                f"unknown member {name!r}" + (f"; did you mean {near!r}?" if near else "")
            )
        if not isinstance(value, allowed[name]):
            raise MalformedVerdict(f"member {name!r} has the wrong type {type(value).__name__}")
    for name in required:
        if name not in data:
            raise MalformedVerdict(f"member {name!r} is missing")
    return data


def choice(data: Mapping[str, Any], name: str, words: Mapping[str, Outcome]) -> tuple[str, Outcome]:
    """The member's word from a closed list, compared without case."""
    said = str(data.get(name, ""))
    for word, outcome in words.items():
        if said.casefold() == word.casefold():
            return word, outcome
    raise MalformedVerdict(f"{name} is {said!r}; it must be one of {', '.join(words)}")


def line_reader(words: Mapping[str, Outcome]) -> Callable[[str], Verdict | None]:
    """A reader for the first and the last non-empty line of an answer: `WORD: text`, `WORD`
    alone, `Status: WORD`.
    """
    pattern = re.compile(
        r"^[*_`#✅❌🟢🔴\s-]*(?:(?i:status|verdict|decision|result|outcome)[*_`]*:[*_`✅❌🟢🔴\s]*)?"
        rf"({'|'.join(map(re.escape, words))})(?!\w*[^\W_])[*_`.!]*\s*(?:\([^)]*\)\s*)?(?:[:"
        r"—–-][*_`]*\s*(.*))?$"
    )

    def read(text: str) -> Verdict | None:
        filled = [line.strip() for line in text.splitlines() if line.strip()]
        found: Verdict | None = None
        for each in {0: filled[0], 1: filled[-1]}.values() if filled else ():
            if match := pattern.match(each):
                said = Verdict(words[match[1]], match[1], match[2] or "")
                found = said if found is None else worse(found, said)
        return found

    return read


def _no_verdict(data: Mapping[str, Any]) -> Verdict:
    if data:
        raise MalformedVerdict("this step takes no verdict")
    return Verdict("ok", "")


NONE = Dialect("none", _no_verdict)
