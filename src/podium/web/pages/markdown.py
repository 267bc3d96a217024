"""Agents' Markdown as harmless HTML: no markup of theirs, no images that load, links that only
lead away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from podium.web.pages.rendering import clean

MOST = 200_000
"""The most characters read as Markdown; a longer text is shown unrendered."""
SCHEMES = frozenset({"http", "https", "mailto"})
DOWN = 2
"""Headings are moved down this many levels, below those of the page."""


def rendered(text: str) -> Markup:
    """The text as HTML; if it is too long or breaks the parser, it is shown unrendered."""
    shown = clean(text, MOST)
    if len(text) > MOST:
        return Markup('<pre class="raw">{}</pre>').format(shown)
    try:
        # html is off, so the parser has escaped the whole text
        return Markup(_reader().render(shown))  # noqa: S704
    except (ValueError, RecursionError, IndexError):
        return Markup('<pre class="raw">{}</pre>').format(shown)


@cache
def _reader() -> MarkdownIt:
    # Workflows' documents have one field per line, so line breaks are kept.
    made = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": True}).enable(
        ["table", "strikethrough"]
    )
    rules = {
        "link_open": _link_open,
        "link_close": _link_close,
        "image": _image,
        "heading_open": _heading_open,
        "heading_close": _heading_close,
        "table_open": _table_open,
        "table_close": _table_close,
        "th_open": _th_open,
        "td_open": _td_open,
    }
    for name, rule in rules.items():
        made.add_render_rule(name, _as_rule(rule))
    return made


def _as_rule(rule: Callable[[Sequence[Token], int], str]) -> Callable[..., str]:
    """Adapts a rule to the parser, which passes more arguments than our rules need."""

    def called(_self: Any, tokens: Sequence[Token], at: int, _options: Any, _env: Any) -> str:
        return rule(tokens, at)

    return called


def leads(address: object) -> bool:
    """Whether a link may lead there."""
    try:
        return urlsplit(str(address)).scheme.lower() in SCHEMES
    except ValueError:
        return False


def _link_open(tokens: Sequence[Token], at: int) -> str:
    address = tokens[at].attrGet("href")
    if leads(address):
        return (
            f'<a href="{escape(str(address))}" rel="noopener noreferrer nofollow" target="_blank">'
        )
    return f'<span class="no-link" title="{escape(clean(address, 300))}">'


def _link_close(tokens: Sequence[Token], at: int) -> str:
    depth = 0
    for token in reversed(tokens[:at]):
        depth += {"link_close": 1, "link_open": -1}.get(token.type, 0)
        if depth < 0:
            return "</a>" if leads(token.attrGet("href")) else "</span>"
    return "</span>"


def _image(tokens: Sequence[Token], at: int) -> str:
    return (
        f'<span class="no-link">picture: {escape(clean(tokens[at].content, 200))} '
        f"({escape(clean(tokens[at].attrGet('src'), 300))})</span>"
    )


def _level(token: Token) -> int:
    return min(6, int(token.tag[1:]) + DOWN)


def _heading_open(tokens: Sequence[Token], at: int) -> str:
    return f"<h{_level(tokens[at])}>"


def _heading_close(tokens: Sequence[Token], at: int) -> str:
    return f"</h{_level(tokens[at])}>\n"


def _table_open(_tokens: Sequence[Token], _at: int) -> str:
    return '<div class="scroll" tabindex="0" role="group" aria-label="table"><table>'


def _table_close(_tokens: Sequence[Token], _at: int) -> str:
    return "</table></div>"


def _th_open(_tokens: Sequence[Token], _at: int) -> str:
    """Without the alignment style, which our pages do not allow."""
    return '<th scope="col">'


def _td_open(_tokens: Sequence[Token], _at: int) -> str:
    return "<td>"
