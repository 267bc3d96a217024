"""Secrets never reach a log: values of secret-looking variables and well-known token shapes are cut out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from podium.core.regex import regex

_NAME = regex(
    r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|WEBHOOK|AUTH(?!OR)|(?:^|_)(?:PASS|PAT|DSN)(?:_|$)|_PWD(?:_|$)",
    re.IGNORECASE,
)
_IN_ADDRESS = regex(r"://[^\s/:@]*:([^\s/@]+)@")
"""A password before the name of a server."""
_SHAPES = regex(
    r"\b(sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}"
    r"|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|AIza[A-Za-z0-9_-]{30,}|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+)"
)
_MARKS = ("sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "AKIA", "AIza", "eyJ")
"""How the shapes begin: to look for these one by one takes a twentieth of what an expression takes, and nearly all text has none."""
_SPELLED_MARKS = tuple(each.encode() for each in _MARKS)
_SHORTEST_VALUE = 8
_SHORTEST_LINE = 16
_SHORTEST_TOKEN = 15
"""Of the shapes above the shortest is `xoxb-` with ten characters."""
_SHORTEST_PIECE = 6
"""Less of a secret at the edge of a text is chance."""
_NUMBERS = frozenset({int, float, bool, type(None)})
_PLACES = frozenset({"SSH_AUTH_SOCK", "XAUTHORITY"})
"""Named like secrets, but they hold the place of one."""
CUT = "[redacted]"
EXACT = frozenset({
    "type", "key", "step", "path", "inputs", "outputs", "subject", "before", "commit", "base", "input", "from", "to", "back_to",
})  # fmt: skip
"""Members of facts that name things; to cut a piece out of one would name another."""
RECORDS = frozenset({"state", "counters"})
WORDS = frozenset({"reason", "note", "people_notes"})
"""Of a run's own members these are prose."""


class Redactor:
    """Knows the secrets of one environment."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        named = {value for name, value in environment.items() if _NAME.search(name) and name not in _PLACES}
        found = {each for value in environment.values() for each in _IN_ADDRESS.findall(value)}
        # `postgres` is also a word: without its address it would leave holes in every text about databases.
        passwords = {each for each in found if not each.isalpha()} | {f":{each}@" for each in found}
        values = {each for each in {*named, *passwords, *map(unquote, passwords)} if len(each) >= _SHORTEST_VALUE}
        values |= {line for value in values for line in _lines(value)}
        # Longest first, so that a secret that contains another is cut whole.
        self._values = sorted(values, key=lambda value: (-len(value), value))
        self._edges = [(value, _piece(value)) for value in self._values if "\n" not in value]
        pieces = dict.fromkeys(each for value, size in self._edges for each in (value[:size], value[-size:]))
        self._spelled = (*_SPELLED_MARKS, *map(_spelled, (*self._values, *pieces)))

    def __call__(self, text: str) -> str:
        if len(text) < _SHORTEST_PIECE:
            return text
        for value in self._values:
            if value in text:
                text = text.replace(value, CUT)
        for value, size in self._edges:
            text = _without_pieces(text, value, size)
        return _SHAPES.sub(CUT, text) if len(text) >= _SHORTEST_TOKEN and any(each in text for each in _MARKS) else text

    def data(self, value: Any) -> Any:
        """The same for JSON data: before it is written, because escapes would hide a secret."""
        kind = type(value)  # nearly all of it is of these few types, and to ask for a Mapping takes long
        if kind is str:
            return self(value)
        if kind in _NUMBERS:
            return value
        if kind is dict or isinstance(value, Mapping):
            return {self(str(name)): self.data(each) for name, each in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.data(each) for each in value]
        return self(value) if isinstance(value, str) else value

    def suspects(self, lines: bytes) -> bool:
        """Whether a secret may be in these lines of JSON: one look at the text instead of one at each of its parts."""
        return any(each in lines for each in self._spelled)

    def fact(self, fact: Mapping[str, Any]) -> dict[str, Any]:
        """Every text of a fact; names and digests stay exact."""
        return {
            name: value if name in EXACT else self._record(value) if name in RECORDS else self.data(value)
            for name, value in fact.items()
        }

    def _record(self, record: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self.data(value) if name in WORDS else value for name, value in record.items()}


def _piece(value: str) -> int:
    """How much of a secret at the edge of a text is a piece of it: half of it, or eight characters.

    Paths and addresses begin like many others: of them it is always half.
    """
    half = max(_SHORTEST_PIECE, len(value) // 2)
    return half if "/" in value else min(_SHORTEST_VALUE, half)


def _without_pieces(text: str, value: str, size: int) -> str:
    """Without the end of a secret at the beginning of a text, and its beginning at the end: long texts are cut anywhere."""
    most = len(value) - 1
    for at in _places(text[:most], value[-size:]):
        if value.endswith(text[: at + size]):
            text = CUT + text[at + size :]
            break
    start = max(len(text) - most, 0)
    for at in _places(text[start:], value[:size]):
        if value.startswith(text[start + at :]):
            return text[: start + at] + CUT
    return text


def _places(text: str, piece: str) -> Iterator[int]:
    at = text.find(piece)
    while at >= 0:
        yield at
        at = text.find(piece, at + 1)


def _lines(value: str) -> list[str]:
    """The lines of a secret that has several, such as a key in PEM: what agents print is looked at line by line."""
    lines = [line.strip() for line in value.splitlines()]
    return [line for line in lines if len(line) >= _SHORTEST_LINE and not line.startswith("-----")] if len(lines) > 1 else []


def _spelled(value: str) -> bytes:
    """As a line of the journal has it: with escapes, and signs that are no text by their number."""
    plain = value.encode(errors="backslashreplace").decode()
    return json.dumps(plain, ensure_ascii=False)[1:-1].encode()
