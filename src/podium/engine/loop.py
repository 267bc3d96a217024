"""The engine's loop: reread, reconcile, perform the step's effect, advance, record, until the
run rests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from podium.core import events, keys
from podium.core.advance import advance, blocked, entered, resting
from podium.core.effects import Check, Cluster, FanOut, Gate, Stage
from podium.core.run import DONE, Run, Status
from podium.core.verdict import Judgement
from podium.core.workflow import Step
from podium.engine import (
    changes,
    checkout,
    completion,
    documents,
    gates,
    landings,
    preflight,
    staleness,
)
from podium.engine.checks import perform_check
from podium.engine.dispatch import Settled, dispatch
from podium.engine.fan_out import STOPPED, perform_cluster, perform_fan_out
from podium.engine.gates import Rest
from podium.engine.pointer import known_step, obey_state
from podium.engine.session import Session

_RESTS = {"timer": Status.SLEEPING}
SHORT_S = 60.0
"""The longest wait during which the process stays alive."""


async def drive(session: Session) -> None:
    """Advance until the run waits, blocks, completes, or was asked to stop."""
    session.going = True
    try:
        await _steps(session)
    finally:
        session.going = False
        session.secure()
        session.pay()


async def _steps(session: Session) -> None:
    while _awake(session):
        if not _at_home(session):
            break
        step = known_step(session)
        # An approval is checked at the moment it is used.
        if staleness.check(session, in_passing=not _gate_before(session, step)) or not _approved(
            session, step
        ):
            continue
        key = session.key(step)
        if not documents.checkpoint(session, key):
            break
        documents.save(session)
        made, done = _keys(session, step, key), _done(session, key)
        if not await _ready(session, step, key):
            break
        settled = await _perform(session, step, key)
        if isinstance(settled, Rest) and settled.stop == STOPPED:
            break  # a child was asked to stop: the run continues from here another time
        last = _until(session, made)
        if isinstance(settled, Rest):
            _rest(session, settled)
        elif completion.would_complete(session, settled):
            if not await _may_end(session, key):
                continue
            _move(session, key, settled, last=last and not done)
        else:
            _move(session, key, settled, last=last and not done)
            await _wait(session, settled)
        asked = isinstance(settled, Judgement) and settled.pause
        if last:
            # Also if it was the last step of a child: then the parent must not go on either.
            session.services.stopping = lambda: True
        if asked or session.services.stopping():
            break
    documents.save(session)
    session.append()


async def _ready(session: Session, step: Step, key: str) -> bool:
    """Whether the project's commands stand as they have to before this step."""
    unready = await preflight.perform(session, step)
    if isinstance(unready, str):
        session.block(blocked(session.run, unready, "proof"), key)
    elif unready is not None:
        _rest(session, unready)
    elif isinstance(step.effect, Gate) and _opens(session, key):
        await completion.prove_now(session, key)  # what a person is shown is true of the code now
    return unready is None


def _opens(session: Session, key: str) -> bool:
    gate = session.history.gates.get(key)
    return gate is None or gate.stale


async def _may_end(session: Session, key: str) -> bool:
    """Land what the last step made, and prove the code as it is now; if that fails the run is
    blocked where it is, and comes to this step again.
    """
    session.append()
    if _late(session, key, landings.land_now(session)):
        return False
    if failing := await completion.prove_now(session, key):
        why = f"the code as it is now is not proven: {failing}"
        session.block(blocked(session.run, why, "proof"), key)
        return False
    return True


def _awake(session: Session) -> bool:
    """Whether there is something to do, after looking at what people changed."""
    if session.run.status is Status.ACTIVE:
        _reread(session)
    return session.run.status is Status.ACTIVE


def _at_home(session: Session) -> bool:
    """Whether the checkout is on the run's branch; on another branch the files that the run made
    are different.
    """
    why = checkout.astray(session)
    if why:
        session.block(blocked(session.run, why, "git"), session.key(known_step(session)))
    return not why


def _reread(session: Session) -> None:
    """People edit state and documents; their changes are recorded and obeyed."""
    edited = session.reload()
    if edited:
        obey_state(session, edited)
    documents.take_back(session)


def _gate_before(session: Session, step: Step) -> str:
    """The gate whose approval the step needs; "" if there is none."""
    if not isinstance(step.effect, Stage | Cluster) or step.effect.approved_by is None:
        return ""
    return step.effect.approved_by(session.run)


def _approved(session: Session, step: Step) -> bool:
    """A stage behind a gate runs only while the content on disk is approved; otherwise the run
    goes to the gate.
    """
    gate = _gate_before(session, step)
    if not gate or any(
        record.step == gate and record.decision == "approved"
        for key in session.history.lineage
        if (record := session.history.gates.get(key)) is not None
    ):
        return True
    before = session.run
    after = entered(before, gate)
    session.commit(after, events.run_advanced(before, after, "not_approved"))
    return False


async def _perform(session: Session, step: Step, key: str) -> Settled:
    """Perform the step's effect."""
    _enter_phase(session, step)
    match step.effect:
        case Gate() as gate:
            return gates.perform(session, step, gate)
        case Stage() as stage:
            return await dispatch(session, step, key, stage.contract(session.run), stage.judge)
        case Check() as check:
            return await perform_check(session, step, key, check)
        case Cluster() as cluster:
            return await perform_cluster(session, step, key, cluster)
        case FanOut() as fan_out:
            return await perform_fan_out(session, key, fan_out, drive)


def _enter_phase(session: Session, step: Step) -> None:
    before = session.history.phase
    announced = [each for each in session.pending if each["type"] == "phase.entered"]
    if step.phase and step.phase != (announced[-1]["phase"] if announced else before):
        if before:
            session.pending.append(events.phase(False, before))
        session.pending.append(events.phase(True, step.phase))


def _rest(session: Session, rest: Rest) -> None:
    run = resting(session.run, _RESTS.get(rest.stop, Status.WAITING), rest.reason, rest.stop)
    session.commit(run, events.run_paused(run, rest.reason, rest.gates, rest.until or None))


def _move(session: Session, key: str, judgement: Judgement, *, last: bool = False) -> None:
    """Record and advance in one durable write; then land the work.

    `last`: the run must stop after this step. An ended run cannot be resumed, so its end is left to
    the next resume, which finds the step done.
    """
    before = session.run
    after = advance(
        session.workflow, before, judgement.route, judgement.sets, judgement.reason, judgement.stop
    )
    if after.step == DONE:
        # The last look: no step follows, so changes made meanwhile must be found now.
        session.append()
        if (
            _late(session, key, landings.land_now(session))
            or staleness.check(session)
            or (last and not session.prefix)
        ):
            return
    facts, session.told = [_placed(session, each) for each in judgement.facts[session.told :]], 0
    if after.status is Status.COMPLETE:
        facts += events.phase_over(session.history.phase)
    if after.status is Status.BLOCKED:
        facts.append(events.run_blocked(after, after.reason, key, changes.to_be_made(session)))
    else:
        facts += _advanced(session, before, after, key, judgement.route)
    if after.status is Status.COMPLETE:
        facts.append(completion.completed(session, after))
    session.commit(after, *facts)
    _late(session, key, landings.land_now(session))


def _late(session: Session, key: str, paths: Sequence[str]) -> bool:
    """Whether somebody changed the work's files at the last moment, so that it could not land;
    then the step is done again.
    """
    if paths:
        record = session.history.steps[key]
        staleness.again(
            session, [staleness.Stale(key, record.step, (landings.late(paths),), gate=False)]
        )
    return bool(paths)


def _advanced(
    session: Session, before: Run, after: Run, key: str, outcome: str
) -> list[events.Fact]:
    """The event that the run moves on; if a person sends it back, also the marks that what
    follows no longer stands.
    """
    left, target = session.workflow.steps[before.step], session.workflow.steps.get(after.step)
    onward = bool(target and target.onward)
    rejected = (
        isinstance(left.effect, Gate)
        and left.effect.kind != "question"
        and outcome != left.effect.choices[0]
    )
    found = staleness.sent_back(session, key, after.step) if rejected and not onward else []
    gates, steps = staleness.marks(found)
    back_to = found[0].key if found else ""
    return [
        *gates,
        events.run_advanced(before, after, outcome, onward=onward, back_to=back_to),
        *steps,
    ]


def _placed(session: Session, fact: Mapping[str, Any]) -> dict[str, Any]:
    """A workflow's own event; if it is about a step, with the full key from the root run."""
    about = "key" in fact and str(fact["type"]).startswith("retry.")
    return {**fact, "key": keys.join(session.prefix, fact["key"])} if about else dict(fact)


async def _wait(session: Session, judgement: Judgement) -> None:
    """Wait before the next step: a short while in this process, longer as a durable sleep."""
    if judgement.delay_s <= 0 or session.run.status is not Status.ACTIVE:
        return
    if judgement.delay_s <= SHORT_S:
        await session.beside(asyncio.sleep(judgement.delay_s))
        return
    until = (session.services.now() + timedelta(seconds=judgement.delay_s)).isoformat(
        timespec="milliseconds"
    )
    _rest(
        session,
        Rest(
            f"waits {judgement.delay_s:g} s before the next try",
            "timer",
            until=until.replace("+00:00", "Z"),
        ),
    )


def _keys(session: Session, step: Step, key: str) -> list[str]:
    """The key of what is about to be done, with those of a cluster's members or of child runs."""
    if not session.services.until:
        return [key]
    match step.effect:
        case Cluster(members=members):
            return [key, *(keys.join(key, keys.path(each.name)) for each in members(session.run))]
        case FanOut(items=items):
            return [key, *(keys.join(key, each.key) for each in items(session.run))]
        case _:
            return [key]


def _done(session: Session, key: str) -> bool:
    """Whether a step has ended, or a gate was decided, before it is come to."""
    record, gate = session.history.steps.get(key), session.history.gates.get(key)
    return (record is not None and record.state == "finished") or (
        gate is not None and not gate.open and not gate.stale
    )


def _until(session: Session, made: Sequence[str]) -> bool:
    return bool(session.services.until) and any(
        keys.names(session.services.until, each) for each in made
    )
