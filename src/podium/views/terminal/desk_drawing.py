"""The desk as lines: the question, what it is about, and the keys that answer it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from podium.core import keys
from podium.views import safe
from podium.views.asking import matter, title
from podium.views.look import Line, Span, cropped, width_of, wrapped

if TYPE_CHECKING:
    from podium.views.gate import Gate

_IN: Span = ("   ", "plain")


class Shown(Protocol):
    """A gate as a desk has it."""

    @property
    def run(self) -> str: ...
    @property
    def gate(self) -> Gate: ...
    @property
    def changed(self) -> tuple[str, ...]: ...
    @property
    def question(self) -> bool: ...
    @property
    def targets(self) -> tuple[str, ...]: ...


class State(Protocol):
    """The parts of a desk that are drawn."""

    several: bool
    at: int
    typed: str
    notice: str
    answered: list[str]
    offered: str

    @property
    def mode(self) -> str: ...
    @property
    def asked(self) -> Sequence[Shown]: ...
    @property
    def typing(self) -> str: ...


def drawn(desk: State, width: int, room: int | None) -> list[Line]:
    lines: list[Line] = [()]
    lines += [
        [(" ✓ ", "good"), (safe.line(each, width - 4), "plain")] for each in desk.answered[-3:]
    ]
    if desk.offered:
        words = (
            f"{desk.offered} can continue. Nobody is driving it."
            if desk.several
            else "Decided. Nobody is driving the run."
        )
        lines += [
            [(" ◆ ", "ask"), (safe.line(words, width - 4), "ask")],
            *_keys([("Enter", "continue here"), ("l", "leave it")], width),
        ]
    elif desk.asked:
        lines += _gate(
            desk, desk.asked[desk.at], width, None if room is None else room - len(lines)
        )
    return lines


def _gate(desk: State, asked: Shown, width: int, room: int | None) -> list[Line]:
    count = f"  ({desk.at + 1} of {len(desk.asked)})" if len(desk.asked) > 1 else ""
    whose = f"{asked.run}: " if desk.several else ""
    head: Line = [
        (" ◆ ", "ask"),
        (safe.line(f"{whose}{title(asked.gate)}", width - 4 - safe.cells(count)), "ask"),
        (count, "dim"),
    ]
    below = [*_notice(desk, width), *_answers(desk, asked, width)]
    if room is not None:
        below = below if len(below) < room - 2 else [*below[: max(1, room - 3)], below[-1]]
    left = None if room is None else max(1, room - 1 - len(below))
    return [head, *matter(asked.gate, width, left, asked.changed), *below]


def _notice(desk: State, width: int) -> list[Line]:
    return [
        [("   " if place else " ! ", "bad"), (each, "bad")]
        for place, each in enumerate(wrapped(desk.notice, width - 4, 3))
    ]


def _answers(desk: State, asked: Shown, width: int) -> list[Line]:
    if desk.mode in {"note", "text", "number"}:
        return _typing(desk, width)
    if desk.mode == "to":
        return [
            *_numbered(list(map(keys.base_of, asked.targets)), width),
            *_keys(
                [
                    ("1", f"to {len(asked.targets)}: send back to that step"),
                    ("Enter", "the step before"),
                    ("Esc", "back"),
                ],
                width,
            ),
        ]
    more = [("n", "next gate")] if len(desk.asked) > 1 else []
    about = [("v", "read it"), ("d", "diff")]
    if not asked.question:
        return _keys([("a", "approve"), ("r", "reject"), *about, *more, ("l", "later")], width)
    choices = asked.gate.choices
    pick = (
        [("1", f"to {len(choices)}: choose") if len(choices) <= 9 else ("c", "choose")]
        if choices
        else []
    )
    pick = [("1", "choose")] if len(choices) == 1 else pick
    words = [("t", "answer in words")] if asked.gate.words else []
    return [
        *_numbered(choices, width),
        *_keys([*pick, *words, *about, *more, ("l", "later")], width),
    ]


def _numbered(names: Sequence[str], width: int) -> list[Line]:
    """A line for each, or all in one if they are short."""
    each: list[Span] = []
    for number, name in enumerate(names, 1):
        each += [(f"{number} ", "link"), (f"{safe.line(name, 60)}   ", "plain")]
    if not names:
        return []
    if width_of(each) <= width - 4:
        return [[_IN, *each]]
    return [
        [_IN, (f"{number:>2} ", "link"), (safe.line(name, width - 8), "plain")]
        for number, name in enumerate(names, 1)
    ]


def _typing(desk: State, width: int) -> list[Line]:
    """Shows the end of the typed text, with a mark where the next letter goes."""
    lead = f"   {desk.typing}: "
    typed = safe.visible(desk.typed)
    while typed and safe.cells(lead) + safe.cells(typed) + 2 > width:
        typed = typed[1:]
    done = {"approve": "approves", "reject": "rejects"}.get(
        desk.typing.partition(",")[0], "sends it"
    )
    return [
        [(lead, "ask"), (typed, "strong"), ("▏", "ask")],
        *_keys([("Enter", done), ("Esc", "back")], width),
    ]


def _keys(keys: Sequence[tuple[str, str]], width: int) -> list[Line]:
    """All keys, in as many lines as they need."""
    lines: list[list[Span]] = [[_IN]]
    for key, words in keys:
        spans: list[Span] = [(key, "link"), (f" {words}   ", "dim")]
        if len(lines[-1]) > 1 and width_of(lines[-1]) + width_of(spans) - 3 > width:
            lines.append([_IN])
        lines[-1] += spans
    return [cropped(line, width) for line in lines]
