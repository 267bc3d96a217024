"""The view without a terminal: one line for every event that matters, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TextIO

from podium.core.effects import Check, FanOut
from podium.core.errors import Busy
from podium.core.workflow import Step
from podium.views import figures, safe
from podium.views.asking import gate_lines
from podium.views.board.activity import did
from podium.views.board.board import Board
from podium.views.closing import closing
from podium.views.fitting import CLOCK, columns, fitted
from podium.views.groups.words import group_begins
from podium.views.lines import block, important, log_line
from podium.views.look import PAUSING, Line, plain

UNBROKEN = 2000
"""The width of a line in a file: a path or question that is broken can be neither searched nor
copied.
"""


def plain_observer(
    title: str, steps: Iterable[Step], stream: TextIO, past: Iterable[Mapping[str, Any]] = ()
) -> PlainView:
    """A context manager that is an observer, like the live view."""
    return PlainView(Board(steps, title, past), stream)


class PlainView:
    def __init__(self, board: Board, stream: TextIO, whose: str = "") -> None:
        """`whose`: the run, if lines of several runs are mixed."""
        self.board = board
        self._lead = f"{safe.line(whose, 64)}  " if whose else ""
        self._stream = stream
        self._advice: Sequence[str] = ()
        self._gone = False
        self._told = False
        self.concluded = False

    def event(self, event: Mapping[str, Any]) -> None:
        self._told = True
        run = str(event.get("run", ""))
        known = self.board.tree.known_child(run)
        before = known.attempt if known else 0
        begins = group_begins(event, self.board.work)
        self.board.absorb(event)
        if lines := block(event):
            # A workflow's own words are printed as given, for programs that look for them. One line
            # needs no space
            # around it.
            for line in ("", *lines, "") if len(lines) > 1 else lines:
                self._put(line)
        elif begins is not None:
            if begins:
                self._put(safe.line(f"{figures.clock(event.get('ts'))} {begins}"))
        elif important(event) and not self._passing(event):
            self._put(fitted(log_line(event), self._stream, CLOCK))
        row = self.board.tree.known_child(run)
        if row is not None and row.attempt > max(1, before):
            self._put(
                safe.line(
                    f"{figures.clock(event.get('ts'))} {run.partition('/')[2]} {row.effort()}"
                )
            )

    def _passing(self, event: Mapping[str, Any]) -> bool:
        """Whether the run only checks something in this phase, or waits for a child run that
        reports for itself.
        """
        phase = event.get("phase")
        inside = [
            step.effect for step in self.board.steps.values() if phase and step.phase == phase
        ]
        return bool(inside) and all(isinstance(each, Check | FanOut) for each in inside)

    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None:
        """Too much for a log; the transcript has it. But a person who pressed Ctrl-C must see
        that it was noticed, and whoever waits for an agent, what that one waits for.
        """
        if kind == "interrupt":
            self._put(PAUSING)
        elif kind == "retry":
            self._put(safe.line(f"{key} {did(kind, fields)}"))

    def name(self, title: str) -> None:
        """What the run is about, once known."""
        self.board.title = title or self.board.title

    def conclude(self, advice: Sequence[str]) -> None:
        """What the engine says a person can do next; shown last."""
        self._advice = advice

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # If somebody else has taken the run over, the following error says who. If nothing
        # happened, the caller says
        # why, or how the run rests.
        if (self._told or kind is KeyboardInterrupt) and kind is not Busy:
            self.concluded = True
            width = columns() if self._stream.isatty() else UNBROKEN
            last = closing(
                self.board, width, advice=self._advice, interrupted=kind is KeyboardInterrupt
            )
            # A log line cuts a long question and names no files; whoever must answer needs all of
            # it.
            asked = (
                [*gate_lines(self.board, width, None, commands=False), ()]
                if self.board.status == "waiting"
                else []
            )
            self.end([*asked, *last])

    def end(self, last: Sequence[Line]) -> None:
        for line in plain(last):
            self._put(line.rstrip())

    def say(self, line: str) -> None:
        """A line that belongs to no event; it must already be harmless."""
        self._put(line)

    def _put(self, line: str) -> None:
        if self._gone:
            return
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        try:
            line = f"{self._lead}{line}".rstrip()
            self._stream.write(line.encode(encoding, "replace").decode(encoding) + "\n")
            self._stream.flush()
        except (BrokenPipeError, ValueError):
            # Nobody reads any more (`| head`): the run continues, the output does not.
            self._gone = True
