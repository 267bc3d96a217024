"""One driver per root run: a kernel lock that the agents' shim inherits.

The kernel frees a flock when the last copy of its descriptor is closed, so there is no
lease, no heartbeat and no stale lock: kill -9 frees it at once, and an agent that
outlives its engine keeps it. For the same reason `release` closes and never unlocks.

A process that only looks takes the lock for an instant, which could turn away an engine that
starts at that moment. So a second flock, on the run's folder, lets takers and lookers in one at a
time. It also ensures that whoever finds the lock taken reads what its current holder wrote.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
from collections.abc import Iterator
from typing import Any

from podium.core.errors import Busy, Fenced
from podium.state.disk import Disk
from podium.state.regular import at_once

_EPOCH = re.compile(rb'"epoch": ?(\d+)')
_SIZE = 512


class RunLock:
    """A lock that this process holds."""

    def __init__(self, run: str, path: str, fd: int, epoch: int) -> None:
        self.run, self.path, self.fd, self.epoch = run, path, fd, epoch
        held = os.fstat(fd)
        self._identity = (held.st_dev, held.st_ino)

    def check(self) -> None:
        """Fenced unless the path is still the file we hold: a lock on a removed file protects
        nothing.
        """
        try:
            now = os.stat(self.path)
        except FileNotFoundError:
            raise Fenced(
                f"{self.path} was removed while run {self.run} was driven from here; {_STOPPED}"
            ) from None
        if (now.st_dev, now.st_ino) != self._identity:
            raise Fenced(
                f"{self.path} was replaced while run {self.run} was driven from here; {_STOPPED}"
            )

    def release(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


_STOPPED = (
    "this process stopped without writing. `podium resume` goes on from the last recorded step."
)


def acquire(run: str, path: str, owner: str, since: str, disk: Disk) -> RunLock:
    """Take the run under the next epoch, or raise Busy."""
    with one_by_one(os.path.dirname(path)):
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            return RunLock(run, path, fd, _taken(run, path, fd, owner, since, disk))
        except BaseException:
            os.close(fd)
            raise


def _taken(run: str, path: str, fd: int, owner: str, since: str, disk: Disk) -> int:
    if not _try(fd, fcntl.LOCK_EX):
        raise Busy(_busy(run, path, _words(fd)))
    old = os.pread(fd, 4096, 0)
    epoch = _epoch(old) + 1
    words = {"epoch": epoch, "pid": os.getpid(), "host": _host(), "owner": owner, "since": since}
    # One padded write over the old words: truncating first could lose the epoch in a crash.
    disk.rewrite(fd, json.dumps(words).encode().ljust(max(len(old), _SIZE) - 1) + b"\n")
    disk.sync(fd)
    if not old:
        disk.sync_dir(os.path.dirname(path))
    return epoch


def holder(path: str) -> dict[str, Any] | None:
    """Who holds the lock now; None if it is free. `alive` is False if only its agents are left,
    None if unknown.
    """
    try:
        fd = at_once(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        with one_by_one(os.path.dirname(path)):
            if _try(fd, fcntl.LOCK_SH):
                fcntl.flock(fd, fcntl.LOCK_UN)
                return None
            words = _words(fd)
    finally:
        os.close(fd)
    return {**words, "alive": _alive(words)}


@contextlib.contextmanager
def one_by_one(folder: str) -> Iterator[None]:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # Some network mounts cannot lock folders; there the race described above remains.
        with contextlib.suppress(OSError):
            fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def _try(fd: int, kind: int) -> bool:
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _epoch(data: bytes) -> int:
    """The epoch is written first, so that a torn write leaves the old number or the new one."""
    found = _EPOCH.search(data)
    return int(found[1]) if found else 0


def _words(fd: int) -> dict[str, Any]:
    try:
        words = json.loads(os.pread(fd, 4096, 0))
    except ValueError:
        return {}
    return words if isinstance(words, dict) else {}


def _busy(run: str, path: str, words: dict[str, Any]) -> str:
    if not words:
        return (
            f"another process drives run {run} ({path} is locked; `fuser {path}` names it). Wait "
            "until it ends."
        )
    who = (
        f"{words.get('owner')} (process {words.get('pid')} on {words.get('host')}, since "
        f"{words.get('since')})"
    )
    if _alive(words) is False:
        return (
            f"{who} drove run {run} and is gone, but an agent it started still runs and may "
            "still write. "
            f"`fuser {path}` names it: wait until it ends, or end it."
        )
    return (
        f"{who} drives run {run}. Wait until it ends, follow it with `podium watch {run}`, "
        f"or stop it there (kill {words.get('pid')}) and `podium resume {run}`."
    )


def _alive(words: dict[str, Any]) -> bool | None:
    pid = words.get("pid")
    if words.get("host") != _host() or not isinstance(pid, int) or pid <= 0:
        return None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _host() -> str:
    return os.uname().nodename
