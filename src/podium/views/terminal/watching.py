"""Runs that others drive, on a terminal or as lines; each event says which run it belongs to."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Protocol, Self, TextIO

from podium.core.digest import canonical
from podium.views import figures, safe
from podium.views.board.board import Board
from podium.views.closing import closing
from podium.views.look import Line, Look, spoken
from podium.views.plain import UNBROKEN, PlainView
from podium.views.standing import where
from podium.views.terminal.desk import Desk
from podium.views.terminal.screen import Screen
from podium.views.terminal.several import stacked


class Watching(Protocol):
    """Shows runs that others drive."""

    def begin(self, board: Board) -> None:
        """Follow a run from now on; the board knows its past."""

    def event(self, board: Board, event: Mapping[str, Any]) -> None: ...
    def activity(self, board: Board, key: str, kind: str, fields: Mapping[str, Any]) -> None: ...
    def leave(self, board: Board) -> None:
        """The run has ended, rests, or is no longer followed."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...


class LiveWatch:
    """The live view of each run, one below the other."""

    def __init__(self, stream: TextIO, color: bool) -> None:
        self.boards: list[Board] = []
        self.desk: Desk | None = None
        self.screen = Screen(stream, color, self._picture)
        self.goes_on = ""
        """Set if one of these runs is driven here next; then its own view has the last word."""

    def begin(self, board: Board) -> None:
        with self.screen.lock:
            self.boards.append(board)

    def event(self, board: Board, event: Mapping[str, Any]) -> None:
        with self.screen.lock:
            board.absorb(event)

    def activity(self, board: Board, key: str, kind: str, fields: Mapping[str, Any]) -> None:
        with self.screen.lock:
            board.activity(key, kind, fields)

    def leave(self, board: Board) -> None:
        """Its picture stays until all are left."""

    def __enter__(self) -> Self:
        self.screen.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None:
        lines: list[Line] = []
        if not self.goes_on and self.boards:
            lines = [*stacked(self.boards, Look(width=self.screen.size()[0], last=True)), ()]
            for board in self.boards:
                lines += last_words(board, self.screen.size()[0])
        self.screen.close(lines)

    def _picture(self, width: int, height: int) -> list[Line]:
        if self.desk is not None and (page := self.desk.page(width, height)) is not None:
            return page
        if not self.boards:
            return []
        live = any(board.status in {"", "active"} for board in self.boards)
        look = Look(width, height, time.time() if live else None, moving=live)
        below = None
        if self.desk is not None:
            waiting = next((board for board in self.boards if board.gates), self.boards[0])
            below = self.desk.below(waiting)
        return stacked(self.boards, look, below)


class PlainWatch:
    """One line for each thing that happens; with several runs the line says which run."""

    def __init__(self, stream: TextIO, several: bool) -> None:
        self._stream, self._several = stream, several
        self._views: dict[str, PlainView] = {}

    def begin(self, board: Board) -> None:
        view = self._views[board.run] = PlainView(
            board, self._stream, board.run if self._several else ""
        )
        view.say(safe.line(f"{figures.clock(board.updated)} {board.run} is at {where(board)}"))

    def event(self, board: Board, event: Mapping[str, Any]) -> None:
        self._views[board.run].event(event)

    def activity(self, board: Board, key: str, kind: str, fields: Mapping[str, Any]) -> None:
        """Too much for a log; the transcript has it."""

    def leave(self, board: Board) -> None:
        self._views[board.run].end(last_words(board, UNBROKEN))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None:
        return None


class StreamWatch:
    """Every event as in the journals, one per line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def begin(self, board: Board) -> None:
        """The first event says what a run is about."""

    def event(self, board: Board, event: Mapping[str, Any]) -> None:
        board.absorb(event)
        self._stream.write(canonical(event) + "\n")
        self._stream.flush()

    def activity(self, board: Board, key: str, kind: str, fields: Mapping[str, Any]) -> None:
        """Not journalled, so not streamed."""

    def leave(self, board: Board) -> None:
        """Nothing to do: the last event has said it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None:
        return None


class QuietWatch(StreamWatch):
    """Follows without output: the exit code says how it ended."""

    def event(self, board: Board, event: Mapping[str, Any]) -> None:
        board.absorb(event)


def last_words(board: Board, width: int) -> list[Line]:
    """How it ended and what to type next; for a run that others still drive, only that it
    continues.
    """
    if board.status in {"", "active"}:
        run = safe.line(board.run, 80)
        return [
            spoken(f" {run} continues without you; `podium watch {run}` shows it again.", "dim")
        ]
    return closing(board, width)
