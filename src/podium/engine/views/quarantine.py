"""Selected paths of a view: sorted for an index, as a patch, and put back as they were."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from podium.engine.git.git import Git
from podium.engine.git.landing import prune_empty
from podium.engine.git.links import is_git
from podium.engine.git.patch import PATCH_BYTES, patch_between
from podium.engine.git.trees import (
    GITLINK,
    MAX_BYTES,
    Entry,
    entries,
    hash_files,
    lstat_inside,
    staged,
    write_tree,
)
from podium.engine.views.code_view import CodeView
from podium.state.inside import is_deep
from podium.state.removal import remove_all


@dataclass(frozen=True)
class Sorted:
    """Paths by what they are in the view now."""

    present: tuple[str, ...]
    absent: tuple[str, ...]
    odd: tuple[str, ...]
    """What git cannot or must not take: submodules, pipes, repositories, files over the limit,
    folders too deep.
    """


def sort(
    view: CodeView, paths: Iterable[str], submodules: Collection[str], max_bytes: int = MAX_BYTES
) -> Sorted:
    present, absent, odd = [], [], []
    for path in sorted(set(paths)):
        deep = is_deep(path) or any(is_git(part) for part in path.split("/"))
        item = None if deep else view.entry(path)
        if deep or path in submodules:
            odd.append(path)
        elif item is None or item.is_folder:
            absent.append(path)  # gone as a file; what is in the folder has paths of its own
        elif stat.S_ISLNK(item.facts.st_mode) or (
            stat.S_ISREG(item.facts.st_mode) and item.facts.st_size <= max_bytes
        ):
            present.append(path)
        else:
            odd.append(path)
    return Sorted(tuple(present), tuple(absent), tuple(odd))


def changed_tree(
    git: Git, view: CodeView, tree: str, kinds: Sorted
) -> tuple[str, dict[str, Entry | None]]:
    """The tree with the sorted paths as the view has them, and the entries that were set."""
    known = entries(git, tree, (*kinds.present, *kinds.absent))
    changes: dict[str, Entry | None] = {path: None for path in kinds.absent if path in known}
    present = [path for path in kinds.present if os.path.lexists(view.work_tree / path)]
    at = git.at(work_tree=view.work_tree)
    changes.update(hash_files(at, tree, present, store=True, over=dict(changes)))
    return write_tree(git, tree, changes), changes


def patch(git: Git, view: CodeView, paths: Sequence[str], *, max_bytes: int = PATCH_BYTES) -> bytes:
    """How the paths differ from the base, for `git apply`; lines at the top name what is not in
    it.
    """
    kinds = sort(view, paths, submodules(git, view.base, paths))
    notes = [
        f"# Podium: not in this patch (a repository, a special file, too big or too deep): {path!r}"
        for path in kinds.odd
    ]
    tree, _ = changed_tree(git, view, view.base, kinds)
    return patch_between(git, view.base, tree, notes=notes, max_bytes=max_bytes)


def submodules(git: Git, tree: str, paths: Iterable[str]) -> frozenset[str]:
    known = entries(git, tree, paths)
    return frozenset(path for path, (mode, _) in known.items() if mode == GITLINK)


def undo(git: Git, view: CodeView, paths: Iterable[str]) -> None:
    """Put these paths of a copy back as they were; what was made there is removed."""
    base = entries(git, view.base, paths)
    wanted = sorted(set(paths))
    back = [path for path in wanted if path in base and base[path][0] != GITLINK]
    for path in wanted:
        _clear(view, path, needed=path in base)
        if path in base and path not in back:
            (view.work_tree / path).mkdir(parents=True, exist_ok=True)
    if not back:
        return
    with staged(git, view.base, back, view.home / "undo") as stage:
        for path in back:
            os.makedirs((view.work_tree / path).parent, exist_ok=True)
            os.replace(stage / path, view.work_tree / path)


def _clear(view: CodeView, path: str, *, needed: bool) -> None:
    place = lstat_inside(view.work_tree, path)
    if isinstance(place, str):
        # A link or file where a folder was. It is removed only if the folder must come back.
        if needed:
            os.unlink(view.work_tree / place)
    elif place is not None:
        remove_all(view.work_tree / path)
    if not needed:
        prune_empty(view.work_tree, path, "")
