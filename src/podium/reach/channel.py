"""A way to reach people, and why it failed."""

from __future__ import annotations

from typing import Protocol

from podium.reach.notice import Notice


class Undelivered(Exception):
    """The notice did not arrive; the message says why, without any secret."""


class Channel(Protocol):
    """One channel. It may be slow, because it does not hold up the run."""

    @property
    def name(self) -> str:
        """As it is called in `[notify]`."""

    def send(self, notice: Notice) -> None:
        """Deliver the notice; raises Undelivered."""
