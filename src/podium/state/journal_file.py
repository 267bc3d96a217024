r"""One journal file: lines are checked when read, and bytes are kept so that tampering is noticed
and undone.

The check is on bytes, not on parsed values: cutting `"hash":"…",` out of a line must leave
exactly what was hashed. So an edit that JSON would forgive (a space, `\u001F` for
`\u001f`) is found too, and nothing is encoded again: 10,000 events load in about
100 ms, half of what `core.chain.verify` takes.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from typing import Any

from podium.core.chain import COMMON, FIRST, Break, unseal
from podium.core.errors import ChainBroken
from podium.state.disk import Disk
from podium.state.regular import at_once, before_the_start

_DECODER = json.JSONDecoder()
_PIECE = 1 << 16
_BUFFER = bytearray(_PIECE)
MOST_UNSYNCED = 1 << 16
"""The most bytes that can be unsynced at a time: the starts of all agents that work at once, and
one end.
"""


@dataclass(frozen=True)
class Lines:
    events: list[dict[str, Any]]
    size: int
    """Bytes of whole lines; the rest is a torn last line."""


def decode(data: bytes, path: str, seen: int = 0, prev: str = FIRST) -> Lines:
    """The events of a journal, or ChainBroken. A write that a crash cut short is dropped: it was
    never acknowledged.

    `seen` and `prev`: how many events came before these bytes, and the hash of the last of them.
    """
    size = data.rfind(b"\n") + 1
    lines = data.split(b"\n")
    tail = lines.pop()
    events: list[dict[str, Any]] = []
    for seq, raw in enumerate(lines, seen + 1):
        event = _event(raw, seq, prev)
        if event is None:
            good = sum(len(each) + 1 for each in lines[: len(events)])
            if _unwritten(raw, len(data) - good, path):
                return Lines(events, good)
            raise ChainBroken(path, seq, _fault(raw, seq, prev))
        events.append(event)
        prev = event["hash"]
    if not _torn(tail):
        raise ChainBroken(path, seen + len(lines) + 1, "does not end as a line does")
    return Lines(events, size)


def begun(data: bytes, path: str) -> Lines:
    """The events of an existing journal. It is created together with its first event, so one
    without events is damaged.
    """
    found = decode(data, path)
    if not found.events:
        raise ChainBroken(path, 1, "is not whole, and with it the first event of the run is gone")
    return found


def _event(raw: bytes, seq: int, prev: str) -> dict[str, Any] | None:
    try:
        text = raw.decode()
        event, end = _DECODER.raw_decode(
            text
        )  # `decode` also skips surrounding spaces, and our lines have none
    except (ValueError, RecursionError):
        return None
    if end != len(text) or not isinstance(event, dict) or not event.keys() >= COMMON:
        return None
    own: str = event["hash"]
    if event["seq"] != seq or event["prev"] != prev or not isinstance(own, str):
        return None
    # `prev`, `run`, `seq`, `ts` and `type` sort after `hash`: a comma always follows.
    before, found, after = raw.partition(b'"hash":"%b",' % own.encode(errors="replace"))
    hashed = hashlib.sha256(before)
    hashed.update(after)
    return event if found and hashed.hexdigest() == own else None


def _unwritten(raw: bytes, rest: int, path: str) -> bool:
    """Whether this line and everything after it is what a power cut left of the last writes.

    Any unsynced sector may be missing and then reads as zeros, which our lines never contain and no
    editor writes. Further back in the file such a hole is damage to synced data, which must not be
    dropped silently.
    """
    return b"\0" in raw and rest <= MOST_UNSYNCED and before_the_start(path)


def _fault(raw: bytes, seq: int, prev: str) -> str:
    try:
        found = unseal(raw, seq, prev)
    except RecursionError:
        return "is not JSON"
    # The same value in other bytes passes `unseal`, but was changed nevertheless.
    return found.what if isinstance(found, Break) else "was changed after it was written"


def _torn(tail: bytes) -> bool:
    """Whether a crash can have left this line without a newline: not if something follows a
    whole event.
    """
    text = tail.decode(errors="replace")
    try:
        _, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return True
    return end == len(text)


class JournalFile:
    """A journal that this process owns."""

    def __init__(self, path: str, disk: Disk) -> None:
        self.path, self._disk = path, disk
        self._fd = -1
        self._loose = False
        """Whether the end of the file was written but not synced."""
        self._attach()
        try:
            data = _read(path)
            lines = begun(data, path)
            if lines.size < len(data):
                disk.truncate(self._fd, lines.size)
                disk.sync(self._fd)
        except BaseException:
            self.close()
            raise
        self._kept = bytearray(data[: lines.size])
        self.events = lines.events
        self.seq = len(lines.events)
        self.prev: str = lines.events[-1]["hash"] if lines.events else FIRST

    def check(self) -> None:
        """ChainBroken unless the file is the one we opened and has the size we left it with."""
        try:
            now = os.stat(self.path)
        except FileNotFoundError:
            raise ChainBroken(self.path, 1, "was removed while the run was driven") from None
        if (now.st_dev, now.st_ino) != self._identity:
            raise ChainBroken(self.path, 1, "was replaced while the run was driven")
        if now.st_size != len(self._kept):
            what = (
                f"has {now.st_size} bytes, {len(self._kept)} were written: another process "
                "changed it"
            )
            raise ChainBroken(self.path, self.seq + (now.st_size > len(self._kept)), what)

    def append(self, data: bytes, count: int, prev: str, *, durable: bool = True) -> None:
        """Append whole lines in one write; after a fault (disk full) the file is as it was
        before.
        """
        try:
            self._disk.append(self._fd, data)
            if durable:
                self._disk.sync(self._fd)
        except BaseException:
            self._disk.truncate(self._fd, len(self._kept))
            raise
        self._loose = not durable
        self._kept += data
        self.seq += count
        self.prev = prev

    def sync(self) -> None:
        if self._loose:
            self._disk.sync(self._fd)
            self._loose = False

    def intact(self) -> bool:
        """Whether the file has exactly the bytes that were read and written here."""
        try:
            now = os.stat(self.path)
            return (
                (now.st_dev, now.st_ino) == self._identity
                and now.st_size == len(self._kept)
                and self._same()
            )
        except OSError:
            return False

    def _same(self) -> bool:
        """Compares piece by piece in one buffer: this runs after every dispatch, and new memory
        must be cleared first.
        """
        kept = self._kept
        with memoryview(_BUFFER) as buffer:
            for at in range(0, len(kept), _PIECE):
                size = min(_PIECE, len(kept) - at)
                if os.preadv(self._fd, (buffer[:size],), at) != size or not kept.startswith(
                    buffer[:size], at
                ):
                    return False
        return True

    def repair(self) -> None:
        """Restore the content, as a new file, because whoever changed the old one may still have
        it open.
        """
        self._disk.make_dirs(os.path.dirname(self.path))
        self._disk.save(self.path, bytes(self._kept), sync=True)
        self._attach()

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _attach(self) -> None:
        self.close()
        self._fd = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
        found = os.fstat(self._fd)
        self._identity = (found.st_dev, found.st_ino)


def _read(path: str) -> bytes:
    with open(path, "rb", buffering=0, opener=at_once) as file:
        return file.read()
