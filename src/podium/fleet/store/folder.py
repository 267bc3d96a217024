"""The store in a folder that all machines of the fleet can see."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from podium.fleet.store.store import ALGORITHM, Away, Kept, Missing, StoreFault, plain

_GONE = frozenset(
    {
        errno.ENOENT,
        errno.ESTALE,
        errno.EIO,
        errno.ENOTCONN,
        errno.EHOSTDOWN,
        errno.ETIMEDOUT,
        errno.ENODEV,
    }
)
"""Errors of a share that is not mounted, or whose server is unreachable."""


class FolderStore:
    """`<root>/sha256/ab/abcd…`. The root is never created here: if it is missing, the share is
    not mounted.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def name(self) -> str:
        return str(self.root)

    def has(self, digest: str, size: int) -> bool:
        try:
            return self._place(digest).stat().st_size == size
        except FileNotFoundError:
            self._reach()
            return False
        except OSError as fault:
            raise self._fault(fault) from fault

    def put(self, digest: str, source: Path) -> None:
        self._reach()
        place = self._place(digest)
        spare = self.root / "coming" / f"{place.name}.{secrets.token_hex(8)}"
        try:
            spare.parent.mkdir(exist_ok=True)
            place.parent.mkdir(parents=True, exist_ok=True)
            with open(source, "rb") as here, open(spare, "xb") as there:
                shutil.copyfileobj(here, there, 1 << 20)
                there.flush()
                os.fsync(there.fileno())
            os.chmod(spare, 0o444)
            os.replace(spare, place)
            for above in (
                place.parent,
                place.parent.parent,
                self.root,
            ):  # the first object creates its folders, too
                _sync(above)
        except OSError as fault:
            raise self._fault(fault) from fault
        finally:
            with contextlib.suppress(OSError):
                spare.unlink()

    def read(self, digest: str, target: IO[bytes]) -> None:
        try:
            with open(self._place(digest), "rb") as file:
                shutil.copyfileobj(file, target, 1 << 20)
        except FileNotFoundError:
            self._reach()
            raise Missing(
                f"{self.name} has no object {digest}; put it back from a backup, or submit "
                "the run again"
            ) from None
        except OSError as fault:
            raise self._fault(fault) from fault

    def inventory(self) -> Iterator[Kept]:
        self._reach()
        for place in sorted((self.root / ALGORITHM).glob("??/*")):
            with contextlib.suppress(FileNotFoundError):
                facts = place.stat()
                yield Kept(f"{ALGORITHM}:{place.name}", facts.st_size, facts.st_mtime)

    def remove(self, digest: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._place(digest).unlink()

    def _place(self, digest: str) -> Path:
        value = plain(digest)
        return self.root / ALGORITHM / value[:2] / value

    def _reach(self) -> None:
        if not self.root.is_dir():
            raise Away(f"[fleet] store: there is no folder {self.root}; mount it, or make it once")

    def _fault(self, fault: OSError) -> StoreFault:
        what = f"{self.name}: {fault.strerror or fault}"
        return Away(what) if fault.errno in _GONE else StoreFault(what)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
