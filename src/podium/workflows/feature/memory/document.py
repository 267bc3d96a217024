"""Reading and writing `memory.md`: one format for the program, for people and for the agents
that may write it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from podium.formats import table_cells
from podium.formats.markdown import scan
from podium.formats.outline import Heading, Outline, fold_title
from podium.workflows.feature.memory.values import (
    UNDATED,
    UNKNOWN,
    Artifact,
    Entry,
    Memory,
    was_cut,
)

TITLE = "Operational Memory"
MAX_TEXT = 200_000
"""Longer files are not read."""
COLUMNS = ("Artifact", "Key Sections", "Last Updated By")
SECTIONS: Mapping[str, str] = {
    "artifacts": "Artifact Index",
    "decisions": "Recent Decisions",
    "lessons": "Lessons Learned",
    "updates": "Recent Updates",
}
_FORMS: Mapping[str, str] = {
    "decisions": "<!-- Format: - [agent-name, step-N] Decision. Rationale: … -->",
    "lessons": "<!-- Never pruned. Format: - [agent-name, step-N] Issue → Resolution. -->",
    "updates": "<!-- Format: - [agent-name, step-N] Updated `path` — summary. -->",
}
_SPOKEN: Mapping[str, str] = {
    **{fold_title(title): name for name, title in SECTIONS.items()},
    "artifacts": "artifacts",
    "decisions": "decisions",
    "lessons": "lessons",
    "updates": "updates",
}
_BULLET = re.compile(
    r"(?P<indent>[ \t]*)(?:[-+*]|\d{1,9}[.)])(?:[ \t]+|$)(?:\[[ xX]\](?:[ \t]+|$))?"
)
_SIGNED = re.compile(
    r"(?P<open>[*_`]{0,3})(?:\[(?P<one>[^\[\]]{1,200})\]|"
    r"\((?P<two>[^(),]{1,80},\s?step[^()]{1,120})\))"
    r"(?P=open)(?![(\[])",
    re.IGNORECASE,
)
_MARKS = re.compile(r"(?:\[INVALIDATED\b[^\[\]]*\]\s*)*", re.IGNORECASE)
_NOTHING = re.compile(
    r"[*_`(\[]*(?:none|nothing|empty|n/a)(?: (?:yet|so far))?[.!]?[*_`)\]]*", re.IGNORECASE
)


def render(memory: Memory) -> str:
    """The file; `parse` reads the same memory back."""
    lines = [f"# {TITLE}", "", f"## {SECTIONS['artifacts']}", "", _row(*COLUMNS), "|---|---|---|"]
    lines += [
        _row(each.path, ", ".join(each.sections), each.updated_by) for each in memory.artifacts
    ]
    for name in ("decisions", "lessons", "updates"):
        lines += ["", f"## {SECTIONS[name]}", "", _FORMS[name]]
        entries: tuple[Entry, ...] = getattr(memory, name)
        lines += ["", *map(_line, entries)] if entries else []
    return "\n".join(lines) + "\n"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _line(entry: Entry) -> str:
    mark = f" [INVALIDATED — {entry.invalidated}]" if entry.invalidated else ""
    return f"- [{entry.agent}, step-{entry.step}]{mark} {entry.text}".rstrip()


def parse(text: str) -> tuple[Memory | None, tuple[str, ...]]:
    """The memory in a file and what was odd about it; None if the file is not a memory at all."""
    if len(text) > MAX_TEXT:
        return None, (f"it has {len(text):,} characters; the limit is {MAX_TEXT:,}",)
    if "\0" in text:
        return None, ("it contains NUL characters and is not text",)
    reader = _Reader(scan(text))
    reader.read()
    if not reader.seen:
        return None, (f"none of its sections is there: {', '.join(SECTIONS.values())}",)
    missing = [
        f"section '{title}' is missing"
        for name, title in SECTIONS.items()
        if name not in reader.seen
    ]
    found = {name: tuple(entries) for name, entries in reader.entries.items()}
    memory = Memory(tuple(reader.artifacts), found["decisions"], found["lessons"], found["updates"])
    return memory, (*missing, *reader.faults)


@dataclass
class _Reader:
    outline: Outline
    artifacts: list[Artifact] = field(default_factory=list)
    entries: dict[str, list[Entry]] = field(
        default_factory=lambda: {"decisions": [], "lessons": [], "updates": []}
    )
    seen: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)
    section: str = ""
    level: int = 0
    headed: bool = False
    waiting: list[str] = field(default_factory=list)
    apart: bool = False

    def read(self) -> None:
        for heading, line in _lines(self.outline):
            if heading:
                self._heading(heading)
            elif not line.strip():
                self.apart = True
            elif self.section == "artifacts":
                self._index(line)
            elif self.section:
                self._prose(line)
        self._close()

    def _heading(self, heading: Heading) -> None:
        self._close()
        name = _SPOKEN.get(fold_title(heading.title), "")
        if name:
            self.section, self.level, self.headed = name, heading.level, False
            self.seen.add(name)
        elif not self.section or heading.level <= self.level:
            self.section = ""
            if fold_title(heading.title) != fold_title(TITLE):
                self.faults.append(
                    f"section '{heading.title[:80]}' is none of the memory's; it was not read"
                )

    def _index(self, line: str) -> None:
        if "|" not in line:
            if bullet := _BULLET.match(line):
                self.artifacts.append(Artifact(line[bullet.end() :]))
            elif not _NOTHING.fullmatch(line.strip()):
                self.faults.append(
                    f"'{line.strip()[:80]}' is not a row of the {SECTIONS['artifacts']}"
                )
            return
        cells = [cell.replace("\\|", "/") for cell in table_cells.cells(line)]
        if table_cells.is_ruler(cells):
            return
        if not self.headed and fold_title(cells[0]) == fold_title(COLUMNS[0]):
            self.headed = True
            return
        path, sections, by = (*cells, "", "")[:3]
        if any(map(str.isalnum, path)):
            self.artifacts.append(Artifact(path, tuple(sections.split(",")), by))

    def _prose(self, line: str) -> None:
        bullet = _BULLET.match(line)
        nested = bool(bullet and len(bullet["indent"].expandtabs(4)) > 1 and self.waiting)
        rest = line[bullet.end() :] if bullet else line
        # A bullet or paragraph inside an entry continues it, unless it is signed.
        inside = nested or (not bullet and (not self.apart or line.startswith(("  ", "\t"))))
        if not inside or (bullet and _signature(rest)):
            self._close()
        self.apart = False
        self.waiting.append(rest.strip())

    def _close(self) -> None:
        said = " ".join(filter(None, self.waiting))
        self.waiting = []
        if not said or _NOTHING.fullmatch(said) or not self.section:
            return
        signed = _signature(said)
        agent, step, text = signed or (UNKNOWN, UNDATED, said)
        if not signed:
            self.faults.append(f"'{said[:80]}' names no agent and step")
        if was_cut(text):
            self.faults.append(
                f"[{agent}, step-{step}] '{text[:60]}…' is longer than two sentences; it was cut"
            )
        self.entries[self.section].append(Entry(agent, step, text))


def _lines(outline: Outline) -> Iterator[tuple[Heading | None, str]]:
    """Headings and lines of text in order; other lines (code, comments, the rest of a heading)
    are blank.
    """
    headings = {heading.line: heading for heading in outline.headings}
    for number, line in enumerate(outline.lines):
        if number in headings:
            yield headings[number], ""
        else:
            yield None, line if outline.kinds[number] == "text" else ""


def _signature(text: str) -> tuple[str, str, str] | None:
    """Agent, step and the rest of an entry that begins with `[agent-name, step-N]`."""
    marks = _MARKS.match(text)
    assert marks
    found = _SIGNED.match(text, marks.end())
    if not found:
        return None
    inside = found["one"] or found["two"]
    parts = [part.strip() for part in re.split(r"[,;|]", inside, maxsplit=1)]
    if not any(map(str.isalnum, parts[0])):
        return None
    return (
        parts[0],
        parts[1] if len(parts) > 1 else UNDATED,
        f"{marks[0]} {text[found.end() :]}".strip(),
    )
