"""Of files in which a person has unfinished work, the part that is not theirs: what a run may
commit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from podium.core.digest import digest
from podium.core.errors import Halted
from podium.engine.git.git import Git
from podium.engine.git.merge import merged_tree
from podium.engine.git.trees import (
    GITLINK,
    Entry,
    entries,
    staged_entries,
    tree_of,
    write_tree,
)


@dataclass(frozen=True)
class Before:
    """What is known of the files as a piece of work began with them."""

    commit: str = ""
    """The checkpoint that shows them; "": nothing of a person's is to be told apart."""
    documents: frozenset[str] = frozenset()
    """Paths of documents that the work wrote, maybe before the checkpoint."""
    undone: tuple[str, ...] = ()
    """Commits of the same work: a file as one of them found it has only lost that work."""
    left: frozenset[tuple[str, str]] = frozenset()
    """Paths and digests of what earlier runs left there of the same work."""


NOTHING_THEIRS = Before()


def without_theirs(git: Git, head: str, tree: str, before: Before, paths: Collection[str]) -> str:
    """The tree without what differed from HEAD in these paths before the run began with them."""
    was, known = entries(git, tree_of(git, before.commit), paths), entries(git, head, paths)
    was = _of_persons(git, was, known, before)
    now = entries(git, tree, paths)
    theirs = [
        path
        for path in paths
        if path in was
        and path in now
        and was[path] != known.get(path)
        and now[path] != was[path]
        and _remains(git, known.get(path), was[path], now[path])
    ]
    back = {path: known.get(path) for path in paths if path in was and now.get(path) == was[path]}
    tree = write_tree(git, tree, {path: entry for path, entry in back.items() if path in now})
    if not theirs:
        return tree
    base = write_tree(git, tree, {path: was[path] for path in theirs})
    other = write_tree(git, tree, {path: known.get(path) for path in theirs})
    merged = merged_tree(git, base, tree, other)
    if merged is None:
        raise _entangled(theirs)
    return merged


def _of_persons(
    git: Git, was: Mapping[str, Entry], known: Mapping[str, Entry], before: Before
) -> dict[str, Entry]:
    """The files in which a person may have a part."""
    differing = [
        path for path in was if path not in before.documents and was[path] != known.get(path)
    ]
    for commit in before.undone if differing else ():
        parent = git.maybe("rev-parse", "-q", "--verify", f"{commit}^^{{tree}}")
        found = entries(git, parent, differing) if parent else {}
        differing = [path for path in differing if found.get(path) != was[path]]
    return {
        path: was[path]
        for path in differing
        if was[path][0] == GITLINK
        or (path, digest(git.run("cat-file", "blob", was[path][1]))) not in before.left
    }


def _remains(git: Git, known: Entry | None, was: Entry, now: Entry) -> bool:
    """Whether a line that the person had added is still there, or one they had removed still gone;
    if not, they gave the file to the run.
    """
    old, theirs, new = (_lines(git, entry) for entry in (known, was, now))
    return bool((theirs - old) & (new - old) or (old - theirs) & (old - new))


def _lines(git: Git, entry: Entry | None) -> Counter[bytes]:
    """Each line with how often it stands there: a person may have added one that was there."""
    if entry is None or entry[0] == GITLINK:
        return Counter([entry[1].encode()] if entry else [])
    return Counter(git.run("cat-file", "blob", entry[1]).splitlines())


def index_entries(git: Git, head: str, tree: str, paths: Sequence[str]) -> dict[str, Entry | None]:
    """What the person's index has to hold at these paths so that only their own part is left to
    commit.
    """
    known, new = entries(git, head, paths), entries(git, tree, paths)
    staged = {path: entry for path, entry in staged_entries(git).items() if path in set(paths)}
    theirs = [path for path in paths if staged.get(path) not in {known.get(path), new.get(path)}]
    found: dict[str, Entry | None] = {path: new.get(path) for path in paths}
    if theirs:
        ours = write_tree(git, head, {path: staged.get(path) for path in theirs})
        other = write_tree(git, head, {path: new.get(path) for path in theirs})
        merged = merged_tree(git, head, ours, other)
        if merged is None:
            raise _entangled(theirs)
        both = entries(git, merged, theirs)
        found |= {path: both.get(path) for path in theirs}
    return found


def _entangled(paths: Sequence[str]) -> Halted:
    names = ", ".join(sorted(paths)[:5]) + (" …" if len(paths) > 5 else "")
    return Halted(
        f"{names} had changes of yours that are not committed, and the run changed the same lines; "
        "commit what belongs together (`git add -p`, `git commit`), then resume"
    )
