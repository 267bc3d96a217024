"""How many dispatches each role has had: one count for a run and its children, continued across
resumes.
"""

from __future__ import annotations

from podium.core.history import History
from podium.engine.session import Session
from podium.state import run_folder


class Calls:
    """Counts a dispatch when it begins, so that two of one role side by side get different
    numbers.
    """

    def __init__(self, known: dict[str, int], cut: dict[str, int]) -> None:
        self._taken = known
        self._cut = cut

    def take(self, role: str) -> int:
        """The number of the dispatch that begins now, from 0."""
        number = self._taken.get(role, 0)
        self._taken[role] = number + 1
        return number

    def cut(self, role: str) -> int:
        """How many dispatches of the role died with the process that drove the run."""
        return self._cut.get(role, 0)


def calls_of(session: Session) -> Calls:
    """The run's count, made from its family's journals on first use."""
    if session.calls is None:
        session.calls = Calls(*_recorded(session))
    found: Calls = session.calls
    return found


def _recorded(session: Session) -> tuple[dict[str, int], dict[str, int]]:
    total, cut = dict(session.history.calls), dict(session.history.cut)
    services, root = session.services, session.folder.root_id
    for each in run_folder.family(services.project, root):
        if each != session.opened.run:
            other = History(services.journal.read(each))
            for sums, found in ((total, other.calls), (cut, other.cut)):
                for role, count in found.items():
                    sums[role] = sums.get(role, 0) + count
    return total, cut
