"""What an agent's process inherits: an allow-list, and the mark by which it can be found again."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

ALLOWED = ("PATH", "HOME", "LANG", "LC_*", "TZ", "USER", "LOGNAME", "SHELL")
"""Names that every agent gets if they are set; keys and tokens are named per agent in
podium.toml.
"""
MARK = "PODIUM_DISPATCH"
"""Contains `<run>/<key>`; every process that inherited it belongs to that dispatch."""


def agent_environment(
    allow: Sequence[str],
    environ: Mapping[str, str],
    extra: Mapping[str, str],
    *,
    dispatch: str = "",
) -> dict[str, str]:
    """The whole environment of an agent: nothing that is not named here is inherited."""
    names = (*ALLOWED, *allow)
    kept = {
        name: value
        for name, value in environ.items()
        if any(fnmatchcase(name, each) for each in names)
    }
    kept.setdefault("PATH", os.defpath)
    # An agent has no terminal; a program that thought it had one would wait for keys or draw.
    kept |= {"TERM": "dumb"} | dict(extra) | {"PODIUM_AGENT": "1"}
    if dispatch:
        kept[MARK] = dispatch
    return kept


def leftovers(marker: str, proc: str = "/proc") -> list[int]:
    """Processes that carry the dispatch's mark, in ascending order; none if there is no /proc."""
    wanted = os.fsencode(f"{MARK}={marker}")
    found = []
    for name in os.listdir(proc) if os.path.isdir(proc) else ():
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open(f"{proc}/{name}/environ", "rb") as file:
                if wanted in file.read().split(b"\0"):
                    found.append(int(name))
        except OSError:
            continue  # it has ended, or belongs to another user
    return sorted(found)


def end(pids: Iterable[int], *, patience_s: float = 5.0) -> list[int]:
    """Kill them and wait until they are dead. Returns those that are still alive."""
    left = list(pids)
    for pid in left:
        _kill(pid)
    deadline = time.monotonic() + patience_s
    while (left := [pid for pid in left if _alive(pid)]) and time.monotonic() < deadline:
        time.sleep(0.01)
    return left


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _alive(pid: int) -> bool:
    """Whether a process runs. A zombie is dead: it writes nothing, even if nobody has collected
    it yet.
    """
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] not in {b"Z", b"X"}
    except (FileNotFoundError, ProcessLookupError):
        if os.path.isdir("/proc/self"):
            return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
