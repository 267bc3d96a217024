"""Trees, commits and throw-away indexes: the plumbing that snapshots, views and landing share."""

from __future__ import annotations

import bisect
import contextlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TypeGuard

from podium.engine.git.git import MAIL, NAME, SETTINGS, Git, split

Entry = tuple[str, str]
"""Mode and object id of one path."""
ABSENT = "000000"
FILE, PROGRAM, LINK, GITLINK = "100644", "100755", "120000", "160000"
FOLDER = "040000"
"""Modes as git writes them."""
FULL_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
RAW = ("-z", "--raw", "--no-renames", "--no-abbrev")
MAX_BYTES = 50 * 1024 * 1024
"""Larger files of a project are neither read nor kept."""
_NOTHING = (ABSENT, "")
_ARGUMENT_BYTES = 100_000
"""Of paths on one command line; beyond this the whole tree is listed."""
_SCRATCH_REF = "refs/podium/scratch"
_MOST_TREES = 10_000
_TREES: dict[tuple[Path, str], str] = {}
"""The tree of each commit that this process made or asked about."""
_OBEYED = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
"""Escape sequences, other characters that control a terminal, and those that change the
direction of reading.
"""


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
    rows = []
    for head, path in zip(parts[::2], parts[1::2], strict=True):
        old_mode, new_mode, old_id, new_id, _ = head.removeprefix(":").split(" ")
        rows.append(Difference(path, old_mode, new_mode, old_id, new_id))
    return tuple(rows)


def compared(old: Mapping[str, Entry], new: Mapping[str, Entry]) -> tuple[Difference, ...]:
    """The differences between two lists of paths."""
    paths = sorted(path for path in old.keys() | new.keys() if old.get(path) != new.get(path))
    return tuple(_difference(path, old.get(path), new.get(path)) for path in paths)


def _difference(path: str, old: Entry | None, new: Entry | None) -> Difference:
    (old_mode, old_id), (new_mode, new_id) = old or _NOTHING, new or _NOTHING
    return Difference(path, old_mode, new_mode, old_id, new_id)


def between(git: Git, old: str, new: str) -> tuple[Difference, ...]:
    """What differs between two trees, in path order."""
    if old == new:
        return ()
    lasting = FULL_ID.fullmatch(old) and FULL_ID.fullmatch(new)
    return (_remembered if lasting else _between)(git, old, new)


def _between(git: Git, old: str, new: str) -> tuple[Difference, ...]:
    rows = differences(git.run("diff-tree", "-r", *RAW, old, new))
    return tuple(sorted(rows, key=lambda row: row.path))


_remembered = lru_cache(maxsize=8)(_between)


def entries(
    git: Git, tree: str, paths: Iterable[str] | None = None, *, within: bool = False
) -> dict[str, Entry]:
    """Mode and object id of every path in a tree, or of those of these paths that it has.

    `within`: also of what is in these paths, if they are folders.
    """
    only = None if paths is None else sorted(set(paths))
    if only == []:
        return {}
    command = ["ls-tree", "-z", "--full-tree"]
    if only is None:
        return _rows(git.run(*command, "-r", tree))
    known = {} if within or not FULL_ID.fullmatch(tree) else _answers(git.git_dir, tree)
    asked = [path for path in only if path not in known]
    few = sum(len(path) + 1 for path in asked) <= _ARGUMENT_BYTES
    deep = () if few and not within else ("-r",)
    rows = _rows(git.run(*command, *deep, tree, *(("--", *asked) if few else ()))) if asked else {}
    if within:
        return {path: rows[path] for path in rows if _is_within(path, only)}
    # Asked about `a/b` git also lists a file `a`, and of a folder it lists the folder itself.
    rows = {path: row for path, row in rows.items() if row[0] != FOLDER}
    known.update((path, rows.get(path)) for path in asked)
    return {path: row for path in only if (row := known[path]) is not None}


@lru_cache(maxsize=8)
def _answers(git_dir: Path, tree: str) -> dict[str, Entry | None]:  # noqa: ARG001  # the key
    """What is known of a tree, because a step asks about the same paths many times."""
    return {}


def _is_within(path: str, places: Sequence[str]) -> bool:
    """Whether a path is one of these places or below one; the places are sorted."""
    while path:
        at = bisect.bisect_left(places, path)
        if at < len(places) and places[at] == path:
            return True
        path = path.rpartition("/")[0]
    return False


def _rows(listing: bytes) -> dict[str, Entry]:
    rows = {}
    for line in split(listing):
        head, _, path = line.partition("\t")
        mode, _, name = head.split(" ")
        rows[path] = (mode, name)
    return rows


def tree_of(git: Git, commit: str) -> str:
    """The tree of a commit; a tree's own id for a tree."""
    known = _TREES.get((git.git_dir, commit))
    if known is None:
        known = git.word("rev-parse", "--verify", f"{commit}^{{tree}}")
        _remember(git, commit, known)
    return known


def _remember(git: Git, commit: str, tree: str) -> None:
    if FULL_ID.fullmatch(commit) and FULL_ID.fullmatch(tree):
        if len(_TREES) >= _MOST_TREES:
            _TREES.clear()
        _TREES[git.git_dir, commit] = tree


def write_tree(git: Git, tree: str, changes: Mapping[str, Entry | None]) -> str:
    """The tree with other entries at these paths, or none. What is in the way of a new entry
    goes: a file where a folder comes, a folder where a file comes.

    By fast-import, whose cost grows with the changes and not with the tree.
    """
    if not changes:
        return tree
    lines = [
        f"commit {_SCRATCH_REF}".encode(),
        f"committer {NAME} <{MAIL}> 0 +0000".encode(),
        b"data 0",
        f"M {FOLDER} {tree} ".encode(),
    ]
    # Removals first, because a folder may come where a file was.
    for path, entry in sorted(changes.items(), key=lambda change: change[1] is not None):
        command = b"D " if entry is None else f"M {entry[0]} {entry[1]} ".encode()
        lines.append(command + _quoted(path))
    # Without a parent and removed again: only the tree is wanted.
    lines += [b'ls ""', f"reset {_SCRATCH_REF}".encode(), f"from {'0' * len(tree)}".encode(), b""]
    reply = git.run("fast-import", "--quiet", "--force", stdin=b"\n".join(lines) + b"\n")
    mode, _, name = reply.partition(b"\t")[0].decode().partition(" ")
    return name.rpartition(" ")[2] if mode == FOLDER else git.word("mktree")


def _quoted(path: str) -> bytes:
    data = os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return b'"' + data.replace(b"\n", b"\\n") + b'"'


def displaced(git: Git, old: str, new: str, changes: Iterable[str]) -> list[str]:
    """Paths of `old` that `new` lost although nobody named them: they were in the way."""
    return sorted({row.path for row in between(git, old, new)}.difference(changes))


@contextlib.contextmanager
def scratch_index(git: Git, source: str | Path | Mapping[str, Entry] | None) -> Iterator[Git]:
    """The repository with an index of our own: filled from a tree, copied from an index file, or
    made of entries.
    """
    folder = Path(tempfile.mkdtemp(prefix="podium-index-"))
    try:
        mine = git.at(index=folder / "index")
        if isinstance(source, str):
            mine.run("read-tree", source)
        elif isinstance(source, Mapping):
            put(mine, source)
        elif source is not None and source.exists():
            # With its time, because git compares it with the files' times to tell a stale cache
            # from a fresh one.
            shutil.copy2(source, folder / "index")
        yield mine
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def put(git: Git, wanted: Mapping[str, Entry | None], settings: Sequence[str] = SETTINGS) -> None:
    """Put entries into an index, whatever the files are; None removes one."""
    if not wanted:
        return
    # Only its length matters, and that depends on the repository.
    none = ("0", git.word("hash-object", "--stdin") if None in wanted.values() else "")
    lines = [
        f"{' '.join(entry or none)}\t{path}"
        for path, entry in sorted(wanted.items(), key=lambda change: change[1] is not None)
    ]
    data = b"".join(os.fsencode(line) + b"\0" for line in lines)
    git.run("update-index", "-z", "--index-info", stdin=data, settings=settings)


def enter(git: Git, present: Iterable[str], absent: Iterable[str], *, store: bool = True) -> None:
    """Put the work tree's files into the index as git would add them, ignored or not; remove the
    absent ones.

    Without `store`, ids are computed but no content goes into the repository.
    """
    gone, there = sorted(absent), sorted(present)
    if gone:
        # Not --remove, which refuses a path whose folder has become a link.
        git.run("update-index", "--force-remove", "-z", "--stdin", paths=gone)
    if there:
        kind = () if store else ("--info-only",)
        git.run("update-index", *kind, "--add", "--replace", "-z", "--stdin", paths=there)


def staged_entries(git: Git) -> dict[str, Entry]:
    """Every entry of an index."""
    rows = {}
    for line in split(git.run("ls-files", "-z", "--stage")):
        head, _, path = line.partition("\t")
        mode, name, _ = head.split(" ")
        rows[path] = (mode, name)
    return rows


def hash_files(
    git: Git,
    tree: str,
    paths: Iterable[str],
    *,
    store: bool,
    over: Mapping[str, Entry | None] | None = None,
) -> dict[str, Entry]:
    """Mode and content id of the work tree's files, as git would add them over the tree's entries.

    Over them, because what the index has decides whether git converts a file's line ends. `over`:
    entries that count instead of the tree's.
    """
    wanted = sorted(set(paths))
    if not wanted:
        return {}
    known = entries(git, tree, [*wanted, *attribute_files(wanted)]) if tree else {}
    known = {path: entry for path, entry in {**known, **(over or {})}.items() if entry is not None}
    with scratch_index(git, known) as mine:
        enter(mine, wanted, (), store=store)
        now = staged_entries(mine)
    return {path: now[path] for path in wanted if path in now}


def attribute_files(paths: Iterable[str]) -> set[str]:
    """The files that can say something about these paths; git reads them from the index if the
    work tree has none.
    """
    folders = {""}
    for path in paths:
        while (path := os.path.dirname(path)) and path not in folders:
            folders.add(path)
    return {os.path.join(folder, ".gitattributes") for folder in folders}


def sizes_of(git: Git, names: Iterable[str]) -> dict[str, int]:
    """Size in bytes of each of these objects."""
    wanted = sorted(set(names))
    if not wanted:
        return {}
    sizes = git.run(
        "cat-file",
        "--batch-check=%(objectsize)",
        stdin="".join(f"{name}\n" for name in wanted).encode(),
    )
    return dict(zip(wanted, map(int, sizes.split()), strict=True))


@contextlib.contextmanager
def staged(git: Git, tree: str, paths: Iterable[str], stage: Path) -> Iterator[Path]:
    """A folder with these files of the tree as git checks them out, ready to be renamed into place.

    The folder is git's work tree, so that attributes come from the tree and not from files that
    differ from it.
    """
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir(parents=True)
    try:
        wanted = list(paths)
        if wanted:
            known = entries(git, tree, [*wanted, *attribute_files(wanted)])
            with scratch_index(git.at(work_tree=stage), known) as mine:
                mine.run("checkout-index", "--force", "-z", "--stdin", paths=wanted)
        yield stage
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def lstat_inside(root: Path, path: str) -> os.stat_result | str | None:
    """The file's state without following any link; if a parent is not a folder, that parent's
    path instead.
    """
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
    return isinstance(place, os.stat_result) and (
        stat.S_ISREG(place.st_mode) or stat.S_ISLNK(place.st_mode)
    )


def commit_tree(
    git: Git,
    tree: str,
    parents: Iterable[str],
    message: str,
    date: str,
    who: Mapping[str, str] | None = None,
) -> str:
    """`who`: variables for author and committer, if not Podium."""
    over = [part for parent in dict.fromkeys(parents) for part in ("-p", parent)]
    moment = datetime.fromisoformat(date)
    moment = moment if moment.tzinfo else moment.astimezone()
    # git reads fractions of a second in some versions only
    when = f"@{int(moment.timestamp())} {moment:%z}"
    env = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when, **(who or {})}
    text = os.fsencode(message.rstrip("\n") + "\n")
    commit = git.word("commit-tree", tree, *over, stdin=text, env=env)
    _remember(git, commit, tree)
    return commit


def composed(message: str, trailers: Mapping[str, str]) -> str:
    """A message with its trailers; values are put on one line, or the next trailer would be
    lost.
    """
    lines = [f"{name}: {' '.join(value.split())}" for name, value in trailers.items()]
    # Git refuses a NUL in a message, and a terminal obeys what `git log` prints; an agent may have
    # written either.
    return "\n\n".join(
        _OBEYED.sub("", part) for part in (message.strip(), "\n".join(lines)) if part
    )
