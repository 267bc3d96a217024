"""Files that git stores in another encoding than they have: what git would write back is not what was tested.

With the attribute `working-tree-encoding` git takes a file's bytes for text in that encoding. If they are not, git stores
them as they are, and writes them back changed: with UTF-7, `1 + 1` becomes `1 +- 1`. Different line ends are git's business.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from podium.core.digest import MISSING
from podium.engine.git.audit import MAX_BYTES
from podium.engine.git.git import Git, GitFailed, split
from podium.engine.git.landing import digests
from podium.engine.git.view import CodeView
from podium.state.inside import read_inside

_ATTRIBUTE = "working-tree-encoding"
_NONE = "unspecified"


def changed_by_git(git: Git, view: CodeView, landing: Mapping[str, str]) -> tuple[str, ...]:
    """The files of a view that would not land as they are; `landing`: path to the digest of what landing would write.

    Paths are relative to the project. Git is asked only if something differs, or if the attributes themselves changed.
    """
    wanted = [path for path, value in landing.items() if value != MISSING]
    if any(os.path.basename(path) == ".gitattributes" for path in wanted):
        suspects = wanted
    else:
        here = digests(view.project, wanted)
        suspects = [path for path in wanted if here[path] != landing[path]]
    under = os.path.relpath(view.project, view.folder)
    outer = {os.path.normpath(os.path.join(under, path)): path for path in suspects}
    return tuple(outer[path] for path in _encoded(git, view.folder, outer) if not _comes_back(git, view.folder, path))


def _encoded(git: Git, folder: Path, paths: Iterable[str]) -> list[str]:
    wanted = list(paths)
    if not wanted:
        return []
    told = split(git.at(work_tree=folder).run("check-attr", "-z", "--stdin", _ATTRIBUTE, paths=wanted))
    return [path for path, value in zip(told[::3], told[2::3], strict=True) if value != _NONE]


def _comes_back(git: Git, folder: Path, path: str) -> bool:
    data, mine = read_inside(folder, path, most=MAX_BYTES), git.at(work_tree=folder)
    if data is None:
        return True  # a link
    try:
        # Stored, because only then does git report that it cannot read the bytes.
        key = mine.word("hash-object", "-w", "--stdin", "--path", path, stdin=data)
        again = mine.run("cat-file", "--filters", f"--path={path}", key)
    except GitFailed:
        return False
    return again.replace(b"\r\n", b"\n") == data.replace(b"\r\n", b"\n")
