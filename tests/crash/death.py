"""Real deaths: a forked process is killed at an operation of its disk, so that no `finally` runs."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable
from pathlib import Path

from tests.fakes.disk import CrashingDisk

from podium.state.disk import Disk

WHOLE, HALF = 0, -1
"""A fatal write that has written nothing, or half of its data; any other number: that many whole lines."""


class DeadlyDisk(CrashingDisk):
    """The process is gone at the operation, with as much of its data written as the tear says."""

    def __init__(self, cut_at: int | None = None, tear: int = WHOLE) -> None:
        super().__init__(cut_at, tear=tear == HALF)
        self.lines = max(tear, 0)

    def append(self, fd: int, data: bytes) -> None:
        if self.lines and len(self.done) + 1 == self.cut_at:
            Disk.append(self, fd, b"".join(data.splitlines(keepends=True)[: self.lines]))
        super().append(fd, data)

    def _spend(self, name: str, half: Callable[[], None] | None = None) -> None:
        if len(self.done) + 1 == self.cut_at:
            if half is not None and self.tear:
                half()
            os.kill(os.getpid(), signal.SIGKILL)
        self.done.append(name)


class WatchedDisk(DeadlyDisk):
    """Nobody dies; it says which deaths there are."""

    def __init__(self) -> None:
        super().__init__()
        self.cuts: list[tuple[int, int]] = []

    def append(self, fd: int, data: bytes) -> None:
        super().append(fd, data)
        self.cuts += [(len(self.done), lines) for lines in range(1, data.count(b"\n"))]

    def _spend(self, name: str, half: Callable[[], None] | None = None) -> None:
        super()._spend(name, half)
        self.cuts += [(len(self.done), tear) for tear in ((WHOLE,) if half is None else (WHOLE, HALF))]


def dies(action: Callable[[Disk], object], cut_at: int, report: Path, tear: int = WHOLE) -> bool:
    """Do it in a process of its own; whether that was killed. A fault of the action is a fault of the test."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setsid()
            action(DeadlyDisk(cut_at, tear))
            code = 0
        except BaseException:  # noqa: BLE001  # nothing may return into the copied test runner
            report.write_text(traceback.format_exc())
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return True
    if os.WEXITSTATUS(status) != 0:
        raise AssertionError(f"the action failed instead of dying:\n{report.read_text()}")
    return False
