"""The live view: a board on a terminal that redraws itself until the run rests."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TextIO

from podium.core.errors import Busy
from podium.core.workflow import Step
from podium.views.board.board import Board
from podium.views.closing import closing
from podium.views.frame import frame
from podium.views.lines import block
from podium.views.look import PAUSING, Line, Look, spoken, wrapped
from podium.views.terminal.desk import Desk
from podium.views.terminal.painter import Size
from podium.views.terminal.screen import Screen


def live_observer(
    title: str,
    steps: Iterable[Step],
    stream: TextIO,
    color: bool,
    past: Iterable[Mapping[str, Any]] = (),
) -> LiveView:
    """A context manager that is an observer; `past` are the events of a run that is resumed."""
    return LiveView(Board(steps, title, past), stream, color)


class LiveView:
    def __init__(
        self,
        board: Board,
        stream: TextIO,
        color: bool,
        size: Callable[[], Size] | None = None,
        *,
        moves: bool | None = None,
    ) -> None:
        self.board = board
        self.desk: Desk | None = None
        """Where a person at this terminal decides; None if nobody does."""
        self.screen = Screen(stream, color, self._picture, size, moves=moves)
        self._advice: Sequence[str] = ()
        self._gap = False
        """Whether the board is separated from what is above it."""
        self._told = False
        self.concluded = False

    def event(self, event: Mapping[str, Any]) -> None:
        with self.screen.lock:
            self._told = True
            self.board.absorb(event)
            if told := block(event):
                # Lines of the same kind follow each other; a longer text is a separate block.
                self.screen.scroll([*self._scrolled(told), *([()] if len(told) > 1 else [])])
                self._gap = len(told) == 1

    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None:
        with self.screen.lock:
            self.board.activity(key, kind, fields)
            if kind == "interrupt":
                self.screen.scroll(
                    spoken(f" {each}", "ask")
                    for each in wrapped(PAUSING, self.screen.size()[0] - 2)
                )

    def name(self, title: str) -> None:
        """What the run is about, once known."""
        with self.screen.lock:
            self.board.title = title or self.board.title

    def conclude(self, advice: Sequence[str]) -> None:
        """What the engine says a person can do next; shown last."""
        self._advice = advice

    def __enter__(self) -> Self:
        self.screen.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # If somebody else has taken the run over, the following error says who. If an error came
        # before anything
        # happened, it says why.
        refused = kind is Busy or (
            kind is not None and kind is not KeyboardInterrupt and not self._told
        )
        last = (
            []
            if refused
            else closing(
                self.board,
                self.screen.size()[0],
                advice=self._advice,
                interrupted=kind is KeyboardInterrupt,
            )
        )
        self.concluded = bool(last)
        look = Look(width=self.screen.size()[0], last=True, stopped=kind is not Busy)
        # A board on which nothing happened would look as if a run had begun before the error.
        board = [] if refused and not self.board.run else [*self._apart(), *frame(self.board, look)]
        self.screen.close([*board, *([(), *last] if last else ())])

    def _picture(self, width: int, height: int) -> Sequence[Line]:
        """The board as it stands, or instead of it the text that a person reads before deciding."""
        if self.desk is not None and (page := self.desk.page(width, height)) is not None:
            return page
        resting = self.board.status not in {"", "active"}
        look = Look(
            width, max(2, height - self._gap), None if resting else time.time(), moving=not resting
        )
        return [
            *self._apart(),
            *frame(self.board, look, self.desk.below(self.board) if self.desk else None),
        ]

    def _apart(self) -> list[Line]:
        """An empty line if the last scrolled line would otherwise touch the board."""
        return [()] if self._gap else []

    def _scrolled(self, told: Sequence[str]) -> Iterator[Line]:
        """Text for people, broken at words; continuation lines are indented."""
        width = self.screen.size()[0]
        for line in told:
            first, *more = wrapped(line, width - 2, 8) or [""]
            yield spoken(first, "strong" if line.startswith("#") else "dim")
            yield from (spoken(f"  {each}", "dim") for each in more)
