"""Every durable write of the engine, one method per operation.

Nothing else in Podium changes a file of a run. So a test can answer one question: what is left
if the process dies before the n-th operation? `tests/fakes/disk.py` asks it for every n. `save`,
`swap`, `publish` and `make_dirs` are built from the others, so they too can be interrupted in the
middle.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import sys
import threading

from podium.state.exchange import exchange

StrPath = str | os.PathLike[str]

DISK_FAILURES = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO})
"""What the system reports when its disk fails, whatever was being written: not the fault of a
file, a run or an agent.
"""
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS})
_NO_EXCHANGE = _NO_LINKS | {errno.EINVAL, errno.ENOENT}
_WRITE_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC


class Disk:
    def append(self, fd: int, data: bytes) -> None:
        """Write at the end of a file opened with O_APPEND: one write() unless the kernel takes
        less.
        """
        written = os.write(fd, data)
        while written < len(data):
            written += os.write(fd, data[written:])

    def rewrite(self, fd: int, data: bytes) -> None:
        """Write over the beginning of a file; the rest stays."""
        written = os.pwrite(fd, data, 0)
        while written < len(data):
            written += os.pwrite(fd, data[written:], written)

    def truncate(self, fd: int, size: int) -> None:
        os.ftruncate(fd, size)

    def sync(self, fd: int) -> None:
        if sys.platform == "darwin":
            # On macOS fsync leaves the data in the drive's cache; only F_FULLFSYNC empties it.
            try:
                fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
            except OSError:
                os.fsync(fd)
        else:
            os.fdatasync(fd)

    def sync_dir(self, path: StrPath) -> None:
        """Make the names in a folder durable: a synced file is still lost if its name is not
        durable.
        """
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def write_file(self, path: StrPath, data: bytes, mode: int = 0o644) -> None:
        """Create or truncate, then write; not synced."""
        write_plain(path, data, mode)

    def create_dir(self, path: StrPath) -> None:
        os.mkdir(path)

    def replace(self, source: StrPath, target: StrPath) -> None:
        os.rename(source, target)

    def exchange(self, source: StrPath, target: StrPath) -> None:
        exchange(os.fspath(source), os.fspath(target))

    def link(self, source: StrPath, target: StrPath) -> None:
        """Give a file its name; FileExistsError if the name is taken."""
        try:
            os.link(source, target)
        except OSError as fault:
            if fault.errno not in _NO_LINKS:
                raise
            # exFAT and some network mounts have no hard links; there, of two racing writers the
            # first may lose.
            if os.path.lexists(target):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target) from None
            os.rename(source, target)

    def unlink(self, path: StrPath) -> None:
        os.unlink(path)

    def save(self, path: StrPath, data: bytes, *, sync: bool = False, via: StrPath = "") -> None:
        """Replace a file as a whole: readers see the old version or the new one.

        `via`: a folder of ours for the unfinished file, so that a crash leaves none among the
        user's files.
        """
        temp = _beside(path, "tmp", via)
        try:
            self.write_file(temp, data)
        except FileNotFoundError:  # usually the folder exists, and checking first takes longer
            if not via:
                raise
            ensure_folder(via)
            self.write_file(temp, data)
        if sync:
            self._sync_file(temp)
        try:
            self.replace(temp, path)
        except OSError as fault:
            if fault.errno != errno.EXDEV or not via:
                raise
            self.unlink(temp)  # our folder is on another file system than the file
            self.save(path, data, sync=sync)
            return
        if sync:
            self.sync_dir(os.path.dirname(os.fspath(path)) or ".")

    def swap(self, path: StrPath, data: bytes) -> None:
        """Replace a file as a whole, like `save`, but keep the replaced file and overwrite it next
        time.

        So no file is created or freed, which is what takes time on a disk. But nothing orders the
        writes of the two
        files: a power cut may leave a mixture of several versions. Only for files that can be
        rebuilt.
        """
        folder, name = os.path.split(os.fspath(path))
        spare = os.path.join(folder, f".{name}.spare")
        try:
            self._overwrite(spare, data)
        except FileNotFoundError:
            self.write_file(spare, data)
        try:
            self.exchange(spare, path)
        except OSError as fault:
            if fault.errno not in _NO_EXCHANGE:
                raise
            self.replace(spare, path)

    def _overwrite(self, path: str, data: bytes) -> None:
        """FileNotFoundError if the file does not exist or is not ours alone (a link, a folder, a
        second name).
        """
        try:
            fd = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            raise
        except OSError:  # a link, a folder, a pipe
            self._clear(path)
            raise FileNotFoundError(path) from None
        try:
            facts = os.fstat(fd)
            if not stat.S_ISREG(facts.st_mode) or facts.st_nlink != 1:
                self._clear(path)
                raise FileNotFoundError(path)
            self.rewrite(fd, data)
            if facts.st_size != len(data):
                self.truncate(fd, len(data))
        finally:
            os.close(fd)

    def _clear(self, path: str) -> None:
        if os.path.isdir(path) and not os.path.islink(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        self.unlink(path)

    def publish(self, path: StrPath, data: bytes) -> bool:
        """Write a file that no second writer ever changes; False if it already exists. Durable
        on return.
        """
        if os.path.lexists(path):
            return False
        temp = _beside(path, "new")
        if os.path.lexists(temp):
            # A leftover may share its inode with a published file: truncating it would empty the
            # published one.
            self.unlink(temp)
        self.write_file(temp, data)
        self._sync_file(temp)
        try:
            self.link(temp, path)
        except FileExistsError:
            self.unlink(temp)
            return False
        self.sync_dir(os.path.dirname(os.fspath(path)) or ".")
        if os.path.lexists(temp):
            self.unlink(temp)
        return True

    def make_dirs(self, path: StrPath) -> None:
        """Create a folder and its missing parents, each durable before the next."""
        if os.path.isdir(path):
            return
        parent = os.path.dirname(os.fspath(path)) or "."
        self.make_dirs(parent)
        with contextlib.suppress(FileExistsError):  # another process was faster
            self.create_dir(path)
        self.sync_dir(parent)

    def _sync_file(self, path: str) -> None:
        fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            self.sync(fd)
        finally:
            os.close(fd)


def write_plain(path: StrPath, data: bytes, mode: int = 0o644) -> None:
    """Create or truncate, then write, with plain calls: for small files a file object makes more
    calls than the work needs.
    """
    fd = os.open(path, _WRITE_NEW, mode)
    try:
        written = os.write(fd, data)
        while written < len(data):
            written += os.write(fd, data[written:])
    finally:
        os.close(fd)


def ensure_folder(path: StrPath) -> None:
    """Make a folder that need not be durable; it usually exists, and then this is a single
    check.
    """
    if not os.path.isdir(path):
        new_folder(path)


def new_folder(path: StrPath) -> bool:
    """The same, for a folder that usually does not exist; True if it was made here, so that
    nothing can be in it.
    """
    try:
        os.mkdir(path)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return new_folder(path)
    except FileExistsError:
        if not os.path.isdir(path):
            raise
        return False
    return True


def _beside(path: StrPath, kind: str, via: StrPath = "") -> str:
    """A temporary name in the same folder, or in `via`. Each thread has its own: two may write
    one file at once.
    """
    folder, cut, name = os.fspath(path).rpartition("/")
    return f"{os.fspath(via) or folder}{'/' if via else cut}.{name}.{kind}-{os.getpid()}-{threading.get_native_id()}"  # noqa: E501
