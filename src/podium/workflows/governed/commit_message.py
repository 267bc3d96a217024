"""Commit messages: a known word, a short subject, and nothing of plans and phases."""

from __future__ import annotations

import re
from collections.abc import Sequence

from podium.formats.markdown_fields import one_line

KINDS = ("fix", "feat", "chore", "test", "refactor")
LONGEST = 50
_FIRST = re.compile(rf"({'|'.join(KINDS)}): (.+)")
_NAMES = re.compile(r"\bphase\s*\d+\b|\bwave\s*\d+\b|\bplans?/|-plan\b", re.IGNORECASE)


def message_faults(message: str, names: Sequence[str] = ()) -> tuple[str, ...]:
    """Everything that keeps a message from being one; `names` are plan and task names it must not hold."""
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
    """A message with these words; plan and phase numbers are taken out and the subject is cut."""
    plain = " ".join(_NAMES.sub("", one_line(subject)).split()).strip(" -—:.,")
    short = plain if len(plain) <= LONGEST else plain[: LONGEST - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
    body = [f"- {text}" for each in details if (text := " ".join(_NAMES.sub("", one_line(each)).split()))]
    return "\n".join(
        [
            f"{kind if kind in KINDS else 'chore'}: {short[:LONGEST] or 'work as planned'}",
            *(["", *body] if body else []),
        ]
    )
