"""Where the symbolic links of a tree lead: a link that lands must not lead its next reader or
writer out of the project.

A target is followed as the system would, name by name and through other links, since `a/..` is not
what it seems if
`a` is a link.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from podium.engine.git.git import Git
from podium.engine.git.trees import LINK, Entry, between, entries

# The spellings that git itself refuses in a path, since some file system treats each of them as
# `.git`.
_DOT_GIT = re.compile(r"(?:\.git|git~1)[ .]*(?::.*)?", re.IGNORECASE | re.DOTALL)
_MOST_LINKS = 40
"""No system follows a path through more links than this."""


def is_git(name: str) -> bool:
    return any(_DOT_GIT.fullmatch(part) for part in name.split("\\"))


@dataclass(frozen=True)
class Links:
    """The parts of a tree that decide where its links lead."""

    targets: Mapping[str, str]
    folders: frozenset[str]

    def changed(
        self, paths: Iterable[str], targets: Mapping[str, str], files: Iterable[str]
    ) -> Links:
        """The same with these paths gone, except those that are links now, and with the folders
        of these files.
        """
        gone = frozenset(paths)
        left = {path: target for path, target in self.targets.items() if path not in gone}
        # A folder that becomes empty still counts as one: nothing else is in its place.
        return Links(left | dict(targets), self.folders | _folders(files))


def links_of(git: Git, tree: str) -> Links:
    known = entries(git, tree)
    return Links(
        _targets(git, {path: entry for path, entry in known.items() if entry[0] == LINK}),
        _folders(known),
    )


def leading_out(
    before: Links, after: Links, changed: Collection[str], under: str
) -> frozenset[str]:
    """The changes that make a link lead out of the folder `under` or into a `.git`.

    If an existing link leads out only now, the changes to what it leads through are to blame.
    """
    found: set[str] = set()
    for path in after.targets:
        out, passed = _followed(path, after, under)
        if not out:
            continue
        if path in changed:
            found.add(path)
        elif path in before.targets and not _followed(path, before, under)[0]:
            found |= passed.intersection(changed)
    return frozenset(found)


def turned_out(git: Git, old: str, new: str, under: str) -> bool:
    """Whether work made side by side leads out once combined, though neither part did alone."""
    found = between(git, old, new)
    if not any(LINK in {each.old_mode, each.new_mode} for each in found):
        return False
    return bool(
        leading_out(links_of(git, old), links_of(git, new), {each.path for each in found}, under)
    )


def _followed(path: str, links: Links, under: str) -> tuple[bool, set[str]]:
    """Whether a link leads out, and every path on its way."""
    home = under.split("/") if under else []
    *here, name = path.split("/")
    if here[: len(home)] != home:
        return True, set()
    todo, passed, turns = [name], set[str](), 0
    while todo:
        part = todo.pop()
        if part == "..":
            # If the tree does not know a name, nobody can say what will be above it.
            if here == home or "/".join(here) not in links.folders:
                return True, passed
            here.pop()
        elif is_git(part):
            return True, passed
        elif part not in {"", "."}:
            at = "/".join([*here, part])
            passed.add(at)
            target = links.targets.get(at)
            if target is None:
                here.append(part)
                continue
            turns += 1
            if turns > _MOST_LINKS:
                return False, passed
            if posixpath.isabs(target):
                return True, passed
            todo += reversed(target.split("/"))
    return False, passed


def _folders(paths: Iterable[str]) -> frozenset[str]:
    found: set[str] = set()
    for path in paths:
        while (path := posixpath.dirname(path)) and path not in found:
            found.add(path)
    return frozenset(found)


def _targets(git: Git, links: Mapping[str, Entry]) -> dict[str, str]:
    if not links:
        return {}
    rest = git.run(
        "cat-file", "--batch", stdin="".join(f"{key}\n" for _, key in links.values()).encode()
    )
    found = {}
    for path in links:
        head, _, rest = rest.partition(b"\n")
        size = int(head.split()[-1])
        found[path], rest = os.fsdecode(rest[:size]), rest[size + 1 :]
    return found
