"""What a peer's program tells: seconds, and which steps were executed. It runs in the peer's own environment: nothing but Python."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path


class Told:
    """One process of a peer. `python X_peer.py MODE FOLDER SIZE`: steps, fan, one, half or rest."""

    def __init__(self) -> None:
        self.mode, folder, size = sys.argv[1:4]
        self.folder, self.size = Path(folder), int(size)
        self.oracle = self.folder / "executed"
        self.first = 0.0
        self.seconds = 0.0
        self._began = 0.0

    def executed(self, number: int) -> None:
        """A step's own work: a line outside of the engine. In `half` the process dies in the middle one."""
        self.first = self.first or time.time()
        with self.oracle.open("a") as file:
            file.write(f"{number}\n")
        if self.mode == "half" and number == self.size // 2:
            os._exit(9)

    def begin(self) -> None:
        self._began = time.perf_counter()

    def end(self) -> None:
        self.seconds = time.perf_counter() - self._began

    def tell(self, **more: object) -> None:
        """`ready`: seconds from the start of the process to its first step."""
        import resource  # noqa: PLC0415

        ready = self.first - float(os.environ["BEGAN"]) if self.first else None
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        sys.stdout.write("TOLD " + json.dumps({"seconds": self.seconds, "ready": ready, "memory_mb": memory, **more}) + "\n")
        sys.stdout.flush()
