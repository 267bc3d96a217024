"""A bar that shows progress and time left, on a terminal only."""

from __future__ import annotations

import sys
from time import monotonic

WIDTH = 30


class Bar:
    """Draws on stderr, at most ten times a second, and leaves nothing behind."""

    def __init__(self, label: str, *, shown: bool) -> None:
        self.label, self.shown = label, shown and sys.stderr.isatty()
        self.began = self.last = monotonic()

    def __call__(self, done: int, whole: int) -> None:
        now = monotonic()
        if not self.shown or (now - self.last < 0.1 and done < whole):
            return
        self.last = now
        share = done / whole if whole else 1.0
        full = round(share * WIDTH)
        left = f"{(now - self.began) / share * (1 - share):.0f} s left" if share else ""
        line = f"\r{self.label} {'█' * full}{'░' * (WIDTH - full)} {share:4.0%}  {left}"
        sys.stderr.write(
            f"{line:<{WIDTH + 40}}" if done < whole else f"\r{'':<{WIDTH + 40 + len(self.label)}}\r"
        )
        sys.stderr.flush()
