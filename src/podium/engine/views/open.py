"""Opening a view of the code: as layers at the project's own path, or as a copy."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from podium.core import globs
from podium.engine.git.git import SETTINGS, Git
from podium.engine.git.snapshot import Checkpoint
from podium.engine.git.trees import commit_tree, entries, write_tree
from podium.engine.views.code_view import CodeView, Kind
from podium.engine.views.dependencies import Dependencies, copy_tree
from podium.engine.views.layers import hide
from podium.engine.views.repository import furnish
from podium.engine.views.store import PARALLEL, TreeStore, fit, take_line_ends
from podium.engine.views.times import built, renew
from podium.project.dependencies import Item
from podium.state.removal import remove_all

ALWAYS_SEEN = frozenset({".gitattributes", ".gitignore"})
"""Without these two files, line ends and ignored files would differ between view and checkout."""


@dataclass(frozen=True)
class Opening:
    """Everything that decides what a view shows; paths are from the top level."""

    checkpoint: Checkpoint
    tree: str
    """The checkpoint's tree without what is hidden."""
    hidden: tuple[str, ...]
    """The files that are hidden."""
    dependencies: tuple[Item, ...] = ()
    """Ignored paths of the checkout that are brought."""


def open_view(
    store: TreeStore,
    frozen: Dependencies,
    home: Path,
    opening: Opening,
    *,
    kind: Kind,
    inner: str,
) -> CodeView:
    """Open a view in a folder of ours; leftovers in it are removed first. `inner`: the project's
    path from the top level.
    """
    remove_all(home)
    home.mkdir(parents=True)
    made = _layered if kind == "overlay" else _copied
    return made(store, frozen, home, opening, kind, inner)


def _layered(
    store: TreeStore, frozen: Dependencies, home: Path, opening: Opening, kind: Kind, inner: str
) -> CodeView:
    point = opening.checkpoint
    brought = frozen.freeze(opening.dependencies)
    layers = store.stack(point.tree, point.taken_ns)
    below = (*brought, *layers)
    for name in ("upper", "work", "own"):
        (home / name).mkdir()
    own = home / "own"
    hide(os.fspath(own), opening.hidden, below)
    if built(opening.dependencies):
        renew(store.git, opening.tree, os.fspath(own), layers, below)
    head = _head(store.git, opening)
    repository = furnish(
        store, own / ".git", head, opening.tree, closed=bool(opening.hidden), mounted=True
    )
    index = store.index_of(point.tree, opening.tree)
    try:
        os.link(index, own / ".git/index")  # layers are never written: it can be in many of them
    except OSError:
        shutil.copy2(index, own / ".git/index")
    (own / inner).mkdir(parents=True, exist_ok=True)
    top = store.git.work_tree
    return CodeView(
        home=home,
        kind=kind,
        top=top,
        project=top / inner,
        checkpoint=point,
        base=opening.tree,
        below=(os.fspath(own), *below),
        skipped=_skipped(opening),
        borrowed=repository.borrowed,
    )


def _copied(
    store: TreeStore, frozen: Dependencies, home: Path, opening: Opening, kind: Kind, inner: str
) -> CodeView:
    copy, git = home / "copy", store.git
    (copy / inner).mkdir(parents=True)
    head = _head(git, opening)
    repository = furnish(
        store,
        copy / ".git",
        head,
        opening.tree,
        closed=bool(opening.hidden),
        mounted=kind == "bound",
    )
    checkout = git.at(work_tree=copy, index=copy / ".git/index")
    checkout.run("read-tree", "--reset", "-u", opening.tree, settings=(*SETTINGS, *PARALLEL))
    since = opening.checkpoint.taken_ns
    if [
        path
        for path in entries(git, opening.tree)
        if take_line_ends(git.work_tree / path, copy / path, since)
    ]:
        fit(checkout)
    for item in opening.dependencies:
        path = item.path.rstrip("/")
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        copy_tree(os.fspath(frozen.checkout / path), os.fspath(copy / path))
        for name in item.without:
            remove_all(copy / path / name)
    top = git.work_tree if kind == "bound" else copy
    view = CodeView(
        home=home,
        kind=kind,
        top=top,
        project=top / inner,
        checkpoint=opening.checkpoint,
        base=opening.tree,
        skipped=_skipped(opening),
        borrowed=repository.borrowed,
    )
    view.marks = view.marked()
    return view


def _skipped(opening: Opening) -> frozenset[str]:
    return frozenset({".git", *(item.path.rstrip("/") for item in opening.dependencies)})


def _head(git: Git, opening: Opening) -> str:
    if not opening.hidden:
        return opening.checkpoint.commit
    # Without a parent: history would show what is hidden.
    return commit_tree(git, opening.tree, [], "The files of this step", "1970-01-01T00:00:00Z")


def visible(
    git: Git,
    point: Checkpoint,
    inward: Callable[[str], str],
    outward: Callable[[str], str],
    *,
    hidden: Sequence[str],
    only: Sequence[str],
) -> tuple[str, tuple[str, ...]]:
    """The checkpoint's tree without what a step may not see, and the paths that it lacks.

    `hidden` and `only` are patterns of the project's paths.
    """
    if not hidden and not only:
        return point.tree, ()
    paths = entries(git, point.tree, _places(hidden, outward) if not only else None, within=True)

    def seen(path: str) -> bool:
        inner = inward(path)
        return not globs.matches(inner, hidden) and (
            not only or globs.matches(inner, only) or path.rpartition("/")[2] in ALWAYS_SEEN
        )

    unseen = tuple(path for path in paths if not seen(path))
    return write_tree(git, point.tree, dict.fromkeys(unseen)), unseen


def _places(patterns: Sequence[str], outward: Callable[[str], str]) -> list[str] | None:
    """The folders and files below which every match is; None if it can be anywhere."""
    places = [pattern.removesuffix("/**").rstrip("/") for pattern in patterns]
    if any(sign in place for place in places for sign in "*?"):
        return None
    return [outward(place) for place in places]
