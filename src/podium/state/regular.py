"""Reading files that somebody else may have replaced by a pipe, a device or a folder."""

from __future__ import annotations

import os
import stat
import time

from podium.state.disk import StrPath


def is_there(path: StrPath) -> bool:
    """Whether anything has this name, even a broken link. Raises nothing, because an exception
    takes longer than the check.
    """
    return os.access(path, os.F_OK, follow_symlinks=False)


Signature = tuple[int, ...]
"""A file's metadata; empty if there is no file. Any write changes the ctime, which nobody can
set.
"""


def signature(facts: os.stat_result) -> Signature:
    return (facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)


def signature_of(path: StrPath) -> Signature:
    try:
        return signature(os.stat(path))
    except OSError:
        return ()


_SINCE_START = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def before_the_start(path: StrPath) -> bool:
    """Whether a file was last written before the machine started: only then can a power cut have
    damaged it.
    """
    try:
        return os.stat(path).st_mtime <= time.time() - time.clock_gettime(_SINCE_START)
    except OSError:
        return False


def at_once(path: str, flags: int) -> int:
    """An `opener`: a named pipe in place of a file does not block the reader, it is empty."""
    return os.open(path, flags | os.O_NONBLOCK)


def read_regular(path: StrPath) -> bytes | None:
    """The bytes of a regular file; None if there is none. A named pipe in its place does not
    block the reader.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        facts = os.fstat(descriptor)
        return read_all(descriptor, facts.st_size) if stat.S_ISREG(facts.st_mode) else None
    finally:
        os.close(descriptor)


def read_all(descriptor: int, size: int) -> bytes:
    """A whole file by plain reads: for small files a file object makes more calls than the work
    needs.
    """
    data = os.read(descriptor, size + 1)
    if len(data) <= size:
        return data
    parts = [data]
    while more := os.read(descriptor, 1 << 20):
        parts.append(more)
    return b"".join(parts)
