"""Several agents at once, and child runs: each child has its own pointer, journal and state."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from podium.core import events, keys
from podium.core.advance import resting
from podium.core.effects import Child, Cluster, FanOut, Member
from podium.core.run import ENDED, RESTING, Run, Status
from podium.core.verdict import Judgement
from podium.core.workflow import Step, Workflow
from podium.engine import completion, documents, drift, landings, recovery
from podium.engine.calls import calls_of
from podium.engine.dispatch import Settled, dispatch
from podium.engine.gates import Rest
from podium.engine.guarding import shared_guard
from podium.engine.landed import landed_of
from podium.engine.other_runs import others_of
from podium.engine.pointer import obey_state
from podium.engine.session import Session
from podium.engine.turns import Turns
from podium.state import state_file
from podium.state.run_folder import RunFolder

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


async def _limited(
    items: Sequence[_Item], limit: int, work: Callable[[_Item], Awaitable[_Result]]
) -> list[_Result]:
    """Work on all items, at most `limit` at once; if one raises, the others are cancelled before
    the exception goes on.
    """
    room = asyncio.Semaphore(limit)

    async def one(item: _Item) -> _Result:
        async with room:
            return await work(item)

    tasks = [asyncio.ensure_future(one(item)) for item in items]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


async def perform_cluster(session: Session, step: Step, key: str, cluster: Cluster) -> Settled:
    """Every member under its own contract; members already recorded are not asked again."""
    members = list(cluster.members(session.run))
    turns = (
        Turns(session, [_member_key(key, each) for each in members]) if cluster.in_order else None
    )

    async def one(member: Member) -> tuple[str, Settled]:
        member_key = _member_key(key, member)
        settled = await dispatch(
            session, step, member_key, member.contract(session.run), member.judge
        )
        session.append()
        if turns is None:
            left = landings.land_now(session)
            return member.name, drift.hold_again(session, member_key, left) if left else settled
        if isinstance(settled, Judgement):
            turns.ended(member_key, settled)
        return member.name, settled

    try:
        if turns is not None:
            await turns.begin()
        results = await _limited(members, _limit(session, cluster), one)
        if turns is not None:
            await turns.all_in()
    finally:
        session.base = None
        if turns is not None:
            await turns.leave()
    resting = [each for _, each in results if isinstance(each, Rest)]
    resting += [turns.resting] if turns is not None and turns.resting is not None else []
    if resting:
        return _together(resting)
    found = {name: each for name, each in results if isinstance(each, Judgement)}
    if turns is not None:
        found = {each.name: turns.judged[_member_key(key, each)] for each in members}
    return cluster.decide(found)


def _limit(session: Session, cluster: Cluster) -> int:
    return cluster.limit if cluster.width is None else max(cluster.width(session.run), 1)


def _member_key(key: str, member: Member) -> str:
    return keys.join(key, keys.path(member.name))


def _together(resting: Sequence[Rest]) -> Rest:
    first = resting[0]
    until = min((each.until for each in resting if each.until), default="")
    waits = [each for each in resting if not each.until]
    gates = tuple(gate for each in resting for gate in each.gates)
    return Rest(first.reason, waits[0].stop if waits else first.stop, gates, "" if waits else until)


STOPPED = "stopped"
"""Why a fan-out rests if a child was asked to stop after a step."""
Drive = Callable[[Session], Awaitable[None]]


_Paused = tuple[tuple[str, ...], str]
"""The gates at which a child waits, and until when it sleeps."""


async def perform_fan_out(session: Session, key: str, fan_out: FanOut, drive: Drive) -> Settled:
    """Start or continue one child run per item; finished children are left alone."""
    workflow = fan_out.workflow()
    base = key
    session.append()  # record that the run came here before its children record anything
    shared_guard(session)
    calls_of(session)

    async def one(child: Child) -> tuple[str, Run, _Paused]:
        child_key = keys.join(base, child.key)
        run, paused = await _drive_child(
            session, workflow, _of_this_visit(session, workflow, child_key, child), child, drive
        )
        return child.key, run, paused

    limit = (
        min(fan_out.limit, max(1, fan_out.width(session.run))) if fan_out.width else fan_out.limit
    )
    results = await _limited(list(fan_out.items(session.run)), limit, one)
    waiting = [each for each in results if each[1].status in {Status.WAITING, Status.SLEEPING}]
    if waiting:
        return _together([_child_rest(base, *each) for each in waiting])
    if any(run.status is Status.ACTIVE for _, run, _ in results):
        return Rest("stopped on request", STOPPED)
    return fan_out.decide({child: run for child, run, _ in results})


def _child_rest(base: str, child: str, run: Run, paused: _Paused) -> Rest:
    """The run waits for what its child waits for."""
    gates, until = paused
    return Rest(f"{keys.join(base, child)}: {run.reason}", run.stop, gates, until)


def _of_this_visit(session: Session, workflow: Workflow, key: str, child: Child) -> str:
    """The child's key. A child that ended in an earlier visit is done again under a key of its
    own.
    """
    known, number = key, 1
    while status := _over(session, f"{session.folder.root_id}/{known}", anew=child.anew):
        if status not in {*ENDED, Status.BLOCKED}:
            _end_child(session, workflow, known)
        number += 1
        known = keys.join(key, number)
    return known


def _over(session: Session, run_id: str, *, anew: bool) -> Status | None:
    """The status of a child that belongs to an earlier visit and is not continued; None if it is
    continued or does not exist.
    """
    if not RunFolder(session.services.project, run_id).journal.is_file():
        return None
    known = session.services.journal.read(run_id)
    status = Status(state_file.last_state(known)["status"])
    return (
        status
        if (anew or status in ENDED) and known[0].get("visit") not in {None, session.run.visit()}
        else None
    )


def _end_child(session: Session, workflow: Workflow, key: str) -> None:
    """End a child that is not continued, so that nobody has to answer what it asks."""
    opened = session.services.journal.open(f"{session.folder.root_id}/{key}", "parent")
    try:
        below = Session(session.services, workflow, opened, prefix=key)
        after = resting(
            below.run, Status.CANCELLED, "its basis has changed; it is done again", "cancelled"
        )
        below.commit(after, events.run_cancelled(after, after.reason))
    finally:
        session.services.journal.close(opened)


async def _drive_child(
    session: Session, workflow: Workflow, key: str, child: Child, drive: Drive
) -> tuple[Run, _Paused]:
    services = session.services
    run_id = f"{session.folder.root_id}/{key}"
    first = workflow.first(**child.members)
    started = events.run_started(first, workflow.name, [child.key], services.version)
    fresh = services.journal.create(run_id, [{**started, "visit": session.run.visit()}])
    opened = services.journal.open(run_id, "parent")
    if fresh:
        services.observer.event(opened.events[0])
    below = Session(services, workflow, opened, prefix=key)
    below.guard, below.calls, below.others = session.guard, session.calls, others_of(session)
    below.landed, below.above = landed_of(session), session
    try:
        below.refuse_newer()
        if changes := below.reload():
            obey_state(below, changes)
        if below.run.status in ENDED:
            if below.opened.events[-1]["type"] == "run.advanced":  # its last line was torn off
                below.append(completion.completed(below, below.run))
            documents.save(
                below, only_own=True
            )  # the process may have died between the last event and its files
            return below.run, ((), "")
        recovery.recover(below)
        if below.run.status is Status.BLOCKED and session.sent_on:
            recovery.unblock(below, session.run.note or session.said, session.sent_on)
        elif below.run.status in RESTING:
            recovery.wake(below)
        await drive(below)
        return below.run, _paused(below)
    finally:
        services.journal.close(opened)


def _paused(session: Session) -> _Paused:
    """The gates and the time that the last pause names, if the pause still holds."""
    said: list[dict[str, Any]] = [
        each for each in session.opened.events if each["type"] == "run.paused"
    ]
    if not said or session.run.status not in {Status.WAITING, Status.SLEEPING}:
        return (), ""
    until = str(said[-1].get("until") or "") if session.run.status is Status.SLEEPING else ""
    return tuple(said[-1].get("gates") or ()), until
