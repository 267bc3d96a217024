"""What a run brought into the checkout, and the checkout with all of it in view.

A later step may write rules by which git ignores what an earlier one made. The file stays where it landed, and whoever
builds on it, tests it or judges it must be shown it all the same.
"""

from __future__ import annotations

from podium.core.history import History
from podium.engine.session import Session
from podium.engine.workspace import Checkpoint
from podium.state.run_folder import family


def landed_of(session: Session) -> set[str]:
    """Paths of code that the run and its child runs landed; known from their journals, then kept up to date."""
    if session.landed is None:
        services, root = session.services, session.folder.root_id
        others = [each for each in family(services.project, root) if each != session.opened.run]
        histories = [session.history, *(History(services.journal.read(each)) for each in others)]
        session.landed = set().union(*map(_code, histories))
    found: set[str] = session.landed
    return found


def _code(history: History) -> set[str]:
    """Documents are none: where a person ignores those, nobody hid them."""
    return {path for each in history.steps.values() if each.commit for path in each.outputs if path not in each.before}


def checkpoint(session: Session, key: str) -> Checkpoint:
    """The checkout as a step finds it."""
    services = session.services
    return services.workspace().checkpoint(
        f"before {key}", services.now().isoformat(), run_id=session.folder.root_id, landed=landed_of(session)
    )
