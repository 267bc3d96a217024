"""A fresh checkout for one attempt at a run, unpacked from its last parcel."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from podium.core.errors import Halted
from podium.engine.git.git import Git, call
from podium.engine.git.trees import scratch_index
from podium.fleet.parcels import FORMAT, REFS
from podium.state.disk import Disk
from podium.state.run_folder import RunFolder, prepare


def unpack(parcel: str, run: str, remote: str, folder: Path, mirror: Path) -> Path:
    """Make the checkout in `folder`, which must not exist yet; the project's folder in it is given back.

    `mirror` keeps what was fetched before, so that the next run of the same project need not fetch it again.
    """
    _fetch(mirror, remote, run)
    folder.mkdir(parents=True)
    call(("init", "--quiet", "--template=", str(folder)), cwd=folder)
    git = Git(folder / ".git", folder)
    lent = folder / ".git" / "objects" / "info" / "alternates"
    lent.parent.mkdir(parents=True, exist_ok=True)
    lent.write_text(f"{mirror / 'objects'}\n")
    place = json.loads(git.word("cat-file", "blob", f"{parcel}:place.json"))
    if place["format"] != FORMAT:
        raise Halted(f"run {run} has a parcel of format {place['format']}, this Podium reads {FORMAT}: update this worker")
    _refs(git, place, remote)
    _files(git, f"{parcel}:project", folder)
    git.run("reset", "--quiet", "--mixed")  # the index is HEAD's; what is not committed is so here, too
    project = folder / str(place["prefix"])
    prepare(project, Disk())
    own = RunFolder(project, run).path
    own.mkdir(parents=True, exist_ok=True)
    _files(git, f"{parcel}:run", own)
    return project


def unpack_run(parcel: str, run: str, remote: str, project: Path, mirror: Path) -> None:
    """Only the run's folder, to look at it."""
    _fetch(mirror, remote, run)
    own = RunFolder(project, run).path
    own.mkdir(parents=True, exist_ok=True)
    _files(Git(mirror, own), f"{parcel}:run", own)


def _fetch(mirror: Path, remote: str, run: str) -> None:
    if not (mirror / "HEAD").is_file():
        mirror.mkdir(parents=True, exist_ok=True)
        call(("init", "--quiet", "--bare", "--template=", str(mirror)), cwd=mirror)
    at = Git(mirror, mirror)
    at.run("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", remote, f"+{REFS}{run}/*:{REFS}{run}/*")


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
    """The journal of a run or a child, as the database has it."""
    path = RunFolder(project, run).journal
    os.makedirs(path.parent, exist_ok=True)
    path.write_bytes(lines)
