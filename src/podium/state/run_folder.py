"""The files of one run, and the names by which people refer to runs.

A run exists if its `journal.jsonl` does. A folder without one was left by a crash while a
run was being created, and is ignored.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from podium.core.errors import Fault, InputError, UsageError
from podium.core.nearest import nearest
from podium.state.disk import Disk, StrPath
from podium.state.json_file import parse_object
from podium.state.regular import at_once

JOURNAL = "journal.jsonl"
_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_PART = re.compile(r"[A-Za-z0-9._%-]+")

_IGNORED = "runs/\ncache/\n.gitignore\nREADME.md\n"
_README = """\
runs/ has one folder for each run of Podium, and nothing else: state.json says where it stands (you may edit it), journal.jsonl
what happened (append-only, hash-chained: do not edit), steps/ what each agent was asked and answered.
`podium list` names the runs; a folder whose run has ended may be deleted.
"""  # noqa: E501


def valid_run_id(text: str) -> bool:
    return _RUN_ID.fullmatch(text) is not None


@dataclass(frozen=True)
class RunFolder:
    """Where the files of one run are. `root` is the project; a child's id is `<root run>/<key>`."""

    root: Path
    run_id: str

    def __post_init__(self) -> None:
        name, *key = self.run_id.split("/")
        if not valid_run_id(name):
            raise UsageError(
                f"{name!r} is not a run id (letters, digits, '.', '_' and '-', at most 64, a "
                "letter or digit first)"
            )
        _checked(key)

    @cached_property
    def root_id(self) -> str:
        return self.run_id.partition("/")[0]

    @cached_property
    def path(self) -> Path:
        _, _, key = self.run_id.partition("/")
        top = self.root / ".podium" / "runs" / self.root_id
        return top / "children" / key if key else top

    @cached_property
    def state(self) -> Path:
        return self.path / "state.json"

    @cached_property
    def journal(self) -> Path:
        return self.path / JOURNAL

    @property
    def request(self) -> Path:
        return self.path / "request.json"

    @property
    def inbox(self) -> Path:
        return self.path / "inbox"

    @property
    def lock(self) -> Path:
        """The root run's lock: one process drives a run and all its children."""
        return self.root / ".podium" / "runs" / self.root_id / "lock"

    def steps(self, key: str) -> Path:
        found = self._steps.get(key)
        if found is None:
            found = self._steps[key] = self.path.joinpath("steps", *_checked(key.split("/")))
        return found

    @cached_property
    def _steps(self) -> dict[str, Path]:
        return {}

    def child(self, key: str) -> RunFolder:
        """The child run with this key. Keys are full paths from the root run, even in a child
        run.
        """
        return RunFolder(self.root, f"{self.root_id}/{key}")


def _checked(parts: list[str]) -> list[str]:
    for part in parts:
        if not _PART.fullmatch(part) or part in {".", ".."}:
            raise UsageError(
                f"{'/'.join(parts)!r} is not a key: {part!r} cannot be the name of a folder"
            )
    return parts


def prepare(root: StrPath, disk: Disk) -> None:
    """Make `.podium/` once, so that `git status` stays clean; what a person changed there is
    kept.
    """
    podium = os.path.join(root, ".podium")
    disk.make_dirs(os.path.join(podium, "runs"))
    # The README comes first and only together with a new ignore file: one by an older version would
    # not cover it.
    ignored = os.path.join(podium, ".gitignore")
    if not os.path.lexists(ignored):
        disk.save(os.path.join(podium, "README.md"), _README.encode())
        disk.save(ignored, _IGNORED.encode())


def save_request(folder: RunFolder, request: Mapping[str, Any], disk: Disk) -> None:
    """Synced, unlike the state, because nothing could restore it."""
    disk.make_dirs(folder.path)
    text = json.dumps(request, indent=2, ensure_ascii=False) + "\n"
    disk.save(folder.request, text.encode(errors="backslashreplace"), sync=True)


def load_request(folder: RunFolder) -> dict[str, Any]:
    try:
        with open(folder.request, "rb", opener=at_once) as file:
            data = file.read()
    except FileNotFoundError:
        raise UsageError(
            f"{folder.request} is missing: nothing says what run {folder.run_id} was asked to do. "
            "Restore it from a backup, or start a new run."
        ) from None
    mend = "restore it from a backup, or start a new run"
    found = parse_object(data, str(folder.request), mend)
    if "workflow" not in found:
        raise InputError(Fault(str(folder.request), "field 'workflow' is missing", mend))
    return found


def step_folder(run: Path, key: str) -> Path:
    """A step's folder in a run's folder; a child run has its own."""
    own = run / "steps" / key
    return own if own.is_dir() else next(iter(sorted(run.glob(f"children/**/steps/{key}"))), own)


def family(project: Path, run: str) -> list[str]:
    """The run and all its child runs."""
    top = RunFolder(project, run).path
    paths = sorted(top.glob(f"children/**/{JOURNAL}")) if (top / "children").is_dir() else []
    return [
        run,
        *(f"{run}/{path.parent.relative_to(top / 'children').as_posix()}" for path in paths),
    ]


def run_ids(runs_dir: StrPath) -> list[str]:
    """Every root run, sorted."""
    try:
        names = os.listdir(runs_dir)
    except FileNotFoundError:
        return []
    return sorted(name for name in names if valid_run_id(name) and _exists(runs_dir, name))


def resolve(runs_dir: StrPath, spoken: str) -> str:
    """The run that a person means: its id, a unique beginning of it, or `@` for the latest;
    `/key` selects a child.
    """
    name, slash, key = spoken.partition("/")
    found = _resolve_root(runs_dir, name)
    if not slash:
        return found
    if not os.path.exists(
        os.path.join(runs_dir, found, "children", *_checked(key.split("/")), JOURNAL)
    ):
        raise UsageError(
            f"run {found} has no child run {key!r}; `podium status {found}` names them"
        )
    return f"{found}/{key}"


def _resolve_root(runs_dir: StrPath, name: str) -> str:
    if valid_run_id(name) and _exists(runs_dir, name):
        return name
    ids = run_ids(runs_dir)
    if not ids:
        raise UsageError(f"there is no run in {os.fspath(runs_dir)}; `podium run` starts one")
    if name == "@":
        return max(ids, key=lambda each: (_started(runs_dir, each), each))
    candidates = [each for each in ids if name and each.startswith(name)]
    if len(candidates) > 1:
        raise UsageError(
            f"{name!r} matches several runs: {', '.join(candidates)}; give more of the id"
        )
    if not candidates:
        near = nearest(name, ids)
        meant = f"did you mean {near}?" if near else "`podium list` names them all"
        raise UsageError(f"there is no run {name!r}; {meant}")
    return candidates[0]


def _exists(runs_dir: StrPath, name: str) -> bool:
    return os.path.exists(os.path.join(runs_dir, name, JOURNAL))


def _started(runs_dir: StrPath, name: str) -> str:
    """When a run started; a damaged journal counts as the oldest, so that it never hides an
    intact one.
    """
    try:
        with open(os.path.join(runs_dir, name, JOURNAL), "rb", opener=at_once) as file:
            return str(json.loads(file.readline())["ts"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""
