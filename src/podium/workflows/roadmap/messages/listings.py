"""The lists of a final message: what follows a name such as Files or Failures, item by item."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from podium.formats import table_cells
from podium.formats.field_lines import parse_field
from podium.formats.outline import Outline
from podium.workflows.roadmap.messages.statements import BULLET
from podium.workflows.roadmap.messages.words import fold_word, plain

FILES = frozenset(
    {
        *(
            "files",
            "files changed",
            "changed files",
            "files created",
            "files modified",
            "files touched",
        ),
        *("files created/modified", "files created or modified", "files to add/update", "evidence"),
    }
)
FAILURES = frozenset(
    {
        *(
            "failures",
            "failure",
            "errors",
            "issues",
            "findings",
            "problems",
            "blockers",
            "blocked reason",
        ),
        *("drift", "drift list", "drift issues", "drift detected", "deviations"),
    }
)
LEARNINGS = frozenset({"learnings", "learning"})
NEXT_STEPS = frozenset({"next steps", "next step"})
_NAMES = (
    FILES
    | FAILURES
    | LEARNINGS
    | NEXT_STEPS
    | {"status", "verdict", "validation", "tests", "results"}
)

MAX_ITEMS = 200
MAX_LINES = 40
"""Lines kept per item; what is passed on is cut further."""
_NOTHING = re.compile(
    r"(?:none|n/a|nothing|no "
    r"(?:issues|failures|errors|drift|deviations|findings|problems|blockers|learnings))"
    r"(?: (?:found|known|identified|to report))?[.!]?",
    re.IGNORECASE,
)
_OPTIONAL = re.compile(r"suggestions?|nice to have|what looks good|positives?")
_FENCE = re.compile(r"[ \t]*(?:`{3}|~{3})")
_FILE = re.compile(
    r"(?:(?:created|modified|updated|added|changed|deleted|removed|new)\b:? +)?"
    r"(?:`(?P<quoted>[^`]{1,1000})`|(?P<bare>[^\s`:,—–|]{1,1000}))(?: ?\([^)]{0,80}\))?(?: "
    r"?(?:[:—–]|-+ ) ?(?P<note>.*))?",
    re.IGNORECASE,
)


def listed(outline: Outline, names: frozenset[str]) -> tuple[str, ...]:
    """Every item under such a heading or after a `Name:` line, with the lines that belong to it."""
    items = _Items()
    inside = _sections(outline, names)
    ended = False
    for number, text in enumerate(outline.lines):
        kind = outline.kinds[number]
        ended = kind != "heading" and (ended or (kind == "text" and _names_another(text, names)))
        if kind == "heading":
            items.close()
        elif number in inside and not ended:
            items.add(text, kind)
        elif kind == "text":
            _field_line(items, text, names)
        elif kind == "code" and items.indent >= 0:
            items.add(text, kind)
    return items.finished()


def listed_after(outline: Outline, line: int) -> tuple[str, ...]:
    """The bullets between a line and the next heading."""
    items = _Items()
    for number in range(line + 1, len(outline.lines)):
        if outline.kinds[number] == "heading":
            break
        if BULLET.match(outline.lines[number]) or items.found:
            items.add(outline.lines[number], outline.kinds[number])
    return items.finished()


def files_in(outline: Outline) -> tuple[dict[str, str], ...]:
    """Path and note of each file that a message lists; items without a path are left out."""
    found: dict[str, str] = {}
    for item in listed(outline, FILES):
        first = item.partition("\n")[0].replace("**", "")
        for part in first.split(", ") if _are_paths(first.split(", ")) else [first]:
            match = _FILE.fullmatch(part.strip())
            path = (match["quoted"] or match["bare"]).strip() if match else ""
            if match and _is_path(path):
                found.setdefault(path, (match["note"] or "").strip())
    return tuple({"path": path, "note": note} for path, note in found.items())


def _is_path(text: str) -> bool:
    return bool(re.search(r"[^./]", text)) and ("/" in text or re.search(r"\.\w", text) is not None)


def _are_paths(parts: list[str]) -> bool:
    return len(parts) > 1 and all(
        _is_path(part.strip("` ")) and " " not in part.strip() for part in parts
    )


@dataclass
class _Items:
    found: list[list[str]] = field(default_factory=list)
    indent: int = -1
    """The indentation of the `Name:` line whose list is being read; -1 outside a list."""
    bulleted: bool = False
    """Whether that line is an item itself, so that the next item does not belong to its list."""
    running: bool = False
    """Whether the next plain line continues the last item."""
    fresh: bool = True
    """Whether this list has no item yet."""
    headed: bool = False
    """Whether the last line was a table row that may turn out to hold the column names."""

    def close(self) -> None:
        self.indent, self.running, self.fresh, self.headed = -1, False, True, False

    def start(self, text: str) -> None:
        self.headed = False
        if text.strip() and not _NOTHING.fullmatch(plain(text)):
            self.found.append([text.strip()])
            self.running, self.fresh = True, False

    def add(self, text: str, kind: str) -> None:
        """Take one line of a list: an item, or a continuation of the previous one."""
        if kind == "code" and _FENCE.match(text):
            return
        if kind == "code" and not self.fresh:
            self._go_on(text)
            return
        if kind not in {"text", "code"}:
            self.running = self.headed = False
            return
        if text.lstrip().startswith("|"):
            self._row(table_cells.cells(text))
        elif bullet := BULLET.match(text):
            self.start(text[bullet.end() :])
        elif self.running:
            self._go_on(text)
        else:
            self.start(text)

    def _go_on(self, text: str) -> None:
        if len(self.found[-1]) < MAX_LINES:
            self.found[-1].append(text.strip())

    def _row(self, cells: list[str]) -> None:
        """A table row is an item, except the ruler and the column names above it."""
        if table_cells.is_ruler(cells):
            if self.headed:
                self.found.pop()
            self.headed = False
        else:
            known = len(self.found)
            self.start(" — ".join(cell for cell in cells if cell))
            self.headed = len(self.found) > known
        self.running = False

    def finished(self) -> tuple[str, ...]:
        return tuple("\n".join(item) for item in self.found[:MAX_ITEMS])


def _names_another(text: str, names: frozenset[str]) -> bool:
    """Whether a line begins something else, which ends the list before it."""
    found = parse_field(text.replace("**", "").replace("__", "")) if ":" in text else None
    return found is not None and fold_word(found.key) in _NAMES - names


def _field_line(items: _Items, text: str, names: frozenset[str]) -> None:
    found = parse_field(text.replace("**", "").replace("__", ""))
    indent = len(text) - len(text.lstrip())
    if found and fold_word(found.key) in names:
        items.close()
        items.indent, items.bulleted = indent, BULLET.match(text) is not None
        items.start(found.value)
    elif items.indent >= 0:
        if indent > items.indent or (BULLET.match(text) and not items.bulleted):
            items.add(text, "text")
        else:
            items.close()


def _sections(outline: Outline, names: frozenset[str]) -> set[int]:
    """Lines below a heading of that name, without the parts that the author calls optional."""
    found: set[int] = set()
    for index, heading in enumerate(outline.headings):
        if fold_word(plain(heading.title)) in names:
            found.update(range(heading.end, outline.ends[index]))
    for index, heading in enumerate(outline.headings):
        if _OPTIONAL.match(fold_word(plain(heading.title))):
            found.difference_update(range(heading.line, outline.ends[index]))
    return found
