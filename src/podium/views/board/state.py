"""What a board knows about a run at one moment, and what can be derived from it; events change
it elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from podium.core.workflow import Step
from podium.proof.delivery import Delivery, delivery_of
from podium.views import figures
from podium.views.board import counters
from podium.views.board.activity import did
from podium.views.board.groups import Work
from podium.views.board.row import Row
from podium.views.board.rows import Rows
from podium.views.board.spent import Spent
from podium.views.gate import Gate, commands
from podium.views.proving import proof_state

Event = Mapping[str, Any]


class BoardState:
    def __init__(self, steps: Iterable[Step] = (), title: str = "") -> None:
        self.tree = Rows(steps)
        self.title = title
        self.run = self.workflow = self.status = self.reason = self.stop = self.until = ""
        self.outcome = ""
        """How a completed run ended: `complete`, `completed_with_findings`, `complete_unproven`."""
        self.started = self.updated = self.phase = ""
        self.at = ""
        """The step the run stands at."""
        self.gates: dict[str, Gate] = {}
        """Open ones, by key."""
        self.counters: dict[str, Any] = {}
        self.changed: list[str] = []
        """What of the settings and rules was not as before when the run started."""
        self.work = Work()
        """Groups of tasks, if the run has them."""
        self.spent = Spent()
        self.took: list[float] = []
        """Seconds of every finished dispatch."""
        self.commits: list[str] = []
        """Commits that checks made on the branch that is checked out."""
        self.proof: dict[str, Mapping[str, Any]] = {}
        """What each command proved when it last ran, by its name."""
        self.baseline: tuple[Mapping[str, Any], ...] = ()
        """What the commands proved before anything was changed."""
        self.changes: Mapping[str, Any] = {}
        """The code as it was last told: files with status and counts, and weakened tests."""
        self.landed: set[str] = set()
        """Code files that steps left in the checkout."""
        self._dispatches: set[str] = set()
        self._banked = 0.0
        self._since = ""

    @property
    def steps(self) -> Mapping[str, Step]:
        return self.tree.steps

    @property
    def rows(self) -> dict[str, Row]:
        """By step, in the workflow's order; steps that the workflow does not list come last."""
        return self.tree.top

    @property
    def delivery(self) -> Delivery:
        """What it has come to so far."""
        told = {
            "evidence": [*self.proof.values()],
            "baseline": self.baseline,
            "changes": self.changes,
        }
        return delivery_of(told)

    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None:
        for row in self.path(key)[-2:]:
            row.last = did(kind, fields)

    def elapsed(self, now: float | None = None) -> float | None:
        """Seconds the run was at work, without the time it rested."""
        if not self.started:
            return None
        if not self._since:
            return self._banked
        began = figures.moment(self._since)
        until = figures.moment(self.updated) if now is None else now
        return self._banked + (
            max(0.0, until - began) if began is not None and until is not None else 0.0
        )

    def running(self) -> list[Row]:
        """Rows at work now that have no such rows below them."""
        return [
            row
            for row in self.tree
            if row.state == "running"
            and not any(each.state == "running" for each in row.children.values())
        ]

    def children(self) -> list[Row]:
        """The rows of child runs, in the order they began."""
        return [row for row in self.tree if row.kind == "child"]

    def commands(self, gate: Gate) -> list[str]:
        """The commands that decide the gate; if the run rests, they also continue it at once."""
        return commands(
            gate, self.run, only=len(self.gates) == 1, go=self.status not in {"", "active"}
        )

    def path(self, key: str) -> list[Row]:
        """The rows of a known key from the top down; empty for an unknown one."""
        return self.tree.path(key)

    def place(self, event: Event) -> list[Row]:
        """The rows of an event's key from the top down; created if missing."""
        path = self.tree.place(event, self.at)
        if path[0].kind == "child" and not path[0].title:
            path[0].title = counters.item_title(self.counters, path[0].name)
        return path

    def awake(self, ts: str) -> None:
        self.rest(self.updated or ts)
        self._since = ts

    def rest(self, ts: str) -> None:
        if self._since:
            self._banked += figures.between(self._since, ts) or 0.0
            self._since = ""

    def began(self, key: str, kind: str) -> None:
        if kind == "dispatch":
            self._dispatches.add(key)

    def proven(self, event: Event) -> None:
        """Take over what an event tells of commands, the last of each counting."""
        for record in event.get("evidence") or ():
            if isinstance(record, Mapping) and proof_state(record):
                self.proof[str(record.get("name", ""))] = record

    def ended(self, event: Event, took: float | None) -> None:
        outputs = event.get("outputs")
        if event.get("commit") and event.get("outcome") == "ok" and isinstance(outputs, Mapping):
            self.landed.update(map(str, outputs))
        self.proven(event)
        if str(event.get("key", "")) in self._dispatches:
            self.spent.add(event.get("usage"))
            if took is not None:
                self.took.append(took)
