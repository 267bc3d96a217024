"""Trees, commits and throw-away indexes: the plumbing that view, audit and landing share."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeGuard

from podium.core.dataclass import dataclass
from podium.core.regex import regex
from podium.engine.git import index_file
from podium.engine.git.git import Git, split
from podium.engine.git.index_file import Entry, algorithm_of
from podium.engine.git.listing import differing, known, listing
from podium.engine.git.objects import Objects
from podium.state.regular import read_regular

ABSENT = "000000"
FILE, PROGRAM, LINK, GITLINK = "100644", "100755", "120000", "160000"
"""Modes as git writes them; that of a folder is in `objects`."""
_ATTRIBUTES = ".gitattributes"
_NOTHING = (ABSENT, "")
RAW = ("-z", "--raw", "--no-renames", "--no-abbrev")
_PLAIN = frozenset({FILE, PROGRAM})
_FEW, _SMALL = 16, 1 << 20
"""Number of files, and bytes of one: beyond these a git process costs less than writing them one by one."""
_OBEYED = regex(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
"""Escape sequences, other characters that control a terminal, and those that change the direction of reading."""
_MOST = 1000
_TREES: dict[str, str] = {}
"""Commits to their trees."""


@dataclass(frozen=True)
class Difference:
    """One path in two trees; a mode of zeros means that it is absent."""

    path: str
    old_mode: str
    new_mode: str
    old_id: str
    new_id: str

    @property
    def old(self) -> Entry | None:
        return None if self.old_mode == ABSENT else (self.old_mode, self.old_id)

    @property
    def new(self) -> Entry | None:
        return None if self.new_mode == ABSENT else (self.new_mode, self.new_id)


def differences(raw: bytes) -> tuple[Difference, ...]:
    """Parses the output of a `--raw -z --no-renames` command."""
    parts = split(raw)
    found = []
    for head, path in zip(parts[::2], parts[1::2], strict=True):
        old_mode, new_mode, old_id, new_id, _ = head.removeprefix(":").split(" ")
        found.append(Difference(path, old_mode, new_mode, old_id, new_id))
    return tuple(found)


def compared(old: Mapping[str, Entry], new: Mapping[str, Entry]) -> tuple[Difference, ...]:
    """The differences between two lists of paths."""
    paths = (path for path in old.keys() | new.keys() if old.get(path) != new.get(path))
    return tuple(sorted((_difference(path, old.get(path), new.get(path)) for path in paths), key=lambda each: each.path))


def _difference(path: str, old: Entry | None, new: Entry | None) -> Difference:
    (old_mode, old_id), (new_mode, new_id) = old or _NOTHING, new or _NOTHING
    return Difference(path, old_mode, new_mode, old_id, new_id)


def between(git: Git, old: str, new: str) -> tuple[Difference, ...]:
    """What differs between two trees, in path order."""
    was, now = known(git, old), known(git, new)
    if was is None or now is None:
        found = differences(git.run("diff-tree", "-r", *RAW, old, new))
    else:
        found = tuple(_difference(*each) for each in differing(was, now))
    return tuple(sorted(found, key=lambda each: each.path))


def entries(git: Git, tree: str) -> Mapping[str, Entry]:
    """Mode and object id of every path in a tree."""
    return MappingProxyType(listing(git, tree).files)


def tree_of(git: Git, commit: str) -> str:
    """The tree of a commit given by its full id; a tree's own id for a tree."""
    found = _TREES.get(commit)
    if found is None:
        found = git.word("rev-parse", "--verify", f"{commit}^{{tree}}")
        remember_tree(commit, found)
    return found


def remember_tree(commit: str, tree: str) -> None:
    """Cached, because a commit's tree never changes."""
    if len(_TREES) >= _MOST:
        _TREES.clear()
    _TREES[commit] = tree


def is_loose(git: Git, name: str) -> bool:
    """Whether the object is a file of its own, as objects made a moment ago are; objects in packs do not count."""
    return (git.common / "objects" / name[:2] / name[2:]).is_file()


def gitlinks(git: Git, tree: str) -> frozenset[str]:
    return frozenset(path for path, (mode, _) in entries(git, tree).items() if mode == GITLINK)


@contextlib.contextmanager
def scratch_index(git: Git, source: str | Path | Mapping[str, Entry] | None) -> Iterator[Git]:
    """The repository with an index of our own: filled from a tree, copied from an index file, or made of entries."""
    folder = Path(tempfile.mkdtemp(prefix="podium-index-"))
    try:
        mine = git.at(index=folder / "index")
        if isinstance(source, str):
            mine.run("read-tree", source)
        elif isinstance(source, Mapping):
            if source:
                index_file.write(folder / "index", source)
        elif source is not None and source.exists():
            # With its time, because git compares it with the files' times to tell a stale cache from a fresh one.
            shutil.copy2(source, folder / "index")
        yield mine
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def enter(git: Git, present: Iterable[str], absent: Iterable[str], *, store: bool = True) -> None:
    """Put the work tree's files into the index as git would add them, ignored or not; remove the absent ones.

    Without `store`, ids are computed but no content goes into the repository.
    """
    gone, there = sorted(absent), sorted(present)
    if gone:
        # Not --remove, which refuses a path whose folder has become a link.
        git.run("update-index", "--force-remove", "-z", "--stdin", paths=gone)
    if there:
        kind = () if store else ("--info-only",)
        git.run("update-index", *kind, "--add", "--replace", "-z", "--stdin", paths=there)


def hashed(git: Git, known: Mapping[str, Entry], paths: Iterable[str], *, store: bool) -> dict[str, Entry]:
    """Mode and content id of the work tree's files, as git would add them over their known entries.

    Over them, because what the index has decides whether git converts a file's line ends. Only the entries of these
    paths and the attributes are used, because nothing else matters.
    """
    wanted = sorted(set(paths))
    if not wanted:
        return {}
    with scratch_index(git, _concerning(known, wanted)) as mine:
        enter(mine, wanted, (), store=store)
        held = _indexed(mine)
    return {path: held[path] for path in wanted if path in held}


def stored(git: Git, known: Mapping[str, Entry], paths: Iterable[str], audited: Mapping[str, Entry]) -> dict[str, Entry]:
    """Like `hashed`, but stores the contents in the repository.

    `audited`: the ids that git gave some of them a moment ago. If a file's bytes have that id, filters do not change them.
    """
    wanted = list(paths)
    plain = _as_they_are(git, wanted, audited) if len(wanted) <= _FEW else {}
    return plain | hashed(git, known, (path for path in wanted if path not in plain), store=True)


def _as_they_are(git: Git, paths: Iterable[str], audited: Mapping[str, Entry]) -> dict[str, Entry]:
    found = {}
    for path in paths:
        mode, key = audited.get(path, _NOTHING)
        data = _bytes_of_that_name(git, path, key) if mode in _PLAIN else None
        if data is not None:
            Objects(git, algorithm_of(key)).blob(data)
            found[path] = (mode, key)
    return found


def untouched(git: Git, known: Mapping[str, Entry], paths: Collection[str]) -> dict[str, Entry]:
    """The files, if few and small, whose bytes have exactly the known id: no filter needs to be asked."""
    found = {}
    for path in paths if len(paths) <= _FEW else ():
        mode, key = known.get(path, _NOTHING)
        if mode in _PLAIN and _bytes_of_that_name(git, path, key) is not None:
            program = os.lstat(git.work_tree / path).st_mode & stat.S_IXUSR
            found[path] = (PROGRAM if program else FILE, key)
    return found


def _bytes_of_that_name(git: Git, path: str, key: str) -> bytes | None:
    """The bytes of a small regular file, if git's id for them is this one."""
    place = lstat_inside(git.work_tree, path)
    if not isinstance(place, os.stat_result) or not stat.S_ISREG(place.st_mode) or place.st_size > _SMALL:
        return None
    data = read_regular(git.work_tree / path)
    return data if data is not None and Objects(git, algorithm_of(key)).name("blob", data) == key else None


def _concerning(known: Mapping[str, Entry], paths: Iterable[str]) -> dict[str, Entry]:
    found = {path: known[path] for path in paths if path in known}
    # Git reads attributes from the index if the work tree has no such file.
    return found | {path: entry for path, entry in known.items() if path.endswith(_ATTRIBUTES)}


def _indexed(mine: Git) -> Mapping[str, Entry]:
    """The entries of an index of ours."""
    assert mine.index is not None
    found = index_file.read(mine.index)
    if found is not None:
        return found
    rows = (line.partition("\t") for line in split(mine.run("ls-files", "-z", "--stage")))
    return {path: (head.split(" ")[0], head.split(" ")[1]) for head, _, path in rows}


def sizes_of(git: Git, names: Iterable[str]) -> dict[str, int]:
    """Size in bytes of each of these objects."""
    wanted = sorted(set(names))
    if not wanted:
        return {}
    told = git.run("cat-file", "--batch-check=%(objectsize)", stdin="".join(f"{name}\n" for name in wanted).encode())
    return dict(zip(wanted, map(int, told.split()), strict=True))


@contextlib.contextmanager
def staged(git: Git, tree: str, paths: Iterable[str], stage: Path) -> Iterator[Path]:
    """A folder with these files of the tree as git checks them out, ready to be renamed into place.

    The folder is git's work tree, so that attributes come from the tree and not from files that differ from it.
    """
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir(parents=True)
    try:
        wanted = list(paths)
        if wanted:
            with scratch_index(git.at(work_tree=stage), _concerning(entries(git, tree), wanted)) as mine:
                mine.run("checkout-index", "--force", "-z", "--stdin", paths=wanted)
        yield stage
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def lstat_inside(root: Path, path: str) -> os.stat_result | str | None:
    """The file's state without following any link; if a parent is not a folder, that parent's path instead."""
    parts = path.split("/")
    for count in range(1, len(parts) + 1):
        here = "/".join(parts[:count])
        try:
            found = os.lstat(root / here)
        except FileNotFoundError:
            return None
        if count < len(parts) and not stat.S_ISDIR(found.st_mode):
            return here
    return found


def storable(place: os.stat_result | str | None) -> TypeGuard[os.stat_result]:
    """Whether git can store what `lstat_inside` found: a regular file or a link."""
    return isinstance(place, os.stat_result) and (stat.S_ISREG(place.st_mode) or stat.S_ISLNK(place.st_mode))


def commit_tree(
    git: Git, tree: str, parents: Iterable[str], message: str, date: str, who: Mapping[str, str] | None = None
) -> str:
    """`who`: variables for author and committer, if not Podium. Tree and parents are full ids."""
    if not who:
        made = Objects(git, algorithm_of(tree)).commit(tree, parents, message, date)
        remember_tree(made, tree)
        return made
    over = [part for parent in parents for part in ("-p", parent)]
    env = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, **who}
    return git.word("commit-tree", tree, *over, stdin=os.fsencode(message.rstrip("\n") + "\n"), env=env)


def composed(message: str, trailers: Mapping[str, str]) -> str:
    """A message with its trailers; values are put on one line, or the next trailer would be lost."""
    lines = [f"{name}: {' '.join(value.split())}" for name, value in trailers.items()]
    # Git refuses a NUL in a message, and a terminal obeys what `git log` prints; an agent may have written either.
    return "\n\n".join(_OBEYED.sub("", part) for part in (message.strip(), "\n".join(lines)) if part)
