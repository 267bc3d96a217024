"""What belongs to another run is looked up in its journal, and only when that journal has
changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.engine.test_services import World

from podium.core import events
from podium.core.advance import resting
from podium.core.run import Status
from podium.engine.other_runs import OtherRuns, others_of
from podium.engine.session import Session
from podium.state.disk import Disk
from podium.state.local_journal import LocalJournal


@dataclass
class Reads:
    """Which journals were read, in order."""

    runs: list[str] = field(default_factory=list)

    def journal(self, world: World) -> LocalJournal:
        noted = self.runs

        class Noted(LocalJournal):
            def read(self, run: str) -> list[dict[str, Any]]:
                noted.append(run)
                return super().read(run)

        return Noted(world.root, Disk(), world.clock)


def told(world: World, *facts: Mapping[str, Any]) -> None:
    """More into the journal of a run, by an owner of its own."""
    journal = LocalJournal(world.root, Disk(), world.clock)
    opened = journal.open(world.run, "test")
    journal.append(opened, opened.seq, facts)
    journal.close(opened)


def documents(
    session: Session, others: OtherRuns, reads: Reads
) -> tuple[frozenset[str], list[str]]:
    reads.runs.clear()
    return others.documents(session), list(reads.runs)


def test_a_journal_is_read_again_only_when_it_has_changed(tmp_path: Path) -> None:
    world, reads, others = World.at(tmp_path), Reads(), OtherRuns()
    other = replace(world, run="other")
    world.changes["journal"] = reads.journal(world)
    other.create()
    with world.session() as session:
        assert documents(session, others, reads) == (frozenset(), ["other"])
        assert documents(session, others, reads) == (frozenset(), [])
        told(other, events.document_saved("notes/state.md", "sha256:1"))
        assert documents(session, others, reads) == (frozenset({"notes/state.md"}), ["other"])
        assert documents(session, others, reads) == (frozenset({"notes/state.md"}), [])
        told(
            other,
            events.run_cancelled(
                resting(other.workflow.first(), Status.CANCELLED, "enough", "cancelled"), "enough"
            ),
        )
        assert documents(session, others, reads) == (frozenset(), ["other"])
        assert documents(session, others, reads) == (frozenset(), [])


def test_what_is_known_stays_with_the_run_for_all_its_steps(tmp_path: Path) -> None:
    with World.at(tmp_path).session() as session:
        assert others_of(session) is others_of(session)
