"""The journal port: the truth about runs, on files here and on a database elsewhere.

Safety comes from two numbers and from nothing else. `open` raises the epoch, which
fences every older owner; `append` names the sequence it expects. Decisions of people
go through `post` and `inbox`: they need no owner and no running engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

from podium.core.dataclass import dataclass
from podium.state.sealing import Clean

Event = Mapping[str, Any]
"""A sealed event: type and fields, with seq, ts, run, prev, hash."""


@dataclass
class Opened:
    """A run that this process now owns."""

    run: str
    epoch: int
    events: list[dict[str, Any]]
    """All events so far, chain checked; `append` adds to it."""
    inherit: tuple[int, ...] = field(default=())
    """Descriptors that a supervising process must inherit, so that the lock is free only when all are dead."""

    @property
    def seq(self) -> int:
        return len(self.events)


class Journal(Protocol):
    def create(self, run: str, first: Sequence[Mapping[str, Any]]) -> bool:
        """Start a run with its first events; False if it exists already. Durable on return."""

    def open(self, run: str, owner: str) -> Opened:
        """Own the run under a new epoch. Busy if a live process owns it; ChainBroken if it was changed."""

    def append(
        self,
        opened: Opened,
        expected_seq: int,
        events: Sequence[Mapping[str, Any]],
        *,
        durable: bool = True,
        clean: Clean | None = None,
    ) -> Sequence[Event]:
        """Seal and append at the expected sequence, without what `clean` cuts out. Fenced if the epoch is old.

        Durable on return, with all before it. Where not so told, only the end of the process cannot take it back:
        a loss of power can, until `sync` or the next durable append.
        """

    def sync(self, opened: Opened) -> None:
        """All that was appended is durable on return."""

    def close(self, opened: Opened) -> None: ...

    def read(self, run: str) -> list[dict[str, Any]]:
        """The events without owning the run; a torn last line is left out."""

    def post(self, run: str, key: str, message: Mapping[str, Any]) -> bool:
        """Leave a decision; idempotent by key (False if it is there already); needs no owner. Durable on return."""

    def inbox(self, run: str) -> Mapping[str, Mapping[str, Any]]:
        """Every message by key, in key order."""

    def runs(self) -> Sequence[str]:
        """The ids of all root runs."""
