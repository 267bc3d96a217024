"""An open view as a value, and its inputs: putting them there, comparing, removing, whatever an
agent did to the path.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from podium.core.digest import digest
from podium.engine.git.links import is_git
from podium.engine.views.code_view import CodeView
from podium.engine.views.files import Files, Folder
from podium.engine.views.layers import Entry
from podium.state.disk import ensure_folder, write_plain
from podium.state.inside import below, write_inside
from podium.verify.artifact import MAX_BYTES, Rejected, decode
from podium.verify.folder_audit import Stray

LARGEST_INPUT = 50_000_000
"""An input that grew beyond this has certainly changed."""


@dataclass
class View:
    """One open view. Paths are the project's."""

    folder: Path
    """Of documents, the folder itself; of code, the folder with everything that belongs to it."""
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
    places: dict[str, str] = field(default_factory=dict)
    """Inputs behind a link that stays inside the project, and where they really are."""
    stood: dict[str, str] | None = None
    """Outputs that the project had when the view was opened, and their digests; None if that was
    not recorded.
    """
    replaced: set[str] = field(default_factory=set)
    """Links of the project that lead out of the view; each is replaced by a folder with the
    inputs behind it.
    """

    @cached_property
    def files(self) -> Files:
        return self.code or Folder(self.folder)

    def outward(self, path: str) -> str:
        """A path of the project as the view's files name it."""
        return self.code.outward(path) if self.code is not None else path

    def inward(self, path: str) -> str:
        return os.path.relpath(path, self.code.inner or ".") if self.code is not None else path

    def entry(self, path: str) -> Entry | None:
        """What the view has there, without following links."""
        return self.files.entry(self.outward(path))

    def read(self, path: str, most: int = LARGEST_INPUT + 1) -> bytes | None:
        return self.files.read(self.outward(path), most)


def work_folder(view: View) -> Path:
    """Where the agent starts: the project's place in the view."""
    return view.folder if view.code is None else view.code.project


def fill(view: View, inputs: Mapping[str, bytes], others: Iterable[str]) -> None:
    """Put all inputs into a folder that was just made, and make the folders of `others`.

    No agent has had access to it, so no link can be on the way, and looking for one at every level
    takes ten times as long.
    """
    root = os.fspath(view.folder)
    for each in {folder for path in (*inputs, *others) if (folder := os.path.dirname(below(path)))}:
        ensure_folder(f"{root}/{each}")
    for path, data in inputs.items():
        write_plain(f"{root}/{path}", data)
        view.manifest[path] = digest(data)


def put(view: View, path: str, data: bytes) -> None:
    """Put an input as a file of its own: writing through a link would write to its target, in
    the view or outside.
    """
    view.places.pop(path, None)
    place = _place(view, path)
    if place != path:
        view.places[path] = place
    above = view.files.obstacle(view.outward(place))
    if above and view.files.target(above):
        view.replaced.add(view.inward(above))
    view.files.bring(view.outward(place), data)
    view.manifest[path] = digest(data)


def _place(view: View, path: str) -> str:
    outer = view.outward(path)
    if not view.files.obstacle(outer):
        return path
    real = view.files.behind(outer)
    folder = view.files.entry(os.path.dirname(real)) if real else None
    stays = (
        real is not None
        and ((folder is not None and folder.is_folder) or "/" not in real)
        and not view.inward(real).startswith("../")
        and not any(map(is_git, real.split("/")))
    )
    return view.inward(real) if stays and real else path


def as_put(view: View, path: str) -> bool:
    """Whether an input is still what was put there, and reached the same way."""
    place = view.places.get(path, path)
    item = view.entry(place)
    if item is None or not stat.S_ISREG(item.facts.st_mode) or item.facts.st_size > LARGEST_INPUT:
        return False
    if place != path and view.files.behind(view.outward(path)) != view.outward(place):
        return False
    data = view.read(place)
    return data is not None and digest(data) == view.manifest[path]


def spell(view: View, path: str, text: str) -> None:
    """Write an output for the agent; if a link is on the way, nothing is written and the output
    is refused later.
    """
    if view.files.obstacle(view.outward(path)):
        return
    if view.code is None:
        write_inside(view.folder, path, text.encode(), replace=False)
    else:
        view.code.write(view.outward(path), text.encode())
        view.touched.add(path)


def remove(view: View, path: str) -> None:
    """Remove what is there; what is behind a link is not ours."""
    outer = view.outward(path)
    if view.files.entry(outer) is not None:
        view.files.remove(outer)


def described(view: View, stray: Stray, limit: int = 100_000) -> bytes:
    """A readable record of one stray; large ones are cut, links and devices only named."""
    head = f"### {stray.what}: {stray.path}\n".encode(errors="backslashreplace")
    item = view.entry(stray.path)
    if item is None:
        return head
    if stat.S_ISLNK(item.facts.st_mode):
        return head + b"-> " + os.fsencode(view.files.target(view.outward(stray.path))) + b"\n"
    if not stat.S_ISREG(item.facts.st_mode):
        return head
    try:
        body = view.read(stray.path, limit) or b""
    except OSError:
        return head + b"(cannot be read)\n"
    size = item.facts.st_size
    cut = f"\n(cut: {size:,} bytes in all)\n".encode() if size > limit else b"\n"
    return head + body + cut


def artifact(view: View, path: str) -> str | Rejected:
    """The text of an output, or exactly why it is refused."""
    return text_of(view.files, view.outward(path), path)


def text_of(files: Files, where: str, path: str) -> str | Rejected:
    """The text of a file, or exactly why it is refused; `path`: as it is called there."""
    above = files.obstacle(where)
    if above and files.target(above):
        return Rejected(path, "unreadable", "a folder on its way is a symbolic link")
    item = files.entry(where)
    if item is None:
        return Rejected(path, "missing", "the file does not exist")
    if stat.S_ISLNK(item.facts.st_mode):
        return Rejected(path, "unreadable", "it is a symbolic link")
    if not stat.S_ISREG(item.facts.st_mode):
        return Rejected(path, "unreadable", "it is not a regular file")
    size = item.facts.st_size
    if size > MAX_BYTES:
        return Rejected(path, "malformed", f"it has {size:,} bytes; the limit is {MAX_BYTES:,}")
    try:
        data = files.read(where, MAX_BYTES)
    except OSError as fault:
        return Rejected(path, "unreadable", f"it cannot be opened: {fault.strerror}")
    return decode(path, data or b"")
