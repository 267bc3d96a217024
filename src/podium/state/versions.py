"""At a gate about drift: the files that hold the other version of what it asks about."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from podium.state.regular import read_regular


def other_versions(guard: Path, step: Path, key: str, subject: Iterable[str]) -> dict[str, Path]:
    """Path in the project to where its other version is kept; a file that is not there was deleted.

    Beside a step's work lies its own version of each file; beside the guard's memory lie the changed versions of
    protected files, for which a gate has no subject.
    """
    kept = step / key.rpartition("/")[2]
    if kept.is_dir():
        return {path: kept / path for path in sorted(subject)}
    try:
        rows = json.loads(read_regular(guard / "aside" / "index.json") or b"[]")
        return {str(row["name"]): guard / "aside" / str(int(row["file"])) for row in rows}
    except (ValueError, TypeError, KeyError):
        return {}
