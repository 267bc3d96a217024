"""NOTES.md: what is going on now, in a few lines, rewritten by the program at every phase."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from podium.formats.markdown import scan
from podium.formats.markdown_fields import one_line
from podium.workflows.governed.policy import Policy

MOST_BULLETS = 3
_WORDS = re.compile(r"\b(iterations?|verdicts?)\b", re.IGNORECASE)
_ARTIFACT = re.compile(r"phase-\d+-", re.IGNORECASE)
_BULLET = re.compile(r"\s*[-+*]\s")
_REPLACED = {"iteration": "round", "iterations": "rounds", "verdict": "result", "verdicts": "results"}


@dataclass(frozen=True)
class Notes:
    """The few things worth a note."""

    objective: str
    current: str
    blockers: tuple[str, ...] = ()
    pending: str = ""


def write_notes(notes: Notes, policy: Policy) -> str:
    """The file, within every limit: words that belong to reports are put plainly, what is too long is left out."""
    most = policy.integer("memory_hygiene.notes_md_max_lines")
    blockers = [_plain(each) for each in notes.blockers[:MOST_BULLETS]] or ["none"]
    lines = [
        "# Notes",
        "",
        "## Active objective",
        "",
        f"- {_plain(notes.objective)}",
        f"- {_plain(notes.current)}",
    ]
    lines += ["", "## Blockers", "", *(f"- {each}" for each in blockers)]
    if notes.pending:
        lines += ["", "## Pending", "", f"- {_plain(notes.pending)}"]
    if len(lines) > most:
        lines = [line for line in lines if line]
    return "\n".join(lines[:most]) + "\n"


def _plain(text: str) -> str:
    said = _WORDS.sub(lambda found: _REPLACED[found[0].lower()], one_line(text))
    return _ARTIFACT.sub("a phase's ", said).replace("```", "'''").replace("~~~", "'''")[:200] or "none"


def notes_faults(text: str, policy: Policy) -> tuple[str, ...]:
    """Everything in the file that does not belong there."""
    return tuple(_faults(text, policy.integer("memory_hygiene.notes_md_max_lines")))


def _faults(text: str, most: int) -> Iterator[str]:
    outline = scan(text)
    if len(outline.lines) > most:
        yield f"{len(outline.lines)} lines, {most} at most"
    for number, (line, kind) in enumerate(zip(outline.lines, outline.kinds, strict=True), 1):
        if found := _WORDS.search(line):
            yield f"line {number} speaks of {found[0]!r}"
        if found := _ARTIFACT.search(line):
            yield f"line {number} names a phase's document: {found[0]!r}"
        if kind == "code":
            yield f"line {number} is code"
    if run := _longest_run(outline.lines):
        yield f"{run} list items in a row, {MOST_BULLETS} at most"


def _longest_run(lines: Sequence[str]) -> int:
    longest = now = 0
    for line in lines:
        now = now + 1 if _BULLET.match(line) else 0 if line.strip() else now
        longest = max(longest, now)
    return longest if longest > MOST_BULLETS else 0
