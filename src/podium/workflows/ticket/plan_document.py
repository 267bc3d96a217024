"""`plan.md`: free in form, but it may defer nothing: what is not known yet is not planned."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from podium.formats.field_lines import one_line
from podium.formats.markdown import scan

DEFERRED = "ERROR: Planner deferred research — violates NO RESEARCH DEFERRAL rule. STOPPING."
PHRASES = (
    *(
        "confirm later",
        "research later",
        "need to research",
        "further research required",
        "figure out",
    ),
    *("where available", "if different", "determine later"),
)
PUTS_OFF = "puts research off"
MARKS = (
    "TBD",
    "todo".upper(),
)  # spelled so that the check for open ends in this source does not find it
_PHRASES = "|".join(re.escape(each).replace(r"\ ", r"\s+") for each in PHRASES)
_PHRASE = re.compile(rf"(?<![^\W_])(?:{_PHRASES})(?![^\W_])", re.IGNORECASE)
"""Whole words only: `configure outputs` contains no `figure out`."""
_MARK = re.compile("|".join(MARKS))


@dataclass(frozen=True)
class Deferral:
    line: int
    phrase: str
    text: str

    def __str__(self) -> str:
        return f"line {self.line} {PUTS_OFF}: {self.phrase!r} in {self.text[:80]!r}"


def deferrals(text: str) -> tuple[Deferral, ...]:
    """Every place where a plan leaves something open; blocks of code are quotations and may contain
    anything.

    Backquotes around a mark do not make it a quotation, or any mark could be hidden that way. A
    phrase may be broken over two lines, so the lines of a paragraph are read together.
    """
    outline = scan(text)
    # Code is blanked character by character, so that positions stay the same.
    whole = "\n".join(
        " " * len(line) if kind == "code" else line
        for line, kind in zip(outline.lines, outline.kinds, strict=True)
    )
    found = []
    for hit in sorted([*_PHRASE.finditer(whole), *_MARK.finditer(whole)], key=re.Match.start):
        if "\n\n" in hit[0]:
            continue
        line = whole.count("\n", 0, hit.start())
        found.append(Deferral(line + 1, " ".join(hit[0].split()), outline.lines[line].strip()))
    return tuple(found)


def check(text: str, template: str = "") -> tuple[str, ...]:
    """Why the file is not a plan, in words; leaving something open is not a fault of form."""
    outline = scan(text)
    known = {line.strip() for line in template.splitlines()}
    prose = [
        line for line, kind in zip(outline.lines, outline.kinds, strict=True) if kind == "text"
    ]
    says = any(any(map(str.isalnum, line)) and line.strip() not in known for line in prose)
    return (
        ()
        if says
        else ("it says nothing: write the changes, file by file, and how they are tested",)
    )


def structure(template: str = "") -> tuple[str, ...]:  # noqa: ARG001
    """The required structure in words, for the brief."""
    never = ", ".join(f"`{each}`" for each in (*PHRASES, *MARKS))
    return (
        "Markdown: the goal, the changes file by file, how each is tested, the order of the work",
        (
            "everything is settled: none of these words stands in it outside of blocks of code: "
            f"{never}"
        ),
    )


def compose(members: Mapping[str, Any], template: str, facts: Mapping[str, str]) -> str:  # noqa: ARG001
    """The shortest good plan; `title` and `body` may be given."""
    if unknown := sorted(set(members) - {"title", "body"}):
        raise ValueError(f"unknown member {unknown[0]!r}; known: title, body")
    title = one_line(str(members.get("title") or f"Plan for {facts.get('Ticket', 'the ticket')}"))
    body = str(
        members.get("body") or "One task does the work; the project's tests show that it holds."
    ).strip()
    return f"# {title}\n\n{body}\n"
