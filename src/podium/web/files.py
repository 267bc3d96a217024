"""Files of a project, read as untrusted: no links, no pipes, only the beginning of long ones."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from podium.core.digest import MISSING

HEAD = 1 << 20
"""The most bytes of a file that a page shows."""
CHUNK = 1 << 18
UNREADABLE = "unreadable"
"""The digest of something that has a file's name but is not one; `engine.decisions` uses the
same.
"""


@dataclass(frozen=True)
class Head:
    """The beginning of a file and the digest of all of it, from one read."""

    data: bytes
    size: int
    digest: str

    @property
    def cut(self) -> bool:
        return len(self.data) < self.size

    @property
    def text(self) -> str | None:
        """None if it is not text."""
        if b"\0" in self.data:
            return None
        whole = self.data
        # A character split by the cut is not damage to the file.
        for back in range(4 if self.cut else 0):
            if len(whole) > back and whole[-1 - back] & 0xC0 != 0x80:
                whole = whole[: -1 - back]
                break
        return whole.decode(errors="replace")


@contextmanager
def opened(root: Path, relative: str) -> Iterator[int | None]:
    """A descriptor of a plain file below `root`, with no link in its path; None if there is
    none.
    """
    found: list[int] = []
    try:
        yield _walk(root, relative, found)
    finally:
        for each in found:
            os.close(each)


def _walk(root: Path, relative: str, found: list[int]) -> int | None:
    parts = relative.split("/")
    if any(part in {"", ".", ".."} or "\0" in part for part in parts):
        return None
    common = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        found.append(os.open(root, common | os.O_DIRECTORY))
        for part in parts[:-1]:
            found.append(os.open(part, common | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=found[-1]))
        found.append(os.open(parts[-1], common | os.O_NOFOLLOW, dir_fd=found[-1]))
    except OSError:
        return None
    return found[-1] if stat.S_ISREG(os.fstat(found[-1]).st_mode) else None


def head(root: Path, relative: str, most: int = HEAD) -> Head | None:
    """None if there is no plain file of that name."""
    with opened(root, relative) as file:
        if file is None:
            return None
        hashed, first, size = hashlib.sha256(), b"", 0
        while data := os.pread(file, CHUNK, size):
            first += data[: most - len(first)]
            hashed.update(data)
            size += len(data)
        return Head(first, size, f"sha256:{hashed.hexdigest()}")


def absent(root: Path, relative: str) -> str:
    """The digest of a name for which `head` finds no file."""
    return UNREADABLE if os.path.lexists(root / relative) else MISSING


def chunks(file: int) -> Iterator[bytes]:
    """All of an open file, piece by piece; it is closed at the end."""
    at = 0
    try:
        while data := os.pread(file, CHUNK, at):
            at += len(data)
            yield data
    finally:
        os.close(file)


def duplicate(root: Path, relative: str) -> int | None:
    """A separate descriptor, for an answer that is sent later."""
    with opened(root, relative) as file:
        return None if file is None else os.dup(file)
