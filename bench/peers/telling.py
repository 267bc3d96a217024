"""What a peer's program reports: seconds, and which steps ran. It runs in the peer's
environment, so it needs only Python.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from by_hand import ByHand


class Told:
    """One process of a peer. `python X_peer.py MODE FOLDER SIZE`: steps, bound, fan, one, half
    or rest.
    """

    def __init__(self, *, has_contracts: bool = False) -> None:
        """`has_contracts`: in `bound`, the engine itself does what others do by hand."""
        self.mode, folder, size = sys.argv[1:4]
        self.folder, self.size = Path(folder), int(size)
        self.setting = os.environ["SETTING"]
        self.oracle = self.folder / "executed"
        self.first = 0.0
        self.seconds = 0.0
        self.between: list[float] = []
        """Seconds from the end of one step's own work to the beginning of the next one's: what
        the engine adds.
        """
        self._began = self._left = 0.0
        self._hands = (
            ByHand(self.folder / "project") if self.mode == "bound" and not has_contracts else None
        )

    def executed(self, number: int) -> None:
        """A step's own work: a line outside the engine, and in `bound` a document.

        In `half` the process dies in the middle step.
        """
        view = self._hands.open(number) if self._hands else ""
        now = time.perf_counter()
        self.first = self.first or time.time()
        if self._left:
            self.between.append(now - self._left)
        with self.oracle.open("a") as file:
            file.write(f"{number}\n")
        if self.mode == "half" and number == self.size // 2:
            os._exit(9)
        if self._hands:
            self._hands.work(view, number)
        self.left()
        if self._hands:
            self._hands.close(view, number)

    def left(self) -> None:
        """The step's own work ends here, if it does more than leave its line."""
        self._left = time.perf_counter()

    def begin(self) -> None:
        self._began = time.perf_counter()

    def end(self) -> None:
        self.seconds = time.perf_counter() - self._began
        if self._hands:
            self._hands.end()

    def tell(self, **more: object) -> None:
        """`ready` is the number of seconds from the start of the process to its first step."""
        import resource  # noqa: PLC0415
        from statistics import median  # noqa: PLC0415

        ready = self.first - float(os.environ["BEGAN"]) if self.first else None
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        between = median(self.between) if self.between else None
        found = {
            "seconds": self.seconds,
            "between": between,
            "ready": ready,
            "memory_mb": memory,
            **more,
        }
        sys.stdout.write("TOLD " + json.dumps(found) + "\n")
        sys.stdout.flush()
