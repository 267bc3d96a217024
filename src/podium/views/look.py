"""What drawings are made of: spans of text with a meaning, and the surface they are drawn on.

No colour is decided here: whoever prints a span chooses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from podium.views import safe
from podium.views.board.row import State

Tone = Literal["plain", "dim", "strong", "good", "bad", "busy", "ask", "link"]
Span = tuple[str, Tone]
Line = Sequence[Span]

ICONS: dict[State, str] = {
    "pending": "○",
    "running": "●",
    "done": "✓",
    "failed": "✗",
    "waiting": "◆",
    "stale": "↻",
    "skipped": "·",
}
TONES: dict[State, Tone] = {
    "pending": "dim",
    "running": "busy",
    "done": "good",
    "failed": "bad",
    "waiting": "ask",
    "stale": "ask",
    "skipped": "dim",
}
STATUS: dict[str, tuple[str, Tone]] = {
    "active": ("running", "busy"),
    "waiting": ("waits for you", "ask"),
    "sleeping": ("asleep", "ask"),
    "blocked": ("blocked", "bad"),
    "complete": ("complete", "good"),
    "cancelled": ("cancelled", "dim"),
    "gone": ("stopped", "ask"),
}
ENDS: dict[str, tuple[str, Tone]] = {
    "completed_with_findings": ("complete with findings", "ask"),
    "complete_unproven": ("complete, unproven", "bad"),
}
"""What a complete run is called if nothing more than that can be said of it."""
PAUSING = "Finishing this step, then pausing. Press Ctrl-C again to stop now."
"""After the first Ctrl-C: a person must see that it was noticed."""
DECIDED: tuple[str, Tone] = ("decided", "busy")
"""A run that waits, and whose gates are all decided: it has not been taken up yet."""
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


@dataclass(frozen=True)
class Look:
    """Everything about the surface a board is drawn on."""

    width: int = 80
    height: int = 0
    """Lines available; 0 means as many as needed."""
    now: float | None = None
    moving: bool = False
    """Whether it is redrawn continually, so that a spinner turns."""
    last: bool = False
    """Whether closing words follow, which name the commands."""
    stopped: bool = False
    """Whether the driver has just left the run in the middle."""

    def icon(self, state: State) -> Span:
        """The symbol of a state; it turns while something is at work."""
        if state == "running" and self.moving and self.now is not None:
            return SPINNER[int(self.now * 8) % len(SPINNER)], TONES[state]
        return ICONS[state], TONES[state]


def standing_word(status: str, *, asks: bool, outcome: str = "") -> tuple[str, Tone]:
    """A run's status in a word; `asks`: whether a gate is open; `outcome`: how it completed."""
    if status == "complete" and outcome in ENDS:
        return ENDS[outcome]
    return (
        DECIDED
        if status == "waiting" and not asks
        else STATUS.get(status, (status or "starting", "dim"))
    )


def spoken(text: str, tone: Tone = "plain") -> Line:
    """A line of one span."""
    return [(text, tone)]


def plain(lines: Sequence[Line]) -> list[str]:
    return ["".join(text for text, _ in line).rstrip() for line in lines]


def width_of(line: Line) -> int:
    return sum(safe.cells(text) for text, _ in line)


def bar(size: int, part: float) -> list[Span]:
    """A progress bar; the rest is thinner, so that it can be read without colours too."""
    full = max(0, min(size, round(size * part)))
    return [("━" * full, "good"), ("─" * (size - full), "dim")]


def cropped(line: Line, width: int) -> Line:
    """As much of the line as fits; spans keep their tones."""
    kept: list[Span] = []
    for text, tone in line:
        room = width - width_of(kept)
        kept.append((safe.fit(text, room) if text.strip() else text[: max(0, room)], tone))
    return kept


def paragraphs(text: str, width: int, most: int = 16) -> list[str]:
    """Harmless lines of a multi-line text, with indents, broken at spaces; the last shows where
    it was cut.
    """
    found: list[str] = []
    for line in safe.block(text.strip("\n")):
        indent = " " * min(len(line) - len(line.lstrip()), width // 2)
        parts = wrapped(line, width - len(indent) - 2)
        found += [f"{indent}{'' if index == 0 else '  '}{each}" for index, each in enumerate(parts)]
    return (
        found
        if len(found) <= most
        else [*found[: most - 1], safe.fit(f"{found[most - 1]} {safe.CUT}", width)]
    )


def wrapped(text: str, width: int, most: int = 6) -> list[str]:
    """Harmless prose broken at spaces, at most `most` lines; the last shows where it was cut."""
    lines: list[str] = [""]
    for word in safe.line(text, width * (most + 1)).split(" "):
        if lines[-1] and safe.cells(lines[-1]) + 1 + safe.cells(word) > width:
            lines.append("")
        lines[-1] = safe.fit(f"{lines[-1]} {word}".strip(), width)
    if len(lines) > most:
        lines = [*lines[: most - 1], safe.fit(f"{lines[most - 1]} {safe.CUT}", width)]
    return lines if lines != [""] else []


def elided(text: str, width: int) -> str:
    """The text, cut where it says least: a long path at its beginning, anything else at its end."""
    head, space, path = text.rpartition(" ")
    if safe.cells(text) <= width or "/" not in path:
        return safe.fit(text, width)
    room = width - safe.cells(head + space) - 2
    while "/" in path and safe.cells(path) > room:
        path = path.partition("/")[2]
    return safe.fit(f"{head}{space}{safe.CUT}/{path}", width)
