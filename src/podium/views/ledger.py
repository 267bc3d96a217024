"""Every step and every decision of a run and its children, each once for each time it happened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.core.history import History, StepRecord


@dataclass
class Decision:
    """One opening of a gate and what became of it."""

    key: str
    opened: str
    subject: Mapping[str, str] = field(default_factory=dict)
    decision: str = ""
    by: str = ""
    note: str = ""
    decided: str = ""
    stale: bool = False


class Ledger:
    def __init__(self, events: Iterable[Mapping[str, Any]]) -> None:
        self.decisions: list[Decision] = []
        self.last = ""
        open_ones: dict[str, Decision] = {}
        history = History()
        for event in events:
            self.last = str(event.get("ts", self.last))
            _fold(history, event)
            key = str(event.get("key", ""))
            if event.get("type") in {"gate.opened", "gate.stale"}:
                opened = Decision(
                    key, self.last, event.get("subject") or {}, stale=event["type"] == "gate.stale"
                )
                if key not in open_ones:
                    self.decisions.append(open_ones.setdefault(key, opened))
            elif event.get("type") == "gate.decided":
                found = open_ones.pop(key, None)
                if found is None:
                    self.decisions.append(found := Decision(key, self.last))
                found.subject = event.get("subject") or found.subject
                found.decision, found.by = str(event.get("decision", "")), str(event.get("by", ""))
                found.note, found.decided = str(event.get("note", "")), self.last
        self.steps: list[StepRecord] = sorted(
            history.steps.values(), key=lambda each: (each.started, each.key)
        )


def _fold(history: History, event: Mapping[str, Any]) -> None:
    """An event of another version that the fold cannot read is left out of the report, not its end."""
    try:
        history.absorb(event)
    except (KeyError, TypeError):
        return
