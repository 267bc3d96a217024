"""A question taken apart: what it is about, and each possible answer with its text, pros and
cons.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_RECOMMENDED = re.compile(r"\s*recommended:\s*(.*)", re.IGNORECASE)
_GAPS = re.compile(r"\n\s*\n\s*\n+")
_MARK = re.compile(r"\s*\(recommended\)\s*$", re.IGNORECASE)


@dataclass
class Option:
    id: str
    text: str = ""
    pros: list[str] = field(default_factory=list)
    cons: list[str] = field(default_factory=list)
    files: str = ""
    recommended: bool = False


@dataclass(frozen=True)
class Question:
    lead: str
    """The text without what belongs to single options."""
    options: tuple[Option, ...]
    advice: str = ""


def question(prompt: str, choices: Sequence[str]) -> Question:
    """Lines `ID: text`, followed by its `+ pro`, `- con` and `files: …`; anything else stays in
    the lead.
    """
    options = {each: Option(each) for each in choices}
    lead: list[str] = []
    advice, now = "", None
    for line in prompt.splitlines():
        name, colon, text = line.strip().partition(":")
        plain = _MARK.sub("", name)
        if colon and plain in options and not options[plain].text:
            now = options[plain]
            now.text, now.recommended = text.strip(), plain != name
        elif now is not None and line.strip().startswith("+ "):
            now.pros.append(line.strip()[2:])
        elif now is not None and line.strip().startswith("- "):
            now.cons.append(line.strip()[2:])
        elif now is not None and name == "files":
            now.files = text.strip()
        elif said := _RECOMMENDED.match(line):
            advice, now = said[1].strip(), None
        else:
            lead.append(line)
    for each in options.values():
        each.recommended = each.recommended or _named(advice, each.id)
    return Question(_GAPS.sub("\n\n", "\n".join(lead)).strip(), tuple(options.values()), advice)


def _named(advice: str, ident: str) -> bool:
    return advice == ident or (
        bool(ident) and advice.startswith((f"{ident}.", f"{ident} ", f"{ident},"))
    )
