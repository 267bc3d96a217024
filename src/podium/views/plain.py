"""The view for no terminal: one line for every event that matters, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TextIO

from podium.core.workflow import Step
from podium.views.board import Board
from podium.views.closing import closing
from podium.views.frame import plain
from podium.views.lines import block, important, log_line


def plain_observer(
    title: str, steps: Iterable[Step], stream: TextIO, past: Iterable[Mapping[str, Any]] = ()
) -> PlainView:
    """A context manager that is an observer, the live view's twin."""
    return PlainView(Board(steps, title, past), stream)


class PlainView:
    def __init__(self, board: Board, stream: TextIO) -> None:
        self.board = board
        self._stream = stream
        self._advice: Sequence[str] = ()
        self._gone = False

    def event(self, event: Mapping[str, Any]) -> None:
        self.board.absorb(event)
        if lines := block(event):
            for line in lines:
                self._put(line)
        elif important(event):
            self._put(log_line(event))

    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None:  # noqa: ARG002  # as observers are called
        """Too much for a log, the transcript has it; but a person who pressed Ctrl-C must see that it was heard."""
        if kind == "interrupt":
            self._put("finishing the step under way, then pausing; Ctrl-C again ends it now")

    def conclude(self, advice: Sequence[str]) -> None:
        """What the engine says a person can do next; shown last."""
        self._advice = advice

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for line in plain(closing(self.board, advice=self._advice, interrupted=kind is KeyboardInterrupt)):
            self._put(line.rstrip())

    def _put(self, line: str) -> None:
        if self._gone:
            return
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        try:
            self._stream.write(line.encode(encoding, "replace").decode(encoding) + "\n")
            self._stream.flush()
        except (BrokenPipeError, ValueError):
            # Nobody reads any more (`| head`): the run goes on, the words do not.
            self._gone = True
