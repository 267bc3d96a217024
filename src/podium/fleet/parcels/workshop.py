"""A fresh checkout for one attempt at a run, unpacked from its last parcel."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from podium.core.errors import Halted
from podium.engine.git.git import Git, call
from podium.engine.git.trees import FILE, PROGRAM, scratch_index
from podium.fleet.parcels.parcels import FORMAT, REFS, WITH_STORE
from podium.fleet.store import large_files
from podium.fleet.store.store import Store
from podium.state.disk import Disk
from podium.state.run_folder import RunFolder, prepare

PATIENCE_S = 600.0
"""How long to wait for a store that does not answer."""


def unpack(
    parcel: str,
    run: str,
    remote: str,
    folder: Path,
    mirror: Path,
    store: Store | None = None,
    *,
    origin: str = "",
) -> Path:
    """Make the checkout in `folder`, which must not exist yet; returns the project's folder in it.

    `origin` is what the checkout calls the remote: the same on every worker, because the run's
    guard protects the file that contains it. `mirror` keeps what was fetched before, so that the
    next run of the same project need not fetch it again.
    """
    _fetch(mirror, remote, run)
    folder.mkdir(parents=True)
    call(("init", "--quiet", "--template=", str(folder)), cwd=folder)
    git = Git(folder / ".git", folder)
    lent = folder / ".git" / "objects" / "info" / "alternates"
    lent.parent.mkdir(parents=True, exist_ok=True)
    lent.write_text(f"{mirror / 'objects'}\n")
    place = json.loads(git.word("cat-file", "blob", f"{parcel}:place.json"))
    if place["format"] not in {FORMAT, WITH_STORE}:
        raise Halted(
            f"run {run} has a parcel of format {place['format']}, this Podium reads "
            f"{WITH_STORE}: update this worker"
        )
    _refs(git, place, origin or remote)
    _files(git, f"{parcel}:project", folder)
    git.run(
        "reset", "--quiet", "--mixed"
    )  # the index equals HEAD, so what is uncommitted is uncommitted here too
    project = folder / str(place["prefix"])
    prepare(project, Disk())
    own = RunFolder(project, run).path
    own.mkdir(parents=True, exist_ok=True)
    _files(git, f"{parcel}:run", own)
    large_files.restore(
        store, _pointers(git, parcel, place["format"]), {"project": folder, "run": own}, PATIENCE_S
    )
    return project


def unpack_run(
    parcel: str, run: str, remote: str, project: Path, mirror: Path, store: Store | None = None
) -> None:
    """Unpack only the run's folder, to look at it."""
    _have(mirror, remote, run, parcel)
    own = RunFolder(project, run).path
    own.mkdir(parents=True, exist_ok=True)
    git = Git(mirror, own)
    _files(git, f"{parcel}:run", own)
    large_files.restore(store, _pointers(git, parcel), {"run": own}, patience_s=0)


def _pointers(git: Git, parcel: str, format: int = WITH_STORE) -> tuple[large_files.Pointer, ...]:
    """The files that the parcel keeps in the store."""
    if format != WITH_STORE or not git.word("ls-tree", parcel, large_files.NAME):
        return ()
    return large_files.read(git.run("cat-file", "blob", f"{parcel}:{large_files.NAME}").decode())


def unpack_documents(
    parcel: str,
    run: str,
    remote: str,
    folder: Path,
    mirror: Path,
    paths: Iterable[str],
    store: Store | None = None,
) -> None:
    """Unpack single files of the project, to look at them; existing ones are left alone."""
    wanted = [path for path in paths if _plain(path) and not (folder / path).is_file()]
    folder.mkdir(parents=True, exist_ok=True)
    if not wanted:
        return
    _have(mirror, remote, run, parcel)
    git = Git(mirror, mirror)
    prefix = str(json.loads(git.word("cat-file", "blob", f"{parcel}:place.json"))["prefix"])
    for path in wanted:
        listed = git.word("ls-tree", f"{parcel}:project", "--", f"{prefix}/{path}".lstrip("/"))
        mode, _, rest = listed.partition(" ")
        if mode in {FILE, PROGRAM}:  # no links: a link counts as missing
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(git.run("cat-file", "blob", rest.split()[1]))
    names = {
        f"{prefix}/{path}".lstrip("/"): path for path in wanted if not (folder / path).is_file()
    }
    kept = [
        replace(each, path=names[each.path])
        for each in _pointers(git, parcel)
        if each.where == "project" and each.path in names
    ]
    large_files.restore(store, kept, {"project": folder}, patience_s=0)


def _have(mirror: Path, remote: str, run: str, parcel: str) -> None:
    if (
        not (mirror / "HEAD").is_file()
        or Git(mirror, mirror).maybe("cat-file", "-e", parcel) is None
    ):
        _fetch(mirror, remote, run)


def _plain(path: str) -> bool:
    return not path.startswith("/") and not {"", ".", "..", ".git"} & set(path.split("/"))


def _fetch(mirror: Path, remote: str, run: str) -> None:
    if not (mirror / "HEAD").is_file():
        mirror.mkdir(parents=True, exist_ok=True)
        call(("init", "--quiet", "--bare", "--template=", str(mirror)), cwd=mirror)
    at = Git(mirror, mirror)
    at.run(
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-write-fetch-head",
        remote,
        f"+{REFS}{run}/*:{REFS}{run}/*",
    )


def _refs(git: Git, place: dict[str, Any], remote: str) -> None:
    git.run("config", "remote.origin.url", remote)
    git.run("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
    for name, value in place["settings"]:
        git.run("config", name, value)
    told = "".join(f"update {name} {commit}\n" for name, commit in place["refs"].items())
    git.run("update-ref", "--stdin", stdin=told.encode())
    if place["branch"]:
        git.run("symbolic-ref", "HEAD", place["branch"])
    else:
        git.run("update-ref", "--no-deref", "HEAD", place["head"])


def _files(git: Git, tree: str, folder: Path) -> None:
    with scratch_index(git.at(work_tree=folder), tree) as mine:
        mine.run("checkout-index", "--all", "--force")


def write_journal(project: Path, run: str, lines: bytes) -> None:
    """Write the journal of a run or child run, as the database has it."""
    path = RunFolder(project, run).journal
    os.makedirs(path.parent, exist_ok=True)
    path.write_bytes(lines)
