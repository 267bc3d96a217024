"""Paths that a task may name."""

from __future__ import annotations

import posixpath
import re

from podium.core.globs import matches

OWN = (".git", ".podium", "prompts", "podium.toml")
"""The program's own files: no task may name them."""


def path_fault(path: str) -> str:
    """Why a task may not name the path; empty if it may."""
    if not path.strip() or path != path.strip():
        return "is empty or has space around it"
    if "\\" in path or re.search(r"[\x00-\x1f\x7f]", path):
        return "has signs that no path of this project has"
    if path.startswith(("/", "~")) or re.match(r"[A-Za-z]:", path):
        return "is absolute"
    if ".." in path.split("/"):
        return "leads upwards"
    plain = posixpath.normpath(path)
    if plain == "." or plain.strip("*/") == "":
        return "means the whole project"
    return "belongs to the program" if matches(plain.casefold(), OWN) else ""
