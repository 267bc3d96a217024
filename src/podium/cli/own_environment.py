"""The environment of the person, without that of Podium's own installation: what a project's
commands call `python` is the person's.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping

_MARKS = (".usable", "pipx_metadata.json", "uv-receipt.toml")
"""Files in environments that hold nothing but Podium: of `make install`, pipx and `uv tool`."""
_PASSING = ("archive-v0", "environments-v2")
"""Folders of uv's cache in which it makes environments for one call."""


def leave(environ: MutableMapping[str, str], prefix: str) -> None:
    """Take our own environment out of PATH, and out of VIRTUAL_ENV. One that a person made is
    theirs, whatever else is in it, and so is ours where they work on Podium itself.
    """
    if not _is_ours(prefix):
        return
    own = os.path.join(os.path.realpath(prefix), "bin")
    folders = environ.get("PATH", os.defpath).split(os.pathsep)
    kept = [folder for folder in folders if not folder or os.path.realpath(folder) != own]
    if kept != folders:
        environ["PATH"] = os.pathsep.join(kept)
    active = environ.get("VIRTUAL_ENV")
    if active and os.path.realpath(active) == os.path.realpath(prefix):
        del environ["VIRTUAL_ENV"]


def _is_ours(prefix: str) -> bool:
    if any(part in _PASSING for part in prefix.split(os.sep)):
        return True
    mark = next((mark for mark in _MARKS if os.path.exists(os.path.join(prefix, mark))), "")
    return bool(mark) and not _works_around(os.path.dirname(prefix))


def _works_around(checkout: str) -> bool:
    """Whether we were called in the folder that our environment lies in."""
    try:
        here = os.getcwd()
    except FileNotFoundError:
        return False
    return os.path.commonpath((os.path.realpath(here), os.path.realpath(checkout))) == (
        os.path.realpath(checkout)
    )
