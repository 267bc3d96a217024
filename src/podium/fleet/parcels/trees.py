"""The two halves of a parcel as git trees: the project's checkout, and the run's folder. Only
changes are read.
"""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from podium.engine.git.git import SETTINGS, Git, split
from podium.engine.git.snapshot import Own
from podium.engine.git.trees import (
    FILE,
    GITLINK,
    LINK,
    MAX_BYTES,
    PROGRAM,
    Entry,
    lstat_inside,
    storable,
)
from podium.fleet.parcels.objects import Objects
from podium.fleet.store.large_files import YOUNG_NS

LEFT_OUT = frozenset({"lock", "inbox", "journal.jsonl", "state.json", ".state.json.spare"})
"""Left out of a run's folder: what the database has, and what only this machine needs."""
FEW = 200
"""A number of paths that surely fits on a command line."""
_LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}


@dataclass
class ProjectTree:
    """The checkout's files in our own index, which starts as a copy of the person's and then
    follows the files.
    """

    git: Git
    index: Path
    own: Own
    above: int | None = None
    """Bytes above which a file goes to the store; None if there is no store."""
    settings: tuple[str, ...] = SETTINGS
    large: set[str] = field(default_factory=set)
    """Paths for the store, as of the last `write`: the tree has them as they were committed, or
    not at all.
    """
    ignored: set[str] = field(default_factory=set)
    """Those of them that are ignored documents."""
    _seen: tuple[int, ...] = ()
    _known: set[str] = field(default_factory=set)
    """Documents that are in the index."""
    _tree: str = ""

    def write(self, documents: Iterable[str]) -> str:
        """The tree; `documents` are paths to include even if git ignores them."""
        self._keep_up()
        present, absent, self.large = self._changes()
        self._known |= present
        hidden = self._hidden(set(documents))
        self.ignored = hidden if self.above is not None else set()
        self.large |= self.ignored
        present |= hidden - self.ignored
        if absent:
            self._run("update-index", "--force-remove", "-z", "--stdin", paths=sorted(absent))
            self._known -= absent
        if present:
            self._run("update-index", "--add", "--replace", "-z", "--stdin", paths=sorted(present))
        if present or absent or not self._tree:
            self._tree = os.fsdecode(self._run("write-tree")).strip()
        return self._tree

    def _keep_up(self) -> None:
        """Start over from the real index if a person or the engine staged something since."""
        real = self.git.git_dir / "index"
        mark = _mark(real)
        if mark == self._seen and self.index.exists():
            return
        self.index.parent.mkdir(parents=True, exist_ok=True)
        if mark:
            shutil.copy2(
                real, self.index
            )  # with its time, by which git tells stale entries from fresh ones
        else:
            self.index.unlink(missing_ok=True)
        self._seen, self._tree = mark, ""
        self._known.clear()

    def _changes(self) -> tuple[set[str], set[str], set[str]]:
        """Paths to add, paths to remove, and paths for the store."""
        tracked, others = self._listed()
        present, absent, large = set[str](), set[str](), set[str]()
        for path in tracked | others:
            facts = lstat_inside(self.git.work_tree, path)
            if not storable(facts):
                absent |= {path} & tracked
            elif (
                self.above is not None
                and stat.S_ISREG(facts.st_mode)
                and facts.st_size > self.above
            ):
                large.add(path)
            elif path in tracked or self._wanted(path, facts):
                present.add(path)
        if absent:
            absent -= self._submodules(absent)
        return present, absent, large

    def _listed(self) -> tuple[set[str], set[str]]:
        """Tracked paths that differ from the index, and untracked files."""
        tracked, others = set[str](), set[str]()
        for line in split(
            self._run(
                "ls-files", "-t", "-z", "--modified", "--deleted", "--others", "--exclude-standard"
            )
        ):
            mark, _, path = line.partition(" ")
            if not self.own.has(path.rstrip("/")) and not path.endswith("/"):
                (others if mark == "?" else tracked).add(path)
        return tracked, others

    def _wanted(self, path: str, facts: os.stat_result) -> bool:
        if stat.S_ISLNK(facts.st_mode):
            return True
        return facts.st_size <= MAX_BYTES and os.access(self.git.work_tree / path, os.R_OK)

    def _submodules(self, paths: Collection[str]) -> set[str]:
        found = (line.partition("\t") for line in self._among(paths, "--stage"))
        return {path for head, _, path in found if head.startswith(GITLINK)} & set(paths)

    def _hidden(self, documents: set[str]) -> set[str]:
        """Documents that are files but neither in the index nor in the listing, because a rule
        ignores them.
        """
        unknown = {path for path in documents - self._known - self.large if self._is_file(path)}
        if unknown:
            there = set(self._among(unknown)) & unknown
            self._known |= there
            unknown -= there
        return unknown

    def _among(self, paths: Collection[str], *how: str) -> list[str]:
        """The index entries of these paths, and perhaps more: many paths do not fit on a command
        line.
        """
        named = ("--", *sorted(paths)) if len(paths) <= FEW else ()
        return split(self._run("ls-files", "-z", *how, *named))

    def _is_file(self, path: str) -> bool:
        facts = lstat_inside(self.git.work_tree, path)
        return facts is not None and not isinstance(facts, str) and stat.S_ISREG(facts.st_mode)

    def _run(self, *words: str, paths: Iterable[str] | None = None) -> bytes:
        return self.git.at(index=self.index).run(
            *words, paths=paths, settings=self.settings, env=_LITERAL
        )


@dataclass
class RunTree:
    """The run's folder as it is; the project's ignore rules do not apply to it."""

    folder: Path
    objects: Objects
    above: int | None = None
    large: set[str] = field(default_factory=set)
    """Paths for the store, as of the last `write`."""
    _known: dict[str, tuple[tuple[int, ...], tuple[str, str]]] = field(default_factory=dict)

    def write(self) -> str:
        known, self.large = self._known, set()
        now = time.time_ns()
        marks: dict[str, tuple[int, ...]] = {}
        entries: dict[str, Entry] = {}
        modes: dict[str, str] = {}
        settled: list[str] = []
        for path, facts in self._files():
            regular = stat.S_ISREG(facts.st_mode)
            if self.above is not None and regular and facts.st_size > self.above:
                self.large.add(path)
                continue
            marks[path] = (
                facts.st_ino,
                facts.st_size,
                facts.st_mtime_ns,
                facts.st_ctime_ns,
                facts.st_mode,
            )
            if path in known and known[path][0] == marks[path]:
                entries[path] = known[path][1]
            elif regular:
                modes[path] = PROGRAM if facts.st_mode & stat.S_IXUSR else FILE
            else:
                target = os.readlink(self.folder / path)
                entries[path] = (LINK, self.objects.blob(os.fsencode(target)))
            if now - facts.st_mtime_ns > YOUNG_NS:
                settled.append(path)
        names = self.objects.files(self.folder, modes)
        entries |= {path: (mode, names[path]) for path, mode in modes.items() if path in names}
        self._known = {path: (marks[path], entries[path]) for path in settled if path in entries}
        return self.objects.tree(entries)

    def _files(self, below: str = "") -> Iterator[tuple[str, os.stat_result]]:
        with os.scandir(self.folder / below) as entries:
            listed = sorted(entries, key=lambda each: each.name)
        for each in listed:
            path = f"{below}{each.name}"
            if each.name in LEFT_OUT:
                continue
            if each.is_dir(follow_symlinks=False):
                yield from self._files(f"{path}/")
            elif each.is_file(follow_symlinks=False) or each.is_symlink():
                yield path, each.stat(follow_symlinks=False)


def _mark(path: Path) -> tuple[int, ...]:
    try:
        facts = os.stat(path)
    except FileNotFoundError:
        return ()
    return facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns
