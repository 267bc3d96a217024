"""The board: what a person wants to know about a run, folded from its events.

Pure: no clock (the time comes in as `now`), no drawing, no escaping; whoever draws a board escapes
what it shows. The fold is forgiving: a view that joins late or reads a journal of another version
shows less, but never fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from podium.core.workflow import Step
from podium.views.board.child import moved
from podium.views.board.events import HANDLERS
from podium.views.board.state import BoardState, Event

_NOT_COUNTERS = frozenset({"step", "status", "reason", "stop", "note", "visits"})


class Board(BoardState):
    def __init__(
        self, steps: Iterable[Step] = (), title: str = "", events: Iterable[Event] = ()
    ) -> None:
        super().__init__(steps, title)
        for event in events:
            self.absorb(event)

    def absorb(self, event: Event) -> None:
        run, kind = str(event.get("run", "")), str(event.get("type", ""))
        self.run = self.run or run.partition("/")[0]
        self.tree.root = self.run
        if run == self.run:
            self._follow(event)
        elif kind.startswith("run."):
            moved(self.tree.child(run, self.at), kind, event)
        if handler := HANDLERS.get(kind):
            handler(self, event)
        self.updated = str(event.get("ts", self.updated))

    def _follow(self, event: Event) -> None:
        """Take over what any event of the root run may say about its position."""
        state = event.get("state")
        if not isinstance(state, Mapping):
            return
        self.status = str(state.get("status", self.status))
        self.reason, self.stop = str(state.get("reason", "")), str(state.get("stop", ""))
        self.counters = {k: v for k, v in state.items() if k not in _NOT_COUNTERS}
        self.work.follow(state, str(event.get("ts", "")), str(event.get("from", "")))
        self.move(str(state.get("step", self.at)))

    def move(self, step: str) -> None:
        """Steps before the pointer that never ran were skipped; those after it may still come,
        and a gate there asks again.
        """
        self.at = step
        names = list(self.rows)
        if step not in self.steps:
            return
        for index, name in enumerate(names):
            row = self.rows[name]
            if row.state in {"pending", "skipped"} and not row.started:
                row.state = "skipped" if index < names.index(step) else "pending"
            elif row.state == "waiting" and row.kind == "gate" and index > names.index(step):
                row.state = "pending"
