"""Git objects written without git: for trees and commits, a process each would cost more than the object.

This is only for objects to which no rules of the project apply. The project's files go through git, which knows their
filters, unless git has already named exactly these bytes.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import zlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

from podium.engine.git.git import MAIL, NAME, Git, GitFailed
from podium.engine.git.index_file import Entry
from podium.state.disk import DISK_FAILURES

FOLDER = "040000"
_READABLE, _ANY = 0o444, 0o7777


def _whole(kind: str, data: bytes) -> bytes:
    return f"{kind} {len(data)}\0".encode() + data


class Objects:
    """The loose objects of one repository."""

    def __init__(self, git: Git, algorithm: str, *, lasting: bool = True) -> None:
        """`lasting`: objects are synced before they are used, and existing ones get a new time."""
        self._folder = git.common / "objects"
        self._algorithm = algorithm
        self._lasting = lasting

    def blob(self, data: bytes) -> str:
        return self._written("blob", data)

    def tree(self, entries: Mapping[str, Entry]) -> str:
        """A tree of one level: name to mode and id."""
        rows = sorted((os.fsencode(name), mode.lstrip("0"), key) for name, (mode, key) in entries.items())
        # Git sorts a folder as if its name ended with a slash.
        rows.sort(key=lambda row: row[0] + b"/" if row[1] == FOLDER.lstrip("0") else row[0])
        return self._written("tree", b"".join(f"{mode} ".encode() + name + b"\0" + bytes.fromhex(key) for name, mode, key in rows))

    def commit(self, tree: str, parents: Iterable[str], message: str, date: str) -> str:
        """A commit by Podium; the ids are full ones."""
        when = datetime.fromisoformat(date)
        when = when if when.tzinfo else when.astimezone()
        who = f"{NAME} <{MAIL}> {int(when.timestamp())} {when:%z}"
        lines = [f"tree {tree}", *(f"parent {each}" for each in dict.fromkeys(parents)), f"author {who}", f"committer {who}", ""]
        return self._written("commit", os.fsencode("\n".join([*lines, message.rstrip("\n"), ""])))

    def name(self, kind: str, data: bytes) -> str:
        """The name that git gives such an object."""
        return hashlib.new(self._algorithm, _whole(kind, data), usedforsecurity=False).hexdigest()

    def _written(self, kind: str, data: bytes) -> str:
        whole = _whole(kind, data)
        key = hashlib.new(self._algorithm, whole, usedforsecurity=False).hexdigest()
        place = self._folder / key[:2] / key[2:]
        try:
            if not self._there(place):
                self._save(place, zlib.compress(whole, 1))
        except OSError as fault:
            if fault.errno in DISK_FAILURES:
                raise
            raise GitFailed(("hash-object", "-w", "-t", kind), 128, f"cannot write {place}: {fault.strerror}") from fault
        return key

    def _there(self, place: Path) -> bool:
        if not self._lasting:
            return place.exists()
        try:
            os.utime(place)  # as git does, so that garbage collection does not take it for old and unused
        except OSError:
            return False
        return True

    def _save(self, place: Path, data: bytes) -> None:
        # Everyone who shares the repository may read new objects, and add objects next to them.
        mode = self._folder.stat().st_mode & _ANY
        try:
            place.parent.mkdir()
            place.parent.chmod(mode)
        except FileExistsError:
            pass
        spare = place.parent / f"tmp_obj_{secrets.token_hex(6)}"
        try:
            with spare.open("xb") as file:
                file.write(data)
                file.flush()
                os.fchmod(file.fileno(), mode & _READABLE)
                if self._lasting:
                    os.fsync(file.fileno())
            os.replace(spare, place)
        except BaseException:
            spare.unlink(missing_ok=True)
            raise
