"""Selected paths of a view: kept as a patch, put back as they were, or sorted for an index."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from podium.core.dataclass import dataclass
from podium.engine.git.audit import MAX_BYTES
from podium.engine.git.git import SETTINGS, Git
from podium.engine.git.landing import prune_empty
from podium.engine.git.links import is_git
from podium.engine.git.trees import GITLINK, enter, entries, gitlinks, lstat_inside, scratch_index, staged
from podium.engine.git.view import CodeView
from podium.state.inside import is_deep
from podium.state.removal import remove_all

PATCH_BYTES = 20 * 1024 * 1024


@dataclass(frozen=True)
class Sorted:
    """Paths by what they are in the view now."""

    present: tuple[str, ...]
    absent: tuple[str, ...]
    odd: tuple[str, ...]
    """What git cannot or must not take: submodules, pipes, repositories, files over the limit, folders too deep."""


def sort(
    folder: Path, paths: Iterable[str], submodules: Collection[str], max_bytes: int = MAX_BYTES
) -> Sorted:
    present, absent, odd = [], [], []
    for path in sorted(set(paths)):
        place = lstat_inside(folder, path)
        if path in submodules or is_deep(path) or any(is_git(part) for part in path.split("/")):
            odd.append(path)
        elif place is None or isinstance(place, str):
            absent.append(path)
        elif stat.S_ISLNK(place.st_mode) or (stat.S_ISREG(place.st_mode) and place.st_size <= max_bytes):
            present.append(path)
        elif stat.S_ISDIR(place.st_mode):
            absent.append(path)  # gone as a file; what is in the folder has paths of its own
        else:
            odd.append(path)
    return Sorted(tuple(present), tuple(absent), tuple(odd))


_DIFF = ("-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color",
         "--src-prefix=a/", "--dst-prefix=b/")  # fmt: skip


def patch_between(
    git: Git, old: str, new: str, *, paths: Sequence[str] = (), max_bytes: int = PATCH_BYTES
) -> bytes:
    """The difference between two trees for `git apply`; only of these paths, if any are named."""
    return _cut(_difference(git, old, new, paths), max_bytes, [])


def _difference(git: Git, old: str, new: str, paths: Sequence[str] = ()) -> bytes:
    """Shows text as text: attributes could declare it binary, and readers of the patch would not see it.

    Without a work tree and an index no attributes of the project apply; git before 2.41 has no option for that.
    """
    only = ("--", *(f":(literal){path}" for path in paths)) if paths else ()
    with tempfile.TemporaryDirectory(prefix="podium-patch-") as empty:
        plain = git.at(work_tree=Path(empty), index=Path(empty, "none"))
        settings = (*SETTINGS, "core.attributesFile=/dev/null")
        return plain.run("diff-tree", "-r", *_DIFF, old, new, *only, env={"GIT_ATTR_NOSYSTEM": "1"}, settings=settings)


def _cut(diff: bytes, max_bytes: int, notes: list[str]) -> bytes:
    if len(diff) > max_bytes:
        notes = [*notes, f"# Podium: the patch has {len(diff)} bytes; only the first {max_bytes} are kept"]
    return "".join(f"{note}\n" for note in notes).encode(errors="replace") + diff[:max_bytes]


def patch(git: Git, view: CodeView, paths: Sequence[str], *, max_bytes: int = PATCH_BYTES) -> bytes:
    """How the paths differ from the base, for `git apply`; lines at the top name what is not in it."""
    kinds = sort(view.folder, paths, gitlinks(git, view.base))
    notes = [
        f"# Podium: not in this patch (a repository, a special file, too big or too deep): {path!r}"
        for path in kinds.odd
    ]
    diff = b""
    if kinds.present or kinds.absent:
        with scratch_index(git.at(work_tree=view.folder), view.base) as mine:
            enter(mine, kinds.present, kinds.absent)
            diff = _difference(git, view.base, mine.word("write-tree", "--missing-ok"))
    return _cut(diff, max_bytes, notes)


def undo(git: Git, view: CodeView, paths: Iterable[str]) -> None:
    """Put these paths of the view back as the agent found them; what it made there is removed."""
    base = entries(git, view.base)
    wanted = sorted(set(paths))
    back = [path for path in wanted if path in base and base[path][0] != GITLINK]
    for path in wanted:
        _clear(view.folder, path, needed=path in base)
        if path in base and path not in back:
            (view.folder / path).mkdir(parents=True, exist_ok=True)
    if not back:
        return
    with staged(git, view.base, back, view.folder.with_name(f"{view.folder.name}.undo")) as stage:
        for path in back:
            os.makedirs((view.folder / path).parent, exist_ok=True)
            os.replace(stage / path, view.folder / path)


def _clear(folder: Path, path: str, *, needed: bool) -> None:
    place = lstat_inside(folder, path)
    if isinstance(place, str):
        # A link or file where a folder was. It is removed only if the folder must come back.
        if needed:
            os.unlink(folder / place)
    elif place is not None:
        remove_all(folder / path)
    if not needed:
        prune_empty(folder, path, "")
