"""Who was at work when: a span for every attempt at a step, for every gate, and for every rest
of the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from podium.views import figures
from podium.views.board.row import OUTCOMES

Event = Mapping[str, Any]
Sort = Literal["work", "check", "gate", "rest"]
Tone = Literal["good", "bad", "busy", "ask", "dim"]

SUDDEN_S = 0.5
"""A check shorter than this gets no bar: nobody could see it."""


@dataclass
class Span:
    key: str
    sort: Sort
    began: float
    ended: float | None = None
    """None while it lasts."""
    role: str = ""
    attempt: int = 1
    tone: Tone = "busy"
    word: str = ""
    """How it ended."""

    def until(self, now: float) -> float:
        return max(self.began, now if self.ended is None else self.ended)


def spans(events: Iterable[Event]) -> list[Span]:
    """All spans, in the order they began; an unreadable event is left out."""
    fold = _Fold()
    for event in events:
        when = figures.moment(event.get("ts"))
        if when is not None:
            fold.absorb(event, str(event.get("type", "")), when)
    fold.found.sort(key=lambda each: (each.began, each.key, each.attempt))
    return [
        each
        for each in fold.found
        if each.sort != "check" or each.ended is None or each.ended - each.began >= SUDDEN_S
    ]


class _Fold:
    def __init__(self) -> None:
        self.found: list[Span] = []
        self._open: dict[str, Span] = {}
        self._rest: Span | None = None
        self._tries: dict[str, int] = {}
        self._root = ""

    def absorb(self, event: Event, kind: str, when: float) -> None:
        key, run = str(event.get("key", "")), str(event.get("run", ""))
        self._root = self._root or run
        if kind == "step.started":
            self._tries[key] = self._tries.get(key, 0) + 1
            sort: Sort = "work" if event.get("kind") == "dispatch" else "check"
            self._begin(
                Span(
                    key,
                    sort,
                    when,
                    role=str(event.get("role") or event.get("kind") or ""),
                    attempt=self._tries[key],
                )
            )
        elif kind == "step.finished":
            outcome = str(event.get("outcome", ""))
            self._end(key, when, _tone(outcome), str(event.get("verdict") or outcome))
        elif kind == "retry.scheduled":
            asks = event.get("classification") in {"needs_input", "parked"}
            self._end(key, when, "ask" if asks else "bad", str(event.get("classification", "")))
        elif kind == "step.interrupted":
            self._end(key, when, "dim", "interrupted")
        elif kind == "gate.opened":
            self._begin(Span(key, "gate", when, tone="ask", word="open"))
        elif kind == "gate.decided":
            decision = str(event.get("decision", ""))
            self._end(key, when, "good" if decision in {"approved", "approve"} else "ask", decision)
        elif kind.startswith("run.") and run == self._root:
            self._moved(kind, event, when)

    def _moved(self, kind: str, event: Event, when: float) -> None:
        if kind in {"run.paused", "run.blocked"}:
            self._rest = self._rest or Span(
                "", "rest", when, tone="dim", word=str(event.get("reason", ""))
            )
        elif kind == "run.resumed" and self._rest is not None:
            self._rest.ended = when
            self.found.append(self._rest)
            self._rest = None
        elif kind in {"run.completed", "run.cancelled"}:
            for key in list(self._open):
                self._end(key, when, "dim", "left")

    def _begin(self, span: Span) -> None:
        if span.key in self._open:
            self._end(span.key, span.began, "dim", "left")
        self._open[span.key] = span
        self.found.append(span)

    def _end(self, key: str, when: float, tone: Tone, word: str) -> None:
        span = self._open.pop(key, None)
        if span is not None:
            span.ended, span.tone, span.word = when, tone, word


def _tone(outcome: str) -> Tone:
    tones: dict[str, Tone] = {"done": "good", "failed": "bad", "waiting": "ask", "skipped": "dim"}
    return tones.get(OUTCOMES.get(outcome, "failed"), "bad")
