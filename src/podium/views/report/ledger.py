"""Every step and every decision of a run and its child runs, once for each time it happened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.core.history import History
from podium.core.records import StepRecord


@dataclass
class Decision:
    """One opening of a gate and its result."""

    key: str
    opened: str
    subject: Mapping[str, str] = field(default_factory=dict)
    decision: str = ""
    by: str = ""
    note: str = ""
    decided: str = ""
    stale: bool = False
    void: bool = False
    """Whether the run went on another way, or ended, before anybody decided."""

    @property
    def word(self) -> str:
        return self.decision or (
            "left undecided" if self.void else "open again" if self.stale else "open"
        )


@dataclass(frozen=True)
class Finding:
    """One problem that an agent or the program found, as recorded with a step."""

    key: str
    severity: str
    where: str
    what: str


class Ledger:
    def __init__(self, events: Iterable[Mapping[str, Any]]) -> None:
        self.decisions: list[Decision] = []
        self.last = ""
        open_ones: dict[str, Decision] = {}
        # Each run has its own history: steps with the same name in two items are two steps.
        histories: dict[str, History] = {}
        begun: dict[str, int] = {}
        for at, event in enumerate(events):
            self.last = str(event.get("ts", self.last))
            _fold(histories.setdefault(str(event.get("run", "")), History()), event)
            key = str(event.get("key", ""))
            begun.setdefault(key, at)
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
        records = [record for history in histories.values() for record in history.steps.values()]
        self.steps: list[StepRecord] = sorted(records, key=lambda each: begun.get(each.key, 0))
        self.gates = {
            key: gate for history in histories.values() for key, gate in history.gates.items()
        }
        for key, found in open_ones.items():
            found.void = key in self.gates and self.gates[key].void


def _fold(history: History, event: Mapping[str, Any]) -> None:
    """An event of another version that the fold cannot read is left out of the report, instead
    of ending it.
    """
    try:
        history.absorb(event)
    except (KeyError, TypeError):
        return


def findings(record: StepRecord) -> Iterator[Finding]:
    """The problems a step found, as far as its result contains them as data."""
    for value in record.sets.values():
        data = value.get("data", value) if isinstance(value, Mapping) else {}
        for each in _list(data.get("findings")) if isinstance(data, Mapping) else ():
            if isinstance(each, Mapping):
                severity, where, what = (
                    str(each.get(name, "")) for name in ("severity", "where", "what")
                )
                yield Finding(record.key, severity, where, what)
    for each in _list(record.sets.get("failure")):
        yield Finding(record.key, "", "", str(each))


def commits(record: StepRecord) -> list[tuple[str, tuple[str, ...]]]:
    """(commit, paths) of each commit that a check made on the branch that is checked out."""
    found = [
        each for each in record.evidence if each.get("name") == "commit" and each.get("commit")
    ]
    return [(str(each["commit"]), tuple(map(str, _list(each.get("paths"))))) for each in found]


def _list(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []
