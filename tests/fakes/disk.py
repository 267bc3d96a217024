"""A disk whose machine loses power before the n-th operation, and stays off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from podium.state.disk import Disk, StrPath

T = TypeVar("T")


class PowerCut(BaseException):
    """The process is gone. Not an Exception: nothing in the product may catch it and go on."""


class CrashingDisk(Disk):
    """Performs `cut_at - 1` operations; the next one, and every later one, raises PowerCut.

    `tear` writes the first half of the data of the fatal operation, where it writes any.
    Without `cut_at` it counts only: `done` names the operations, in order.
    """

    def __init__(self, cut_at: int | None = None, *, tear: bool = False) -> None:
        self.cut_at, self.tear = cut_at, tear
        self.done: list[str] = []
        self.off = False

    def _spend(self, name: str, half: Callable[[], None] | None = None) -> None:
        if self.off:
            raise PowerCut(f"{name}: the machine is off")
        if self.cut_at is not None and len(self.done) + 1 >= self.cut_at:
            self.off = True
            if half is not None and self.tear:
                half()
            raise PowerCut(f"operation {self.cut_at}: {name}")
        self.done.append(name)

    def append(self, fd: int, data: bytes) -> None:
        self._spend("append", lambda: Disk.append(self, fd, data[: len(data) // 2]))
        super().append(fd, data)

    def rewrite(self, fd: int, data: bytes) -> None:
        self._spend("rewrite", lambda: Disk.rewrite(self, fd, data[: len(data) // 2]))
        super().rewrite(fd, data)

    def truncate(self, fd: int, size: int) -> None:
        self._spend("truncate")
        super().truncate(fd, size)

    def sync(self, fd: int) -> None:
        self._spend("sync")
        super().sync(fd)

    def sync_dir(self, path: StrPath) -> None:
        self._spend("sync_dir")
        super().sync_dir(path)

    def write_file(self, path: StrPath, data: bytes, mode: int = 0o644) -> None:
        self._spend("write_file", lambda: Disk.write_file(self, path, data[: len(data) // 2], mode))
        super().write_file(path, data, mode)

    def create_dir(self, path: StrPath) -> None:
        self._spend("create_dir")
        super().create_dir(path)

    def replace(self, source: StrPath, target: StrPath) -> None:
        self._spend("replace")
        super().replace(source, target)

    def exchange(self, source: StrPath, target: StrPath) -> None:
        self._spend("exchange")
        super().exchange(source, target)

    def link(self, source: StrPath, target: StrPath) -> None:
        self._spend("link")
        super().link(source, target)

    def unlink(self, path: StrPath) -> None:
        self._spend("unlink")
        super().unlink(path)


def every_cut(action: Callable[[Disk], T], limit: int = 10_000) -> Iterator[CrashingDisk]:
    """Perform an action again and again, cut before its 1st, 2nd … operation, whole and torn, until
    it gets through.

    Yields the disk after each cut; the caller looks at what is left, and brings back the beginning.
    """
    for cut_at in range(1, limit):
        for tear in (False, True):
            disk = CrashingDisk(cut_at, tear=tear)
            try:
                action(disk)
            except PowerCut:
                yield disk
            else:
                return
    raise AssertionError(f"not through after {limit} operations")
