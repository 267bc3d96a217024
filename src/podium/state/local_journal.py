"""The journal port on files: `.podium/runs/<id>/journal.jsonl`, one kernel lock per root run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from podium.core.chain import FIRST
from podium.core.errors import Fenced, UsageError
from podium.state import inbox, lock
from podium.state.disk import Disk
from podium.state.journal_file import JournalFile, begun
from podium.state.port import Event, Opened
from podium.state.regular import at_once
from podium.state.run_folder import RunFolder, prepare, run_ids
from podium.state.sealing import Clean, Sealed, sealed, stamp


@dataclass
class _Held:
    opened: Opened
    file: JournalFile
    lock: lock.RunLock


class LocalJournal:
    """`root` is the project. One object is one owner: a child run is opened under the root run
    that the object holds.
    """

    def __init__(self, root: Path, disk: Disk, clock: Callable[[], datetime]) -> None:
        self._root, self._disk, self._clock = root, disk, clock
        self._held: dict[str, _Held] = {}

    def create(self, run: str, first: Sequence[Mapping[str, Any]]) -> bool:
        """The journal appears last and complete: after a crash before that, the folder is not
        yet a run.
        """
        folder = RunFolder(self._root, run)
        path = str(folder.journal)
        if os.path.lexists(path):
            return False
        prepare(self._root, self._disk)
        self._disk.make_dirs(folder.path)
        _, data, _ = self._sealed(run, first, 0, FIRST)
        return self._disk.publish(path, data)

    def open(self, run: str, owner: str) -> Opened:
        folder = self._existing(run)
        if run in self._held:
            raise UsageError(f"run {run} is already open here")
        held = self._lock(folder, owner)
        try:
            file = JournalFile(str(folder.journal), self._disk)
        except BaseException:
            if run == folder.root_id:
                held.release()
            raise
        opened = Opened(run, held.epoch, file.events, (held.fd,))
        self._held[run] = _Held(opened, file, held)
        return opened

    def append(
        self,
        opened: Opened,
        expected_seq: int,
        events: Sequence[Mapping[str, Any]],
        *,
        durable: bool = True,
        clean: Clean | None = None,
    ) -> Sequence[Event]:
        held = self._own(opened)
        file = held.file
        if expected_seq != file.seq:
            raise Fenced(
                f"run {opened.run} is at event {file.seq}, not at {expected_seq}; nothing was "
                "written"
            )
        held.lock.check()
        file.check()
        if not events:
            return ()
        fresh, data, prev = self._sealed(opened.run, events, file.seq, file.prev, clean)
        file.append(data, len(fresh), prev, durable=durable)
        opened.events.extend(fresh)
        return fresh

    def sync(self, opened: Opened) -> None:
        self._own(opened).file.sync()

    def close(self, opened: Opened) -> None:
        """Closing a root run also closes its children, which have no lock of their own."""
        held = self._held.get(opened.run)
        if held is None or held.opened is not opened:
            return
        below = [each for each in self._held if each.startswith(opened.run + "/")]
        for run in (*below, opened.run):
            self._held.pop(run).file.close()
        if "/" not in opened.run:
            held.lock.release()

    def read(self, run: str) -> list[dict[str, Any]]:
        path = str(self._existing(run).journal)
        with open(path, "rb", buffering=0, opener=at_once) as file:
            return begun(file.read(), path).events

    def post(self, run: str, key: str, message: Mapping[str, Any]) -> bool:
        return inbox.post(str(self._existing(run).inbox), key, message, self._disk)

    def inbox(self, run: str) -> Mapping[str, Mapping[str, Any]]:
        return inbox.messages(str(RunFolder(self._root, run).inbox))

    def withdraw(self, run: str, key: str) -> bool:
        return inbox.withdraw(str(self._existing(run).inbox), key, self._disk)

    def runs(self) -> Sequence[str]:
        return run_ids(self._root / ".podium" / "runs")

    def intact(self, opened: Opened) -> bool:
        return self._own(opened).file.intact()

    def repair(self, opened: Opened) -> None:
        held = self._own(opened)
        held.lock.check()
        held.file.repair()

    def holder(self, run: str) -> dict[str, Any] | None:
        return lock.holder(str(RunFolder(self._root, run).lock))

    def _existing(self, run: str) -> RunFolder:
        folder = RunFolder(self._root, run)
        if not os.path.exists(folder.journal):
            raise UsageError(
                f"there is no run {run!r} in {self._root}; `podium list` names them all"
            )
        return folder

    def _lock(self, folder: RunFolder, owner: str) -> lock.RunLock:
        if folder.run_id == folder.root_id:
            return lock.acquire(folder.run_id, str(folder.lock), owner, self._now(), self._disk)
        root = self._held.get(folder.root_id)
        if root is None:
            raise UsageError(
                f"{folder.run_id} is a child run: open its root run {folder.root_id} first"
            )
        root.lock.check()
        return root.lock

    def _own(self, opened: Opened) -> _Held:
        held = self._held.get(opened.run)
        if held is None or held.opened is not opened:
            raise Fenced(f"run {opened.run} is no longer open here; nothing was written")
        return held

    def _sealed(
        self,
        run: str,
        events: Sequence[Mapping[str, Any]],
        seq: int,
        prev: str,
        clean: Clean | None = None,
    ) -> Sealed:
        return sealed(run, events, seq, prev, self._now(), clean)

    def _now(self) -> str:
        return stamp(self._clock())
