"""The HTML of Jira's XML exports as plain text with a little Markdown."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_BLOCKS = frozenset(
    {"p", "div", "ul", "ol", "table", "tr", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "pre"}
)
_SILENT = frozenset({"script", "style", "head", "title"})
_BLANKS = re.compile(r"\n{3,}")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._silent = 0
        self._verbatim = 0

    # the parser calls it so
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag in _SILENT:
            self._silent += 1
        elif tag == "br":
            self.parts.append("\n")
        elif tag == "li":
            self.parts.append("\n- ")
        elif tag in _BLOCKS:
            level = int(tag[1]) if tag[0] == "h" and tag[1:].isdigit() else 0
            self.parts.append("\n\n" + (f"{'#' * level} " if level else ""))
            if tag == "pre":
                self._verbatim += 1
                self.parts.append("```\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(self._silent - 1, 0)
        elif tag == "pre" and self._verbatim:
            self._verbatim -= 1
            self.parts.append("\n```\n\n")
        elif tag in {"td", "th"}:
            self.parts.append(" | ")
        elif tag in _BLOCKS:
            self.parts.append("\n\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.parts.append(data if self._verbatim else re.sub(r"\s+", " ", data))


def text(html: str) -> str:
    """What a reader would see; broken HTML is read as far as possible."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    lines = "".join(reader.parts).split("\n")
    return _BLANKS.sub(
        "\n\n",
        "\n".join(line.rstrip() if line.startswith("    ") else line.strip() for line in lines),
    ).strip()
