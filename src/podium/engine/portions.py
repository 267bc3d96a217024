"""What a commit has to leave out because a person had it in the same files before."""

from __future__ import annotations

from podium.core.effects import Commit
from podium.core.errors import InputError
from podium.core.history import History
from podium.engine.git.own_part import NOTHING_THEIRS, Before
from podium.engine.session import Session
from podium.state.run_folder import family


def theirs(session: Session, commit: Commit) -> tuple[Before, dict[str, bytes | None]]:
    """The files as the work began, and the texts of the run's own documents over what HEAD has;
    None: a person's part cannot be told from the run's.
    """
    if not commit.of or session.services.workspace().kind == "plain":
        return NOTHING_THEIRS, {}
    return _before(session, commit.of), _documents(session, commit)


def _before(session: Session, of: str) -> Before:
    """As the first step of a child run since its last commit found them."""
    made = [
        (record.finished, str(told["commit"]))
        for record in session.history.steps.values()
        for told in record.evidence
        if told.get("of") == of and told.get("commit")
    ]
    events = session.services.journal.read(f"{session.folder.root_id}/{of}")
    known = History(events).steps.values()
    since = [each for each in known if not made or each.started > max(made)[0]]
    code = [each for each in since if each.commit and each.base]
    if not code:
        return NOTHING_THEIRS
    outward = session.services.workspace().outward
    return Before(
        min(code, key=lambda each: each.started).base,
        frozenset(outward(path) for each in since if not each.commit for path in each.outputs),
        tuple(commit for _, commit in made),
        frozenset((outward(path), digest) for path, digest in _left_by_others(session, of)),
    )


def _left_by_others(session: Session, of: str) -> set[tuple[str, str]]:
    """Paths and digests of what earlier runs brought into the checkout for the same work."""
    services, found = session.services, set[tuple[str, str]]()
    for other in services.journal.runs():
        run = f"{other}/{of}"
        if other == session.folder.root_id or run not in family(services.project, other):
            continue
        for record in History(services.journal.read(run)).steps.values():
            found.update(record.outputs.items())
    return found


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
