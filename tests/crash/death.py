"""Deaths: what a process leaves that is killed at an operation of its disk.

`DeadlyDisk` kills for real, in a forked process, so that no `finally` runs. `WatchedDisk` tells the
same from one living run: it looks at the folder before every operation, and in the middle of every
one that writes. That the two leave the same bytes is itself a test (test_every_write.py).
"""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable
from pathlib import Path

from tests.fakes.disk import CrashingDisk

from podium.state.disk import Disk

WHOLE, HALF = 0, -1
"""A fatal write that has written nothing, or half of its data; any other number: that many whole
lines.
"""


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


class WatchedDisk(CrashingDisk):
    """Nobody dies; `look` is called at each place where somebody could: (operation, its name,
    tear).
    """

    def __init__(self, look: Callable[[int, str, int], None]) -> None:
        super().__init__()
        self.look = look

    def append(self, fd: int, data: bytes) -> None:
        """A torn append is a prefix of it: write on from tear to tear."""
        number, written = len(self.done) + 1, 0
        self.look(number, "append", WHOLE)
        tears = [(len(data) // 2, HALF)]
        end = 0
        for lines, line in enumerate(data.splitlines(keepends=True)[:-1], 1):
            end += len(line)
            tears.append((end, lines))
        for size, tear in sorted(tears):
            Disk.append(self, fd, data[written:size])
            written = size
            self.look(number, "append", tear)
        Disk.append(self, fd, data[written:])
        self.done.append("append")

    def _spend(self, name: str, half: Callable[[], None] | None = None) -> None:
        number = len(self.done) + 1
        self.look(number, name, WHOLE)
        if half is not None:
            half()  # the operation that follows writes over it
            self.look(number, name, HALF)
        self.done.append(name)


def dies(action: Callable[[Disk], object], cut_at: int, report: Path, tear: int = WHOLE) -> bool:
    """Do it in a process of its own; whether that was killed. A fault of the action is a fault
    of the test.
    """
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
