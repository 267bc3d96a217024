"""What a new owner finds: unfinished steps, unlanded work, a run that rests; and when it may go on."""

from __future__ import annotations

from datetime import datetime

from podium.agents import environment
from podium.core import events
from podium.core.advance import ending, resting, unblocked
from podium.core.effects import Cluster
from podium.core.run import Run, Status
from podium.engine import documents, gates, landings, staleness
from podium.engine.session import Session


def recover(session: Session) -> None:
    """Put the run back on its feet after whatever ended the last owner. Repeating it changes nothing."""
    end_leftovers(session)
    late = session.history.steps.get(session.history.last_finished)
    if why := landings.land_again(session):
        assert late is not None
        documents.recognise(session)
        staleness.set_back(session, [staleness.Stale(late.key, late.step, (why,), gate=False)])
    unfinished = session.history.running()
    if unfinished:
        interrupted = [events.step_interrupted(each.key) for each in unfinished]
        session.append(*interrupted, *(events.step_reused(key) for key in staleness.remembered(session)))


def leftovers(session: Session) -> list[int]:
    """Processes of unfinished dispatches. The lock is free only when the shims are dead; some kill those, too."""
    return [pid for each in session.history.running() for pid in environment.leftovers(session.marker(each.key))]


def end_leftovers(session: Session) -> None:
    environment.end(leftovers(session))


def wake(session: Session) -> None:
    """A resting run that has a reason to go on is active again; one that has none stays as it is."""
    run = session.run
    if run.status is Status.WAITING and _decided(session):
        _go(session, resting(run, Status.ACTIVE, "", ""), "decided")
    elif run.status is Status.SLEEPING and _slept(session):
        _go(session, resting(run, Status.ACTIVE, "", ""), "timer")


def _decided(session: Session) -> bool:
    """Whether some gate the run waited for has its decision now."""
    waiting = [gate for gate in session.history.gates.values() if gate.open]
    for gate in waiting:
        gates.decide(session, gate)
    # No gate of its own: a child's gate holds it, and the child takes its decision when it is driven.
    return not waiting or any(not gate.open for gate in waiting)


def _slept(session: Session) -> bool:
    """Whether its time is over. A clock that was set back before the sleep began says nothing: it begins anew."""
    paused = [each for each in session.opened.events if each["type"] == "run.paused"]
    until = paused[-1].get("until") if paused else None
    now = session.services.now()
    if not until or now >= datetime.fromisoformat(until):
        return True
    began = datetime.fromisoformat(paused[-1]["ts"])
    if now < began:
        anew = (now + (datetime.fromisoformat(until) - began)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        session.commit(session.run, events.run_paused(session.run, session.run.reason, until=anew))
    return False


def go_on(session: Session, reason: str) -> None:
    """A waiting run whose question a person made moot by an edit."""
    _go(session, resting(session.run, Status.ACTIVE, "", ""), reason)


def unblock(session: Session, because: str, reason: str) -> None:
    """A person changed something: the same step again, with fresh budgets and the person's words."""
    again = _failed_members(session)
    run = unblocked(session.workflow, session.run)
    staleness.forget_visit(session, session.run.step, run)
    run.note = because
    session.pending += [events.step_stale(key, [f"sent on: {reason}"]) for key in again]
    session.sent_on, session.said = reason, because
    _go(session, run, reason)
    if run.status is Status.COMPLETE:  # only its last documents were missing
        session.append(events.run_completed(run, ending(run)))
    documents.save(session)  # also those whose absence was the reason
    session.append()


def _failed_members(session: Session) -> list[str]:
    """Keys of a cluster's members that failed: those are asked again, the others' work stands."""
    step = session.workflow.steps.get(session.run.step)
    if step is None or not isinstance(step.effect, Cluster):
        return []
    start = f"{session.key(step)}/"
    records = session.history.steps.values()
    return [each.key for each in records if each.key.startswith(start) and each.outcome == "fail" and each.state == "finished"]


def _go(session: Session, run: Run, reason: str) -> None:
    session.commit(run, events.run_resumed(run, reason, session.services.version))
