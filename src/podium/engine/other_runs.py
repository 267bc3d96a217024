"""Documents of other, resting runs: work that lands in one of them would look there like a
person's edit.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from podium.core.errors import PodiumError
from podium.core.history import History
from podium.engine.looking import has_ended
from podium.engine.services import Services
from podium.engine.session import Session
from podium.state.regular import Signature, signature_of
from podium.state.run_folder import RunFolder, family, load_request


class OtherRuns:
    """All other runs of the project, as one run and its children know them; an unchanged journal
    is not read again.
    """

    def __init__(self) -> None:
        self._ended: dict[str, Signature] = {}
        """Ended runs, with the signature of their journal: nothing more needs to be read of
        them.
        """
        self._known: dict[str, tuple[tuple[Signature, ...], set[str]]] = {}

    def documents(self, session: Session) -> frozenset[str]:
        """Files given to runs that have not ended, and documents that show those runs. What
        their steps made is code.
        """
        services, own = session.services, session.folder.root_id
        return frozenset().union(
            *(self._documents(services, run) for run in services.journal.runs() if run != own)
        )

    def _documents(self, services: Services, run: str) -> set[str]:
        journal = signature_of(RunFolder(services.project, run).journal)
        if self._ended.get(run) == journal:
            return set()
        members = family(services.project, run)
        now = tuple(signature_of(RunFolder(services.project, each).journal) for each in members)
        known = self._known.get(run)
        if known is None or known[0] != now:
            ended, found = _documents(services, run, members)
            known = self._known[run] = (now, found)
            if ended:
                self._ended[run] = journal
        return known[1]


def others_of(session: Session) -> OtherRuns:
    found: OtherRuns = session.others or OtherRuns()
    session.others = found
    return found


def _documents(services: Services, run: str, members: Sequence[str]) -> tuple[bool, set[str]]:
    """Whether the run has ended, and its own documents if not."""
    try:
        known = [services.journal.read(each) for each in members]
        if has_ended(known[0]):
            return True, set()
        found = set().union(*(_shown(History(each)) for each in known))
    except PodiumError:  # a damaged journal; whoever opens that run reports it
        found = set()
    return False, found | _asked(services, run)


def _shown(history: History) -> set[str]:
    return set(history.documents).difference(*(each.outputs for each in history.steps.values()))


def _asked(services: Services, run: str) -> set[str]:
    """Its state document, and the files it was given."""
    try:
        request = load_request(RunFolder(services.project, run))
    except PodiumError:
        return set()
    root = os.path.realpath(services.project)
    given = [
        os.path.join(root, str(each)) for each in request.get("inputs", ()) if "\0" not in str(each)
    ]
    files = {os.path.relpath(each, root) for each in given if os.path.isfile(each)}
    return files | ({str(request["scope"])} if request.get("scope") else set())
