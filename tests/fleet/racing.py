"""`python -m tests.fleet.racing DATABASE NAME ROUNDS`: opens and closes runs as fast as it can,
within the fleet's limits.

Prints how often it got one, how often a limit was full, and the most runs it ever saw under way.
"""

from __future__ import annotations

import json
import random
import sys
import time
from datetime import UTC, datetime

from podium.core.errors import Busy
from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.fleet.line.placement import Full, Terms

LIMITS = {"agents": {"claude": 3}, "providers": {"anthropic": 4}, "users": {"default": 2}}


def main(database: str, name: str, rounds: int) -> None:
    journal = PostgresJournal(database, lambda: datetime.now(UTC), beat_s=30.0)
    chance, runs = random.Random(name), list(journal.runs())
    told = {"got": 0, "full": 0, "claude": 0, "anthropic": 0, "user": 0}
    for _ in range(rounds):
        run = chance.choice(runs)
        try:
            opened = journal.open(run, name, Terms(name, LIMITS))
        except Full:
            told["full"] += 1
            continue
        except Busy:
            continue
        told["got"] += 1
        seen = journal.line().under_way
        told["claude"] = max(told["claude"], sum("claude" in each.wants.agents for each in seen))
        told["anthropic"] = max(
            told["anthropic"], sum("anthropic" in each.wants.providers for each in seen)
        )
        told["user"] = max(
            told["user"], *(sum(each.user == one.user for each in seen) for one in seen)
        )
        time.sleep(chance.uniform(0, 0.02))
        journal.close(opened)
    journal.link.close()
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
