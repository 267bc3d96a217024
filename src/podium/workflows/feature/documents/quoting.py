"""Agents' words in a document stay words: they cannot become a heading, table, link, code or
comment.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from podium.workflows.feature.findings.finding import cut

NOT_SAID = "not said"
# An underscore inside a word is not markup, and names are full of them.
_SPECIAL = re.compile(r"([\\`*\[\]<>|~#]|(?<![^\W_])_|_(?![^\W_]))")
_STARTS = re.compile(r"([-+=]|\d{1,9}(?=[.)]))")


def words(text: object) -> str:
    """One line in which nothing is markup; also usable as a table cell."""
    shown = "".join(
        each for each in cut(str(text)) if unicodedata.category(each) not in ("Cf", "Co")
    )
    return _SPECIAL.sub(r"\\\1", " ".join(shown.split())).replace("&", "&amp;")


def item(text: object) -> str:
    """One list item that cannot begin another list or a rule."""
    shown = words(text) or NOT_SAID
    start = _STARTS.match(shown)
    if not start:
        return f"- {shown}"
    # A number is escaped after its digits, at the mark that would make it a list number.
    at = start.end() if start[0][0].isdigit() else 0
    return f"- {shown[:at]}\\{shown[at:]}"


def part(key: str, text: object) -> str:
    """One `Key: value` list item; the key is the program's own."""
    return f"- **{key}:** {words(text) or NOT_SAID}"


def name(text: object) -> str:
    """A path or an id as a code span that its content cannot end, also inside a table."""
    shown = cut(str(text)).replace("`", "'").replace("|", "/").replace("<!", "< !")
    return f"`{shown}`" if shown.strip() else NOT_SAID


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table of cells that are already quoted."""
    return [_row(head), _row(["---"] * len(head)), *(_row(row) for row in rows)]


def _row(row: Sequence[str]) -> str:
    return "| " + " | ".join(each or NOT_SAID for each in row) + " |"
