"""Files that git stores in another encoding than they have: what git would write back is not what
was tested.

With the attribute `working-tree-encoding` git takes a file's bytes for text in that encoding. If
they are not, git stores them as they are, and writes them back changed: with UTF-7, `1 + 1` becomes
`1 +- 1`. Different line ends are git's business.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from podium.engine.git.git import Git, GitFailed, split
from podium.engine.git.trees import MAX_BYTES, attribute_files, entries, scratch_index
from podium.engine.views.code_view import CodeView

_ATTRIBUTE = "working-tree-encoding"
_NONE = "unspecified"


def unencodable(git: Git, view: CodeView, paths: Iterable[str]) -> tuple[str, ...]:
    """Those of these changed files that would not land as they are; paths from the top level."""
    wanted = [path for path in paths if os.path.lexists(view.work_tree / path)]
    if not wanted:
        return ()
    known = entries(git, view.base, attribute_files(wanted))
    with scratch_index(git.at(work_tree=view.work_tree), known) as mine:
        return tuple(path for path in _encoded(mine, wanted) if not _comes_back(mine, view, path))


def _encoded(git: Git, paths: Iterable[str]) -> list[str]:
    rows = split(git.run("check-attr", "-z", "--stdin", _ATTRIBUTE, paths=paths))
    return [path for path, value in zip(rows[::3], rows[2::3], strict=True) if value != _NONE]


def _comes_back(git: Git, view: CodeView, path: str) -> bool:
    data = None if view.target(path) else view.read(path, MAX_BYTES)
    if data is None:
        return True  # a link
    try:
        # Stored, because only then does git report that it cannot read the bytes.
        key = git.word("hash-object", "-w", "--stdin", "--path", path, stdin=data)
        again = git.run("cat-file", "--filters", f"--path={path}", key)
    except GitFailed:
        return False
    return again.replace(b"\r\n", b"\n") == data.replace(b"\r\n", b"\n")
