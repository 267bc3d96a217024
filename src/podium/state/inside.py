"""Files below a folder that an agent may have changed: no link on the way to them is followed.

Each folder on the way is opened from the one above it, so what was checked is what is used, at any
depth. Writing always creates a new file, because an existing one may have a second name outside.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator

from podium.state.disk import StrPath
from podium.state.removal import remove_all

LONGEST = min(2000, os.pathconf("/", "PC_PATH_MAX") // 2)
"""Longest path, in bytes, of a folder below one of ours: with what is above and below it, a
longer path cannot be named.
"""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_FOLDER = frozenset({errno.ENOTDIR, errno.ELOOP, errno.EMLINK})
"""What systems report for a link or a file where a folder is expected."""


def hindrance(root: StrPath, path: str) -> str:
    """The first folder on the way that is really a link or a file; "" if there is none."""
    parts = _parts(path)
    for count in range(1, len(parts)):
        here = "/".join(parts[:count])
        facts = facts_inside(root, here)
        if facts is None:
            return ""
        if not stat.S_ISDIR(facts.st_mode):
            return here
    return ""


def facts_inside(root: StrPath, path: str) -> os.stat_result | None:
    """What is there, without following a link; None if nothing is, or if something on the way is
    not a folder.
    """
    with _above(root, path) as (folder, name):
        if folder is None:
            return None
        try:
            return os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            return None


def read_inside(root: StrPath, path: str, most: int) -> bytes | None:
    """The first bytes of a regular file; None if there is none, or it cannot be read."""
    with _above(root, path) as (folder, name):
        if folder is None:
            return None
        try:
            descriptor = _opened(folder, name)
        except OSError:
            return None
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            return None
        # Not `most` at once: the memory for all of it is allocated before the first byte is read.
        parts = [os.read(descriptor, min(most, facts.st_size + 1))]
        while parts[-1] and (left := most - sum(map(len, parts))):
            parts.append(os.read(descriptor, min(left, 1 << 20)))
        return b"".join(parts)
    finally:
        os.close(descriptor)


def write_inside(
    root: StrPath, path: str, data: bytes, mode: int = 0o644, *, replace: bool = True
) -> bool:
    """Write the file anew. Links and files on the way are replaced by folders; with
    `replace=False` they prevent it.
    """
    with _above(root, path, make=True, replace=replace) as (folder, name):
        if folder is None:
            return False
        if stat.S_ISDIR(_mode(folder, name)):
            remove_all(os.path.join(root, path))
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)
        descriptor = os.open(name, _NEW, mode, dir_fd=folder)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    return True


def make_inside(root: StrPath, path: str) -> None:
    """Make a folder and those above it; nothing is made behind a link."""
    with _above(root, f"{path}/x", make=True):
        pass


def is_deep(path: str) -> bool:
    return len(os.fsencode(path)) > LONGEST


def listed(folder: StrPath) -> list[os.DirEntry[str]]:
    """A folder's entries sorted by name; access is restored if the folder was closed to its
    owner.
    """
    mode = os.lstat(folder).st_mode
    if stat.S_IRWXU & ~mode:
        os.chmod(folder, stat.S_IMODE(mode) | stat.S_IRWXU)
    with os.scandir(folder) as entries:
        return sorted(entries, key=lambda each: each.name)


def _mode(folder: int, name: str) -> int:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return 0


def _opened(folder: int, name: str) -> int:
    try:
        return os.open(name, _READ, dir_fd=folder)
    except PermissionError:
        facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if not stat.S_ISREG(facts.st_mode) or facts.st_nlink > 1:
            raise
        os.chmod(name, stat.S_IMODE(facts.st_mode) | stat.S_IRUSR, dir_fd=folder)
        return os.open(name, _READ, dir_fd=folder)


def below(path: str) -> str:
    """The path itself; ValueError if it leads out of its folder or to the folder itself."""
    _parts(path)
    return path


def _parts(path: str) -> list[str]:
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if not parts or ".." in parts:
        raise ValueError(f"{path!r} is not a path below a folder")
    return parts


@contextlib.contextmanager
def _above(
    root: StrPath, path: str, *, make: bool = False, replace: bool = False
) -> Iterator[tuple[int | None, str]]:
    """The opened folder that contains the path, and the name in it; None if it cannot be reached
    without a link.
    """
    *folders, name = _parts(path)
    here: int | None = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for each in folders:
            assert here is not None
            above = here
            try:
                here = None
                here = _entered(above, each, make=make, replace=replace)
            finally:
                os.close(above)
            if here is None:
                break
        yield here, name
    finally:
        if here is not None:
            os.close(here)


def _entered(above: int, name: str, *, make: bool, replace: bool) -> int | None:
    try:
        return os.open(name, _FOLDER, dir_fd=above)
    except FileNotFoundError:
        if not make:
            return None
    except PermissionError:
        if not make:
            return None
        os.chmod(name, stat.S_IRWXU, dir_fd=above)
        return os.open(name, _FOLDER, dir_fd=above)
    except OSError as fault:
        if fault.errno not in _NO_FOLDER:
            raise
        if not replace:
            return None
        os.unlink(name, dir_fd=above)
    os.mkdir(name, dir_fd=above)
    return os.open(name, _FOLDER, dir_fd=above)
