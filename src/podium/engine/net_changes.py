"""What a run's work on the code comes to: each file that it added, changed or deleted."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from podium.engine.git.trees import Difference
from podium.engine.landed import Landed, checkpoint, landed_of
from podium.engine.session import Session
from podium.engine.workspace import Checkpoint
from podium.project.kinds import Kind, Patterns, kind_of
from podium.state.run_folder import family
from podium.state.sealing import encodable

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


def of_run(session: Session, key: str, brought: Landed | None = None) -> dict[str, Any]:
    """From the code before the run to the code as it is now, without what only people changed, or
    of what is told.
    """
    brought = landed_of(session) if brought is None else brought
    if not brought.brought.paths or not brought.base:
        return {}
    before = session.services.workspace().checkpoint_of(brought.base)
    changes = of_work(session, before, checkpoint(session, key), brought.brought.paths)
    weakened = _accepted(session)
    return {**changes, **({"weakened": weakened} if weakened else {})}


def _accepted(session: Session) -> list[dict[str, Any]]:
    """What steps did to tests and a person accepted: how, and the lines that show it."""
    journal = session.services.journal
    open_ones: dict[str, list[dict[str, Any]]] = {}
    accepted: dict[str, list[dict[str, Any]]] = {}
    for run in family(session.services.project, session.folder.root_id):
        for event in journal.read(run):
            key = str(event.get("key", ""))
            step = key.rpartition("/")[0]
            if event["type"] == "tests.weakened":
                open_ones[key] = [{"key": key, **finding} for finding in event["findings"]]
            elif event["type"] == "step.stale":
                accepted.pop(key, None)
            elif event["type"] == "gate.decided" and event["decision"] == "approved":
                rows = open_ones.pop(step, [])
                accepted |= {step: [{**row, "by": event["by"]} for row in rows]} if rows else {}
    return [row for rows in accepted.values() for row in rows]


def of_work(
    session: Session, before: Checkpoint, after: Checkpoint, only: Collection[str] | None = None
) -> dict[str, Any]:
    """`files`: path, status (A, M, D; R for one that only moved, with `was`), lines added and
    removed (None: no text), and what it is. `total`: how many there are.
    """
    workspace, own = session.services.workspace(), Patterns(*session.services.test_patterns)
    rows = [
        row
        for row in workspace.differences(before, after)
        if only is None or encodable(row.path) in only
    ]
    if not rows:
        return {}
    counts = workspace.lines_changed(before, after)
    moved = _moved(rows)
    gone = set(moved.values())
    files = []
    for row in rows:
        if row.path in gone:
            continue
        added, removed = counts.get(row.path, (None, None))
        file = {
            "path": row.path,
            "status": _status(row),
            "added": added,
            "removed": removed,
            "kind": _MARKS.get(kind_of(row.path, own), "code"),
        }
        if was := moved.get(row.path):
            file |= {"status": "R", "added": 0, "removed": 0, "was": was}
        files.append(file)
    return {"files": _listed(files), "total": len(files)}


def has_code(changes: Mapping[str, Any]) -> bool:
    """Whether there is something that commands can judge: documents are not."""
    return any(file["kind"] != "document" for file in changes.get("files", ()))


def _moved(rows: Sequence[Difference]) -> dict[str, str]:
    """New path to old path of each file that is at another place now, with the same content."""
    gone: dict[str, list[str]] = {}
    for row in rows:
        if row.old and not row.new:
            gone.setdefault(row.old_id, []).append(row.path)
    made = [row for row in rows if row.new and not row.old and gone.get(row.new_id)]
    return {row.path: gone[row.new_id].pop(0) for row in made if gone[row.new_id]}


def _status(row: Difference) -> str:
    return "A" if not row.old else "D" if not row.new else "M"


def _listed(files: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """By path; of very many those that decide what proof is worth."""
    ranked = sorted(files, key=lambda file: (_RANKS[file["kind"]], file["path"]))[:MOST]
    return sorted(ranked, key=lambda file: str(file["path"]))
