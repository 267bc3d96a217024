"""The live view: a board on a terminal that redraws itself until the run rests."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TextIO

from podium.core.workflow import Step
from podium.views.board import Board
from podium.views.closing import closing
from podium.views.frame import frame
from podium.views.lines import block
from podium.views.look import Line, Look, spoken, width_of, wrapped
from podium.views.painter import Painted, Painter, Size, terminal_size
from podium.views.style import Style

REFRESHES_A_SECOND = 8
HEARD = " finishing the step under way, then pausing; Ctrl-C again ends it now"
_ASCII = str.maketrans("○●✓✗◆↻·━─⋮…–≥→—", "o*+x?~.=-:.->>-")
_ROUND = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


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
        self, board: Board, stream: TextIO, color: bool, size: Callable[[], Size] | None = None, *, moves: bool | None = None
    ) -> None:
        """`moves`: whether the stream is a terminal whose cursor moves; else only the last picture is printed."""
        self.board = board
        self._stream = stream
        self._size = size or (lambda: terminal_size(stream))
        self._painter = Painter(stream, self._size)
        self._style = Style(color)
        self._moves = stream.isatty() if moves is None else moves
        self._poor = not _can_show(stream)
        self._advice: Sequence[str] = ()
        self._waiting: list[Line] = []
        self._gap = False
        """Whether the board keeps away from what stands above it."""
        """Lines that scroll away above the board at its next drawing."""
        # Events come from the engine's thread, redraws from the timer's.
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._timer = threading.Thread(target=self._tick, name="live view", daemon=True)

    def event(self, event: Mapping[str, Any]) -> None:
        with self._lock:
            self.board.absorb(event)
            if told := block(event):
                self._waiting += self._scrolled(told)
                # Lines of the same kind stand below each other; what is longer is a block of its own.
                self._waiting += [()] if len(told) > 1 else []
                self._gap = len(told) == 1

    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None:
        with self._lock:
            self.board.activity(key, kind, fields)
            if kind == "interrupt":
                self._waiting.append(spoken(HEARD, "ask"))

    def name(self, title: str) -> None:
        """What the run is about, once it is known."""
        with self._lock:
            self.board.title = title or self.board.title

    def conclude(self, advice: Sequence[str]) -> None:
        """What the engine says a person can do next; shown last."""
        self._advice = advice

    def __enter__(self) -> Self:
        if self._moves:
            self._draw()
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._moves:
            self._timer.join()
        # A terminal that was closed meanwhile must not turn a good run into a fault.
        with contextlib.suppress(OSError):
            last = closing(self.board, advice=self._advice, interrupted=kind is KeyboardInterrupt)
            lines = [*self._waiting, *self._apart(), *frame(self.board, Look(width=self._size()[0], last=True)), *([(), *last] if last else ())]
            if self._moves:
                self._painter.above([text for text, _ in self._painted(lines)])
                self._painter.leave()
            else:
                self._stream.write("".join(f"{text}\n" for text, _ in self._painted(lines)))
                self._stream.flush()

    def _tick(self) -> None:
        with contextlib.suppress(OSError):
            while not self._stop.wait(1 / REFRESHES_A_SECOND):
                self._draw()

    def _draw(self) -> None:
        """The board as it stands, with what is to scroll away above it."""
        width, height = self._size()
        resting = self.board.status not in {"", "active"}
        with self._lock:
            said, self._waiting = self._waiting, []
            look = Look(width, max(2, height - self._gap), None if resting else time.time(), moving=not resting)
            lines = self._painted([*self._apart(), *frame(self.board, look)])
            above = [text for text, _ in self._painted(said)]
        if above:
            self._painter.above(above)
        self._painter.paint(lines)

    def _apart(self) -> list[Line]:
        """An empty line, where the last that scrolled away would else touch the board."""
        return [()] if self._gap else []

    def _scrolled(self, told: Sequence[str]) -> Iterator[Line]:
        """Text for people, broken at words; what goes on is set in."""
        width = self._size()[0]
        for line in told:
            first, *more = wrapped(line, width - 2, 8) or [""]
            yield spoken(first, "strong" if line.startswith("#") else "dim")
            yield from (spoken(f"  {each}", "dim") for each in more)

    def _painted(self, lines: Iterable[Line]) -> list[Painted]:
        plain = [[(_ascii(text), tone) for text, tone in line] for line in lines] if self._poor else list(lines)
        return list(zip(self._style.lines(plain), map(width_of, plain), strict=True))


def _can_show(stream: TextIO) -> bool:
    try:
        "✓━⠋".encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _ascii(text: str) -> str:
    drawn = text.translate(_ASCII).translate({ord(each): "*" for each in _ROUND})
    return drawn.encode("ascii", "replace").decode("ascii")
