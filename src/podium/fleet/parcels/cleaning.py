"""Finds objects of a store that nothing refers to any more."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from podium.engine.git.git import Git, call
from podium.fleet.parcels.parcels import REFS
from podium.fleet.store import large_files
from podium.fleet.store.store import Kept, Store


def unnamed(store: Store, remote: str, mirror: Path, before: float) -> list[Kept]:
    """Objects stored before that time that no parcel on the remote names, however old the
    parcel.
    """
    wanted = named(remote, mirror)
    return [
        each for each in store.inventory() if each.changed < before and each.digest not in wanted
    ]


def named(remote: str, mirror: Path) -> set[str]:
    """Digests in every parcel that the remote still reaches. Halted if one is unreadable:
    nothing is removed then.
    """
    if not (mirror / "HEAD").is_file():
        mirror.mkdir(parents=True, exist_ok=True)
        call(("init", "--quiet", "--bare", "--template=", str(mirror)), cwd=mirror)
    git = Git(mirror, mirror)
    git.run(
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-write-fetch-head",
        "--prune",
        remote,
        f"+{REFS}*:{REFS}*",
    )
    parcels = git.word(
        "log", "--format=%H", "--grep", ": parcel of epoch [0-9]*$", f"--glob={REFS}*"
    ).split()
    return {pointer.digest for text in _papers(git, parcels) for pointer in large_files.read(text)}


def _papers(git: Git, parcels: Sequence[str]) -> list[str]:
    """What each of these says about its large files; those without any say nothing."""
    asked = "".join(f"{each}:{large_files.NAME}\n" for each in parcels).encode()
    ids = [
        line.split()[0]
        for line in git.word("cat-file", "--batch-check", stdin=asked).splitlines()
        if not line.endswith(" missing")
    ]
    return [git.run("cat-file", "blob", each).decode() for each in sorted(set(ids))]
