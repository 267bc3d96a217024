"""Reading files that somebody else may have replaced by a pipe, a device or a folder."""

from __future__ import annotations

import os
import stat

from podium.state.disk import StrPath


def read_regular(path: StrPath) -> bytes | None:
    """The bytes of a regular file; None if there is none. A named pipe in its place does not hang the reader."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read()
