"""Whether this process descends from a dispatch or a command of a run.

Variables say so too, but a program can clear its own. It cannot change what its parents began with,
and who detaches itself becomes a child of the small process that supervises a dispatch.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

SUPERVISOR = b"/podium/agents/shim.py"
MARK = b"PODIUM_DISPATCH="
DEEPEST = 1000


def descends_from_dispatch(proc: str = "/proc", pid: int | None = None) -> bool:
    """False where there is no /proc, or in a room that shows none of the processes outside."""
    return any(_supervises(proc, each) for each in _ancestors(proc, pid or os.getpid()))


def _ancestors(proc: str, pid: int) -> Iterator[int]:
    for _ in range(DEEPEST):
        pid = _parent(proc, pid)
        if pid <= 0:
            return
        yield pid


def _parent(proc: str, pid: int) -> int:
    # The name of a program, in brackets, may hold anything.
    after = _read(f"{proc}/{pid}/stat").rpartition(b")")[2].split()
    return int(after[1]) if len(after) > 1 and after[1].isdigit() else 0


def _supervises(proc: str, pid: int) -> bool:
    """Whether a process is a supervisor, or began with the mark of a dispatch."""
    if any(each.endswith(SUPERVISOR) for each in _read(f"{proc}/{pid}/cmdline").split(b"\0")):
        return True
    return any(each.startswith(MARK) for each in _read(f"{proc}/{pid}/environ").split(b"\0"))


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:  # it has ended, or belongs to somebody else
        return b""
