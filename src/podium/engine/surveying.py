"""What a project contains, for decisions that need no agent: its files, some of their texts, the
machine's cores.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from podium.core.effects import Check
from podium.engine.git.git import split
from podium.engine.session import Session
from podium.engine.views.code_view import CodeView
from podium.engine.workspace import Workspace
from podium.workflows.ecosystems import PROGRAMS

MOST_FILES = 50_000
LARGEST_TEXT = 500_000


def survey(session: Session, wanted: Callable[[Sequence[str]], Sequence[str]]) -> Mapping[str, Any]:
    """Never recorded as it is: a list of files is not evidence, and may be long."""
    files = [*listed(session.services.workspace()), *_programs(session.services.project)]
    texts = {}
    for path in wanted(files):
        where = session.place(path)
        if os.path.isfile(where) and os.path.getsize(where) <= LARGEST_TEXT:
            texts[path] = session.text(path)
    return {"name": "survey", "files": files, "texts": texts, "cores": os.cpu_count()}


def read_by(session: Session, check: Check) -> list[str]:
    """The paths that a check reads now, in order, each once."""
    found = dict.fromkeys(check.reads(session.run))
    for pattern in check.added(session.run):
        folder, _, name = pattern.rpartition("/")
        place = session.place(folder)
        there = sorted(os.listdir(place)) if os.path.isdir(place) else []
        found |= dict.fromkeys(f"{folder}/{each}" for each in there if fnmatchcase(each, name))
    return list(found)


def below(session: Session, folder: str) -> list[str]:
    """Every file and folder under a folder of the project, including those that git ignores."""
    found: list[str] = []
    top = session.place(folder)
    for here, names, files in os.walk(top):
        found += [
            os.path.relpath(os.path.join(here, each), session.services.project)
            for each in (*names, *files)
        ]
        if len(found) > MOST_FILES:
            break
    return sorted(found)[:MOST_FILES]


def listed(workspace: Workspace) -> list[str]:
    """Tracked files, and untracked ones that are not ignored, relative to the project."""
    if workspace.kind == "plain":
        return sorted(_walked(workspace.project))[:MOST_FILES]
    found = split(workspace.git.run("ls-files", "-z", "--cached", "--others", "--exclude-standard"))
    inner = (
        workspace.inward(path)
        for path in found
        if not workspace.prefix or path.startswith(f"{workspace.prefix}/")
    )
    return sorted({path for path in inner if not path.startswith(".podium/")})[:MOST_FILES]


def surveyed(code: CodeView, wanted: Callable[[Sequence[str]], Sequence[str]]) -> Mapping[str, Any]:
    """The same for a view of the code; anything but a plain file of the project is not read."""
    files = [*sorted(itertools.islice(_files_of(code), MOST_FILES)), *_programs(code.project)]
    texts = {}
    for path in wanted(files):
        item = code.entry(code.outward(path))
        if item is not None and item.facts.st_size <= LARGEST_TEXT:
            data = code.read(code.outward(path), LARGEST_TEXT)
            if data is not None:
                texts[path] = data.decode(errors="replace")
    return {"name": "survey", "files": files, "texts": texts}


def _programs(project: Path) -> list[str]:
    """Of a virtual environment, which git ignores, what says how the project is tested."""
    return [path for path in PROGRAMS if os.access(project / path, os.X_OK)]


def _files_of(code: CodeView) -> Iterator[str]:
    """Files of the project, without those in folders that tools fill."""
    left = [code.inner]
    while left:
        folder = left.pop()
        for name in code.names(folder):
            path = f"{folder}/{name}" if folder else name
            item = code.entry(path)
            if item is not None and not item.is_folder:
                yield os.path.relpath(path, code.inner or ".")
            elif item is not None and not _left_out(name):
                left.append(path)


def _left_out(name: str) -> bool:
    return name.startswith(".") or name in {"node_modules", "__pycache__"}


def _walked(top: Path) -> list[str]:
    found: list[str] = []
    for folder, names, files in os.walk(top):
        names[:] = sorted(name for name in names if not _left_out(name))
        found += [os.path.relpath(os.path.join(folder, each), top) for each in files]
        if len(found) > MOST_FILES:
            break
    return found
