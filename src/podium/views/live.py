"""The live view: a board on a terminal that redraws itself until the run rests."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from podium.core.workflow import Step
from podium.views.board import Board
from podium.views.closing import closing
from podium.views.frame import Line, Look, Tone, frame

REFRESHES_A_SECOND = 8
_STYLES: dict[Tone, str] = {
    "plain": "",
    "dim": "bright_black",
    "strong": "bold",
    "good": "green",
    "bad": "bold red",
    "busy": "cyan",
    "ask": "bold yellow",
    "link": "cyan",
}
_ASCII = str.maketrans("○●✓✗◆↻·━⋮…–≥", "o*+x?~.=:.->")


def live_observer(
    title: str,
    steps: Iterable[Step],
    stream: TextIO,
    color: bool,
    past: Iterable[Mapping[str, Any]] = (),
) -> LiveView:
    """A context manager that is an observer; `past` are the events of a run that is resumed."""
    console = Console(file=stream, no_color=not color, markup=False, emoji=False, highlight=False)
    return LiveView(Board(steps, title, past), console)


class LiveView:
    def __init__(self, board: Board, console: Console) -> None:
        self.board = board
        self._console = console
        self._advice: Sequence[str] = ()
        self._over = False
        # Events come from the engine's thread, redraws from the timer's.
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._timer = threading.Thread(target=self._tick, name="live view", daemon=True)
        self._live = Live(
            console=console,
            get_renderable=self.picture,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def event(self, event: Mapping[str, Any]) -> None:
        with self._lock:
            self.board.absorb(event)

    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None:
        with self._lock:
            self.board.activity(key, kind, fields)

    def conclude(self, advice: Sequence[str]) -> None:
        """What the engine says a person can do next; shown last."""
        self._advice = advice

    def __enter__(self) -> Self:
        self._live.start(refresh=True)
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._timer.join()
        self._over = True
        # A terminal that was closed meanwhile must not turn a good run into a fault.
        with contextlib.suppress(OSError):
            self._live.stop()
            if last := closing(self.board, advice=self._advice, interrupted=kind is KeyboardInterrupt):
                self._console.print(self._drawn([(), *last]), soft_wrap=True)

    def _tick(self) -> None:
        with contextlib.suppress(OSError):
            while not self._stop.wait(1 / REFRESHES_A_SECOND):
                self._live.refresh()

    def picture(self) -> Group:
        """The board as it stands: moving while the run is on, still and whole once it is over."""
        size = self._console.size
        resting = self._over or self.board.status not in {"", "active"}
        with self._lock:
            look = Look(
                width=size.width,
                height=0 if self._over else size.height,
                now=None if resting else time.time(),
                moving=not resting,
                last=self._over,
            )
            return self._drawn(frame(self.board, look))

    def _drawn(self, lines: Iterable[Line]) -> Group:
        plain = self._console.options.ascii_only
        drawn = []
        for line in lines:
            text = Text(no_wrap=True, overflow="ignore", end="\n")
            for part, tone in line:
                text.append(_ascii(part) if plain else part, _STYLES[tone])
            drawn.append(text)
        return Group(*drawn)


def _ascii(text: str) -> str:
    return text.translate(_ASCII).encode("ascii", "replace").decode("ascii")
