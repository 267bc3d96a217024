"""What an agent did to its folder, as acts of a scenario that do the same to a fresh folder."""

from __future__ import annotations

import base64
import os
import shlex
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from podium.agents.scenario import Call, Content, Copy
from podium.core.contract import Output
from podium.core.digest import digest
from podium.engine.attempts import view as views
from podium.engine.attempts.view_files import as_put
from podium.engine.git.trees import FILE, LINK, PROGRAM
from podium.engine.workspace import Workspace
from podium.state.inside import is_deep
from podium.verify.folder_audit import walk
from podium.verify.redact import Redactor

LARGEST_TEXT = 100_000
"""Longer texts go into files beside the scenario."""
LARGEST = 50_000_000
"""A scenario does not keep larger files, and reading one would take too long."""
OWNER, PLAIN = 0o700, 0o600


@dataclass(frozen=True)
class Files:
    """How a folder differs from what it was when it was made."""

    written: Mapping[str, tuple[bytes, int]]
    """Path as a scenario writes it, to bytes and mode."""
    deleted: tuple[str, ...] = ()
    links: Mapping[str, str] = field(default_factory=dict)
    modes: frozenset[str] = frozenset()
    """Paths whose mode must be set although it is an ordinary one."""
    were_links: frozenset[str] = frozenset()
    """Paths that were links: writing there would write to their targets."""
    lost: tuple[str, ...] = ()
    """Paths of what a scenario cannot express: pipes, unreadable files, names that are not text."""


def find(view: views.View, workspace: Workspace | None, outputs: Iterable[Output]) -> Files:
    """Everything that differs, whether the change is allowed or not: a replay must meet the same
    judge.
    """
    paths, plainer, were_links = (
        _in_code(view, workspace) if workspace is not None else (_in_folder(view), (), ())
    )
    written: dict[str, tuple[bytes, int]] = {}
    links: dict[str, str] = {}
    deleted, lost = [], []
    for path in sorted(paths):
        there, name = view.entry(path), spelled(path, outputs)
        if not _is_text(path):
            lost.append(path.encode(errors="backslashreplace").decode())
        elif is_deep(path):
            lost.append(path)
        elif there is None or there.is_folder:
            deleted.append(path)
        elif stat.S_ISLNK(there.facts.st_mode):
            links[name] = os.readlink(there.place)
        elif there.facts.st_size > LARGEST or (data := view.read(path, LARGEST)) is None:
            lost.append(path)
        else:
            written[name] = (data, stat.S_IMODE(there.facts.st_mode))
    modes, were = (
        frozenset(spelled(path, outputs) for path in each) for each in (plainer, were_links)
    )
    return Files(written, tuple(deleted), links, modes, were, tuple(lost))


def _in_folder(view: views.View) -> set[str]:
    there = {path for path, _ in walk(views.work_folder(view))}
    same = {path for path in view.manifest if as_put(view, path)}
    return (there | set(view.manifest)) - same


def _in_code(view: views.View, workspace: Workspace) -> tuple[set[str], set[str], set[str]]:
    """The paths git sees and the outputs it does not; those that lost their executable bit;
    those that were links.
    """
    assert view.code is not None
    changes = [
        each
        for each in workspace.changes(view.code)
        if not each.path.startswith("../") and each.path not in view.replaced
    ]
    put = {path for path in view.manifest if as_put(view, path)}
    paths = {each.path for each in changes} | {path for path in view.manifest if path not in put}
    paths |= {path for path in views.promised(view) if view.entry(path) is not None}
    plainer = {each.path for each in changes if (each.old_mode, each.new_mode) == (PROGRAM, FILE)}
    return paths - put, plainer, {each.path for each in changes if each.old_mode == LINK}


def spelled(path: str, outputs: Iterable[Output]) -> str:
    """The path as a scenario names it: an output by its name, and no other path so that it could
    be taken for one.
    """
    for output in outputs:
        if (output.example or output.path) == path:
            return f"@{output.name}"
    homes = {os.path.basename(os.path.dirname(each.path)) for each in outputs if each.many}
    folder, slash, name = path.partition("/")
    taken = path.startswith("@") or (slash and folder in homes and "/" not in name)
    return f"./{path}" if taken else path


def as_call(files: Files, redact: Redactor) -> tuple[Call, dict[str, bytes]]:
    """The acts, and by name the contents that go into files beside the scenario."""
    copies: dict[str, bytes] = {}
    write: list[tuple[str, Content]] = []
    run: list[str] = []
    in_the_way = _in_the_way(files)
    for path, (raw, mode) in files.written.items():
        data = redact(raw.decode(errors="surrogateescape")).encode(errors="surrogateescape")
        if path in in_the_way:
            run.append(_by_shell(path.removeprefix("./"), data, mode))
            continue
        text = _text(data)
        if text is None:
            name = digest(data).partition(":")[2][:16]
            copies[name] = data
            write.append((path, Copy(name)))
        else:
            write.append((path, text))
    modes = ((path, mode) for path, (_, mode) in files.written.items() if path not in in_the_way)
    call = Call(
        write=tuple(write),
        delete=tuple(path for path in files.deleted if not _below_written(path, files)),
        chmod=tuple((path, mode) for path, mode in modes if path in files.modes or _unusual(mode)),
        symlink=tuple((path, redact(target)) for path, target in files.links.items()),
        run=tuple(run),
    )
    return call, copies


def _unusual(mode: int) -> bool:
    return mode & OWNER != PLAIN


def _in_the_way(files: Files) -> set[str]:
    """Files where a folder was, or below what was a file: only a command can make them."""
    gone = set(files.deleted)
    found = {
        path
        for path in files.written
        if any(above in gone for above in _above(path)) or _replaced(path, gone)
    }
    return found | {
        path for path in files.written if path in files.were_links and not path.startswith("@")
    }


def _replaced(path: str, gone: set[str]) -> bool:
    return any(each.startswith(f"{path.removeprefix('./')}/") for each in gone)


def _below_written(path: str, files: Files) -> bool:
    return any(above in files.written or f"./{above}" in files.written for above in _above(path))


def _above(path: str) -> Iterator[str]:
    path = path.removeprefix("./")
    while path := path.rpartition("/")[0]:
        yield path


def _by_shell(path: str, data: bytes, mode: int) -> str:
    """One command that makes the file, whatever is in its way."""
    free = [
        f"[ -d {each} ] || rm -f {each}"
        for each in (shlex.quote(f"./{above}") for above in reversed(list(_above(path))))
    ]
    place, home = shlex.quote(f"./{path}"), shlex.quote(f"./{os.path.dirname(path)}")
    made = f"printf %s {base64.b64encode(data).decode()} | base64 -d > {place}"
    return "; ".join(
        [*free, f"rm -rf {place}", f"mkdir -p {home}", made, f"chmod {mode:o} {place}"]
    )


def _text(data: bytes) -> str | None:
    """The text; None if it is not text, or too long for a scenario."""
    if len(data) > LARGEST_TEXT:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
