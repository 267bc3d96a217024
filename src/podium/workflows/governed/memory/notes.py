"""NOTES.md: the current state in a few lines, rewritten by the program after each wave and at
the end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from podium.formats.field_lines import one_line
from podium.formats.markdown import scan
from podium.workflows.governed.policy.policy import Policy

MOST_BULLETS = 3
_OBJECTIVE = "Active objective"
_WORDS = re.compile(r"\b(iterations?|verdicts?)\b", re.IGNORECASE)
_ARTIFACT = re.compile(r"phase-\d+-", re.IGNORECASE)
_REPLACED = {
    "iteration": "round",
    "iterations": "rounds",
    "verdict": "result",
    "verdicts": "results",
}


@dataclass(frozen=True)
class Notes:
    """The few things worth a note."""

    objective: str
    current: str
    blockers: tuple[str, ...] = ()
    pending: str = ""


def write_notes(notes: Notes, policy: Policy, template: str = "") -> str:
    """The file, within every limit: words that belong in reports are put plainly, and what is too
    long is left out.

    A project's own template determines the sections and their titles.
    """
    most = policy.integer("memory_hygiene.notes_md_max_lines")
    lines = ["# Notes"]
    for title, items in _sections(notes, template):
        lines += [
            "",
            f"## {_plain(title)}",
            "",
            *(f"- {_plain(each)}" for each in items[:MOST_BULLETS] or ["none"]),
        ]
    if len(lines) > most:
        lines = [line for line in lines if line]
    return "\n".join(lines[:most]) + "\n"


def _sections(notes: Notes, template: str) -> list[tuple[str, list[str]]]:
    titles = _titles(template)
    if not titles:
        pending = [("Pending", [notes.pending])] if notes.pending else []
        return [
            (_OBJECTIVE, [notes.objective, notes.current]),
            ("Blockers", list(notes.blockers)),
            *pending,
        ]
    known = {
        "objective": [notes.objective],
        "block": list(notes.blockers),
        "pending": [notes.pending],
        "decision": [notes.pending],
        "phase": [notes.current],
        "current": [notes.current],
    }
    return [
        (title, next((items for word, items in known.items() if word in title.casefold()), []))
        for title in titles
    ]


def _titles(template: str) -> list[str]:
    return [each.title for each in scan(template).headings if each.level == 2]


def ours(text: str, template: str = "") -> bool:
    """Whether the program wrote the file, so that rewriting it loses nothing of a person's."""
    written = [each.title for each in scan(text).headings if each.level == 2]
    return bool(written) and written[0] in {_OBJECTIVE, *_titles(template)[:1]}


def _plain(text: str) -> str:
    said = _WORDS.sub(lambda found: _REPLACED[found[0].lower()], one_line(text))
    return (
        _ARTIFACT.sub("a phase's ", said).replace("```", "'''").replace("~~~", "'''")[:200]
        or "none"
    )
