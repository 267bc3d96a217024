"""A file as a page shows it: Markdown rendered, everything else as lines with numbers."""

from __future__ import annotations

from markupsafe import Markup

from podium.core.dataclass import dataclass
from podium.views import safe
from podium.web.pages.markdown import rendered

LINES = 1_500
"""Lines of one file that a page holds; the file has the rest."""


@dataclass(frozen=True)
class Document:
    path: str
    html: Markup | None = None
    """Of Markdown."""
    lines: tuple[str, ...] = ()
    """Of everything else."""
    more: int = 0
    """Lines that are left out."""


def document(path: str, text: str) -> Document:
    if path.lower().endswith((".md", ".markdown")):
        return Document(path, rendered(text))
    shown, more = lines(text)
    return Document(path, None, shown, more)


def lines(text: str, most: int = LINES) -> tuple[tuple[str, ...], int]:
    """(harmless lines, how many were left out)."""
    found = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    return tuple(safe.block("\n".join(found[:most]), width=2_000)), max(0, len(found) - most)
