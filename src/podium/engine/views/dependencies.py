"""What git ignores and the project needs, frozen: packages, generated files, build caches.

Each folder of the checkout is frozen as hard links, so that a view keeps what it had when the
person installs something meanwhile: package managers replace files and do not write into them.
What a program writes goes to its view's own layer and never comes here.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import shutil
import stat
import subprocess
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from podium.engine.git.git import Git
from podium.engine.git.trees import entries
from podium.engine.views.layers import alone_with, parents
from podium.engine.views.store import boot_id
from podium.project.dependencies import Ignored, Item, dependencies
from podium.state.disk import DISK_FAILURES
from podium.state.removal import remove_all

DEPTH = 4
"""How many levels of folders are compared: an installation changes one of those."""
KEPT_S = 24 * 3600.0
"""How long a frozen folder is kept when nothing uses it."""
_SMALL = 20_000
MOST = 24
"""Folders with a layer of their own; all further ones share one, because the kernel mounts only so
many layers.
"""
SHARED, LOOSE = "shared", "loose"
"""Names of the layers with many folders, and with single files."""
_NOT_LINKED = frozenset({errno.EPERM, errno.EMLINK, errno.ENOTSUP})
"""Files of somebody else, files with too many names, disks without links."""
_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ENAMETOOLONG})
"""What disappeared meanwhile, or cannot be read anyway."""


def beside(git: Git, tree: str, paths: Sequence[str]) -> tuple[str, ...]:
    """Those of these ignored paths of the checkout that cover nothing of the tree.

    A run may have landed files where rules that it wrote itself ignore them. Of a folder with such
    files the rest is named, path by path.
    """
    places = {path.rstrip("/") for path in paths}
    above = {folder for place in places for folder in parents(place)}
    covered = entries(git, tree, places | above).keys()
    inside = entries(git, tree, places, within=True).keys()
    partly = {folder for path in inside for folder in parents(path)}
    result: list[str] = []
    left = list(paths)[::-1]
    while left:
        path = left.pop()
        place = path.rstrip("/")
        if place in covered or not covered.isdisjoint(parents(place)):
            continue
        if place not in partly:
            result.append(path)
        elif path.endswith("/"):
            left += _within(git.work_tree, place, inside)
    return tuple(result)


def _within(checkout: Path, folder: str, inside: Collection[str]) -> list[str]:
    paths = [
        f"{folder}/{item.name}{'/' if item.is_dir(follow_symlinks=False) else ''}"
        for item in _items(f"{checkout}/{folder}")
    ]
    return [path for path in reversed(paths) if path not in inside]


@dataclass(frozen=True)
class Dependencies:
    """The frozen copies of one checkout."""

    root: Path
    checkout: Path

    def freeze(self, items: Sequence[Item]) -> tuple[str, ...]:
        """Layers with these paths of the checkout, as they are now; single files share one."""
        without = {item.path.rstrip("/"): item.without for item in items}
        paths = [item.path.rstrip("/") for item in items]
        folders = sorted(
            (path for path in paths if self._is_folder(path)),
            key=lambda path: (path.count("/"), path),
        )
        files = [path for path in paths if not self._is_folder(path) and self._is_there(path)]
        layers = [self._layer(path, [path], without, folder=True) for path in folders[:MOST]]
        layers += (
            [self._layer(SHARED, folders[MOST:], without, folder=True)] if folders[MOST:] else []
        )
        layers += [self._layer(LOOSE, files, {}, folder=False)] if files else []
        return tuple(os.fspath(layer) for layer in layers)

    def prune(self, now: float | None = None) -> None:
        """Remove frozen copies that nothing uses and that were not used lately."""
        now = time.time() if now is None else now
        for home in self.root.glob("*/*"):
            with contextlib.suppress(OSError):
                if now - home.stat().st_mtime > KEPT_S:
                    with alone_with(home):
                        remove_all(home)

    def _is_folder(self, path: str) -> bool:
        place = self.checkout / path
        return place.is_dir() and not place.is_symlink()

    def _is_there(self, path: str) -> bool:
        place = self.checkout / path
        return place.is_symlink() or place.is_file()

    def _layer(
        self, name: str, paths: list[str], without: Mapping[str, Sequence[str]], *, folder: bool
    ) -> Path:
        home = self.root / hashlib.sha256(os.fsencode(name)).hexdigest()[:16]
        mark = self._fingerprint(paths, folder=folder)
        frozen = home / mark
        if not frozen.is_dir():
            self._make(frozen, paths, without, folder=folder)
        with contextlib.suppress(OSError):
            os.utime(frozen)
        return frozen

    def _fingerprint(self, paths: list[str], *, folder: bool) -> str:
        digest = hashlib.sha256(boot_id().encode())  # a power cut may have damaged earlier ones
        for path in paths:
            top = os.fspath(self.checkout / path)
            for place in _folders(top, DEPTH) if folder else [top]:
                with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                    facts = os.lstat(place)
                    size = 0 if folder else facts.st_size
                    times = f"{facts.st_ino} {facts.st_mtime_ns} {size}"
                    digest.update(os.fsencode(f"{place}\0{times}\0"))
        return digest.hexdigest()[:32]

    def _make(
        self, frozen: Path, paths: list[str], without: Mapping[str, Sequence[str]], *, folder: bool
    ) -> None:
        new = frozen.with_name(f".new-{secrets.token_hex(4)}")
        new.mkdir(parents=True)
        own = os.fspath(self.root.parent)
        for path in paths:
            source, target = os.fspath(self.checkout / path), f"{new}/{path}"
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if not folder:
                _copy_file(source, target)
            elif not _link_tree(source, target, but=own):
                remove_all(target)
                copy_tree(source, target)
            for name in without.get(path, ()):
                remove_all(f"{target}/{name}")
        try:
            os.rename(new, frozen)
        except OSError as fault:
            if fault.errno not in {errno.EEXIST, errno.ENOTEMPTY}:
                raise
            remove_all(new)  # another process was faster


def choose(
    checkout: Path, paths: Sequence[str], bring: Sequence[str] = (), leave: Sequence[str] = ()
) -> tuple[Item, ...]:
    """Which of these ignored paths every view brings."""
    ignored = (_seen(checkout, path) for path in paths)
    return tuple(item for item in dependencies(ignored, bring, leave) if item.bring)


def _seen(checkout: Path, path: str) -> Ignored:
    place = checkout / path.rstrip("/")
    try:
        if place.is_symlink():
            return Ignored(path, target=os.readlink(place))
        if place.is_dir():
            return Ignored(path, frozenset(os.listdir(place)))
        size = place.stat().st_size
        text = place.read_text(encoding="utf-8", errors="replace") if size < _SMALL else ""
        return Ignored(path, size=size, text=text)
    except OSError:
        return Ignored(path)


def copy_tree(source: str, target: str) -> None:
    """Copy a folder, cloned where the disk can. What disappears or cannot be read meanwhile is
    left out, as it would be later.
    """
    done = subprocess.run(
        ["cp", "-a", "--reflink=auto", "--", source, target],
        check=False,
        env={**os.environ, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        errors="replace",
    )
    full = next((code for code in DISK_FAILURES if os.strerror(code) in done.stderr), 0)
    if full:
        raise OSError(full, os.strerror(full), target)


def _link_tree(source: str, target: str, but: str) -> bool:
    """Make a folder whose files are hard links; False if it is on another disk. What disappears
    meanwhile is left out, and so is the folder `but`.
    """
    done, left = [(source, target)], [(source, target)]
    os.mkdir(target)
    while left:
        folder, place = left.pop()
        for item in _items(folder):
            inner = f"{place}/{item.name}"
            try:
                if not item.is_dir(follow_symlinks=False):
                    os.link(item.path, inner, follow_symlinks=False)
                elif item.path != but:
                    os.mkdir(inner)
                    left.append((item.path, inner))
                    done.append((item.path, inner))
            except OSError as fault:
                if fault.errno == errno.EXDEV:
                    return False
                if fault.errno in _NOT_LINKED:
                    _copy_file(item.path, inner)
                elif fault.errno not in _GONE:
                    raise
    for folder, place in reversed(done):
        with contextlib.suppress(FileNotFoundError):
            facts = os.lstat(folder)
            os.utime(place, ns=(facts.st_atime_ns, facts.st_mtime_ns))
            os.chmod(place, stat.S_IMODE(facts.st_mode) | stat.S_IRWXU)  # it is ours to read
    return True


def _copy_file(source: str, target: str) -> None:
    try:
        shutil.copy2(source, target, follow_symlinks=False)
    except shutil.SpecialFileError:
        return  # a pipe of somebody else
    except OSError as fault:
        if fault.errno not in _GONE:
            raise


def _items(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as items:
            return sorted(items, key=lambda item: item.name)
    except OSError as fault:
        if fault.errno not in _GONE:
            raise
        return []


def _folders(top: str, depth: int) -> Iterator[str]:
    yield top
    for item in _items(top) if depth > 0 else ():
        if item.is_dir(follow_symlinks=False):
            yield from _folders(item.path, depth - 1)
