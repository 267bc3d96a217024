"""What changed in a view, as git sees it, found without believing anything the view says about
itself.

The content ids are git's, computed in an index of ours against the tree the agent started from,
because line endings and filters are git's business. Which files may have changed is known from the
view's layers, or from metadata that no program can set.
"""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from podium.engine.git.git import Git
from podium.engine.git.links import is_git, leading_out, links_of
from podium.engine.git.trees import (
    ABSENT,
    GITLINK,
    LINK,
    MAX_BYTES,
    Difference,
    Entry,
    between,
    compared,
    entries,
    hash_files,
    sizes_of,
    staged,
    storable,
)
from podium.engine.views.code_view import CodeView
from podium.engine.views.ignored import ignored
from podium.engine.views.layers import parents
from podium.state.inside import is_deep

Status = Literal[
    "added", "modified", "deleted", "mode", "symlink", "submodule", "oversize", "special", "deep"
]

_LANDABLE = {"added", "modified", "deleted", "mode", "symlink"}
_READ_BY_GIT = {".gitignore", ".gitattributes", ".gitmodules"}


@dataclass(frozen=True)
class Change:
    """One path that is not as the agent found it."""

    path: str
    """Relative to the project; begins with `../` if the project is a subfolder and the path is
    outside it.
    """
    status: Status
    """`submodule` is also a repository made inside the view, `special` a pipe, socket or device,
    `deep` a folder whose contents are too deep to be named by a path.
    """
    old_mode: str
    new_mode: str
    size: int = 0
    target: str = ""
    """Where a symbolic link points."""
    hidden: bool = False
    """Whether the checkpoint has a file here that the agent was not shown, or would lose one if
    this landed.
    """
    leads_out: bool = False
    """Whether this change makes a link lead out of the project, or into git's own folder."""

    @property
    def allowed(self) -> bool:
        """Whether it can be committed and landed at all; whether this step may change it is up
        to the contract.
        """
        if self.status not in _LANDABLE or self.hidden or self.path == "." or _outside(self.path):
            return False
        return not self.leads_out


@dataclass
class _Candidates:
    """What may have changed, by the kind of treatment it needs."""

    files: dict[str, os.stat_result] = field(default_factory=dict)
    """Regular files and symbolic links."""
    gone: set[str] = field(default_factory=set)
    odd: dict[str, tuple[Status, int]] = field(default_factory=dict)
    """What is reported but never opened, with its mode."""


def changes(git: Git, view: CodeView, *, max_bytes: int = MAX_BYTES) -> tuple[Change, ...]:
    """All differences between the view and the tree it started as, with paths from the top
    level; what the ignore rules cover is none.
    """
    there = _candidates(view)
    paths = {*there.files, *there.gone, *there.odd}
    base = entries(git, view.base, {above for path in paths for above in _with_above(path)})
    _report_submodules(there, base)
    new = [path for path in (*there.files, *there.odd) if path not in base]
    scratch = ignored(git, view, new)
    files = {path: facts for path, facts in there.files.items() if path not in scratch}
    big = _giants(git, view, base, files, max_bytes)
    now = hash_files(
        git.at(work_tree=view.work_tree), view.base, files.keys() - big.keys(), store=False
    )
    before = {path: base[path] for path in (*files, *there.gone) if path in base}
    difference = compared({path: old for path, old in before.items() if path not in big}, now)
    out = _leading_out(git, view, difference)
    result = [
        replace(_change(view, row, files, max_bytes), leads_out=row.path in out)
        for row in difference
    ]
    result += [
        _odd(path, "oversize", facts.st_mode, facts.st_size, base.get(path))
        for path, facts in big.items()
    ]
    result += [_odd(path, *kind) for path, kind in there.odd.items() if path not in scratch]
    return tuple(sorted(_hidden(git, view, result), key=lambda change: change.path))


def _candidates(view: CodeView) -> _Candidates:
    """What may have changed. Unreadable files are made readable, since the view is ours."""
    there = _Candidates()
    for path, item in view.changes():
        name = posixpath.basename(path)
        if item is None:
            there.gone.add(path)
            continue
        mode = item.facts.st_mode
        if is_git(name):
            there.odd[path] = ("submodule", mode)
        elif _in_repository(path):
            continue  # reported as its repository
        elif stat.S_ISDIR(mode):
            there.gone.add(path)  # as a file; what is in it has paths of its own
            if is_deep(path):
                there.odd[path] = ("deep", mode)
        elif not storable(item.facts) or (stat.S_ISLNK(mode) and name == ".gitmodules"):
            there.odd[path] = ("special", mode)
            if name in _READ_BY_GIT:
                _make_unreadable(item.place)
        else:
            if stat.S_ISREG(mode) and not mode & stat.S_IRUSR:
                os.chmod(item.place, stat.S_IMODE(mode) | stat.S_IRUSR)
            there.files[path] = item.facts
    return there


def _make_unreadable(place: str) -> None:
    """Put something there that is as special, and that git does not wait for as for a pipe."""
    os.unlink(place)
    try:
        os.mknod(place, stat.S_IFSOCK)
    except PermissionError:  # macOS keeps that to root
        os.mkfifo(place, 0)


def _in_repository(path: str) -> bool:
    return any(is_git(part) for part in path.split("/")[:-1])


def _report_submodules(there: _Candidates, base: Mapping[str, Entry]) -> None:
    """A submodule is one path, whatever was changed in it; an empty folder is as good as none."""
    links = {path for path, entry in base.items() if entry[0] == GITLINK}
    if not links:
        return
    for path in [*there.files, *there.odd]:
        for above in _with_above(path):
            if above in links and above != path:
                there.files.pop(path, None)
                there.odd.pop(path, None)
                there.odd[above] = ("submodule", stat.S_IFDIR)
    there.gone -= links


def _with_above(path: str) -> Iterator[str]:
    """The path and the folders it is in."""
    while path:
        yield path
        path = posixpath.dirname(path)


def _outside(path: str) -> bool:
    first = posixpath.normpath(path).split("/")[0]
    return first in {"", ".."} or is_git(first)


def _leading_out(git: Git, view: CodeView, difference: Collection[Difference]) -> frozenset[str]:
    """A link lands as it is, so it must not lead its next reader or writer out of the project."""
    if not any(LINK in {row.old_mode, row.new_mode} for row in difference):
        return frozenset()
    before = links_of(git, view.checkpoint.tree)
    new = {row.path: _target(view, row) for row in difference if row.new_mode == LINK}
    changed = {row.path for row in difference}
    files = [row.path for row in difference if row.new]
    return leading_out(before, before.changed(changed, new, files), changed, view.inner)


def _target(view: CodeView, row: Difference) -> str:
    return view.target(row.path) if row.new_mode == LINK else ""


def _hidden(git: Git, view: CodeView, result: Iterable[Change]) -> Iterable[Change]:
    """The last change of each path is the one that matters: a file that became a pipe."""
    once = {change.path: change for change in result}
    if not once or view.base == view.checkpoint.tree:
        return once.values()
    unseen = {row.path for row in between(git, view.checkpoint.tree, view.base)}
    above = {folder for path in unseen for folder in parents(path)}
    return [
        replace(change, hidden=True)
        if path in above or not unseen.isdisjoint(_with_above(path))
        else change
        for path, change in once.items()
    ]


def _odd(path: str, status: Status, mode: int, size: int = 0, was: Entry | None = None) -> Change:
    return Change(path, status, was[0] if was else ABSENT, f"{mode:06o}", size)


def _giants(
    git: Git,
    view: CodeView,
    base: Mapping[str, Entry],
    files: Mapping[str, os.stat_result],
    max_bytes: int,
) -> dict[str, os.stat_result]:
    """The large files that certainly differ; reading a file that an agent blew up would take for
    ever.
    """
    large = {
        path: facts
        for path, facts in files.items()
        if stat.S_ISREG(facts.st_mode) and facts.st_size > max_bytes
    }
    tracked = [path for path in large if path in base and base[path][0] != GITLINK]
    sizes = sizes_of(git, [base[path][1] for path in tracked])
    same = {path for path in tracked if sizes[base[path][1]] == large[path].st_size}
    grown = [path for path in tracked if path not in same]
    if grown:  # a filter may turn a small entry into a large file
        with staged(git, view.base, grown, view.home / "sizes") as stage:
            same |= {
                path for path in grown if os.lstat(stage / path).st_size == large[path].st_size
            }
    return {path: facts for path, facts in large.items() if path not in same}


def _change(
    view: CodeView, row: Difference, files: Mapping[str, os.stat_result], max_bytes: int
) -> Change:
    modes = {row.old_mode, row.new_mode}
    size = files[row.path].st_size if row.path in files else 0
    status: Status = "modified"
    if GITLINK in modes:
        status = "submodule"
    elif row.new_mode == ABSENT:
        status = "deleted"
    elif LINK in modes:
        status = "symlink"
    elif size > max_bytes:
        status = "oversize"
    elif row.old_mode == ABSENT:
        status = "added"
    elif row.old_id == row.new_id:
        status = "mode"
    return Change(row.path, status, row.old_mode, row.new_mode, size, _target(view, row))
