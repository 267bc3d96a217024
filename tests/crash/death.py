"""Real deaths: a forked process is killed at an operation of its disk, so that no `finally` runs."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable
from pathlib import Path

from podium.state.disk import Disk
from tests.fakes.disk import CrashingDisk


class DeadlyDisk(CrashingDisk):
    """The process is gone at the operation, after half of its data where the write is torn."""

    def _spend(self, name: str, half: Callable[[], None] | None = None) -> None:
        if len(self.done) + 1 == self.cut_at:
            if half is not None and self.tear:
                half()
            os.kill(os.getpid(), signal.SIGKILL)
        self.done.append(name)


def dies(action: Callable[[Disk], object], cut_at: int, report: Path, *, tear: bool = False) -> bool:
    """Do it in a process of its own; whether that was killed. A fault of the action is a fault of the test."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setsid()
            action(DeadlyDisk(cut_at, tear=tear))
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


TORN = frozenset({"append", "rewrite", "write_file"})
"""The operations that can be cut in the middle."""
