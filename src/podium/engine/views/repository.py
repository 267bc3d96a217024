"""The `.git` folder of a view: status, diff, log, commit and branch work in it, and what they write
is removed with the view.

It has no remotes, no hooks, no stash and no branch but the person's own. Where the view shows all
files it borrows the project's objects; where files are hidden it has one commit and only the
objects that can be seen, because borrowed ones could be asked for what is hidden.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from podium.engine.git.git import MAIL, NAME, Git, GitFailed, persons_own, split
from podium.engine.views.code_view import CodeView
from podium.engine.views.store import DEEPEST, TreeStore
from podium.state.removal import remove_all

KEPT_S = 30 * 24 * 3600.0
"""How long objects of views are kept when no new view uses them."""
_COPIED = re.compile(
    r"core\.(autocrlf|eol|filemode|ignorecase|symlinks|precomposeunicode|attributesfile|"
    r"excludesfile)"
    r"|filter\..+|extensions\.objectformat",
    re.IGNORECASE | re.DOTALL,
)
"""Settings that decide how content is written and read; never remotes, credentials, aliases or
hooks.
"""
_OWN = (
    ("core.repositoryformatversion", "1"),
    ("core.bare", "false"),
    # In a view a file has another inode and another ctime than the index says.
    ("core.checkStat", "minimal"),
    ("core.trustctime", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("user.name", NAME),
    ("user.email", MAIL),
)


@dataclass(frozen=True)
class Repository:
    """A furnished `.git` folder."""

    folder: Path
    borrowed: tuple[Path, ...]
    """Folders with objects; each is found at `real0`, `real1` … in the folder."""


def furnish(
    store: TreeStore, folder: Path, commit: str, tree: str, *, closed: bool, mounted: bool
) -> Repository:
    """Make the repository of a view that shows this tree, with the commit as its HEAD; it has no
    index yet.

    `closed`: with copies of what can be seen instead of borrowed objects. `mounted`: borrowed
    folders will be mounted in it, because the view covers the project's own.
    """
    git = store.git
    for name in ("objects/info", "objects/pack", "refs/heads", "info"):
        (folder / name).mkdir(parents=True)
    borrowed = closed_objects(store, commit, tree) if closed else object_folders(git)
    lines = [f"../real{number}" for number, _ in enumerate(borrowed)]
    for line in lines if mounted else ():
        (folder / "objects" / line).mkdir()
    if not mounted:
        lines = [_quoted(os.fspath(place)) for place in borrowed]
    _write(folder / "objects/info/alternates", "".join(f"{line}\n" for line in lines))
    branch = "" if closed else (git.maybe("symbolic-ref", "-q", "HEAD") or "")
    if branch:
        _write(folder / "packed-refs", f"{commit} {branch}\n")
    _write(folder / "HEAD", f"ref: {branch}\n" if branch else f"{commit}\n")
    _write(folder / "config", _configuration(git))
    for name in ("info/exclude", "info/attributes", *(() if closed else ("shallow",))):
        with contextlib.suppress(FileNotFoundError):
            shutil.copyfile(git.common / name, folder / name)
    return Repository(folder, borrowed)


def object_folders(git: Git) -> tuple[Path, ...]:
    """The project's objects and those that it borrows itself."""
    folders, ahead = list[Path](), [git.common / "objects"]
    while ahead:
        folder = ahead.pop(0)
        if folder in folders or not folder.is_dir():
            continue
        folders.append(folder)
        try:
            lines = os.fsdecode((folder / "info/alternates").read_bytes()).splitlines()
        except OSError:
            continue
        ahead += [
            Path(os.path.normpath(folder / line)) for line in lines if line and line[0] not in '#"'
        ]
    return tuple(folders)


def closed_objects(store: TreeStore, commit: str, tree: str) -> tuple[Path, ...]:
    """Folders with the objects of this commit and tree alone, without what is hidden.

    Like the layers of files: what an earlier one has is not packed again.
    """
    home = store.root / "objects"
    chain = _chain(home, tree)
    if not chain:
        with store.alone():
            if not _chain(home, tree):
                _publish(store, home, commit, tree)
        chain = _chain(home, tree)
    for name in chain:
        os.utime(home / name)
    return tuple(home / name / "objects" for name in chain)


def _chain(home: Path, tree: str) -> list[str]:
    chain: list[str] = []
    while tree:
        try:
            below = (home / tree / "below").read_text(encoding="ascii")
        except OSError:
            return []
        chain.append(tree)
        tree = below
    return chain


def prune_objects(store: TreeStore, now: float | None = None) -> None:
    """Remove objects that were not used for long. Views that are copies refer to theirs where they
    are, so only their age says whether one is in use.
    """
    home, now = store.root / "objects", time.time() if now is None else now
    if not home.is_dir():
        return
    with store.alone():
        ages = {place.name: now - place.stat().st_mtime for place in home.iterdir()}
        needed = {
            lower for name, age in ages.items() if age < KEPT_S for lower in _chain(home, name)
        }
        for name in ages.keys() - needed:
            remove_all(home / name)


def _publish(store: TreeStore, home: Path, commit: str, tree: str) -> None:
    home.mkdir(exist_ok=True)
    known = sorted(home.iterdir(), key=lambda place: place.stat().st_mtime_ns, reverse=True)
    lower = next((chain for place in known if (chain := _chain(home, place.name))), [])
    lower = lower[-1:] if len(lower) >= DEEPEST else lower
    try:
        new = _packed(store, commit, tree, lower)
    except GitFailed:
        if not lower:
            raise
        new = _packed(store, commit, tree, [])  # git has forgotten the earlier tree since
    remove_all(home / tree)  # one whose lower folders are gone
    os.rename(new, home / tree)


def _packed(store: TreeStore, commit: str, tree: str, lower: list[str]) -> Path:
    new = store.unfinished()
    (new / "objects/pack").mkdir(parents=True)
    (new / "objects/info").mkdir()
    (new / "below").write_text(lower[0] if lower else "", encoding="ascii")
    wanted = f"{commit}\n{tree}\n" + "".join(f"^{name}\n" for name in lower)
    # Without searching for deltas: existing ones are reused, and a view does not live long.
    pack = ("pack-objects", "--revs", "--window=0", "-q", f"{new}/objects/pack/pack")
    # git writes it where its objects are and then renames it: both must be on one disk.
    elsewhere = {
        "GIT_OBJECT_DIRECTORY": f"{new}/objects",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": ":".join(
            _quoted(os.fspath(place)) for place in object_folders(store.git)
        ),
    }
    store.git.run(*pack, stdin=wanted.encode(), env=elsewhere)
    return new


def _configuration(git: Git) -> str:
    """Git is asked about its files only once, while they are unchanged."""
    known = tuple(map(_text, (git.common / "config", *map(Path, persons_own()))))
    # An included file may change, or depend on the branch.
    included = any(b"include" in text.lower() for text in known)
    return _composed(git) if included else _configured(git.at(), known)


def _text(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@lru_cache(maxsize=4)
def _configured(git: Git, known: tuple[bytes, ...]) -> str:  # noqa: ARG001  # a part of the key
    return _composed(git)


def _composed(git: Git) -> str:
    """Also what the person set for all their projects: programs of a view have another home."""
    values = list(_OWN)
    rows = split(git.run("config", "--show-origin", "--includes", "--list", "-z"))
    for origin, line in zip(rows[::2], rows[1::2], strict=True):
        name, given, value = line.partition("\n")
        if origin.startswith("file:") and _COPIED.fullmatch(name):
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


_PROGRAMS = (
    r"^(core\.(hookspath|fsmonitor|sshcommand|gitproxy|askpass|editor|pager|alternaterefscommand)"
    r"|filter\..+|alias\..+|merge\..+\.driver|diff\.(.+\.)?(external|textconv|command)"
    r"|credential(\..+)?\.helper|include(if\..+)?\.path|remote\..+\.(uploadpack|receivepack))$"
)
_LARGEST_CONFIGURATION = 1_000_000


def planted(git: Git, view: CodeView) -> list[str]:
    """Hooks and settings by which an agent made the view's git run programs.

    Nothing of a view reaches the project's own repository; but whoever writes them wanted to.
    """
    paths = [f".git/hooks/{name}" for name in view.names(".git/hooks")]
    for name in (".git/config", ".git/config.worktree"):
        text = view.read(name, _LARGEST_CONFIGURATION)
        if text is not None and text != os.fsencode(_configuration(git)) and _runs(git, view, text):
            paths.append(name)
    return paths


def _runs(git: Git, view: CodeView, text: bytes) -> bool:
    """Whether these settings name programs that the project's own do not."""
    file = view.home / "configuration"
    asked = ("config", "-f", os.fspath(file), "--get-regexp", "-z", _PROGRAMS)
    file.write_bytes(os.fsencode(_configuration(git)))
    before = git.maybe(*asked) or ""
    file.write_bytes(text)
    try:
        now = git.maybe(*asked) or ""
    except GitFailed:  # it cannot be read, by git neither
        return False
    return bool(set(now.split("\0")) - set(before.split("\0")))
