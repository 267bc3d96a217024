"""Frozen trees of a project, kept as read-only layers that views are mounted over.

Each git tree is a folder `trees/<id>` with `files` (a layer), `below` (the tree whose layers it
stands on) and `boot` (the start of the machine that it was made in: what is not synced may be
damaged after the next one). The first tree has all files and an `index`, what git knows of them; a
later one has only what differs, so it is made in the time that the difference takes. A layer is
never changed once it has its name: the kernel leaves open what a view shows if one changes below
it. Indexes of later trees, and of those that lack hidden files, are made from the one that was made
last, when a view needs them.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from podium.engine.git.git import SETTINGS, Git, GitFailed, split
from podium.engine.git.trees import (
    GITLINK,
    RAW,
    Difference,
    between,
    differences,
    entries,
    put,
    staged,
)
from podium.engine.views.layers import alone_with, lookup, parents, whiteout
from podium.state.removal import remove_all

DEEPEST = 24
"""Layers of one tree; a further one stands directly on the first."""
MOST_CHANGES = 5000
"""Paths of a layer; a larger difference is a tree of its own."""
KEPT_COMPLETE = 2
"""Complete trees that are kept when nothing uses them."""
PARALLEL = ("checkout.workers=0",)
"""git checks out with as many processes as there are processors."""
KEPT_S = 7 * 24 * 3600.0
"""How long layers and indexes are kept when nothing uses them."""
LARGEST_TEXT = 5_000_000
"""Line ends of larger files are as git makes them."""
_NEW = ".new-"
MOST_INDEXES = 32
"""Of each kind: one has a line for every file of the project."""
_TREES, _INDEXES, _MASKED = "trees", "indexes", "masked"
_BOOT = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True)
class TreeStore:
    """The frozen trees of one repository."""

    root: Path
    git: Git

    def stack(self, tree: str, since_ns: int = 0) -> tuple[str, ...]:
        """The layers that together show this tree, top first; they are made if needed.

        `since_ns`: when the checkout was found to have exactly this tree; its files that were
        written before keep their times, so that build tools and git recognise them. 0: it has not.
        """
        if not self._has(tree):
            with self.alone():
                if not self._has(tree):
                    self._publish(self._home(tree), self._made(tree, since_ns))
        self._touch(tree)
        return tuple(os.fspath(self._files(name)) for name in self._chain(tree))

    def index_of(self, shown: str, tree: str) -> Path:
        """An index of a tree that shows some of the files of `shown`, whose layers were made."""
        kind = _INDEXES if tree == shown else _MASKED
        home = self.root / kind / tree
        if not _is_whole(home):
            with self.alone():
                if not _is_whole(home):
                    self._publish(home, self._derived(kind, shown, tree))
        with contextlib.suppress(OSError):
            os.utime(home)
        return home / "index"

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Only one process makes or removes something at a time; what a killed one left unfinished
        is removed.
        """
        self.root.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.root / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            self._clear()
            yield
        finally:
            os.close(descriptor)

    def unfinished(self) -> Path:
        """A folder for something that is still to get its name."""
        place = self.root / f"{_NEW}{secrets.token_hex(4)}"
        place.mkdir()
        return place

    def prune(self, now: float | None = None) -> None:
        """Remove layers and indexes that nothing uses and that were not used lately."""
        if not self.root.is_dir():
            return
        now = time.time() if now is None else now
        with self.alone():
            self._prune(now)
            for kind in (_INDEXES, _MASKED):
                newest = self._newest(kind)
                late = [home for home in newest if now - home.stat().st_mtime >= KEPT_S]
                for home in {*newest[MOST_INDEXES:], *late}:
                    remove_all(home)

    # -- where things are

    def _home(self, tree: str) -> Path:
        return self.root / _TREES / tree

    def _files(self, tree: str) -> Path:
        return self._home(tree) / "files"

    def _homes(self, kind: str) -> list[Path]:
        folder = self.root / kind
        return list(folder.iterdir()) if folder.is_dir() else []

    def _newest(self, kind: str) -> list[Path]:
        """Those of a kind, the one that was used last first."""
        return sorted(self._homes(kind), key=lambda home: home.stat().st_mtime_ns, reverse=True)

    def _has(self, tree: str) -> bool:
        return bool(self._chain(tree))

    def _chain(self, tree: str) -> list[str]:
        """The trees whose layers show this one, top first; none if one of them is missing."""
        chain: list[str] = []
        while tree:
            home = self._home(tree)
            if not _is_whole(home):
                return []
            below = (home / "below").read_text(encoding="ascii")
            chain.append(tree)
            tree = below
        return chain

    def _touch(self, tree: str) -> None:
        for name in self._chain(tree):
            with contextlib.suppress(OSError):
                os.utime(self._home(name))

    # -- making

    def _made(self, tree: str, since_ns: int) -> Path:
        new = self.unfinished()
        (new / "files").mkdir()
        base, differences = self._over(tree)
        if base:
            self._differing(new / "files", base, tree, differences)
        else:
            self._complete(new / "files", tree, since_ns)
            self._persons_index(new / "index", tree)
            fit(self.git.at(work_tree=new / "files", index=new / "index"))
        (new / "below").write_text(base, encoding="ascii")
        return new

    def _over(self, tree: str) -> tuple[str, tuple[Difference, ...]]:
        """The tree whose layers the new one stands on, and what differs; "" if there is none."""
        base = self._nearest()
        if base and len(self._chain(base)) >= DEEPEST:
            base = self._chain(base)[-1]
        try:
            differences = between(self.git, base, tree) if base else ()
        except GitFailed:  # git has forgotten that tree since
            return "", ()
        return (base, differences) if len(differences) <= MOST_CHANGES else ("", ())

    def _nearest(self) -> str:
        """The tree that was used last: most likely the one that differs least."""
        return next((home.name for home in self._newest(_TREES) if self._has(home.name)), "")

    def _publish(self, home: Path, new: Path) -> None:
        (new / "boot").write_text(boot_id(), encoding="ascii")
        home.parent.mkdir(exist_ok=True)
        remove_all(home)  # damaged, or without its lower layers
        os.rename(new, home)

    def _clear(self) -> None:
        for left in self.root.glob(f"{_NEW}*"):
            remove_all(left)

    def _complete(self, files: Path, tree: str, since_ns: int) -> None:
        index = files.with_name("checkout")
        at = self.git.at(work_tree=files, index=index)
        at.run("read-tree", "--reset", "-u", tree, settings=(*SETTINGS, *PARALLEL))
        os.unlink(index)
        for path, entry in entries(self.git, tree).items():
            if entry[0] == GITLINK:
                os.makedirs(files / path, exist_ok=True)
            elif since_ns:
                _as_there(self.git.work_tree / path, files / path, since_ns)

    def _differing(
        self, files: Path, base: str, tree: str, differences: Sequence[Difference]
    ) -> None:
        """A layer over the base's: new files with new times, whiteouts for what is gone."""
        below = tuple(os.fspath(self._files(name)) for name in self._chain(base))
        there = [row.path for row in differences if row.new and row.new[0] != GITLINK]
        with staged(self.git, tree, there, files.with_name("stage")) as stage:
            files.rmdir()
            os.rename(stage, files)
        for row in differences:
            if row.new and row.new[0] == GITLINK:
                os.makedirs(files / row.path, exist_ok=True)
        gone = [row.path for row in differences if row.new is None]
        for path in _tops(self.git, tree, gone):
            if lookup((os.fspath(files),), path) is None:
                whiteout(os.fspath(files), path, below)

    def _persons_index(self, place: Path, tree: str) -> None:
        """An index read from the tree: entries that are as in the person's keep what is known
        about their files.
        """
        at, known = self.git.at(index=place), self.git.git_dir / "index"
        if not known.is_file():
            at.run("read-tree", tree)
            return
        shutil.copyfile(known, place)
        at.run("read-tree", "-i", "--reset", tree)  # unmerged entries are dropped
        _look_at_all(at)
        _take_age(known, place)

    def _derived(self, kind: str, shown: str, tree: str) -> Path:
        """An index in which only what differs from an earlier one is set: to read the whole tree
        takes several times as long.
        """
        complete = self._home(self._chain(shown)[-1])
        earlier = next((home for home in self._newest(kind)[:1] if _is_whole(home)), complete)
        new = self.unfinished()
        place = new / "index"
        shutil.copyfile(earlier / "index", place)
        at = self.git.at(index=place)
        try:
            put(at, {row.path: row.new for row in between(self.git, earlier.name, tree)})
        except GitFailed:  # git has forgotten that tree since
            at.run("read-tree", "-i", "--reset", tree)
        _take_age(earlier / "index", place)
        return new

    # -- removing

    def _prune(self, now: float) -> None:
        homes = {home.name: home.stat().st_mtime for home in self._homes(_TREES)}
        newest = sorted(homes, key=lambda name: homes[name], reverse=True)
        complete = [name for name in newest if self._chain(name) == [name]]
        wanted = set(complete[:KEPT_COMPLETE])
        wanted |= {name for name in newest if now - homes[name] < KEPT_S and self._has(name)}
        needed = {lower for name in wanted for lower in self._chain(name)}
        # Tops first: a lower layer is free only when those above it are gone.
        for name in sorted(homes, key=lambda name: -len(self._chain(name))):
            if name in needed or not self._removed(name):
                needed.update(self._chain(name))

    def _removed(self, tree: str) -> bool:
        """Remove a tree's layer; False if a view has it mounted."""
        home = self._home(tree)
        try:
            with alone_with(self._files(tree)):
                os.rename(home, self.unfinished() / "gone")
        except BlockingIOError:
            return False
        except OSError:  # there is no layer in it
            remove_all(home)
        self._clear()
        return True


def _is_whole(home: Path) -> bool:
    """Whether it is there, and was made since the machine was started."""
    try:
        return (home / "boot").read_text(encoding="ascii") == boot_id()
    except OSError:
        return False


def _take_age(known: Path, place: Path) -> None:
    """Give a copied index the age of the first: git compares it with the times of the files."""
    times = os.stat(known)
    os.utime(place, ns=(times.st_atime_ns, times.st_mtime_ns))


def boot_id() -> str:
    """Which start of the machine this is; "" where nobody knows."""
    try:
        return _BOOT.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _look_at_all(git: Git) -> None:
    """In a view every file is there and counts, whatever the person told git about theirs: a
    sparse checkout, files that are assumed to be unchanged.
    """
    flagged = [
        line[2:]
        for line in split(git.run("ls-files", "-v", "-z"))
        if line[0] == "S" or line[0].islower()
    ]
    if flagged:
        options = ("--no-skip-worktree", "--no-assume-unchanged")
        for option in options:
            git.run("update-index", option, "-z", "--stdin", paths=flagged)


def fit(git: Git) -> None:
    """Make a person's index fit files that are as old as theirs, but may have other line ends."""
    settings = (*SETTINGS, "core.checkStat=minimal", "core.trustctime=false")
    refresh = ("update-index", "-q", "--refresh")
    git.run(*refresh, settings=settings)
    # A file of another size than its entry says is taken for changed without a look.
    rest = differences(git.run("diff-files", *RAW, settings=settings))
    if rest:
        put(git, {row.path: (row.old_mode, row.old_id) for row in rest if row.old_mode != GITLINK})
        git.run(*refresh, settings=settings)


def _as_there(source: Path, target: Path, since_ns: int) -> None:
    """Give a file the time and the line ends of the same file in the checkout, unless that was
    written later.
    """
    try:
        facts, own = os.lstat(source), os.lstat(target)
    except OSError:
        return
    same = stat.S_IFMT(facts.st_mode) == stat.S_IFMT(own.st_mode)
    if not same or facts.st_mtime_ns >= since_ns:
        return
    if facts.st_size == own.st_size or take_line_ends(source, target, since_ns):
        os.utime(target, ns=(facts.st_mtime_ns, facts.st_mtime_ns), follow_symlinks=False)


def take_line_ends(source: Path, target: Path, since_ns: int) -> bool:
    """Whether they were others. Git made them as the settings are now; the checkout may be older
    than these.
    """
    try:
        facts, own = os.lstat(source), os.lstat(target)
    except OSError:
        return False
    texts = stat.S_ISREG(facts.st_mode) and stat.S_ISREG(own.st_mode)
    known = facts.st_mtime_ns < since_ns and max(facts.st_size, own.st_size) <= LARGEST_TEXT
    if not texts or not known or facts.st_size == own.st_size:
        return False
    there, here = source.read_bytes(), target.read_bytes()
    if there.replace(b"\r\n", b"\n") != here.replace(b"\r\n", b"\n"):
        return False
    target.write_bytes(there)
    return True


def _tops(git: Git, tree: str, gone: Sequence[str]) -> list[str]:
    """The paths that are gone; where nothing is left of a folder, the folder instead."""
    folders = {folder for path in gone for folder in parents(path)}
    left = _folders_in(git, tree, folders)
    tops = {next((folder for folder in parents(path) if folder not in left), path) for path in gone}
    return sorted(tops)


def _folders_in(git: Git, tree: str, folders: set[str]) -> set[str]:
    if not folders:
        return set()
    names = "".join(f"{tree}:{folder}\n" for folder in sorted(folders) if "\n" not in folder)
    reply = git.run("cat-file", "--batch-check=%(objecttype)", stdin=os.fsencode(names))
    kinds = reply.decode(errors="replace").splitlines()
    asked = [folder for folder in sorted(folders) if "\n" not in folder]
    odd = {folder for folder in folders if "\n" in folder}
    return odd | {
        folder for folder, kind in zip(asked, kinds, strict=True) if kind in {"tree", "commit"}
    }
