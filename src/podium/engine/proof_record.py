"""What the project's commands have proven so far about a run's code, as its journals have it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from podium.core.history import History
from podium.engine.session import Session
from podium.proof.evidence import STATES
from podium.state.run_folder import family

Record = Mapping[str, Any]
_LEFT_OUT = frozenset({"output", "tree"})
"""What only those need who mend it."""


def histories(session: Session) -> Iterator[History]:
    """Of the run and all its child runs."""
    services, root = session.services, session.folder.root_id
    yield session.history
    for run in family(services.project, root):
        if run != session.opened.run:
            yield History(services.journal.read(run))


def records(session: Session) -> list[Record]:
    """What commands proved that still counts, oldest first."""
    dated: list[tuple[str, Record]] = []
    for history in histories(session):
        steps = [step for key in history.lineage if (step := history.steps.get(key)) is not None]
        dated += [(step.finished, record) for step in steps for record in step.evidence]
        dated += [
            (event["ts"], record) for event in history.checked for record in event["evidence"]
        ]
    dated = [(when, record) for when, record in dated if record.get("state") in STATES]
    return [record for _, record in sorted(dated, key=lambda item: item[0])]


def for_people(session: Session) -> dict[str, list[dict[str, Any]]]:
    """The `evidence`, the last of each command; before there is any, the `baseline`."""
    if latest := {record.get("name"): record for record in records(session)}:
        return {"evidence": [short(record) for record in latest.values()]}
    known = session.top.history.baseline
    return {"baseline": [short(record) for record in known["evidence"]]} if known else {}


def short(record: Record) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in _LEFT_OUT}
