"""Leases that end when a test says so: to wait for the end of a short one is to lose it where
the machine is busy.
"""

from __future__ import annotations

from podium.fleet.journal.postgres_journal import PostgresJournal

_SINCE = "update podium_run set seen = seen - make_interval(secs => %s)"


def silent(journal: PostgresJournal, beats: float = 2.0) -> None:
    """As if no owner had spoken for so much longer; a lease is over after one and a half beats."""
    journal.link.do(lambda connection: connection.execute(_SINCE, (journal.beat_s * beats,)))
