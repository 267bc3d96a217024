"""One run that somebody else drives: new events, what its agents do, and whether anybody still
drives it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.cli import context
from podium.core.run import Status
from podium.engine.outcome import INTERRUPTED, Ended
from podium.state.tail import last_words
from podium.views.board.board import Board
from podium.views.terminal.watching import Watching
from podium.wiring import App

RESTS = frozenset({"waiting", "sleeping", "blocked", "complete", "cancelled"})


class Followed:
    def __init__(self, app: App, run: str, *, streamed: bool = False) -> None:
        """`streamed`: the past is reported too, as with `log --follow`."""
        self.run = run
        self.over = False
        """Whether it was left: ended, at rest, or driven by nobody."""
        self.elsewhere = context.elsewhere(app, run)
        """Whether other machines drive it."""
        self._app = app
        self._tail = app.tail(run)
        self._homes: dict[str, str] = {}
        """For each step's key, the run whose folder has its transcript."""
        self._said: dict[str, tuple[str, Mapping[str, Any]]] = {}
        self._driver: Mapping[str, Any] = {}
        self.board = Board(app.workflow(run).steps.values(), app.summary(run).title)
        self.board.run = run
        for event in () if streamed else self._more():
            self.board.absorb(event)

    def more(self, view: Watching) -> None:
        for event in self._more():
            view.event(self.board, event)

    def _more(self) -> list[dict[str, Any]]:
        events = self._tail.more()
        self._homes |= {
            str(event["key"]): str(event["run"])
            for event in events
            if event["type"] == "step.started"
        }
        return events

    def listen(self, view: Watching) -> None:
        """Report what the working agents did last, according to their transcripts."""
        for row in self.board.running():
            said = (
                last_words(self._app.project, self._homes.get(row.key, self.run), row.key)
                if row.key
                else None
            )
            if said is not None and said != self._said.get(row.key):
                self._said[row.key] = said
                view.activity(self.board, row.key, *said)

    def rests(self, view: Watching) -> bool:
        """Whether nothing more happens by itself: the run rests or has ended, or its driver is
        gone.
        """
        if self.elsewhere:
            # Workers come and go: a run of the fleet rests when it says so.
            return self.board.status in RESTS
        holder = self._app.journal.holder(self.run)
        if holder is not None and holder.get("alive") is not False:
            self._driver = holder
            return False
        # The last events may have come after the last look and before the end.
        self.more(view)
        if self.board.status not in {*RESTS, "gone"}:
            self._abandoned(holder)
        return True

    def _abandoned(self, holder: Mapping[str, Any] | None) -> None:
        """The driver is gone; one that ended properly leaves no step running."""
        who = holder or self._driver
        named = f"process {who.get('pid')} on {who.get('host')}" if who else "the process"
        left = ", but an agent it started is still there" if holder else ""
        if self.board.running():
            self.board.reason = f"{named} that drove it is gone{left}"
        else:
            self.board.reason = f"{named} that drove it has stopped between two steps"
        self.board.status = "gone"

    @property
    def exit_code(self) -> int:
        board = self.board
        if board.status == "gone":
            return INTERRUPTED if board.running() else 0
        if board.status in {"", "active"}:
            return 0
        return Ended(
            self.run, board.workflow, Status(board.status), board.at, board.reason, board.stop
        ).exit_code
