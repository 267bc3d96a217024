"""A file as a page shows it: Markdown rendered, everything else as numbered lines."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from podium.views import safe
from podium.web.pages.markdown import rendered

LINES = 1_500
"""The most lines of one file on a page; the file has the rest."""


@dataclass(frozen=True)
class Document:
    path: str
    html: Markup | None = None
    """For Markdown."""
    lines: tuple[str, ...] = ()
    """For everything else."""
    more: int = 0
    """Lines left out."""


def document(path: str, text: str) -> Document:
    if path.lower().endswith((".md", ".markdown")):
        return Document(path, rendered(text))
    shown, more = lines(text)
    return Document(path, None, shown, more)


def lines(text: str, most: int = LINES) -> tuple[tuple[str, ...], int]:
    """(harmless lines, number of lines left out)."""
    found = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    return tuple(safe.block("\n".join(found[:most]), width=2_000)), max(0, len(found) - most)
