"""Which new files of a view the ignore rules cover: scratch files, which never land.

Both the rules that the step found and its own count: it can take nothing out of the first, and
what it adds only keeps its files from landing, where the project's commands will miss them.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from podium.engine.git.git import Git, GitFailed, split
from podium.engine.git.trees import entries, staged
from podium.engine.views.code_view import CodeView

RULES = ".gitignore"
_LARGEST_RULES = 1_000_000
NEVER_COMMITTED = frozenset(
    {
        "node_modules",
        "__pycache__",
        ".pytest_cache",
        ".mypy_cache",
        ".ruff_cache",
        ".hypothesis",
        ".nyc_output",
        ".DS_Store",
        ".coverage",
    }
)
"""Names of what is scratch even where a project has no rules: it appears wherever tests run."""


def ignored(git: Git, view: CodeView, paths: Collection[str]) -> frozenset[str]:
    """Those of these new paths that rules cover."""
    wanted = sorted(set(paths))
    if not wanted:
        return frozenset()
    rules = [posixpath.join(folder, RULES) for folder in _folders(wanted)]
    stage = view.home / "rules"
    with staged(git, view.base, entries(git, view.base, rules), stage) as work_tree:
        scratch = {path for path in wanted if not NEVER_COMMITTED.isdisjoint(path.split("/"))}
        scratch |= _covered(git, work_tree, [path for path in wanted if path not in scratch])
        own = [path for path in rules if (view.work_tree / path).is_file()]
        for path in own:
            os.makedirs(work_tree / posixpath.dirname(path), exist_ok=True)
            (work_tree / path).write_bytes(view.read(path, _LARGEST_RULES) or b"")
        if own:
            scratch |= _covered(git, work_tree, [path for path in wanted if path not in scratch])
    return frozenset(scratch)


def _covered(git: Git, work_tree: Path, paths: Collection[str]) -> set[str]:
    if not paths:
        return set()
    at = git.at(work_tree=work_tree, index=work_tree.with_name("no-index"))
    try:
        return set(split(at.run("check-ignore", "--no-index", "-z", "--stdin", paths=paths)))
    except GitFailed as failed:
        if failed.code == 1:
            return set()  # none of them
        raise


def _folders(paths: Iterable[str]) -> Iterator[str]:
    """Every folder in which a rule could cover one of the paths, each once."""
    known = {""}
    yield ""
    for path in paths:
        while (path := posixpath.dirname(path)) not in known:
            known.add(path)
            yield path
