"""A part that all runs share: the database, the remote. It does one thing after the other, as
fast as it can.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Part:
    """`rate`: how much it does per second."""

    rate: float
    free_at: float = 0.0
    """When everything asked of it so far will be done."""
    work: float = 0.0
    """Seconds of its time that were asked for since the last look."""

    def ask(self, now: float, amount: float, share: float = 1.0) -> float:
        """How long a new request waits for earlier ones. `share` of the part is left for this
        kind of work.
        """
        took = amount / self.rate / share
        waited = max(0.0, self.free_at - now)
        self.free_at = now + waited + took
        self.work += took
        return waited

    def looked(self) -> float:
        work, self.work = self.work, 0.0
        return work
