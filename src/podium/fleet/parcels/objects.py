"""Git objects written without git: a parcel has many small ones at every event, and a process for each costs more than they do.

Only what needs no rules of the project is written so: the run's folder, the parcel's own papers, trees and commits.
The project's files go through git, which knows their filters. Nothing is synced: a parcel counts once the remote has it.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import zlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from podium.engine.git.git import MAIL, NAME, Git

FOLDER = "40000"
FILE = "100644"


class Objects:
    """The loose objects of one repository."""

    def __init__(self, git: Git) -> None:
        self._folder = git.common / "objects"
        self._algorithm = git.word("rev-parse", "--show-object-format")
        self._there: set[str] = set()

    def blob(self, data: bytes) -> str:
        return self._written("blob", data)

    def tree(self, entries: Mapping[str, tuple[str, str]]) -> str:
        """Of one level: name to mode and id."""
        # Git sorts a folder as if its name ended with a slash.
        rows = sorted(entries.items(), key=lambda each: os.fsencode(each[0]) + (b"/" if each[1][0] == FOLDER else b""))
        return self._written("tree", b"".join(f"{mode} ".encode() + os.fsencode(name) + b"\0" + bytes.fromhex(key) for name, (mode, key) in rows))

    def trees(self, paths: Mapping[str, tuple[str, str]]) -> str:
        """Of all levels: path to mode and id."""
        here: dict[str, tuple[str, str]] = {}
        below: dict[str, dict[str, tuple[str, str]]] = {}
        for path, entry in paths.items():
            name, _, rest = path.partition("/")
            if rest:
                below.setdefault(name, {})[rest] = entry
            else:
                here[name] = entry
        return self.tree(here | {name: (FOLDER, self.trees(inner)) for name, inner in below.items()})

    def commit(self, tree: str, parents: Sequence[str], message: str, date: str) -> str:
        when = f"{int(datetime.fromisoformat(date).timestamp())} +0000"
        lines = [f"tree {tree}", *(f"parent {each}" for each in parents)]
        lines += [f"author {NAME} <{MAIL}> {when}", f"committer {NAME} <{MAIL}> {when}", "", message.rstrip("\n"), ""]
        return self._written("commit", "\n".join(lines).encode())

    def _written(self, kind: str, data: bytes) -> str:
        whole = f"{kind} {len(data)}\0".encode() + data
        key = hashlib.new(self._algorithm, whole, usedforsecurity=False).hexdigest()
        if key not in self._there:
            self._save(self._folder / key[:2] / key[2:], zlib.compress(whole, 1))
            self._there.add(key)
        return key

    def _save(self, place: Path, data: bytes) -> None:
        if place.exists():
            return
        place.parent.mkdir(exist_ok=True)
        spare = place.parent / f"tmp_obj_{secrets.token_hex(6)}"
        spare.write_bytes(data)
        spare.chmod(0o444)
        os.replace(spare, place)
