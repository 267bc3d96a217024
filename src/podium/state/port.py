"""The journal port: the truth about runs, here in files, elsewhere in a database.

Safety rests on two numbers only. `open` raises the epoch, which fences every older
owner; `append` names the sequence it expects. People's decisions go through `post` and
`inbox`, which need no owner and no running engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from podium.state.sealing import Clean

Event = Mapping[str, Any]
"""A sealed event: type and fields, with seq, ts, run, prev, hash."""


@dataclass
class Opened:
    """A run that this process now owns."""

    run: str
    epoch: int
    events: list[dict[str, Any]]
    """All events so far, with the chain checked; `append` adds to it."""
    inherit: tuple[int, ...] = field(default=())
    """Descriptors that a supervising process must inherit, so that the lock is free only when
    all of them are dead.
    """

    @property
    def seq(self) -> int:
        return len(self.events)


class Journal(Protocol):
    """What the engine needs of a journal. One object is one owner."""

    def create(self, run: str, first: Sequence[Mapping[str, Any]]) -> bool:
        """Start a run with its first events; False if it already exists. Durable on return."""

    def open(self, run: str, owner: str) -> Opened:
        """Own the run under a new epoch. Busy if a live process owns it; ChainBroken if the
        journal was changed.
        """

    def append(
        self,
        opened: Opened,
        expected_seq: int,
        events: Sequence[Mapping[str, Any]],
        *,
        durable: bool = True,
        clean: Clean | None = None,
    ) -> Sequence[Event]:
        """Seal and append at the expected sequence, without what `clean` removes. Fenced if the
        epoch is old.

        Durable on return, with everything before it. With `durable=False` the events survive the
        end of the process, but not a power cut, until `sync` or the next durable append.
        """

    def sync(self, opened: Opened) -> None:
        """Everything appended so far is durable on return."""

    def close(self, opened: Opened) -> None: ...

    def read(self, run: str) -> list[dict[str, Any]]:
        """The events, without owning the run; a torn last line is dropped."""

    def post(self, run: str, key: str, message: Mapping[str, Any]) -> bool:
        """Leave a decision; idempotent by key (False if it is already there); needs no owner.
        Durable on return.
        """

    def inbox(self, run: str) -> Mapping[str, Mapping[str, Any]]:
        """Every message by key, in key order."""

    def withdraw(self, run: str, key: str) -> bool:
        """Remove a message that cannot come from a person; returns whether there was one."""

    def runs(self) -> Sequence[str]:
        """The ids of all root runs."""

    def holder(self, run: str) -> dict[str, Any] | None:
        """Who drives the run now (epoch, pid, host, owner, since, alive); None if nobody does."""

    def intact(self, opened: Opened) -> bool:
        """Whether the journal still says exactly what was read and written here. An agent may
        have changed it.
        """

    def repair(self, opened: Opened) -> None:
        """Restore what was read and written here. Fenced if the run is no longer ours."""
