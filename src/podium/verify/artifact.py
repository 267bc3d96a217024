"""Trust files, not narration: an artifact exists, is readable, has content and the promised structure, or is refused."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Literal

from podium.core.contract import Output
from podium.core.dataclass import dataclass
from podium.core.digest import digest
from podium.state.regular import read_all

FailureClass = Literal["missing", "empty", "malformed", "unreadable"]

MAX_BYTES = 5_000_000
"""An artifact is a document for people; the largest we saw in real runs was 80 KB."""


@dataclass(frozen=True)
class Verified:
    name: str
    path: str
    text: str
    digest: str


@dataclass(frozen=True)
class Rejected:
    path: str
    failure: FailureClass
    detail: str


def verify(output: Output, folder: Path, template: str) -> Verified | Rejected:
    """Verify one output of a step on disk."""
    found = read_text(folder, output.path)
    if isinstance(found, Rejected):
        return found
    if not found.strip() and output.blank:
        return Verified(output.name, output.path, found, digest(found))
    if not found.strip():
        return Rejected(output.path, "empty", "the file holds nothing but white space")
    faults = output.check(found, template) if output.check else ()
    if faults:
        return Rejected(output.path, "malformed", "; ".join(faults))
    return Verified(output.name, output.path, found, digest(found))


def read_text(folder: Path, path: str, limit: int = MAX_BYTES) -> str | Rejected:
    """The file's text, or exactly why it is refused. Links are never followed, devices never opened."""
    where = os.path.join(folder, path)
    if _linked(os.fspath(folder), path):
        return Rejected(path, "unreadable", "a folder on its way is a symbolic link")
    try:
        # O_NONBLOCK: a named pipe in the artifact's place must not block the engine.
        descriptor = os.open(where, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return Rejected(path, "missing", "the file does not exist")
    except OSError as fault:
        what = "it is a symbolic link" if os.path.islink(where) else f"it cannot be opened: {fault.strerror}"
        return Rejected(path, "unreadable", what)
    facts = os.fstat(descriptor)
    if not stat.S_ISREG(facts.st_mode):
        os.close(descriptor)
        return Rejected(path, "unreadable", "it is not a regular file")
    try:
        if facts.st_size > limit:
            return Rejected(path, "malformed", f"it has {facts.st_size:,} bytes; the limit is {limit:,}")
        raw = read_all(descriptor, facts.st_size)
    finally:
        os.close(descriptor)
    try:
        return raw.decode()
    except UnicodeDecodeError as fault:
        return Rejected(path, "unreadable", f"it is not UTF-8 (byte {fault.start})")


def _linked(folder: str, path: str) -> bool:
    """Whether a folder between the view and the file was replaced by a link."""
    parts = path.split("/")[:-1]
    return any(os.path.islink(f"{folder}/{'/'.join(parts[: end + 1])}") for end in range(len(parts)))
