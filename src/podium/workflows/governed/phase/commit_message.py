"""Commit messages: a known type, a short subject, and no mention of plans or phases."""

from __future__ import annotations

import re
from collections.abc import Sequence

from podium.formats.field_lines import one_line

KINDS = ("fix", "feat", "chore", "test", "refactor")
LONGEST = 50
_NAMES = re.compile(r"\bphase[\s_#-]*\d+\b|\bwave[\s_#-]*\d+\b|\bplans?/|-plan\b", re.IGNORECASE)


def commit_message(kind: str, subject: str, details: Sequence[str] = ()) -> str:
    """A message with these words; plan and phase numbers are removed and the subject is
    shortened.
    """
    plain = _nameless(subject)
    short = (
        plain
        if len(plain) <= LONGEST
        else plain[: LONGEST - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
    )
    first = f"{kind if kind in KINDS else 'chore'}: {short[:LONGEST] or 'work as planned'}"
    body = [f"- {text}" for text in map(_nameless, details) if text]
    return "\n".join([first, "", *body] if body else [first])


def _nameless(text: str) -> str:
    """The text without names of phases and plans; removing one may join two halves of another,
    so it repeats.
    """
    before, after = "", one_line(text)
    while before != after:
        before, after = after, " ".join(_NAMES.sub("", after).split())
    return after.strip(" -—:.,")
