"""How many dispatches each role has had: one count for a run and its children, which goes on across resumes."""

from __future__ import annotations

from podium.core.history import History
from podium.engine.session import Session
from podium.state import run_folder


class Calls:
    """Counted when a dispatch begins, so that two of one role side by side have different numbers."""

    def __init__(self, known: dict[str, int]) -> None:
        self._taken = known

    def take(self, role: str) -> int:
        """The number of the dispatch that begins now, from 0."""
        number = self._taken.get(role, 0)
        self._taken[role] = number + 1
        return number


def calls_of(session: Session) -> Calls:
    """The run's count, made from its family's journals when first asked for."""
    if session.calls is None:
        session.calls = Calls(_recorded(session))
    found: Calls = session.calls
    return found


def _recorded(session: Session) -> dict[str, int]:
    total = dict(session.history.calls)
    services, root = session.services, session.folder.root_id
    for each in run_folder.family(services.project, root):
        if each != session.opened.run:
            for role, count in History(services.journal.read(each)).calls.items():
                total[role] = total.get(role, 0) + count
    return total
