"""Keeps secrets out of logs: values of secret-looking variables and well-known forms of tokens
are removed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

_NAME = re.compile(
    (
        r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|WEBHOOK|AUTH(?!OR)|(?:^|_)(?:"
        r"PASS|PAT|DSN)(?:_|$)|_PWD(?:_|$)"
    ),
    re.IGNORECASE,
)
_IN_ADDRESS = re.compile(r"://[^\s/:@]*:([^\s/@]+)@")
"""A password in front of a server's name."""
_SHAPES = re.compile(
    r"\b(sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|"
    r"glpat-[A-Za-z0-9_-]{16,}"
    r"|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|AIza[A-Za-z0-9_-]{30,}|"
    r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+)"
)
_MARKS: Mapping[str, tuple[str, ...]] = {
    "gh": ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    "K": ("AKIA",),
    "I": ("AIza",),
    "J": ("eyJ",),
    "sk-": ("sk-",),
    "glpat-": ("glpat-",),
    "xox": ("xox",),
}
"""How the shapes begin, grouped by a short piece that all of a group share. Nearly all text holds
none of these pieces, and searching for them takes a fiftieth of the time the expression takes.
"""
_SPELLED_MARKS = tuple(
    (shared.encode(), tuple(each.encode() for each in marks)) for shared, marks in _MARKS.items()
)
_SHORTEST_VALUE = 8
_SHORTEST_LINE = 16
_SHORTEST_TOKEN = 15
"""The shortest of the forms above: `xoxb-` and ten characters."""
_SHORTEST_PIECE = 6
"""Fewer characters of a secret at the edge of a text are chance."""
_NUMBERS = frozenset({int, float, bool, type(None)})
_PLACES = frozenset({"SSH_AUTH_SOCK", "XAUTHORITY"})
"""Named like secrets, but these only say where one is."""
CUT = "[redacted]"
EXACT = frozenset(
    {
        "type",
        "key",
        "step",
        "path",
        "inputs",
        "outputs",
        "subject",
        "before",
        "commit",
        "base",
        "input",
        "from",
        "to",
        "back_to",
    }
)
"""Members of facts that name things: removing a piece of a name would name something else."""
RECORDS = frozenset({"state", "counters"})
WORDS = frozenset({"reason", "note", "people_notes"})
"""The members of a run that are prose."""


class Redactor:
    """Knows the secrets of one environment."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        named = {
            value
            for name, value in environment.items()
            if _NAME.search(name) and name not in _PLACES
        }
        found = {each for value in environment.values() for each in _IN_ADDRESS.findall(value)}
        # `postgres` is also a word: removed everywhere, it would leave holes in every text about
        # databases.
        passwords = {each for each in found if not each.isalpha()} | {f":{each}@" for each in found}
        values = {
            each
            for each in {*named, *passwords, *map(unquote, passwords)}
            if len(each) >= _SHORTEST_VALUE
        }
        values |= {line for value in values for line in _lines(value)}
        # Longest first, so that a secret that contains another is removed whole.
        whole = sorted(values, key=lambda value: (-len(value), value))
        self._values = [(value, value[: _piece(value)], value[-_piece(value) :]) for value in whole]
        """Each with its beginning and its end: where neither is, it is not either."""
        self._spelled = tuple(
            dict.fromkeys(_spelled(each) for _, *edges in self._values for each in edges)
        )

    def __call__(self, text: str) -> str:
        if len(text) < _SHORTEST_PIECE:
            return text
        near = [each for each in self._values if each[1] in text or each[2] in text]
        for value, _, _ in near:
            text = text.replace(value, CUT)
        for each in near:
            text = _without_pieces(text, *each)
        if len(text) < _SHORTEST_TOKEN:
            return text
        for shared, marks in _MARKS.items():
            if shared in text and any(each in text for each in marks):
                return _SHAPES.sub(CUT, text)
        return text

    def data(self, value: Any) -> Any:
        """The same for JSON data, before it is encoded, because escapes would hide a secret."""
        kind = type(
            value
        )  # nearly all values have one of these few types, and checking for a Mapping is slow
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
        """Whether a secret may be in these lines of JSON: one search of the text instead of one
        per part.
        """
        for shared, marks in _SPELLED_MARKS:
            if shared in lines and any(each in lines for each in marks):
                return True
        return any(each in lines for each in self._spelled)

    def fact(self, fact: Mapping[str, Any]) -> dict[str, Any]:
        """The fact with every text redacted; names and digests stay exact."""
        return {
            name: value
            if name in EXACT
            else self._record(value)
            if name in RECORDS
            else self.data(value)
            for name, value in fact.items()
        }

    def _record(self, record: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: self.data(value) if name in WORDS else value for name, value in record.items()
        }


def _piece(value: str) -> int:
    """How much of a secret at the edge of a text is a piece of it: half of it, or eight characters.

    Paths and addresses begin like many others: of them it is always half.
    """
    if "\n" in value:
        return len(value)  # its lines are secrets of their own
    half = max(_SHORTEST_PIECE, len(value) // 2)
    return half if "/" in value else min(_SHORTEST_VALUE, half)


def _without_pieces(text: str, value: str, head: str, tail: str) -> str:
    """Without the end of a secret at the beginning of a text, and its beginning at the end: long
    texts are cut anywhere.
    """
    most = len(value) - 1
    for at in _places(text[:most], tail):
        if value.endswith(text[: at + len(tail)]):
            text = CUT + text[at + len(tail) :]
            break
    start = max(len(text) - most, 0)
    for at in _places(text[start:], head):
        if value.startswith(text[start + at :]):
            return text[: start + at] + CUT
    return text


def _places(text: str, piece: str) -> Iterator[int]:
    at = text.find(piece)
    while at >= 0:
        yield at
        at = text.find(piece, at + 1)


def _lines(value: str) -> list[str]:
    """The lines of a secret that has several, such as a PEM key, because agents' output is
    redacted line by line.
    """
    lines = [line.strip() for line in value.splitlines()]
    return (
        [line for line in lines if len(line) >= _SHORTEST_LINE and not line.startswith("-----")]
        if len(lines) > 1
        else []
    )


def _spelled(value: str) -> bytes:
    """The value as a journal line has it: with JSON escapes, and lone surrogates as backslash
    escapes.
    """
    plain = value.encode(errors="backslashreplace").decode()
    return json.dumps(plain, ensure_ascii=False)[1:-1].encode()
