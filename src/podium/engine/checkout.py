"""The person's checkout in a run: acts in it and their evidence, the run's branch, and giving
back what was put aside.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from podium.core.effects import Check
from podium.core.errors import Halted
from podium.core.globs import matches
from podium.core.verdict import Judgement
from podium.engine.git.checkout import Checkout, current
from podium.engine.git.person import facts, perform
from podium.engine.session import Session
from podium.state.run_folder import RunFolder

Evidence = Mapping[str, Any]


def checkout_of(session: Session, target: str, leaves: Collection[str] = ()) -> Checkout:
    services, root = session.services, session.folder.root_id
    workspace = services.workspace()
    inside = workspace.podium_dir.is_relative_to(workspace.toplevel)

    def ours(path: str) -> bool:
        inner = workspace.inward(path)
        if inner in leaves or matches(inner, session.workflow.own(session.run)):
            return True
        # What this run wrote and nobody has changed since, such as documents made along with the
        # plan.
        return session.history.documents.get(inner, "") == session.digest(inner)

    return Checkout(
        git=workspace.git,
        run_id=root,
        target=target,
        date=services.now().isoformat(),
        spare=RunFolder(services.project, root).path / "checkout",
        podium=workspace.podium_dir.relative_to(workspace.toplevel).as_posix() if inside else "",
        ours=ours,
    )


def in_checkout(session: Session, check: Check) -> list[Evidence]:
    """Perform the acts in order, then look at the checkout. An act that fails is the last
    evidence.
    """
    if check.branch is None:
        return []
    workspace, target = session.services.workspace(), check.branch(session.run)
    if workspace.kind == "plain":
        return [{"name": "checkout", "repository": False, "target": target}]
    at = checkout_of(session, target, frozenset(check.leaves(session.run)))
    found: list[Evidence] = []
    for act in check.acts(session.run):
        try:
            found.append(perform(at, act))
        except Halted as halt:
            said = "; ".join(part for part in (str(halt), _returned(at, act)) if part)
            return [*found, {"name": f"git {act}", "refused": said}]
    seen = facts(at, ask_remote=not found)
    inward = {
        name: [_text(workspace.inward(path)) for path in seen[name]]
        for name in ("changes", "unmerged")
    }
    return [*found, {"name": "checkout", **seen, **inward}]


def _text(path: str) -> str:
    """A path for the journal, which cannot store bytes that are not UTF-8."""
    return path.encode(errors="backslashreplace").decode()


def _returned(at: Checkout, act: str) -> str:
    """After a failed act: put back into the checkout what this run put aside."""
    if act == "unstash":
        return ""
    try:
        given = perform(at, "unstash")
    except Halted:
        return f"your changes are in the stash 'podium {at.run_id}'"
    return str(given["said"]) if given["left"] else ""


def refusal(found: list[Evidence]) -> Judgement | None:
    """The judgement of a check if one of its acts failed."""
    refused = [str(act["refused"]) for act in found if act.get("refused")]
    return Judgement("fail", "refused", refused[0], "refused", stop="git") if refused else None


def astray(session: Session) -> str:
    """Why the run may not continue in this checkout: it is on another branch than the run's.
    Empty if all is well.
    """
    wanted = session.workflow.home(session.run)
    workspace = session.services.workspace() if wanted else None
    if workspace is None or workspace.kind == "plain":
        return ""
    here = current(workspace.git)
    return (
        ""
        if here == wanted
        else f"the checkout is on {here or 'no branch'}, not on {wanted}; resume goes back to it"
    )


def return_home(session: Session) -> None:
    """Before a run is resumed: switch back to its branch, unless changes of the person's would
    come along.
    """
    if not astray(session):
        return
    at = checkout_of(session, session.workflow.home(session.run))
    changes = at.changes()
    if changes:
        shown = f"{', '.join(changes[:5])}{' …' if len(changes) > 5 else ''}"
        here = current(at.git) or "no branch"
        raise Halted(
            f"the checkout is on {here} with changes of yours ({shown}), and the run works on "
            f"{at.target}; "
            f"commit or stash them, `git switch {at.target}`, then resume"
        )
    perform(at, "switch")


def part(session: Session) -> str:
    """A cancelled run gives back what it put aside; returns, in words, what it could not give
    back.
    """
    workspace = session.services.workspace()
    said = []
    for act in session.workflow.parting(session.run) if workspace.kind != "plain" else ():
        try:
            given = perform(checkout_of(session, ""), act)
            said += [str(given["said"])] if given.get("left") else []
        except Halted as halt:
            said.append(f"{halt}. Your changes are in the stash 'podium {session.folder.root_id}'")
    return "; ".join(said)
