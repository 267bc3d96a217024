"""The verdict an agent leaves as a file: a small regular file with one JSON object, or a named
fault.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from podium.formats import strict_json

NAME = "verdict.json"
VARIABLE = "PODIUM_VERDICT"
LARGEST = 1024 * 1024


class BadFile(Exception):
    """The file exists but is not what it must be; the message names the fault."""


def read_verdict(path: Path) -> Mapping[str, Any] | None:
    """The object in the file; None if there is no file."""
    data = read_regular(path, LARGEST)
    return None if data is None else _object(data, path.name)


def read_regular(path: Path, largest: int) -> bytes | None:
    """What an agent left there; None if nothing. Raises BadFile for anything but a plain file."""
    try:
        # Do not follow a link to one of our files, or wait for a pipe that nobody writes to.
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as fault:
        what = "a symbolic link" if path.is_symlink() else fault.strerror
        raise BadFile(f"{path.name} is not a readable regular file: {what}") from None
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise BadFile(f"{path.name} is not a regular file")
        with open(fd, "rb", closefd=False) as file:
            data = file.read(largest + 1)
    finally:
        os.close(fd)
    if len(data) > largest:
        raise BadFile(f"{path.name} is larger than {largest} bytes")
    return data


def _object(data: bytes, name: str) -> Mapping[str, Any]:
    try:
        found = strict_json.parse(data.decode())
    except ValueError as fault:
        raise BadFile(f"{name} is not JSON: {fault}") from None
    if not isinstance(found, dict):
        raise BadFile(f"{name} holds {type(found).__name__}, not an object")
    return found
