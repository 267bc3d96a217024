"""Files that no decision rests on are written beside the loop, while it waits for the disk or an agent.

Prompts, answers and patches are for people; removing a view is for tidiness. If the process
dies first, they are missing for the step that was under way, and nothing else is.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

Work = Callable[[], None]


class Scribe:
    """One thread that does small file work in the order it was given."""

    def __init__(self) -> None:
        self._todo: queue.Queue[Work] = queue.Queue()
        self._thread: threading.Thread | None = None
        self._fault: OSError | None = None

    def do(self, work: Work) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="podium-scribe", daemon=True)
            self._thread.start()
        self._todo.put(work)

    def flush(self) -> None:
        """Wait until everything is written; a full disk is told here."""
        if self._thread is not None:
            self._todo.join()
        if self._fault is not None:
            fault, self._fault = self._fault, None
            raise fault

    def _run(self) -> None:
        while True:
            work = self._todo.get()
            try:
                work()
            except OSError as fault:
                self._fault = self._fault or fault
            finally:
                self._todo.task_done()
