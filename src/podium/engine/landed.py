"""What a run brought into the checkout, and the checkout as its steps see it.

A step may write ignore rules for git. Files that earlier steps made must still be visible to those
that build on them, test or judge them, even if such a rule ignores them; what a person kept out of
git before stays out of every view.
"""

from __future__ import annotations

from collections.abc import Collection

from podium.core.history import History
from podium.core.records import StepRecord
from podium.engine.git.snapshot import RULES, Brought
from podium.engine.session import Session
from podium.engine.workspace import Checkpoint
from podium.state.run_folder import family


class Landed:
    """For a run and all its child runs."""

    def __init__(self) -> None:
        self._paths: set[str] = set()
        self._first = ("", "")
        self._rules: dict[str, None] = {}
        """Base commits of the steps that changed ignore rules."""

    def absorb(self, record: StepRecord, arrived: Collection[str]) -> None:
        """Add a step's code. Documents do not count: if they are ignored, a person wants that."""
        code = (
            [path for path in record.outputs if path not in record.before and path in arrived]
            if record.commit
            else []
        )
        self._paths.update(code)
        if code and (not self.base or record.started < self._first[0]):
            self._first = (record.started, record.base)
        if any(path.rpartition("/")[2] == RULES for path in code):
            self._rules[record.base] = None

    @property
    def base(self) -> str:
        """The checkpoint of the code as the first of these steps found it; "" if there is none."""
        return self._first[1]

    @property
    def brought(self) -> Brought:
        return Brought(frozenset(self._paths), tuple(self._rules))


def landed_of(session: Session) -> Landed:
    """Built from the journals, then kept up to date."""
    if session.landed is None:
        services, root = session.services, session.folder.root_id
        others = [each for each in family(services.project, root) if each != session.opened.run]
        known = Landed()
        for history in (
            session.history,
            *(History(services.journal.read(each)) for each in others),
        ):
            for record in history.steps.values():
                known.absorb(record, history.documents)
        session.landed = (
            known  # only once it is complete: agents side by side ask from several threads
        )
    found: Landed = session.landed
    return found


def landed_below(session: Session) -> Landed:
    """Of one child run and those below it: others may work beside it."""
    services, own = session.services, session.opened.run
    known = Landed()
    for run in family(services.project, session.folder.root_id):
        if run == own or run.startswith(f"{own}/"):
            history = session.history if run == own else History(services.journal.read(run))
            for record in history.steps.values():
                known.absorb(record, history.documents)
    return known


def checkpoint(session: Session, key: str) -> Checkpoint:
    """The checkout as a step finds it."""
    services = session.services
    return services.workspace().checkpoint(
        f"before {key}",
        services.now().isoformat(),
        run_id=session.folder.root_id,
        brought=landed_of(session).brought,
    )
