"""A way to reach people, and why it failed."""

from __future__ import annotations

from typing import Protocol

from podium.reach.notice import Notice


class Undelivered(Exception):
    """The notice did not arrive; the message says why, without any secret."""


class Channel(Protocol):
    """One way; it may take its time, since it works beside the run."""

    @property
    def name(self) -> str:
        """As `[notify]` calls it."""

    def send(self, notice: Notice) -> None:
        """Raises Undelivered."""
