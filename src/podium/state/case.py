"""Whether a file system treats two spellings of a name as the same name."""

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
    """Tested with a file or folder in the project whose name is in lower case."""
    return _folds(os.fspath(project), name)
