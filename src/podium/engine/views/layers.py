"""A stack of folders, top first, read as the kernel's overlay shows it; and writing one layer.

A file or folder in an upper layer covers what lies below. A whiteout (a device 0/0) says that
nothing is there, an opaque folder that nothing below it counts. Paths are relative to the top of
the stack, and names may be any bytes.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from podium.state.disk import StrPath
from podium.state.removal import remove_all

OPAQUE = "user.overlay.opaque"
_NEVER_MADE = ("user.overlay.redirect", "user.overlay.metacopy")
"""Marks that need privileges which our mounts do not have; a layer with one was tampered with."""
_WHITEOUTS_AS_MARKS = b"x"


class UnreadableLayer(OSError):
    """A layer with marks that no mount of ours makes: what it means cannot be known."""


class Entry(NamedTuple):
    """What a stack shows at one path."""

    place: str
    """The file or folder itself; of a folder, the uppermost of those that are merged."""
    facts: os.stat_result
    folders: tuple[str, ...]
    """A folder in all layers that it is merged from, top first."""

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.facts.st_mode)


def lstat(place: str) -> os.stat_result | None:
    """What is there, without following a link; None if nothing is."""
    try:
        return os.lstat(place)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError:
        open_to_us(os.path.dirname(place))
        return os.lstat(place) if os.path.lexists(place) else None
    except OSError as fault:
        if fault.errno != errno.ENAMETOOLONG:  # a link may name what no file can be called
            raise
        return None


def open_to_us(folder: str) -> None:
    """Open a folder that its program closed to everybody; modes of folders are no part of a
    change.
    """
    mode = stat.S_IMODE(os.lstat(folder).st_mode)
    if mode & stat.S_IRWXU != stat.S_IRWXU:
        os.chmod(folder, mode | stat.S_IRWXU)


def is_whiteout(facts: os.stat_result) -> bool:
    return stat.S_ISCHR(facts.st_mode) and facts.st_rdev == 0


def is_opaque(folder: str) -> bool:
    value = _mark(folder, OPAQUE)
    if value == _WHITEOUTS_AS_MARKS or any(_mark(folder, name) for name in _NEVER_MADE):
        raise UnreadableLayer(0, "has marks of another kind of overlay", folder)
    return value == b"y"


def _mark(folder: str, name: str) -> bytes:
    try:
        return os.getxattr(folder, name, follow_symlinks=False)
    except PermissionError:
        open_to_us(folder)
        return _mark(folder, name)
    except OSError as fault:
        if fault.errno in {errno.ENODATA, errno.ENOTSUP}:
            return b""
        raise


def entry(folders: Sequence[str], name: str) -> Entry | None:
    """The entry of a merged folder, which is given as its folders in all layers."""
    place, top, merged = "", None, list[str]()
    for folder in folders:
        candidate = f"{folder}/{name}"
        facts = lstat(candidate)
        if facts is None:
            continue
        if is_whiteout(facts):
            break
        if not stat.S_ISDIR(facts.st_mode):
            if top is None:
                place, top = candidate, facts
            break
        if top is None:
            place, top = candidate, facts
        merged.append(candidate)
        # Below the last one nothing is covered: in a copy the mark is any program's own.
        if folder != folders[-1] and is_opaque(candidate):
            break
    return Entry(place, top, tuple(merged)) if top is not None else None


def lookup(stack: Sequence[str], path: str) -> Entry | None:
    """What the stack shows at a path; nothing is followed, so nothing is behind a link."""
    at: Entry | None = None
    folders: Sequence[str] = stack
    for name in path.split("/"):
        if not folders:
            return None
        at = entry(folders, name)
        if at is None:
            return None
        folders = at.folders
    return at


def listed(folder: str) -> list[os.DirEntry[str]]:
    """What is in a folder, whoever closed it."""
    try:
        entries = os.scandir(folder)
    except PermissionError:
        open_to_us(folder)
        entries = os.scandir(folder)
    with entries:
        return sorted(entries, key=lambda item: item.name)


def names(folders: Sequence[str]) -> list[str]:
    """The names in a merged folder, sorted."""
    shown: dict[str, bool] = {}
    for folder in folders:
        for item in listed(folder):
            if item.name not in shown:
                shown[item.name] = _is_there(item)
    return sorted(name for name, visible in shown.items() if visible)


def _is_there(item: os.DirEntry[str]) -> bool:
    ordinary = item.is_file(follow_symlinks=False) or item.is_dir(follow_symlinks=False)
    return ordinary or item.is_symlink() or not is_whiteout(item.stat(follow_symlinks=False))


def walk(
    folders: Sequence[str], under: str = "", skipped: Collection[str] = ()
) -> Iterator[tuple[str, Entry]]:
    """Everything below a merged folder, folders included, with paths from the top; nothing at or
    below the skipped paths.
    """
    left = [(tuple(folders), under)]
    while left:
        merged, above = left.pop()
        for name in names(merged):
            item = entry(merged, name) if f"{above}{name}" not in skipped else None
            if item is not None:
                yield f"{above}{name}", item
                if item.folders:
                    left.append((item.folders, f"{above}{name}/"))


@contextlib.contextmanager
def alone_with(layer: StrPath) -> Iterator[None]:
    """While nobody has this layer mounted; BlockingIOError if somebody has. Whoever mounts one
    holds a shared lock on it.
    """
    descriptor = os.open(layer, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def whiteout(layer: str, path: str, below: Sequence[str]) -> None:
    """Make nothing be at the path, in the layer or below it.

    Marked only where the stack below would show something there: in a folder that is not merged
    the kernel would list the mark itself.
    """
    if lookup((layer,), path) is not None:
        open_to_us(os.path.dirname(f"{layer}/{path}"))
        remove_all(f"{layer}/{path}")
    if lookup((layer, *below), path) is not None:
        make_folders(layer, os.path.dirname(path), below)
        os.mknod(f"{layer}/{path}", stat.S_IFCHR, 0)


def make_folders(layer: str, path: str, below: Sequence[str]) -> None:
    """Make a folder and those above it in a layer, with the modes they have in the stack below;
    anything else that stands in their way in the layer is removed.
    """
    done = ""
    for name in path.split("/") if path else ():
        done = f"{done}/{name}" if done else name
        place = f"{layer}/{done}"
        facts = lstat(place)
        if facts is not None and stat.S_ISDIR(facts.st_mode):
            continue
        open_to_us(os.path.dirname(place))
        if facts is not None:
            os.unlink(place)
        os.mkdir(place)
        lower = lookup(below, done)
        if lower is not None and lower.is_folder:
            os.chmod(place, stat.S_IMODE(lower.facts.st_mode) | stat.S_IRWXU)
            if facts is not None:  # what it covered stays covered
                os.setxattr(place, OPAQUE, b"y")
    open_to_us(f"{layer}/{path}")


def put(layer: str, path: str, data: bytes, mode: int, below: Sequence[str]) -> None:
    """Write a file into a layer, whatever the stack shows there."""
    make_folders(layer, os.path.dirname(path), below)
    place = f"{layer}/{path}"
    remove_all(place)
    descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        os.fchmod(file.fileno(), mode)


def hide(layer: str, paths: Collection[str], below: Sequence[str]) -> None:
    """Make a layer in which none of these files of the stack below is there; a folder of which
    nothing is left is not there either.
    """
    hidden, whole = set(paths), dict[str, bool]()
    done: set[str] = set()
    for path in sorted(hidden):
        above = parents(path)
        if not done.isdisjoint(above):
            continue
        for folder in above:
            if folder not in whole:
                whole[folder] = _all_hidden(below, folder, hidden)
        place = next((folder for folder in above if whole[folder]), path)
        done.add(place)
        whiteout(layer, place, below)


def _all_hidden(below: Sequence[str], folder: str, hidden: Collection[str]) -> bool:
    item = lookup(below, folder)
    return item is not None and all(
        path in hidden or (inner.is_folder and bool(names(inner.folders)))
        for path, inner in walk(item.folders, f"{folder}/")
    )


def parents(path: str) -> list[str]:
    """The folders of a path, outermost first."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]
