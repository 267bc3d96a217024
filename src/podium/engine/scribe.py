"""Files that no decision rests on are written beside the loop, while it waits for an agent.

Prompts, answers and patches are for people; removing a view is for tidiness. If the process
dies first, some of the last ones are missing, and nothing else is.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Work = Callable[[], None]

MOST = 200
"""Pieces of work that may wait; with more the thread goes on whatever the loop does."""


class Scribe:
    """One thread that does small file work in the order it was given, when nobody else needs the processor."""

    def __init__(self) -> None:
        self._todo: queue.Queue[Work] = queue.Queue()
        self._go = threading.Event()
        self._thread: threading.Thread | None = None
        self._fault: Exception | None = None

    def do(self, work: Work) -> None:
        self._todo.put(work)
        if self._todo.qsize() > MOST:
            self._go.set()

    @contextmanager
    def while_idle(self) -> Iterator[None]:
        """The loop waits for somebody else here: a good time to write."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="podium-scribe", daemon=True)
            self._thread.start()
        self._go.set()
        try:
            yield
        finally:
            self._go.clear()

    def flush(self) -> None:
        """Wait until everything is written; a full disk is told here."""
        if self._thread is None:
            while not self._todo.empty():
                self._one(self._todo.get())
        else:
            with self.while_idle():
                self._todo.join()
        if self._fault is not None:
            fault, self._fault = self._fault, None
            raise fault

    def _run(self) -> None:
        while True:
            work = self._todo.get()
            self._go.wait()
            self._one(work)

    def _one(self, work: Work) -> None:
        try:
            work()
        except Exception as fault:  # noqa: BLE001  # it is raised where the loop waits for the rest
            self._fault = self._fault or fault
        finally:
            self._todo.task_done()
