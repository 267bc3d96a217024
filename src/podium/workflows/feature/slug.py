"""A feature's short name and title, from the words of the request."""

from __future__ import annotations

import re
import unicodedata

from podium.core.digest import digest
from podium.formats.field_lines import one_line

MAX_SLUG = 40
MAX_TITLE = 80
_RESERVED = frozenset(
    {
        "con",
        "prn",
        "aux",
        "nul",
        *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)),
    }
)
"""Names that some file systems reserve for devices."""
_LETTERS = str.maketrans(
    {
        "æ": "ae",
        "œ": "oe",
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "ı": "i",
        "'": "",
        "’": "",
    }
)
"""Letters that Unicode does not decompose, and marks inside a word."""
_MARKS = re.compile(r"(?:#{1,6}|[-*+>]|\d{1,3}[.)])\s+")


def slug_of(request: str) -> str:
    """Lower-case words and dashes, at most 40 characters, safe as a folder name anywhere."""
    words = re.findall(r"[a-z0-9]+", _folded(_first_line(request)))
    slug = _cut("-".join(words), MAX_SLUG, "-")
    if not slug:
        # A request in another script still gets a name of its own.
        return f"feature-{digest(' '.join(request.split()).encode(errors='replace'))[7:15]}"
    return f"feature-{slug}" if slug in _RESERVED else slug


def title_of(request: str) -> str:
    """The request's first line, in at most 80 characters."""
    line = " ".join(_first_line(request).split())
    if len(line) <= MAX_TITLE:
        return line or "Feature"
    return _cut(line, MAX_TITLE - 1, " ").rstrip(" ,;:.") + "…"


def _first_line(request: str) -> str:
    """The first line that says something, without a leading heading or list mark."""
    for line in request.splitlines():
        said = (
            _MARKS.sub("", one_line(line), count=1)
            if _MARKS.match(one_line(line))
            else one_line(line)
        )
        if any(map(str.isalnum, said)):
            return said
    return ""


def _folded(text: str) -> str:
    """The text in plain lower-case letters, without accents and width variants."""
    plain = unicodedata.normalize("NFKD", text.casefold()).translate(_LETTERS)
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


def _cut(text: str, limit: int, gap: str) -> str:
    """The text up to the last whole word within the limit; a single longer word is cut."""
    if len(text) <= limit:
        return text
    whole = text[: limit + 1].rpartition(gap)[0]
    return whole or text[:limit]
