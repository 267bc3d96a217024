"""The folder an agent works in: the files of a checkpoint, and a git repository of its own.

It is not a linked worktree: there `git stash`, `git branch`, `git config` and `git gc` reach into the user's
repository, and a confined agent would need that repository writable, hooks and all. A view has its own `.git`
folder that borrows the user's objects (`objects/info/alternates`) and has copies of the refs, but no remotes: log,
diff, blame, commit, stash and branch work as usual, and everything they write is removed with the view.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import field
from functools import lru_cache
from pathlib import Path

from podium.core.dataclass import dataclass
from podium.core.regex import regex
from podium.engine.git.git import MAIL, NAME, Git, split
from podium.engine.git.index_file import Entry
from podium.engine.git.listing import rebuilt
from podium.engine.git.trees import entries

KEPT_REFS = "refs/podium-kept/"

# Settings that decide how content is written and read; never remotes, credentials, aliases or hooks.
_COPIED = regex(
    r"core\.(autocrlf|eol|filemode|ignorecase|symlinks|precomposeunicode|attributesfile|excludesfile)"
    r"|filter\..+|extensions\.objectformat",
    re.IGNORECASE | re.DOTALL,
)
_ALWAYS = {".gitattributes", ".gitignore"}


@dataclass(frozen=True)
class Checkpoint:
    """The user's checkout as it was at one moment."""

    commit: str
    tree: str
    left_out: tuple[str, ...] = ()
    """Untracked files that were too large, unreadable or not files at all, and repositories in the project."""


@dataclass(frozen=True)
class CodeView:
    """A folder with the files of a checkpoint that a step may see."""

    folder: Path
    """The repository's top level as the agent sees it."""
    project: Path
    """The project in it, where the agent starts: the folder itself, unless the project is a subfolder."""
    checkpoint: Checkpoint
    base: str
    """The tree the agent starts from: the checkpoint's tree without what is hidden."""
    audited: dict[str, Entry] = field(default_factory=dict, compare=False)
    """What the last audit found at changed paths, by path from the top level."""
    scratch: set[str] = field(default_factory=set, compare=False)
    """What the ignore rules covered then: it never lands. A folder that is entirely ignored ends with a slash."""


def visible_tree(git: Git, tree: str, seen: Callable[[str], bool]) -> str:
    """The tree with only the paths that may be seen."""
    unseen = [path for path in entries(git, tree) if not seen(path)]
    return rebuilt(git, tree, dict.fromkeys(unseen)) if unseen else tree


def always_seen(path: str) -> bool:
    """Without these two files, line endings and ignored files would differ between view and checkout."""
    return path.rpartition("/")[2] in _ALWAYS


def furnish(git: Git, folder: Path, *, head: str, tree: str, refs: bool, apart: bool = False) -> None:
    """Make the view's repository and check out the tree, with the user's own filters and line endings.

    `apart`: with copies of the head's objects instead of borrowed ones, among which hidden files could be found.
    """
    inner = folder / ".git"
    for name in ("objects/info", "objects/pack", "refs/heads", "info"):
        (inner / name).mkdir(parents=True)
    if apart:
        # Without searching for deltas: existing ones are reused, and the view is removed minutes later.
        pack = ("pack-objects", "--revs", "--window=0", "-q", str(inner / "objects/pack/pack"))
        git.run(*pack, stdin=f"{head}\n".encode())
    else:
        _write(inner / "objects/info/alternates", f"{_quoted(str(git.common / 'objects'))}\n")
    _write(inner / "HEAD", head + "\n")
    _write(inner / "config", _configuration(git))
    if refs:
        _write(inner / "packed-refs", _refs(git))
    for name in ("info/exclude", "info/attributes", "shallow"):
        with contextlib.suppress(FileNotFoundError):
            shutil.copyfile(git.common / name, inner / name)
    git.at(work_tree=folder, index=inner / "index").run("read-tree", "--reset", "-u", tree)


def borrowed(git: Git) -> tuple[Path, ...]:
    """The object folders that a borrowing view must be able to read."""
    found, new = [], [git.common / "objects"]
    while new:
        here = new.pop()
        found.append(here)
        try:
            lines = os.fsdecode((here / "info/alternates").read_bytes()).splitlines()
        except OSError:
            continue
        more = (Path(os.path.normpath(here / line)) for line in lines if line and line[0] not in '#"')
        new += [each for each in more if each not in found]
    return tuple(found)


def _refs(git: Git) -> str:
    lines = git.word("for-each-ref", "--format=%(objectname) %(refname)").splitlines()
    return "".join(
        f"{line}\n" for line in lines if not line.split(" ")[1].startswith((KEPT_REFS, "refs/stash"))
    )


def _configuration(git: Git) -> str:
    """The configuration of the view's repository; git is asked about the user's file only once, while it is unchanged."""
    try:
        own = (git.common / "config").read_bytes()
    except FileNotFoundError:
        own = b""
    # An included file may change, or depend on the branch.
    return _composed(git) if b"include" in own.lower() else _configured(git.at(), own)


@lru_cache(maxsize=4)
def _configured(git: Git, own: bytes) -> str:  # noqa: ARG001  # a part of the key
    return _composed(git)


def _composed(git: Git) -> str:
    values = [("core.repositoryformatversion", "1"), ("core.bare", "false"), ("gc.auto", "0")]
    values += [("maintenance.auto", "false"), ("user.name", NAME), ("user.email", MAIL)]
    for line in split(git.run("config", "--local", "--includes", "--list", "-z")):
        name, given, value = line.partition("\n")
        if _COPIED.fullmatch(name):
            values.append((name, value if given else "true"))
    return "".join(_setting(name, value) for name, value in values)


def _setting(name: str, value: str) -> str:
    section, _, rest = name.partition(".")
    subsection, _, key = rest.rpartition(".")
    head = f"{section} {_quoted(subsection)}" if subsection else section
    return f"[{head}]\n\t{key} = {_quoted(value)}\n"


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _write(path: Path, text: str) -> None:
    path.write_bytes(os.fsencode(text))
