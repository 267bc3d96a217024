"""Small git repositories, each kind made once by git and then copied: most tests begin with one
that others begin with, too.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Literal

Kind = Literal["repository", "unborn", "plain"]
_WHO = (
    "-c",
    "user.name=Ada",
    "-c",
    "user.email=ada@localhost",
    "-c",
    "commit.gpgsign=false",
    "-c",
    "gc.auto=0",
)


def git(folder: Path, *words: str) -> str:
    return subprocess.run(
        ["git", *_WHO, *words], cwd=folder, capture_output=True, text=True, check=True
    ).stdout


def made(
    folder: Path, files: Mapping[str, str], kind: Kind = "repository", *, named: bool = False
) -> Path:
    """A project with these files; `named`: with a name for commits in its own configuration."""
    return copied(
        folder,
        json.dumps([files, kind, named], sort_keys=True),
        lambda root: _make(root, files, kind, named=named),
    )


def copied(folder: Path, what: str, make: Callable[[Path], None]) -> Path:
    """A folder as `make` makes it; the same for the same `what` in one process."""
    model = _models() / hashlib.sha256(what.encode()).hexdigest()[:16]
    if not model.exists():
        make(model)
    shutil.copytree(model, folder, symlinks=True, dirs_exist_ok=True)
    return folder


@cache
def _models() -> Path:
    folder = tempfile.mkdtemp(prefix="podium-models-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _make(root: Path, files: Mapping[str, str], kind: Kind, *, named: bool) -> None:
    root.mkdir(parents=True)
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    begin(root, kind)
    if named and kind != "plain":
        with open(root / ".git" / "config", "a", encoding="utf-8") as file:
            file.write("[user]\n\tname = Ada\n\temail = ada@localhost\n")


def begin(root: Path, kind: Kind) -> None:
    """What git has to do with the files that are there."""
    if kind != "plain":
        git(
            root, "init", "-q", "-b", "main", "--template="
        )  # without hooks that are samples: most of what is copied
        (root / ".git" / "info").mkdir()
        (root / ".git" / "info" / "exclude").touch()
    if kind == "repository":
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "A small project")
