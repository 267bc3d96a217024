"""Documents of runs that rest while another one is at work: what lands in one of them is read there as a person's edit."""

from __future__ import annotations

import os

from podium.core.errors import PodiumError
from podium.core.history import History
from podium.engine.looking import has_ended
from podium.engine.session import Session
from podium.state.run_folder import RunFolder, family, load_request


def documents_of_others(session: Session) -> frozenset[str]:
    """What every other run that has not ended was started with and shows itself in; what its steps made is code."""
    found: set[str] = set()
    for run in session.services.journal.runs():
        if run != session.folder.root_id:
            found |= _documents(session, run)
    return frozenset(found)


def _documents(session: Session, run: str) -> set[str]:
    services = session.services
    try:
        known = [services.journal.read(each) for each in family(services.project, run)]
        if has_ended(known[0]):
            return set()
        found = set().union(*(_shown(History(each)) for each in known))
    except PodiumError:  # its journal is damaged, which is for whoever opens it to say
        found = set()
    return found | _asked(session, run)


def _shown(history: History) -> set[str]:
    return set(history.documents).difference(*(each.outputs for each in history.steps.values()))


def _asked(session: Session, run: str) -> set[str]:
    """Its state document, and the files it was given."""
    try:
        request = load_request(RunFolder(session.services.project, run))
    except PodiumError:
        return set()
    root = os.path.realpath(session.root)
    given = [os.path.join(root, str(each)) for each in request.get("inputs", ()) if "\0" not in str(each)]
    files = {os.path.relpath(each, root) for each in given if os.path.isfile(each)}
    return files | ({str(request["scope"])} if request.get("scope") else set())
