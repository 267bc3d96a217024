"""A view of the code while it is open: where programs find it, what is in it, what they changed.

A layered view is private layers over frozen ones, mounted at the project's own path for the
programs of one dispatch. A copied view is a folder of its own; it is bound at the project's path
where the machine allows that, and else worked in where it is.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from podium.engine.git.snapshot import Checkpoint
from podium.engine.views.changes import Change, changes
from podium.engine.views.files import Files
from podium.engine.views.layers import (
    Entry,
    is_whiteout,
    listed,
    lstat,
    make_folders,
    put,
    whiteout,
)
from podium.engine.views.mounts import Mounts
from podium.state.inside import is_deep

Kind = Literal["overlay", "bound", "copy"]
KINDS: tuple[Kind, ...] = ("overlay", "bound", "copy")
"""Best first."""
Mark = tuple[int, ...]
"""A file's metadata: any write changes the ctime, which no program can set."""


@dataclass
class CodeView(Files):
    """One open view. Paths are from the repository's top level."""

    home: Path
    """The folder with everything that belongs to it."""
    kind: Kind
    top: Path
    """The top level as programs of the view find it."""
    project: Path
    """The project in it, where they start: the top level, unless the project is a subfolder."""
    checkpoint: Checkpoint
    base: str
    """The tree they start from: the checkpoint's tree without what is hidden."""
    below: tuple[str, ...] = ()
    """overlay: the layers below what they write, top first: the view's own, dependencies, the
    tree.
    """
    skipped: frozenset[str] = frozenset({".git"})
    """Paths whose changes concern nobody: the view's repository, dependencies."""
    borrowed: tuple[Path, ...] = ()
    """Folders with git objects that are shown in the view's repository."""
    marks: Mapping[str, Mark] = field(default_factory=dict)
    """A copy's files as they were when it was made."""

    def saved(self) -> dict[str, Any]:
        """As data, for whoever goes on in it after this process."""
        return {
            "kind": self.kind,
            "places": [os.fspath(self.top), os.fspath(self.project)],
            "checkpoint": [self.checkpoint.commit, self.checkpoint.tree],
            "base": self.base,
            "below": list(self.below),
            "skipped": sorted(self.skipped),
            "borrowed": [os.fspath(place) for place in self.borrowed],
            "marks": {path: list(value) for path, value in self.marks.items()},
        }

    @classmethod
    def restored(cls, home: Path, data: Mapping[str, Any]) -> CodeView | None:
        """The view that was saved; None if layers of it are gone."""
        top, project = map(Path, data["places"])
        view = cls(
            home,
            data["kind"],
            top,
            project,
            Checkpoint(*data["checkpoint"]),
            data["base"],
            tuple(data["below"]),
            frozenset(data["skipped"]),
            tuple(map(Path, data["borrowed"])),
            {path: tuple(value) for path, value in data["marks"].items()},
        )
        return view if all(map(os.path.isdir, view.stack)) else None

    @property
    def work_tree(self) -> Path:
        """A folder with every changed file at its path; of a copy, with all files."""
        return self.home / ("upper" if self.kind == "overlay" else "copy")

    @property
    def own_layer(self) -> Path:
        """overlay: the layer with what is in this view alone from its start."""
        return self.home / "own"

    @property
    def stack(self) -> tuple[str, ...]:
        return (os.fspath(self.work_tree), *self.below)

    @property
    def inner(self) -> str:
        """The project's path from the top level; "" if they are the same."""
        inner = os.path.relpath(self.project, self.top)
        return "" if inner == "." else inner

    def outward(self, path: str) -> str:
        """A path of the project, from the top level."""
        return os.path.normpath(os.path.join(self.inner, path))

    def mounts(self) -> Mounts | None:
        """None if programs work in the copy itself."""
        top, home = os.fspath(self.top), os.fspath(self.home)
        objects = tuple(
            {"at": f"{top}/.git/real{number}", "source": os.fspath(place), "write": False}
            for number, place in enumerate(self.borrowed)
        )
        match self.kind:
            case "copy":
                return None
            case "bound":
                copy = {"at": top, "source": f"{home}/copy", "write": True}
                return Mounts((), (copy, *objects), home)
            case "overlay":
                place = {"at": top, "lower": list(self.below)}
                layer = {**place, "upper": f"{home}/upper", "work": f"{home}/work"}
                return Mounts((layer,), objects, home)

    # -- changing it while no program is at work

    def bring(self, path: str, data: bytes) -> None:
        if self.kind != "overlay":
            self.write(path, data)
            return
        put(os.fspath(self.own_layer), path, data, 0o644, self.below[1:])
        item = self.entry(path)
        if item is None or item.place != f"{self.own_layer}/{path}":
            self.write(path, data)  # an earlier program's layer covers it

    def make_folder(self, path: str) -> None:
        if self.kind != "overlay":
            super().make_folder(path)
        elif not self.obstacle(f"{path}/x"):
            make_folders(os.fspath(self.own_layer), path, self.below[1:])

    def remove(self, path: str) -> None:
        if self.kind == "overlay":
            whiteout(os.fspath(self.work_tree), path, self.below)
        else:
            super().remove(path)

    # -- what programs changed; they must have ended

    def changes(self, *, touched: bool = False) -> list[Change]:
        """Every path that may differ. `touched`: also files written with the content they had."""
        if self.kind == "overlay":
            files = os.fspath(self.work_tree)
            return changes(files, self.below, skipped=self.skipped, touched=touched)
        return list(self._changes_of_copy())

    def _changes_of_copy(self) -> Iterator[Change]:
        """All files are looked at, those whose metadata changed are named."""
        present = set()
        for path, item in _listed(os.fspath(self.work_tree), self.skipped):
            present.add(path)
            if self.marks.get(path) != mark(item.facts):
                yield Change(path, item)
        for path in sorted(self.marks.keys() - present):
            yield Change(path, None)

    def wrote(self, path: str) -> bool:
        """Whether a program wrote this file, whatever git thinks of it."""
        item = self.entry(path)
        if item is None:
            return False
        if self.kind == "overlay":
            return item.place == f"{self.work_tree}/{path}"
        return self.marks.get(path) != mark(item.facts)

    def marked(self) -> dict[str, Mark]:
        """A copy's files as they are."""
        files = os.fspath(self.work_tree)
        return {path: mark(item.facts) for path, item in _listed(files, self.skipped)}


def mark(facts: os.stat_result) -> Mark:
    if stat.S_ISDIR(facts.st_mode):
        return (stat.S_IFDIR,)
    return facts.st_ino, facts.st_mode, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns


def _listed(top: str, skipped: frozenset[str]) -> Iterator[tuple[str, Entry]]:
    """Everything in a folder, folders included; what is too deep to be named is not entered."""
    left = [(top, "")]
    while left:
        folder, under = left.pop()
        for item in listed(folder):
            path = f"{under}{item.name}"
            facts = lstat(item.path)
            if path in skipped or facts is None or is_whiteout(facts):
                continue
            is_folder = stat.S_ISDIR(facts.st_mode)
            yield path, Entry(item.path, facts, (item.path,) if is_folder else ())
            if is_folder and not is_deep(path):
                left.append((item.path, f"{path}/"))
