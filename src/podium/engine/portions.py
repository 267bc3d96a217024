"""What a commit has to leave out because a person had it in the same files before."""

from __future__ import annotations

from podium.core.effects import Commit
from podium.core.errors import InputError
from podium.core.history import History
from podium.engine.session import Session


def theirs(session: Session, commit: Commit) -> tuple[str, dict[str, bytes | None]]:
    """The checkpoint that shows the files as the work began, and the texts of the run's own
    documents over what HEAD has; None: a person's part cannot be told from the run's.
    """
    if not commit.of or session.services.workspace().kind == "plain":
        return "", {}
    return _first_base(session, commit.of), _documents(session, commit)


def _first_base(session: Session, of: str) -> str:
    """Of the steps of a child run since its last commit the first one's."""
    own = session.history.steps.values()
    done = [
        record.finished
        for record in own
        for told in record.evidence
        if told.get("of") == of and told.get("commit")
    ]
    events = session.services.journal.read(f"{session.folder.root_id}/{of}")
    steps = [each for each in History(events).steps.values() if each.commit and each.base]
    since = [each for each in steps if not done or each.started > max(done)]
    return min(since, key=lambda each: each.started).base if since else ""


def _documents(session: Session, commit: Commit) -> dict[str, bytes | None]:
    workspace, found = session.services.workspace(), dict[str, bytes | None]()
    for path, own_part in commit.shared.items():
        committed, text = workspace.text_at_head(path), session.text(path)
        if committed is None or text is None:
            continue  # new, or gone: there is nothing to tell apart
        try:
            found[path] = own_part(committed, text).encode()
        except (InputError, ValueError):  # the committed text cannot be read
            found[path] = None
    return found
