"""Disks that fail: full, read-only, broken, or cut off from power with what was not synced lost
or half there.
"""

from __future__ import annotations

import contextlib
import errno
import os
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.fakes.disk import CrashingDisk, PowerCut

from podium.state.disk import Disk, StrPath

SECTOR = 512
WRITES = frozenset({"append", "rewrite", "write_file"})


class FailingDisk(CrashingDisk):
    """From its n-th operation on, for so many operations, everything that changes the disk fails
    with this error.

    A full disk still renames and removes; of what it is given to write it takes the first half.
    """

    def __init__(self, number: int, error: int, lasts: int) -> None:
        super().__init__()
        self.number, self.error, self.lasts = number, error, lasts
        self.failed: list[str] = []

    def _spend(self, name: str, half: Callable[[], None] | None = None) -> None:
        self.done.append(name)
        if not self.number <= len(self.done) < self.number + self.lasts:
            return
        if self.error == errno.ENOSPC and name not in {*WRITES, "create_dir", "sync"}:
            return
        if self.error == errno.ENOSPC and half is not None:
            half()
        self.failed.append(name)
        raise OSError(self.error, os.strerror(self.error), name)


@dataclass
class _Node:
    """The content of one file: as the platters have it, and as programs see it."""

    kept: bytes | None
    """None where nothing of it was ever synced."""
    live: bytes


@dataclass
class _Step:
    """One change of names that may or may not have reached the platters."""

    names: dict[str, _Node | None]
    """Path to what it leads to afterwards; None where it is gone."""


@dataclass
class PowerlessDisk(CrashingDisk):
    """Runs like any other until its n-th operation; then the machine loses power.

    `lose` makes of the folder what the next start finds. Names are journalled in order, as ext4,
    XFS and btrfs do
    it: a prefix of the changes since the last sync is there, and any sync is a barrier. Bytes have
    no order: of a file that was written and not synced any sector may be old or new, and one that
    was never synced may be empty.
    """

    seed: int
    number: int
    nodes: dict[str, _Node] = field(default_factory=dict)
    """Path to the file behind it, as programs see it; only what this disk wrote."""
    durable: dict[str, _Node | None] = field(default_factory=dict)
    """The same on the platters."""
    loose: list[_Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(self.number)

    # -- what happened to bytes

    def _node(self, path: StrPath) -> _Node:
        where = os.path.abspath(path)
        if where not in self.nodes:
            with open(
                where, "rb"
            ) as file:  # it was there before this disk: it has long been synced
                content = file.read()
            self.nodes[where] = _Node(content, content)
            self.durable.setdefault(where, self.nodes[where])
        return self.nodes[where]

    def _open(self, fd: int) -> str:
        return os.readlink(f"/proc/self/fd/{fd}")

    def _seen(self, fd: int) -> _Node | None:
        where = self._open(fd)
        return self._node(where) if os.path.isfile(where) else None

    def _after(self, fd: int, node: _Node | None) -> None:
        if node is not None:
            with open(self._open(fd), "rb") as file:
                node.live = file.read()

    def append(self, fd: int, data: bytes) -> None:
        node = self._seen(fd)
        super().append(fd, data)
        self._after(fd, node)

    def rewrite(self, fd: int, data: bytes) -> None:
        node = self._seen(fd)
        super().rewrite(fd, data)
        self._after(fd, node)

    def truncate(self, fd: int, size: int) -> None:
        node = self._seen(fd)
        super().truncate(fd, size)
        self._after(fd, node)

    def write_file(self, path: StrPath, data: bytes, mode: int = 0o644) -> None:
        there = os.path.exists(path)
        node = self._node(path) if there else _Node(None, b"")
        super().write_file(path, data, mode)
        node.live = bytes(data)
        if not there:
            self._names({os.path.abspath(path): node})

    def sync(self, fd: int) -> None:
        node = self._seen(fd)
        super().sync(fd)
        if node is not None:
            node.kept = node.live
        self._barrier()

    # -- what happened to names

    def sync_dir(self, path: StrPath) -> None:
        super().sync_dir(path)
        self._barrier()

    def replace(self, source: StrPath, target: StrPath) -> None:
        node = self._node(source)
        over = os.path.lexists(target)
        if over:
            self._node(target)
        super().replace(source, target)
        if over:
            node.kept = (
                node.live
            )  # what replaces a file is written before its name is, by default, everywhere
        self._names({os.path.abspath(source): None, os.path.abspath(target): node})

    def exchange(self, source: StrPath, target: StrPath) -> None:
        if not (os.path.exists(source) and os.path.exists(target)):
            super().exchange(source, target)
            return
        one, other = self._node(source), self._node(target)
        super().exchange(source, target)
        self._names({os.path.abspath(source): other, os.path.abspath(target): one})

    def link(self, source: StrPath, target: StrPath) -> None:
        node = self._node(source)
        super().link(source, target)
        self._names({os.path.abspath(target): node})

    def unlink(self, path: StrPath) -> None:
        if os.path.isfile(path) and not os.path.islink(path):
            self._node(path)
        super().unlink(path)
        self._names({os.path.abspath(path): None})

    def _names(self, changes: dict[str, _Node | None]) -> None:
        for path, node in changes.items():
            if node is None:
                self.nodes.pop(path, None)
            else:
                self.nodes[path] = node
        self.loose.append(_Step(changes))

    def _barrier(self) -> None:
        for each in self.loose:
            self.durable.update(each.names)
        self.loose.clear()

    # -- the next start

    def lose(self, *views: Path) -> None:
        """Leave on disk what the power cut left; of agents' folders of documents, which are never
        synced, that is nothing.
        """
        draw = random.Random(self.seed)
        found = dict(self.durable)
        for each in self.loose[: draw.randint(0, len(self.loose))]:
            found.update(each.names)
        for path in {*self.nodes, *found}:
            node = found.get(path)
            if path in self.nodes and not os.path.exists(path):
                # an agent's folder that is gone: it was removed by nobody's operation of this disk
                continue
            if node is None:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)
                continue
            with open(path, "wb") as file:
                file.write(left(node, draw))
            os.utime(path, (0, 0))  # written before the machine started
        for folder in (each for top in views for each in top.glob("*/*/*")):
            layers = (folder.parent / "trees", folder / "upper", folder / "copy")
            if not any(each.is_dir() for each in layers):
                shutil.rmtree(folder, ignore_errors=True)


def left(node: _Node, draw: random.Random) -> bytes:
    """What is left of a file: all that was synced, and of the rest any sectors."""
    if node.kept == node.live:
        return node.live
    if node.kept is None:
        return draw.choice((b"", node.live, node.live[: draw.randint(0, len(node.live))]))
    size = draw.choice((len(node.kept), len(node.live)))
    sectors = []
    for at in range(0, size, SECTOR):
        of = draw.choice((node.kept, node.live))
        sectors.append(of[at : at + SECTOR].ljust(min(SECTOR, size - at), b"\0"))
    return b"".join(sectors)[:size]


__all__ = ["Disk", "FailingDisk", "PowerCut", "PowerlessDisk"]
