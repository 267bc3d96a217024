"""A terminal on which one picture is redrawn continually, below lines that scroll away."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TextIO

from podium.views.look import SPINNER, Line, width_of
from podium.views.style import Style
from podium.views.terminal.painter import Painted, Painter, Size, terminal_size

REFRESHES_A_SECOND = 8
_ASCII = str.maketrans("○●✓✗◆↻·━─⋮…–≥→—▏", "o*+x?~.=-:.->>-|")

Picture = Callable[[int, int], Sequence[Line]]
"""Takes columns and lines, returns what to draw there; always fewer lines than there are."""


class Screen:
    def __init__(
        self,
        stream: TextIO,
        color: bool,
        picture: Picture,
        size: Callable[[], Size] | None = None,
        *,
        moves: bool | None = None,
    ) -> None:
        """`moves`: whether the stream is a terminal whose cursor moves; otherwise only the last
        picture is printed.
        """
        self.size = size or (lambda: terminal_size(stream))
        self.painter = Painter(stream, self.size)
        self.moves = stream.isatty() if moves is None else moves
        # Events come from the engine's thread, redraws from the timer's.
        self.lock = threading.RLock()
        self.pause: Callable[[float], None] = self._wait
        """Waits for the next drawing, or less if something must be shown at once."""
        self._stream, self._picture = stream, picture
        self._style = Style(color)
        self._poor = not _can_show(stream)
        self._above: list[Line] = []
        self._fault: BaseException | None = None
        self._stop = threading.Event()
        self._timer = threading.Thread(target=self._tick, name="live view", daemon=True)

    def scroll(self, lines: Iterable[Line]) -> None:
        """Lines that scroll away above the picture when it is next drawn."""
        with self.lock:
            self._above += lines

    def open(self) -> None:
        if self.moves:
            self.draw()
            self._timer.start()

    def close(self, last: Sequence[Line]) -> None:
        """Keep the last picture and show the cursor again."""
        self._stop.set()
        if self.moves and self._timer.ident is not None:
            self._timer.join()
        lines = [text for text, _ in self._painted([*self._above, *last])]
        # A terminal that was closed meanwhile must not turn a good run into an error.
        with contextlib.suppress(OSError):
            if self.moves:
                self.painter.above(lines)
                self.painter.leave()
            else:
                self._stream.write("".join(f"{text}\n" for text in lines))
                self._stream.flush()

    def draw(self) -> None:
        """Draw the picture as it is now, with lines that scroll away above it."""
        width, height = self.size()
        with self.lock:
            said, self._above = self._above, []
            lines = self._painted(self._picture(width, height))
            above = [text for text, _ in self._painted(said)]
        if above:
            self.painter.above(above)
        self.painter.paint(lines)

    def check(self) -> None:
        """Raise the fault that ended the drawing, if any: whoever waits for keys would otherwise
        wait for ever.
        """
        if self._fault is not None:
            fault, self._fault = self._fault, None
            raise fault

    def _tick(self) -> None:
        try:
            took = 0.0
            while not self._stop.is_set():
                # A picture of a thousand agents is drawn less often: the agents need the machine
                # too.
                self.pause(max(1 / REFRESHES_A_SECOND, 4 * took))
                if not self._stop.is_set():
                    began = time.monotonic()
                    self.draw()
                    took = time.monotonic() - began
        except OSError:
            self._fault = KeyboardInterrupt()  # the terminal is gone, and so is whoever sat there
        except Exception as fault:  # noqa: BLE001 - whoever checks the thread raises its fault
            self._fault = fault

    def _wait(self, seconds: float) -> None:
        self._stop.wait(seconds)

    def _painted(self, lines: Iterable[Line]) -> list[Painted]:
        plain = (
            [[(_ascii(text), tone) for text, tone in line] for line in lines]
            if self._poor
            else list(lines)
        )
        return list(zip(self._style.lines(plain), map(width_of, plain), strict=True))


def _can_show(stream: TextIO) -> bool:
    try:
        "✓━⠋".encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _ascii(text: str) -> str:
    drawn = text.translate(_ASCII).translate({ord(each): "*" for each in SPINNER})
    return drawn.encode("ascii", "replace").decode("ascii")
