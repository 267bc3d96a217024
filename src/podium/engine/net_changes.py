"""What a run's work on the code comes to: each file that it added, changed or deleted."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from podium.engine.git.trees import Difference
from podium.engine.landed import checkpoint, landed_of
from podium.engine.session import Session
from podium.engine.workspace import Checkpoint
from podium.project.kinds import Kind, Patterns, kind_of

MOST = 2000
"""Files that an event names; how many there are is always said."""
_MARKS: dict[Kind, str] = {
    "test": "test",
    "golden": "test",
    "machinery": "machinery",
    "ci": "machinery",
    "lock": "machinery",
    "manifest": "machinery",
    "document": "document",
}
"""Kinds of files as people are told of them; all others are code."""
_RANKS = {"machinery": 0, "test": 1, "code": 2, "document": 3}


def of_run(session: Session, key: str) -> dict[str, Any]:
    """From the code before the run to the code as it is now, without what only people changed."""
    brought = landed_of(session)
    if not brought.brought.paths or not brought.base:
        return {}
    before = session.services.workspace().checkpoint_of(brought.base)
    return of_work(session, before, checkpoint(session, key), brought.brought.paths)


def of_work(
    session: Session, before: Checkpoint, after: Checkpoint, only: Collection[str] | None = None
) -> dict[str, Any]:
    """`files`: path, status (A, M, D), lines added and removed (None: no text), and what it is.
    `total`: how many there are.
    """
    workspace, own = session.services.workspace(), Patterns(*session.services.test_patterns)
    rows = [row for row in workspace.differences(before, after) if only is None or row.path in only]
    if not rows:
        return {}
    counts = workspace.lines_changed(before, after)
    files = [
        {
            "path": row.path,
            "status": _status(row),
            "added": counts.get(row.path, (None, None))[0],
            "removed": counts.get(row.path, (None, None))[1],
            "kind": _MARKS.get(kind_of(row.path, own), "code"),
        }
        for row in rows
    ]
    return {"files": _listed(files), "total": len(files)}


def has_code(changes: Mapping[str, Any]) -> bool:
    """Whether there is something that commands can judge: documents are not."""
    return any(file["kind"] != "document" for file in changes.get("files", ()))


def _status(row: Difference) -> str:
    return "A" if not row.old else "D" if not row.new else "M"


def _listed(files: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """By path; of very many those that decide what proof is worth."""
    ranked = sorted(files, key=lambda file: (_RANKS[file["kind"]], file["path"]))[:MOST]
    return sorted(ranked, key=lambda file: str(file["path"]))
