"""The knowledge a run leaves behind: decisions, which are only added to, and suggestions, which
are never applied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from podium.core.errors import Fault
from podium.formats.field_lines import one_line
from podium.formats.markdown import scan, split_lines
from podium.formats.outline import Heading, Outline
from podium.workflows.feature.documents.labelled import fold_label, parts
from podium.workflows.feature.memory.suggestions import suggestions_in

DECISIONS = "decisions.md"
DECISION_PARTS = ("Context", "Decision", "Rationale", "Scope", "Affected components")
SCREENING = "## Screening (KE-SAFE)"
_INTRO = "Suggestions are for people; nothing here is ever applied by the program."
_ENTRY = re.compile(r"\[(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})\]\s+(?P<title>\S.*)")
_LABELS = {fold_label(each): each for each in DECISION_PARTS} | {
    "affected component": DECISION_PARTS[-1]
}


def check_decisions(after: str, before: str) -> tuple[str, ...]:
    """Every fault of the log of decisions: the old text must be unchanged, and each addition
    must be an entry.
    """
    if after == before or (
        before and before[-1] not in "\r\n" and after in {before + "\n", before + "\r\n"}
    ):
        return ()
    if not after.startswith(before):
        return (
            str(
                Fault(
                    f"{DECISIONS}:{_first_change(before, after)}",
                    "existing text was changed",
                    _MEND,
                )
            ),
        )
    old = len(split_lines(before))
    if before and not before.endswith(("\n", "\r")) and after[len(before)] not in "\r\n":
        return (str(Fault(f"{DECISIONS}:{old}", "the last line was written on", _MEND)),)
    outline, earlier = scan(after), scan(before)
    if (
        outline.kinds[:old] != earlier.kinds
        or outline.headings[: len(earlier.headings)] != earlier.headings
    ):
        return (
            str(
                Fault(
                    f"{DECISIONS}:{old}",
                    "the addition changes how the text before it is read",
                    _MEND,
                )
            ),
        )
    return tuple(map(str, _added(outline, old, fresh=not before.strip())))


_MEND = "the file is append-only: restore it and add entries at its end"
_FORM = "write '## [YYYY-MM-DD] Title'"


def _first_change(before: str, after: str) -> int:
    lines = zip(split_lines(before), split_lines(after), strict=False)
    same = next(
        (number for number, (one, two) in enumerate(lines) if one != two), len(split_lines(after))
    )
    return same + 1


def _added(outline: Outline, old: int, *, fresh: bool) -> Iterator[Fault]:
    new = [heading for heading in outline.headings if heading.line >= old and heading.level <= 2]
    entries = [heading for heading in new if heading.level == 2]
    if not entries:
        yield Fault(f"{DECISIONS}:{old + 1}", "the addition holds no entry", _FORM)
        return
    first = entries[0].line
    for heading in new:
        # A new log may begin with a title; any other top-level heading would split the entries.
        if heading.level == 1 and not (fresh and heading.line < first):
            yield Fault(
                f"{DECISIONS}:{heading.line + 1}", f"'{heading.title[:80]}' is not an entry", _FORM
            )
    stray = next((n for n in range(old, first) if outline.kinds[n] not in {"blank", "rule"}), None)
    if stray is not None and not fresh:
        yield Fault(
            f"{DECISIONS}:{stray + 1}",
            "text before the first new entry belongs to an old one",
            _FORM,
        )
    ends = dict(zip((heading.line for heading in outline.headings), outline.ends, strict=True))
    for heading in entries:
        yield from _entry(outline, heading, ends[heading.line])


def _entry(outline: Outline, heading: Heading, end: int) -> Iterator[Fault]:
    where = f"{DECISIONS}:{heading.line + 1}"
    found = _ENTRY.fullmatch(heading.title)
    if not found or not _is_date(found["date"]):
        yield Fault(where, f"'{heading.title[:80]}' has no date and title", _FORM)
    filled = {
        part.key
        for part in parts(outline, _LABELS, frozenset(), heading.end, end)
        if any(map(str.isalnum, "".join(part.lines)))
    }
    for key in DECISION_PARTS:
        if key not in filled:
            yield Fault(where, f"'{heading.title[:80]}' has no {key}", f"add '**{key}:** …'")


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def screened(text: str) -> str:
    """The suggestions, with a table of marks before them; an older table is replaced, the rest
    stays as it is.
    """
    text = _without_screening(text)
    rows = [
        f"| {number} | {_cell(each.title)} | {each.mark} | {_cell(each.reason)} |"
        for number, each in enumerate(suggestions_in(text), 1)
    ]
    table = (
        ["| # | Suggestion | Mark | Reason |", "|---|---|---|---|", *rows]
        if rows
        else ["There is no suggestion."]
    )
    return "\n".join([SCREENING, "", _INTRO, "", *table, "", text])


def _without_screening(text: str) -> str:
    lines = split_lines(text)
    if not lines or lines[0].rstrip() != SCREENING:
        return text.lstrip("\r\n")
    at, begun = 1, False
    while at < len(lines):
        line = lines[at].strip()
        own = line in {_INTRO, "There is no suggestion."} or line.startswith("|")
        if (begun and not line) or (line and not own):
            break
        begun = begun or (own and line != _INTRO)
        at += 1
    return "".join(lines[at:]).lstrip("\r\n")


def _cell(text: str) -> str:
    return one_line(text).replace("\\", "").replace("`", "").replace("|", "/")[:160]
