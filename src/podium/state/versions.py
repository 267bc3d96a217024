"""For a gate about drift: the files with the other version of what it asks about."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from podium.state.regular import read_regular


def other_versions(guard: Path, step: Path, key: str, subject: Iterable[str]) -> dict[str, Path]:
    """Project path to the file with its other version; if that file does not exist, the path was
    deleted.

    For a step's work, the step's folder has the step's version of each file. For protected files,
    for which a gate has no subject, the guard's folder has the changed versions.
    """
    kept = step / key.rpartition("/")[2]
    if kept.is_dir():
        return {path: kept / path for path in sorted(subject)}
    try:
        rows = json.loads(read_regular(guard / "aside" / "index.json") or b"[]")
        return {str(row["name"]): guard / "aside" / str(int(row["file"])) for row in rows}
    except (ValueError, TypeError, KeyError):
        return {}
