"""Printed answers: `podium status`, `podium list`; `log` and `show` have their own modules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from podium.core import keys
from podium.core.workflow import Step
from podium.views import figures, safe
from podium.views.board import counters
from podium.views.board.board import Board
from podium.views.closing import come_to
from podium.views.frame import frame
from podium.views.gate import gate_from
from podium.views.groups.words import progress_words
from podium.views.look import Line, Look, Tone, spoken, standing_word, wrapped
from podium.views.standing import where
from podium.views.style import PLAIN, Style

WARNINGS = 3
"""How many of the last warnings get a line each; the report has all."""


class Told(Protocol):
    """What a view needs from a run's summary."""

    @property
    def run(self) -> str: ...
    @property
    def workflow(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def step(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def stop(self) -> str: ...
    @property
    def started(self) -> str: ...
    @property
    def updated(self) -> str: ...
    @property
    def gates(self) -> Sequence[Mapping[str, Any]]: ...
    @property
    def holder(self) -> Mapping[str, Any] | None: ...
    @property
    def advice(self) -> Sequence[str]: ...
    @property
    def outcome(self) -> str: ...


def board_of(
    summary: Told, events: Iterable[Mapping[str, Any]], steps: Iterable[Step] = ()
) -> Board:
    """The board of a run at rest: the journal gives the history, the state file the position."""
    board = Board(steps, summary.title, events)
    board.run, board.workflow, board.status = summary.run, summary.workflow, str(summary.status)
    board.reason, board.stop = summary.reason or board.reason, summary.stop
    if board.status not in {"complete", "cancelled"}:
        board.move(summary.step)
    board.at = summary.step
    opened = {key: gate.opened for key, gate in board.gates.items()}
    named = [gate_from(each, opened.get(str(each.get("key")), "")) for each in summary.gates]
    # The summary of a resting run names its open gates; a decision may wait there that nobody has
    # taken up yet.
    board.gates = {gate.key: gate for gate in named} or (
        {} if board.status == "waiting" else board.gates
    )
    return board


def status(
    summary: Told,
    events: Iterable[Mapping[str, Any]],
    *,
    steps: Iterable[Step] = (),
    width: int = 80,
    style: Style = PLAIN,
    now: float | None = None,
) -> str:
    """Where a run stands; `now` (seconds since the epoch) is used only if somebody drives it."""
    board = board_of(summary, events, steps)
    live = summary.holder is not None
    if board.status == "active" and not live:
        board.status = "gone"
    lines: list[Line] = [*frame(board, Look(width=width, now=now if live else None)), ()]
    lines += [] if board.gates else [*come_to(board, width), ()]
    for label, value in _facts(summary, board):
        said = wrapped(value, max(width - 11, 29)) or [""]
        lines += [
            [(f" {'' if index else label:<9}", "dim"), (each, "plain")]
            for index, each in enumerate(said)
        ]
    # The gates above have already shown their commands.
    if summary.advice and not board.gates:
        lines += [(), *(spoken(f" {safe.line(each, 400)}", "link") for each in summary.advice)]
    return "\n".join(style.lines(lines)) + "\n"


def waiting(summary: Told) -> str:
    """Why a run of a fleet is not taken; empty for all others."""
    return str(getattr(summary, "waits", ""))


def _facts(summary: Told, board: Board) -> list[tuple[str, str]]:
    facts = [("run", summary.run), ("at", where(board))]
    facts.append(
        (
            "started",
            f"{figures.day(summary.started)} UTC, last event {figures.day(summary.updated)} UTC",
        )
    )
    if said := progress_words(board.work):
        facts.append(("progress", said))
        facts += [("branch", str(board.counters["branch"]))] if board.counters.get("branch") else []
        facts += (
            [("commits", ", ".join(each[:10] for each in board.commits))] if board.commits else []
        )
    if counted := counters.said(board.counters):
        facts.append(("counters", ", ".join(counted)))
    facts += [("changed", each) for each in board.changed]
    facts += [("warning", each) for each in counters.texts(board.counters, "warnings")[-WARNINGS:]]
    if waits := waiting(summary):
        facts.append(("waits", waits))
    elif summary.holder is not None:
        who = summary.holder
        facts.append(
            ("driven", f"process {who.get('pid')} on {who.get('host')} since {who.get('since')}")
        )
    elif str(summary.status) == "active":
        why = (
            summary.reason
            if summary.stop == "between_calls"
            else "it was stopped or died, and can be resumed"
        )
        facts.append(("driven", f"nobody: {why}"))
    return facts


def listing(
    summaries: Iterable[Told],
    width: int = 80,
    style: Style = PLAIN,
    places: Mapping[str, str] | None = None,
) -> str:
    """All runs, newest first; `places` says where unfinished ones stand."""
    # Sorted by id first, so that runs of the same moment keep one order.
    ordered = sorted(summaries, key=lambda each: each.run)
    ordered.sort(key=lambda each: each.started, reverse=True)
    if not ordered:
        return "No runs yet. Start one: podium demo, or podium run WORKFLOW INPUT\n"
    head = ("RUN", "WORKFLOW", "STATUS", "STEP", "STARTED (UTC)", "TITLE")
    rows = [head, *(_listed(each, (places or {}).get(each.run, "")) for each in ordered)]
    widths = safe.columns(
        rows, [32, 12, 22, 40 if width >= 140 else 32 if width >= 112 else 24, 16, 60]
    )
    room = width - sum(widths[:-1]) - 2 * (len(head) - 1)
    kept = [0, 1, 2, 3, 4, 5] if room >= 12 else [0, 2, 3, 5] if width >= 72 else [0, 2]
    if kept[-1] == 5:
        widths[5] = max(8, width - sum(widths[each] for each in kept[:-1]) - 2 * (len(kept) - 1))
    out = []
    for index, row in enumerate(rows):
        tone: Tone = "dim"
        shown: list[tuple[str, Tone]] = []
        for column in kept:
            if index:
                tone = (
                    _standing(ordered[index - 1])[1]
                    if column == 2
                    else "strong"
                    if column == 0
                    else "plain"
                )
            shown.append((safe.pad(row[column], widths[column]), tone))
        out.append([span for each in shown for span in (each, ("  ", "plain"))][:-1])
    return "\n".join(style.lines(out)) + "\n"


def _standing(summary: Told) -> tuple[str, Tone]:
    return standing_word(
        str(summary.status), asks=bool(summary.gates), outcome=str(summary.outcome)
    )


def _listed(summary: Told, place: str) -> tuple[str, ...]:
    word = _standing(summary)[0]
    waits = waiting(summary)
    if str(summary.status) == "active" and summary.holder is None:
        word = "in line" if waits else "stopped"
    cells = (
        summary.run,
        summary.workflow,
        word,
        waits or place or keys.base_of(summary.step),
        figures.day(summary.started),
        summary.title,
    )
    return tuple(safe.line(each, 80) for each in cells)
