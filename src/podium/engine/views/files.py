"""The files of a view, looked at from outside: no link is followed, no pipe opened."""

from __future__ import annotations

import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from podium.engine.views.layers import Entry, lookup, names, put, walk
from podium.state.disk import ensure_folder
from podium.state.removal import remove_all

_MOST_LINKS = 40
"""No system follows a path through more links than this."""
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Files(ABC):
    """What a stack of folders shows. No program may be at work in it."""

    @property
    @abstractmethod
    def stack(self) -> tuple[str, ...]:
        """Top first; the first is the one that programs write."""

    def entry(self, path: str) -> Entry | None:
        return lookup(self.stack, path) if path else None

    def names(self, folder: str) -> list[str]:
        """The names in a folder; none if there is no such folder."""
        item = self.entry(folder)
        merged = self.stack if not folder else item.folders if item else ()
        return names(merged) if merged else []

    def walk(self) -> Iterator[tuple[str, Entry]]:
        """Everything, folders included."""
        return walk(self.stack)

    def read(self, path: str, most: int) -> bytes | None:
        """The first bytes of a regular file; None if there is none."""
        item = self.entry(path)
        if item is None or not stat.S_ISREG(item.facts.st_mode):
            return None
        with os.fdopen(opened(item.place), "rb") as file:
            # Python sets aside as much memory as it is asked to read.
            return file.read(min(most, os.fstat(file.fileno()).st_size + 1))

    def target(self, path: str) -> str:
        """Where a link points; "" if it is none."""
        item = self.entry(path)
        if item is None or not stat.S_ISLNK(item.facts.st_mode):
            return ""
        return os.readlink(item.place)

    def obstacle(self, path: str) -> str:
        """The first folder on the way that is really a link or a file; "" if there is none."""
        parts = path.split("/")
        for count in range(1, len(parts)):
            above = "/".join(parts[:count])
            item = self.entry(above)
            if item is None:
                return ""
            if not item.is_folder:
                return above
        return ""

    def behind(self, path: str) -> str | None:
        """The same file's path without links on the way; None if one of them leads out, or to
        nothing.
        """
        done: list[str] = []
        left, turns = path.split("/")[::-1], 0
        while left:
            name = left.pop()
            if name in {"", "."}:
                continue
            if name == "..":
                if not done:
                    return None
                done.pop()
                continue
            target = self.target("/".join([*done, name])) if left else ""
            if not target:
                done.append(name)
                continue
            turns += 1
            if os.path.isabs(target) or turns > _MOST_LINKS:
                return None
            left += target.split("/")[::-1]
        return "/".join(done)

    def bring(self, path: str, data: bytes) -> None:
        """Put a file there from the start, so that it counts as no change."""
        self.write(path, data)

    def write(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """Write a file as a program would; whatever is in its way is replaced."""
        put(self.stack[0], path, data, mode, self.stack[1:])

    def make_folder(self, path: str) -> None:
        """Make a folder and those above it from the start, unless something is in the way."""
        if path and not self.obstacle(f"{path}/x"):
            ensure_folder(f"{self.stack[0]}/{path}")

    def remove(self, path: str) -> None:
        """Remove what is there."""
        remove_all(f"{self.stack[0]}/{path}")


@dataclass(frozen=True)
class Folder(Files):
    """The files of an ordinary folder."""

    place: Path

    @property
    def stack(self) -> tuple[str, ...]:
        return (os.fspath(self.place),)


def opened(place: str) -> int:
    """A file of ours, opened for reading: no link is followed, no pipe waited for. One that is
    closed to its owner keeps its mode, because that counts.
    """
    try:
        return os.open(place, _READ)
    except PermissionError:
        mode = stat.S_IMODE(os.lstat(place).st_mode)
        os.chmod(place, mode | stat.S_IRUSR)
        try:
            return os.open(place, _READ)
        finally:
            os.chmod(place, mode)
