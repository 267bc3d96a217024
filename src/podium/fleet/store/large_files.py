"""What a parcel says about files that are not in it: where they belong, and which object each
one is.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from podium.core.errors import Halted
from podium.engine.git.trees import FILE, PROGRAM, lstat_inside
from podium.fleet.patience import patiently
from podium.fleet.store.store import Away, Store, StoreFault, fetch, keep, plain
from podium.formats import strict_json

NAME = "large.json"
FORMAT = 1
PLACES = ("project", "run")
"""Relative to the repository's top level, and to the run's folder."""
MODES = {FILE: 0o644, PROGRAM: 0o755}
YOUNG_NS = 100_000_000
"""A file that changed this shortly before it was read may change again unnoticed."""


@dataclass(frozen=True, order=True)
class Pointer:
    """One file in the store."""

    where: str
    path: str
    digest: str
    size: int
    mode: str


def written(pointers: Iterable[Pointer]) -> str:
    return (
        json.dumps(
            {"format": FORMAT, "files": [asdict(each) for each in sorted(pointers)]}, indent=1
        )
        + "\n"
    )


def read(text: str) -> tuple[Pointer, ...]:
    """Raises Halted if anything differs from what `written` writes: these names become files."""
    try:
        told = strict_json.parse(text)
        if told["format"] != FORMAT:
            raise Halted(
                f"{NAME} of the parcel has format {told['format']}, this Podium reads "
                f"{FORMAT}: update this worker"
            )
        if set(told) != {"format", "files"}:
            raise KeyError  # noqa: TRY301
        return tuple(_checked(each) for each in told["files"])
    except (ValueError, KeyError, TypeError, StoreFault) as fault:
        raise Halted(
            f"{NAME} of the parcel is damaged: {type(fault).__name__}; submit the run again"
        ) from fault


def _checked(told: Mapping[str, Any]) -> Pointer:
    found = Pointer(**told)
    if not all(type(each) is str for each in (found.where, found.path, found.digest, found.mode)):
        raise TypeError
    parts = found.path.split("/")
    if (
        found.where not in PLACES
        or found.mode not in MODES
        or type(found.size) is not int
        or found.size < 0
    ):
        raise ValueError
    if (
        any(part in {"", ".", ".."} or part.lower() == ".git" for part in parts)
        or "\0" in found.path
    ):
        raise ValueError
    plain(found.digest)
    return found


def restore(
    store: Store | None, pointers: Iterable[Pointer], roots: Mapping[str, Path], patience_s: float
) -> None:
    """Put every file in its place. Nothing is used that differs from what the parcel names."""
    wanted = [each for each in pointers if each.where in roots]
    if not wanted:
        return
    if store is None:
        raise Halted(
            f"{wanted[0].path} and {len(wanted) - 1} more of this run are in a store: set "
            "[fleet] store as on the other workers"
        )
    for each in wanted:
        above = lstat_inside(roots[each.where], each.path)
        if isinstance(above, str) or (above is not None and not stat.S_ISREG(above.st_mode)):
            raise Halted(
                f"{each.path} of the parcel cannot be put back: "
                f"{above if isinstance(above, str) else 'it'} is not a plain file or folder "
                "here"
            )
        target = roots[each.where] / each.path
        patiently(
            lambda each=each, target=target: fetch(store, each.digest, each.size, target),  # type: ignore[misc]
            patience_s,
            Away,
        )
        os.chmod(target, MODES[each.mode])


@dataclass
class Keeper:
    """Copies files into the store and remembers which are there, so that only changes are read."""

    store: Store
    aside: Path
    patience_s: float
    _known: dict[Path, tuple[tuple[int, ...], str, int]] = field(default_factory=dict)

    def pointer(self, where: str, root: Path, path: str) -> Pointer | None:
        """None if the file is gone, or is not a regular file."""
        place = root / path
        try:
            facts = os.lstat(place)
            if not stat.S_ISREG(facts.st_mode):
                return None
            digest, size = self._kept(place, facts)
        except FileNotFoundError:
            return None
        return Pointer(where, path, digest, size, PROGRAM if facts.st_mode & stat.S_IXUSR else FILE)

    def _kept(self, place: Path, facts: os.stat_result) -> tuple[str, int]:
        mark = (facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)
        known = self._known.get(place)
        if known is not None and known[0] == mark:
            return known[1:]
        settled = time.time_ns() - facts.st_mtime_ns > YOUNG_NS
        digest, size = patiently(lambda: keep(self.store, place, self.aside), self.patience_s, Away)
        if settled:
            self._known[place] = (mark, digest, size)
        return digest, size
