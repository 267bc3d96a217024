"""Commit messages: a known type, a short subject, and no mention of plans or phases."""

from __future__ import annotations

import re
from collections.abc import Sequence

from podium.core.regex import regex
from podium.formats.field_lines import one_line

KINDS = ("fix", "feat", "chore", "test", "refactor")
LONGEST = 50
_FIRST = regex(rf"({'|'.join(KINDS)}): (.+)")
_NAMES = regex(r"\bphase[\s_#-]*\d+\b|\bwave[\s_#-]*\d+\b|\bplans?/|-plan\b", re.IGNORECASE)


def message_faults(message: str, names: Sequence[str] = ()) -> tuple[str, ...]:
    """Everything wrong with a message; `names` are names of plans and tasks that it must not contain."""
    lines = message.splitlines() or [""]
    match = _FIRST.fullmatch(lines[0])
    if not match:
        faults = [f"the first line must be one of {', '.join(KINDS)}, a colon and a subject"]
    elif len(match[2]) > LONGEST:
        faults = [f"the subject has {len(match[2])} characters, {LONGEST} at most"]
    else:
        faults = []
    if len(lines) > 1 and lines[1].strip():
        faults.append("the second line must be empty")
    if found := _NAMES.search(message):
        faults.append(f"it names a plan or a phase: {found[0]!r}")
    faults += [
        f"it names the plan {name!r}" for name in names if name and name.casefold() in message.casefold()
    ]
    return tuple(faults)


def commit_message(kind: str, subject: str, details: Sequence[str] = ()) -> str:
    """A message with these words; plan and phase numbers are removed and the subject is shortened."""
    plain = _nameless(subject)
    short = plain if len(plain) <= LONGEST else plain[: LONGEST - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
    first = f"{kind if kind in KINDS else 'chore'}: {short[:LONGEST] or 'work as planned'}"
    body = [f"- {text}" for text in map(_nameless, details) if text]
    return "\n".join([first, "", *body] if body else [first])


def _nameless(text: str) -> str:
    """The text without names of phases and plans; removing one may join two halves of another, so it repeats."""
    before, after = "", one_line(text)
    while before != after:
        before, after = after, " ".join(_NAMES.sub("", after).split())
    return after.strip(" -—:.,")
