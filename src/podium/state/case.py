"""Whether a file system takes two spellings of a name for one."""

from __future__ import annotations

import os
from functools import lru_cache

from podium.state.disk import StrPath


@lru_cache(maxsize=16)
def _folds(root: str, name: str) -> bool:
    try:
        return os.path.samestat(os.lstat(f"{root}/{name}"), os.lstat(f"{root}/{name.upper()}"))
    except OSError:
        return False


def folds_case(project: StrPath, name: str = ".podium") -> bool:
    """By a file or folder in it whose name is in small letters."""
    return _folds(os.fspath(project), name)
