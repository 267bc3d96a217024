"""Files that git should not carry, stored by content: the contract of a store, and its faults.

An object's name is the digest of its content, so it never changes and two writers of one object
cannot disagree. An object is there whole or not at all, and what is read is compared with its name
before anybody uses it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from podium.core.errors import PodiumError

ALGORITHM = "sha256"
CHUNK = 1 << 20


class StoreFault(PodiumError):
    """The store cannot do what it was asked, and asking again will not help."""


class Away(StoreFault):
    """The store does not answer now, but may be back soon."""


class Missing(StoreFault):
    """The store has no such object."""


class Damaged(StoreFault):
    """The store has something else under this name. It is not used."""


@dataclass(frozen=True)
class Kept:
    """One object as listed in an inventory."""

    digest: str
    size: int
    changed: float
    """When it was stored, in seconds since 1970."""


class Store(Protocol):
    """Digests are written as everywhere, `sha256:…`."""

    @property
    def name(self) -> str:
        """What people call it; contains no secret."""
        ...

    def has(self, digest: str, size: int) -> bool:
        """Whether an object of this name and size is there; one of another size counts as
        missing.
        """
        ...

    def put(self, digest: str, source: Path) -> None:
        """Store the file, whole or not at all; a second writer finds it there. The file must not
        change meanwhile.
        """
        ...

    def read(self, digest: str, target: IO[bytes]) -> None:
        """Write the object's bytes, whatever they are; `fetch` compares them."""
        ...

    def inventory(self) -> Iterator[Kept]: ...

    def remove(self, digest: str) -> None: ...


def fetch(store: Store, digest: str, size: int, target: Path) -> None:
    """Fetch the object as a file, which appears whole and correct or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    spare = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}")
    try:
        with open(spare, "xb") as file:
            store.read(digest, file)
        found, length = measured(spare)
        if (found, length) != (digest, size):
            what = (
                f"it has {length} bytes instead of {size}"
                if length != size
                else f"its content is {found}"
            )
            raise Damaged(
                f"{store.name}: the object {digest} is damaged, {what}; it was not used."
                " Put it back from a backup, or remove it and submit the run again"
            )
        os.replace(spare, target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            spare.unlink()


def keep(store: Store, source: Path, aside: Path) -> tuple[str, int]:
    """Store a file as it is now. Returns its digest and size. `aside`: a folder for a copy that
    cannot change.
    """
    aside.mkdir(parents=True, exist_ok=True)
    copy = aside / f"object-{secrets.token_hex(8)}"
    try:
        with (
            open(os.open(source, os.O_RDONLY | os.O_NOFOLLOW), "rb") as here,
            open(copy, "xb") as there,
        ):
            shutil.copyfileobj(here, there, CHUNK)
        digest, size = measured(copy)
        if not store.has(digest, size):
            store.put(digest, copy)
        return digest, size
    finally:
        with contextlib.suppress(FileNotFoundError):
            copy.unlink()


def measured(path: Path) -> tuple[str, int]:
    """Digest and size of a file."""
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, ALGORITHM)
        return f"{ALGORITHM}:{found.hexdigest()}", file.tell()


def plain(digest: str) -> str:
    """The hexadecimal part. Raises StoreFault if it is not a digest, because it becomes a file
    name.
    """
    kind, _, value = digest.partition(":")
    if kind != ALGORITHM or len(value) != 64 or value.strip("0123456789abcdef"):
        raise StoreFault(f"{digest[:80]!r} is not a digest")
    return value
