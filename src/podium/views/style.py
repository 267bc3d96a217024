"""Colour for printed text, without rich: a handful of codes, or none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from podium.views.look import Line, Tone

_CODES: dict[Tone, str] = {
    "plain": "",
    "dim": "90",
    "strong": "1",
    "good": "32",
    "bad": "1;31",
    "busy": "36",
    "ask": "1;33",
    "link": "36",
}


@dataclass(frozen=True)
class Style:
    color: bool = False

    def paint(self, text: str, tone: Tone) -> str:
        """Colour a text, which must already be harmless: a terminal obeys only the codes added
        here.
        """
        code = _CODES[tone]
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and code and text.strip() else text

    def lines(self, lines: Iterable[Line]) -> list[str]:
        return ["".join(self.paint(text, tone) for text, tone in line).rstrip() for line in lines]


PLAIN = Style()
