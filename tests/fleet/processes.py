"""Processes of this machine, found and told by their numbers."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path


def descendants(*roots: int) -> list[int]:
    """Processes below these, by the parents that /proc names now."""
    children: dict[int, list[int]] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError, IndexError):
            parent = int(Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(name))
    found = [child for root in roots for child in children.get(root, ())]
    for pid in found:
        found.extend(children.get(pid, ()))
    return found


def tell(pids: Iterable[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def words_of(pid: int) -> str:
    """The command line; empty where the process is gone."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
    return ""
