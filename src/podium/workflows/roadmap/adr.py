"""Decision records under docs/adr/: what one must contain, and the shortest record that does."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from podium.core.verdict import MalformedVerdict, members
from podium.formats.field_lines import one_line
from podium.formats.markdown import scan
from podium.formats.outline import Outline, Section, fold_title, prose_of
from podium.formats.structure import structure_of
from podium.workflows.roadmap.messages.words import fold_word, split_value

SECTIONS = (
    "Context",
    "Related ADRs",
    "Decision",
    "Consequences",
    "Status",
    "Compatibility Check",
    "Date",
)
CONSEQUENCES = ("Positive", "Negative", "Alternatives Considered")
STATUSES = ("Proposed", "Accepted", "Deprecated", "Superseded")
NO_PRIOR = "No prior ADR found for this scope"

_TITLE = re.compile(r"(?P<name>ADR-[A-Za-z0-9][\w.-]{0,80}): +\S.*")
_NAME = re.compile(r"\bADR-[A-Za-z0-9][\w.-]{0,80}")
_DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")
_UNFILLED = re.compile(r"\[[^\]\n]*\](?![(\[])|\{\{[^}\n]*\}\}|(?:TBD|…|\.\.\.)")

_LABEL = re.compile(
    rf"[-+*_\s]*(?P<label>{'|'.join(CONSEQUENCES)})[*_\s]*(?:[:—–-][*_]*|$)", re.IGNORECASE
)

_CONSEQUENCES = """### Positive

- Little code to read.

### Negative

- Later needs may ask for more.

### Alternatives Considered

- A larger design: nothing asks for it yet."""


def check_adr(text: str) -> tuple[str, ...]:
    """Every fault of a decision record, in words; none if it is sound."""
    outline = scan(text)
    name, faults = _title(outline)
    for title in SECTIONS:
        faults += _present(outline.sections(title), title)
    if consequences := outline.section("Consequences"):
        for title in CONSEQUENCES:
            below = [
                each
                for each in consequences.subsections
                if fold_title(each.heading.title) == fold_title(title)
            ]
            if below or not _labelled(outline, title):
                faults += _present(below, f"Consequences / {title}")
    faults += _status(outline) + _related(outline, name) + _date(outline)
    return tuple(faults)


def _title(outline: Outline) -> tuple[str, list[str]]:
    first = next((heading for heading in outline.headings if heading.level == 1), None)
    found = _TITLE.fullmatch(first.title) if first else None
    if not found or _unfilled(found[0].partition(":")[2]):
        return "", [
            "the first heading must be `# ADR-XXX: title`, with a number for XXX and a title"
        ]
    return found["name"], []


def _present(sections: Sequence[Section], title: str) -> list[str]:
    if not sections:
        return [f"section '{title}' is missing"]
    if len(sections) > 1:
        return [f"section '{title}' stands there {len(sections)} times"]
    lines = [line for _, line in sections[0].body if line.strip()]
    return [] if any(not _unfilled(line) for line in lines) else [f"section '{title}' is empty"]


def _labelled(outline: Outline, title: str) -> bool:
    """Whether a part of the consequences has a label instead of a heading: `- **Positive:**
    small`.
    """
    inside = False
    for line in _said(outline, "Consequences"):
        found = _LABEL.match(line)
        inside = fold_title(found["label"]) == fold_title(title) if found else inside
        if inside and not _unfilled(line[found.end() :] if found else line):
            return True
    return False


def _unfilled(line: str) -> bool:
    """Whether a line holds nothing but punctuation and what a template left to fill in."""
    return not any(map(str.isalnum, _UNFILLED.sub("", line)))


def _said(outline: Outline, title: str) -> list[str]:
    section = outline.section(title)
    return [line for line in prose_of(section.body).splitlines() if line.strip()] if section else []


def _status(outline: Outline) -> list[str]:
    """Exactly one word of the list; a record with two is undecided."""
    known = {word.casefold(): word for word in STATUSES}
    lines = _said(outline, "Status")
    found = {fold_word(split_value(line.lstrip("-+ "))[0]) for line in lines} & set(known)
    if len(found) == 1 or not lines:
        return []
    return [f"Status is {lines[0].strip()[:80]!r}; it must be one of {', '.join(STATUSES)}"]


def _related(outline: Outline, own: str) -> list[str]:
    text = "\n".join(_said(outline, "Related ADRs"))
    named = [
        each
        for each in _NAME.findall(text)
        if each != own and not each.startswith(("ADR-XXX", "ADR-00X"))
    ]
    if not text or named or NO_PRIOR in text:
        return []
    return [f'Related ADRs names no decision record; say "{NO_PRIOR}" if there is none']


def _date(outline: Outline) -> list[str]:
    lines = _said(outline, "Date")
    if not lines or any(_DATE.fullmatch(line.strip(" *`-")) for line in lines):
        return []
    return [f"Date is {lines[0].strip()[:80]!r}; it must be a date such as 2026-01-31"]


def compose_adr(given: Mapping[str, Any], template: str, facts: Mapping[str, str]) -> str:
    """A well-formed record: `given` may hold name, title, status, date, related and sections by
    heading.

    The facts (ADR, Item, Title, Date) supply what `given` lacks; the template adds further
    headings.
    """
    allowed = {
        "name": str,
        "title": str,
        "status": str,
        "date": str,
        "related": list,
        "sections": Mapping,
    }
    try:
        members(given, allowed)
    except MalformedVerdict as fault:
        raise ValueError(str(fault)) from None
    item = one_line(facts.get("Item", ""))
    name = one_line(given.get("name") or facts.get("ADR") or f"ADR-{item or '001'}")
    title = one_line(
        given.get("title") or facts.get("Title") or f"How {item or 'the item'} is built"
    )
    date = one_line(given.get("date") or facts.get("Date", ""))
    if not date:
        raise ValueError("a decision record needs a date: give `date`, such as 2026-01-31")
    blocks = _blocks(given, item or "the item", date)
    titles = dict.fromkeys([*SECTIONS, *structure_of(template).headings])
    known = {fold_title(heading): heading for heading in SECTIONS}
    headings = dict.fromkeys(known.get(fold_title(each), each) for each in titles)
    lines = [f"# {name}: {title}"]
    for heading in headings:
        lines += ["", f"## {heading}", "", blocks.get(heading, "Nothing to add.")]
    return "\n".join(lines) + "\n"


def _blocks(given: Mapping[str, Any], item: str, date: str) -> dict[str, str]:
    related = [f"- {one_line(str(each))}" for each in given.get("related", ())]
    blocks = {
        "Context": f"{item} needs a decision before it is built.",
        "Related ADRs": "\n".join(related) or NO_PRIOR,
        "Decision": f"{item} is built in the smallest way that meets its acceptance criteria.",
        "Consequences": _CONSEQUENCES,
        "Status": one_line(given.get("status", STATUSES[1])),
        "Compatibility Check": "- No conflict with an accepted record.",
        "Date": date,
    }
    return blocks | {str(title): str(text) for title, text in given.get("sections", {}).items()}
