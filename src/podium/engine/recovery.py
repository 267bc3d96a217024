"""What a new owner does about unfinished steps, unlanded work and a resting run; and when that
run may continue.
"""

from __future__ import annotations

from datetime import datetime

from podium.agents import environment
from podium.core import events
from podium.core.advance import resting, unblocked
from podium.core.effects import Cluster
from podium.core.run import Run, Status
from podium.engine import completion, documents, gates, landings, staleness
from podium.engine.session import Session


def recover(session: Session) -> None:
    """Repair the run after whatever ended the last owner. Repeating this changes nothing."""
    end_leftovers(session)
    late = session.history.steps.get(session.history.last_finished)
    if why := landings.land_again(session):
        assert late is not None
        documents.recognise(session)
        staleness.set_back(session, [staleness.Stale(late.key, late.step, (why,), gate=False)])
    unfinished = session.history.running()
    if unfinished:
        interrupted = [events.step_interrupted(each.key) for each in unfinished]
        session.append(
            *interrupted, *(events.step_reused(key) for key in staleness.remembered(session))
        )


def leftovers(session: Session) -> list[int]:
    """Processes of unfinished dispatches. The lock is free once the shims are dead, but an agent
    can outlive a killed shim.
    """
    return [
        pid
        for each in session.history.running()
        for pid in environment.leftovers(session.marker(each.key))
    ]


def end_leftovers(session: Session) -> None:
    environment.end(leftovers(session))


def wake(session: Session) -> None:
    """Make a resting run active again if it has a reason to continue; otherwise leave it as it
    is.
    """
    run = session.run
    if run.status is Status.WAITING and _decided(session):
        _go(session, resting(run, Status.ACTIVE, "", ""), "decided")
    elif run.status is Status.SLEEPING and _slept(session):
        _go(session, resting(run, Status.ACTIVE, "", ""), "timer")


def _decided(session: Session) -> bool:
    """Whether any gate the run waited for is decided now."""
    waiting = [gate for gate in session.history.gates.values() if gate.open]
    for gate in waiting:
        gates.decide(session, gate)
    # Without a gate of its own it waits for a child's, and the child takes the decision when it is
    # driven.
    return not waiting or any(not gate.open for gate in waiting)


def _slept(session: Session) -> bool:
    """Whether its time is over. If the clock was set back to before the sleep began, the sleep
    starts again.
    """
    paused = [each for each in session.opened.events if each["type"] == "run.paused"]
    until = paused[-1].get("until") if paused else None
    now = session.services.now()
    if not until or now >= datetime.fromisoformat(until):
        return True
    began = datetime.fromisoformat(paused[-1]["ts"])
    if now < began:
        anew = (
            (now + (datetime.fromisoformat(until) - began))
            .isoformat(timespec="milliseconds")
            .replace("+00:00", "Z")
        )
        session.commit(session.run, events.run_paused(session.run, session.run.reason, until=anew))
    return False


def go_on(session: Session, reason: str) -> None:
    """Continue a waiting run whose question a person's edit has settled."""
    _go(session, resting(session.run, Status.ACTIVE, "", ""), reason)


def unblock(session: Session, because: str, reason: str) -> None:
    """A person changed something: do the same step again, with fresh limits and the person's
    words.
    """
    again = _failed_members(session)
    run = unblocked(session.workflow, session.run)
    staleness.forget_visit(session, session.run.step, run)
    run.note = because
    session.pending += [events.step_stale(key, [f"sent on: {reason}"]) for key in again]
    session.sent_on, session.said = reason, because
    _go(session, run, reason)
    if run.status is Status.COMPLETE:  # only its final documents were missing
        session.append(completion.completed(session, run))
    documents.save(session)  # including those that were missing
    session.append()


def _failed_members(session: Session) -> list[str]:
    """Keys of a cluster's members that failed: they are asked again, the work of the others
    stands.
    """
    step = session.workflow.steps.get(session.run.step)
    if step is None or not isinstance(step.effect, Cluster):
        return []
    start = f"{session.key(step)}/"
    records = session.history.steps.values()
    return [
        each.key
        for each in records
        if each.key.startswith(start) and each.outcome == "fail" and each.state == "finished"
    ]


def _go(session: Session, run: Run, reason: str) -> None:
    session.commit(run, events.run_resumed(run, reason, session.services.version))
