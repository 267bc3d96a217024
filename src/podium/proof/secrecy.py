"""What agents may know of checks that they do not see: that one failed, and nothing more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from podium.core import globs

UNSEEN = "a hidden check"
LEFT_OUT = "What it printed is left out: checks that no agent sees are named in it."
_TOKEN = re.compile(r"[^\s:'\"()<>\[\],;=`]+")


def masked(record: dict[str, Any], patterns: Sequence[str]) -> dict[str, Any]:
    """A record of evidence without the names of these checks, and without an output that has one
    of them; people find both in the step's files.
    """
    if not patterns:
        return record
    safe = dict(record)
    for key in ("failing", "new"):
        if key in safe:
            safe[key] = [UNSEEN if names_one(name, patterns) else name for name in safe[key]]
    if names_one(safe.get("why", ""), patterns):
        safe["why"] = UNSEEN
    if "output" in safe and (
        UNSEEN in safe.get("failing", ()) or names_one(safe["output"], patterns)
    ):
        safe["output"] = LEFT_OUT
    return safe


def names_one(text: str, patterns: Sequence[str]) -> bool:
    """Whether a text names a file of these patterns: as a path, also below another folder, or with
    dots as runners name modules.
    """
    return any(
        globs.matches(name, patterns)
        for token in _TOKEN.findall(text)
        for name in _spellings(token)
    )


def _spellings(token: str) -> list[str]:
    parts = token.strip("./").split("/")
    names = ["/".join(parts[at:]) for at in range(min(len(parts), 20))]
    if "/" not in token and "." in token:
        modules = token.split(".")
        names += ["/".join(modules[:size]) + ".py" for size in range(1, min(len(modules), 20) + 1)]
    return names
