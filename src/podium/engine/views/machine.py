"""Which kinds of view this machine gives, found by really mounting where views are kept."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from podium.engine.views.code_view import Kind
from podium.engine.views.layers import is_opaque, is_whiteout, lstat
from podium.engine.views.mounts import COMPLAINT, Mounts, command
from podium.state.removal import remove_all

PATIENCE_S = 30.0
_NAMESPACES = (
    "allow unprivileged user namespaces: in a container, start it with fewer restrictions; on "
    "Ubuntu, `sysctl kernel.apparmor_restrict_unprivileged_userns=0`"
)
_APART = "name a folder outside of the project and its repository in [store] views"
_DISK = (
    "name a folder on another disk in [store] views: ext4, xfs, btrfs and tmpfs with Linux 6.6 can "
    "hold layers, network disks and a container's own disk cannot"
)


@dataclass(frozen=True)
class Support:
    """What this machine gives, and why not more."""

    kind: Kind
    why: str = ""
    """Why it is not the best kind."""
    way_out: str = ""


@cache
def support(store: Path, wanted: str = "auto", top: Path | None = None) -> Support:
    """The best kind of view whose files are in this folder. `wanted`: at most this one. `top`: the
    top level of the code that it shows.
    """
    if wanted == "copy":
        return Support("copy", "[view] kind says so")
    if sys.platform != "linux":
        return Support("copy", f"layers need Linux, and this is {sys.platform}", "")
    store.mkdir(parents=True, exist_ok=True)
    if top is not None and store.resolve().is_relative_to(top):
        return Support("copy", f"it would cover {store}, where views themselves are", _APART)
    folder = Path(tempfile.mkdtemp(prefix=".probe-", dir=store))
    try:
        why = "[view] kind says so" if wanted == "bound" else _overlay_fails(folder)
        if not why:
            return Support("overlay")
        unbound = _bind_fails(folder)
        return Support("copy", unbound, _NAMESPACES) if unbound else Support("bound", why, _DISK)
    finally:
        remove_all(folder)


def _overlay_fails(folder: Path) -> str:
    """Why layers do not work; "" if they do, and mark deletions in the way we read."""
    for name in ("lower/folder", "upper", "work", "at"):
        (folder / name).mkdir(parents=True)
    (folder / "lower/file").touch()
    at = os.fspath(folder / "at")
    layer = {"at": at, "lower": [f"{folder}/lower"], "upper": f"{folder}/upper"}
    mounts = Mounts(({**layer, "work": f"{folder}/work"},), (), "")
    complaint = _tried(mounts, at, "rm file && rmdir folder && mkdir folder && echo x >new")
    if complaint:
        return complaint
    gone = lstat(f"{folder}/upper/file")
    if gone is None or not is_whiteout(gone) or not is_opaque(f"{folder}/upper/folder"):
        return "its layers mark deletions in another way"
    return ""


def _bind_fails(folder: Path) -> str:
    for name in ("copy", "place"):
        (folder / name).mkdir()
    at = os.fspath(folder / "place")
    bind = {"at": at, "source": f"{folder}/copy", "write": True}
    return _tried(Mounts((), (bind,), ""), at, "echo x >new")


def _tried(mounts: Mounts, cwd: str, script: str) -> str:
    argv, plan = command(mounts, cwd, ("/bin/sh", "-c", script))
    try:
        done = subprocess.run(
            argv,
            pass_fds=(plan,),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
    except (OSError, subprocess.SubprocessError) as fault:
        return str(fault)
    finally:
        os.close(plan)
    lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
    return lines[-1].removeprefix(COMPLAINT.decode()) if done.returncode else ""
