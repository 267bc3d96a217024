"""Removing what an agent left, whatever it did to prevent that."""

from __future__ import annotations

import os
import secrets
import shutil
import stat

from podium.state.disk import StrPath


def remove_all(path: StrPath) -> None:
    """Remove a file, a link or a folder; links are never followed, pipes never opened."""
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    if not stat.S_ISDIR(mode):
        os.unlink(path)
        return
    try:
        shutil.rmtree(path)
    except (
        OSError,
        RecursionError,
    ):  # closed to its owner, or too deep for descriptors and path names
        _flattened(path)


def _flattened(path: StrPath) -> None:
    """Level by level: the contents of each subfolder are moved up before it is removed."""
    os.chmod(path, stat.S_IRWXU)
    top = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        while names := os.listdir(top):
            for name in names:
                if not _gone(top, name):
                    _lifted(top, name)
    finally:
        os.close(top)
    os.rmdir(path)


def _lifted(top: int, name: str) -> None:
    below = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=top)
    try:
        for inner in os.listdir(below):
            if not _gone(below, inner):
                os.rename(inner, secrets.token_hex(16), src_dir_fd=below, dst_dir_fd=top)
    finally:
        os.close(below)
    os.rmdir(name, dir_fd=top)


def _gone(folder: int, name: str) -> bool:
    """Removes anything but a folder. A folder is opened to its owner, without which it could not
    even be moved.
    """
    if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        os.unlink(name, dir_fd=folder)
        return True
    os.chmod(name, stat.S_IRWXU, dir_fd=folder)
    return False
