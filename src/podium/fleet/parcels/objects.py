"""The objects of a parcel: written by git, some calls for all files of one parcel.

Nothing is synced: a parcel counts once the remote has it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from podium.engine.git.git import SETTINGS, Git
from podium.engine.git.trees import Entry, commit_tree, scratch_index

UNSYNCED = (*(name for name in SETTINGS if not name.startswith("core.fsync")), "core.fsync=none")
"""A worker's checkout need not survive a power cut, and parcels count once the remote has them."""


@dataclass(frozen=True)
class Objects:
    """The objects of a worker's repository."""

    git: Git

    def blob(self, data: bytes) -> str:
        return self._run("hash-object", "-w", "--stdin", stdin=data)

    def files(self, folder: Path, paths: Iterable[str]) -> dict[str, str]:
        """The contents of these files below a folder, byte for byte: no filter applies. A file
        that is gone by now is left out.
        """
        wanted = sorted(path for path in paths if os.path.isfile(folder / path))
        plain = [path for path in wanted if "\n" not in path]
        lines = b"".join(os.fsencode(folder / path) + b"\n" for path in plain)
        reply = self._run("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=lines)
        names = dict(zip(plain, reply.split(), strict=True))
        odd = {
            path: self.blob((folder / path).read_bytes()) for path in wanted if path not in names
        }
        return names | odd

    def tree(self, entries: Mapping[str, Entry]) -> str:
        """The trees of all levels, from paths with their mode and id."""
        with scratch_index(self.git, entries) as mine:
            return mine.run("write-tree", settings=UNSYNCED).decode().strip()

    def join(self, entries: Mapping[str, tuple[str, str, str]]) -> str:
        """A tree of one level: name to mode, type and id."""
        rows = (f"{' '.join(entry)}\t{name}".encode() + b"\0" for name, entry in entries.items())
        return self._run("mktree", "-z", stdin=b"".join(rows))

    def commit(self, tree: str, parents: Iterable[str], message: str, date: str) -> str:
        return commit_tree(self.git, tree, parents, message, date)

    def _run(self, *words: str, stdin: bytes) -> str:
        return self.git.run(*words, stdin=stdin, settings=UNSYNCED).decode().strip()
