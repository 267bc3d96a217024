"""Where a run's pointer is, and what happens when a person moves it by hand."""

from __future__ import annotations

from collections.abc import Sequence

from podium.core import events, keys
from podium.core.advance import blocked, entered
from podium.core.effects import Cluster
from podium.core.errors import Fault, InputError
from podium.core.nearest import nearest
from podium.core.run import DONE, ENDED
from podium.core.workflow import Step
from podium.engine import staleness
from podium.engine.session import Session


def known_step(session: Session) -> Step:
    """The step the run stands at; an unknown name raises an error that suggests the nearest one."""
    step = session.workflow.steps.get(session.run.step)
    if step is None:
        near = nearest(session.run.step, session.workflow.steps)
        raise InputError(
            Fault(
                str(session.folder.state),
                f"step is {session.run.step!r}, which {session.workflow.name} does not have",
                f"did you mean {near!r}?"
                if near
                else f"one of {', '.join(session.workflow.steps)}",
            )
        )
    return step


def refuse_renamed(session: Session) -> None:
    """InputError if finished work has step names that only another version of the workflow had.

    In this version it would silently be repeated, or never be looked at again. If the versions are
    the same, a person's policy removed the step, and that is allowed.
    """
    wrote = [str(each["version"]) for each in session.opened.events if each.get("version")]
    if not wrote or wrote[-1] == session.services.version:
        return
    records = [
        record
        for key in session.history.lineage
        if (record := session.history.steps.get(key)) is not None
    ]
    faults = [
        (
            f"{each.key} was done as the step {each.step!r}, which {session.workflow.name} does "
            "not have"
        )
        for each in records
        if each.step not in session.workflow.steps
    ]
    faults += [
        f"{key} is not part of the step {session.run.step!r} any more"
        for key in _lost_members(session)
    ]
    if faults:
        mend = f"continue with Podium {wrote[-1]}, which drove this run; nothing was changed"
        raise InputError([Fault(str(session.folder.journal), each, mend) for each in faults])


def _lost_members(session: Session) -> list[str]:
    """Keys of finished members of the current cluster that would not be asked now."""
    step = session.workflow.steps.get(session.run.step)
    if step is None or not isinstance(step.effect, Cluster):
        return []
    key = session.key(step)
    known = {keys.join(key, keys.path(each.name)) for each in step.effect.members(session.run)}
    return [
        each for each in session.history.lineage if each.startswith(f"{key}/") and each not in known
    ]


def refuse_end(session: Session, changes: tuple[str, ...]) -> bool:
    """If an edit of the state file claims that the run ended: record that and block the run
    where it was. False if not.
    """
    if session.run.status not in ENDED and session.run.step != DONE:
        return False
    was = session.recorded()
    if was.status in ENDED:
        return False
    words = (
        "lifecycle rules do not permit progression: the end is reached by the run itself, or by "
        "`podium cancel`, not by an edit"
    )
    path = str(session.folder.state.relative_to(session.services.project))
    run = blocked(was, words, "lifecycle")
    session.commit(run, events.run_edited(run, path, changes), events.run_blocked(run, words, ""))
    return True


def obey_state(session: Session, changes: tuple[str, ...]) -> None:
    """Obey a person's edit of the state file. A step set by hand is entered anew, so that it is
    done again.
    """
    if refuse_end(session, changes):
        return
    run = session.run
    behind: Sequence[staleness.Stale] = ()
    if run.step != DONE:
        known_step(session)
        if any(each.startswith("step: ") for each in changes):
            behind = staleness.behind(session, run.step)
        if any(each.startswith("step: ") for each in changes) and not any(
            each.startswith("visits") for each in changes
        ):
            run = entered(run, run.step)
            staleness.forget_visit(session, session.recorded().step, run)
            session.workflow.rewound(run)
    path = str(session.folder.state.relative_to(session.services.project))
    gates, steps = staleness.marks(behind)
    session.commit(run, *gates, events.run_edited(run, path, changes), *steps)
