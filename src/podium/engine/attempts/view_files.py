"""An open view as a value, and its inputs: putting them there, comparing, removing, whatever an agent did to the path."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path

from podium.core.dataclass import dataclass
from podium.core.digest import digest
from podium.engine.git.links import is_git
from podium.engine.git.view import CodeView
from podium.state.disk import ensure_folder, write_plain
from podium.state.inside import below, facts_inside, hindrance, make_inside, read_inside, write_inside
from podium.state.removal import remove_all
from podium.verify.folder_audit import Stray

LARGEST_INPUT = 50_000_000
"""An input that grew beyond this has certainly changed."""


@dataclass
class View:
    """One open view."""

    folder: Path
    scratch: Path
    manifest: dict[str, str]
    """Input path to its digest when it was put there."""
    code: CodeView | None = None
    outputs: frozenset[str] = frozenset()
    patterns: tuple[str, ...] = ()
    """Globs of outputs that may be any number of files."""
    touched: set[str] = field(default_factory=set)
    """Outputs that the agent changed; for a view of code, known after the audit."""
    quarantine: list[bytes] = field(default_factory=list)
    before: frozenset[str] = frozenset()
    """Outputs that existed when a view of code was opened."""
    spilled: tuple[str, ...] = ()
    """What the agent wrote where it may but nothing lands; known after the audit."""
    in_memory: bool = False
    """Whether it is lost when the machine restarts."""
    opened_ns: int = 0
    """When a view of code was ready, by the file clock: an agent's own writes are later."""
    places: dict[str, str] = field(default_factory=dict)
    """Inputs behind a link that stays inside the project, and where they really are."""
    stood: dict[str, str] | None = None
    """Outputs that the project had when the view was opened, and their digests; None if that was not recorded."""
    replaced: set[str] = field(default_factory=set)
    """Links of the project that lead out of the view; each is replaced by a folder with the inputs behind it."""


def work_folder(view: View) -> Path:
    """Where the agent starts: the project's place in the view."""
    return view.folder if view.code is None else view.code.project


def within(view: View, path: str) -> tuple[str, str]:
    """The folder that is certainly ours, and the path from there: the project's own place in it may have become a link."""
    root = os.fspath(view.folder)
    below = os.path.relpath(work_folder(view), root)
    return root, path if below == "." else f"{below}/{path}"


def facts(view: View, path: str) -> os.stat_result | None:
    """What the view has there, without following links."""
    return facts_inside(*within(view, path))


def fill(view: View, inputs: Mapping[str, bytes], others: Iterable[str]) -> None:
    """Put all inputs into a folder that was just made, and make the folders of `others`.

    No agent has had access to it, so no link can be on the way, and looking for one at every level takes ten times as long.
    """
    root = os.fspath(view.folder)
    for each in {folder for path in (*inputs, *others) if (folder := os.path.dirname(below(path)))}:
        ensure_folder(f"{root}/{each}")
    for path, data in inputs.items():
        write_plain(f"{root}/{path}", data)
        view.manifest[path] = digest(data)


def put(view: View, path: str, data: bytes) -> None:
    """Put an input as a file of its own: writing through a link would write to its target, in the view or outside."""
    view.places.pop(path, None)
    place = _place(view, path)
    if place != path:
        view.places[path] = place
    root, inner = within(view, place)
    above = hindrance(root, inner)
    if above and os.path.islink(os.path.join(root, above)):
        view.replaced.add(os.path.relpath(above, within(view, ".")[1]))
    write_inside(root, inner, data)
    view.manifest[path] = digest(data)


def _place(view: View, path: str) -> str:
    if not hindrance(*within(view, path)):
        return path
    base = os.path.realpath(work_folder(view))
    folder = os.path.realpath(os.path.join(base, os.path.dirname(path)))
    inner = os.path.relpath(folder, base)
    stays = os.path.isdir(folder) and inner.split("/")[0] != ".." and not any(map(is_git, inner.split("/")))
    return os.path.normpath(os.path.join(inner, os.path.basename(path))) if stays else path


def as_put(view: View, path: str) -> bool:
    """Whether an input is still what was put there, and reached the same way."""
    place = view.places.get(path, path)
    found = facts(view, place)
    if found is None or not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST_INPUT:
        return False
    if place != path and os.path.realpath(os.path.join(work_folder(view), path)) != os.path.realpath(
        os.path.join(work_folder(view), place)
    ):
        return False
    data = read_inside(*within(view, place), most=LARGEST_INPUT + 1)
    return data is not None and digest(data) == view.manifest[path]


def make_way(view: View, path: str) -> None:
    """Make the folder that a file will be in, unless a link is in its place."""
    if above := os.path.dirname(path):
        make_inside(*within(view, above))


def spell(view: View, path: str, text: str) -> None:
    """Write an output for the agent; if a link is on the way, nothing is written and the output is refused later."""
    if write_inside(*within(view, path), text.encode(), replace=False) and view.code is not None:
        view.touched.add(path)


def taken_away(view: View, stray: Stray) -> None:
    """Remove a stray, after copying it to the quarantine; what is behind a link is not ours."""
    root, inner = within(view, stray.path)
    view.quarantine.append(_described(stray, root, inner))
    if facts_inside(root, inner) is not None:
        remove_all(os.path.join(root, inner))


def _described(stray: Stray, root: str, inner: str, limit: int = 100_000) -> bytes:
    """A readable record of one stray; large ones are cut, links and devices only named."""
    head = f"### {stray.what}: {stray.path}\n".encode(errors="backslashreplace")
    found = facts_inside(root, inner)
    if found is None or not (stat.S_ISLNK(found.st_mode) or stat.S_ISREG(found.st_mode)):
        return head
    if stat.S_ISLNK(found.st_mode):
        return head + b"-> " + os.fsencode(os.readlink(os.path.join(root, inner))) + b"\n"
    body = read_inside(root, inner, most=limit)
    if body is None:
        return head + b"(cannot be read)\n"
    cut = f"\n(cut: {found.st_size:,} bytes in all)\n".encode() if found.st_size > limit else b"\n"
    return head + body + cut
