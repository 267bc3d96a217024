"""A run from its request until it rests: created once, opened by one owner, driven until it
stops.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from podium.core import events
from podium.core.advance import blocked, resting
from podium.core.errors import Halted, InputError
from podium.core.history import CANCEL
from podium.core.run import ENDED, Run, Status
from podium.core.workflow import Workflow
from podium.engine import (
    adopting,
    advice,
    changes,
    checkout,
    completion,
    documents,
    looking,
    recovery,
    unaudited,
)
from podium.engine.attempts import view_homes
from podium.engine.guarding import recalled, remember_anew
from podium.engine.loop import drive
from podium.engine.outcome import Ended
from podium.engine.pointer import obey_state, refuse_end, refuse_renamed
from podium.engine.services import Services
from podium.engine.session import Session
from podium.engine.surveying import below
from podium.state import run_folder, state_file
from podium.state.port import Opened
from podium.state.run_folder import RunFolder


def create(
    services: Services, workflow: Workflow, run_id: str, first: Run, request: Mapping[str, Any]
) -> bool:
    """Create the run: first the request, then the journal, with which it exists."""
    run_folder.prepare(services.project, services.disk)
    run_folder.save_request(RunFolder(services.project, run_id), request, services.disk)
    started = events.run_started(
        first, workflow.name, request["inputs"], services.version, request.get("changed", ())
    )
    return services.journal.create(run_id, [started])


def owner() -> str:
    return f"{os.environ.get('USER', 'user')}@{socket.gethostname()} pid {os.getpid()}"


def open_session(
    services: Services, workflow: Workflow, run_id: str, opened: Opened | None = None
) -> tuple[Session, tuple[str, ...]]:
    """Own the run; returns the session and what a person changed in its state file meanwhile."""
    session = open_recorded(services, workflow, run_id, opened)
    try:
        session.kept = unaudited.apply_decision(session)
        return session, session.reload()
    except BaseException:
        services.journal.close(session.opened)
        raise


def open_recorded(
    services: Services, workflow: Workflow, run_id: str, opened: Opened | None = None
) -> Session:
    """Own the run where its journal says it stands; its state file may hold anything."""
    session = Session(services, workflow, opened or services.journal.open(run_id, owner()))
    try:
        session.refuse_newer()
        session.run = session.recorded()
    except BaseException:
        services.journal.close(session.opened)
        raise
    return session


def looked_at(services: Services, workflow: Workflow, run_id: str, prefix: str = "") -> Session:
    """The run as it is on disk, not owned: to find out whether something is possible before
    anything is written.
    """
    session = recorded(services, workflow, run_id, prefix)
    session.run = state_file.current(
        session.folder.state, session.opened.events, workflow.run_type
    ).run
    return session


def recorded(services: Services, workflow: Workflow, run_id: str, prefix: str = "") -> Session:
    """The same as its journal has it."""
    session = Session(services, workflow, Opened(run_id, 0, services.journal.read(run_id)), prefix)
    session.refuse_newer()
    session.run = session.recorded()
    return session


def behind(session: Session) -> bool:
    """Whether the state file lacks what the journal has. What a person wrote there is no such
    lack.
    """
    try:
        found = state_file.current(
            session.folder.state, session.opened.events, session.workflow.run_type
        )
    except InputError:
        return False
    return found.kind in {"rolled_forward", "rebuilt"}


def go(
    services: Services,
    workflow: Workflow,
    run_id: str,
    *,
    because: str = "",
    given: bool = False,
    policy: Mapping[str, Any] | None = None,
    opened: Opened | None = None,
) -> Ended:
    """Drive the run until it rests. `because` and `given` (new policy or agents) may send a blocked
    run on.

    `policy`: the values given with this call.
    """
    session, edited = open_session(services, workflow, run_id, opened)
    try:
        over = looking.has_ended(session.opened.events)
        if not over and (
            changed := unaudited.put_back(session, edited=bool(edited), kept=session.kept)
        ):
            return _unaudited(session, changed)
        if (edited and refuse_end(session, edited)) or session.run.status in ENDED:
            settle(session)
            return ended(session)
        fresh = session.opened.seq == 1
        _begin(session, fresh=fresh)
        if edited:
            obey_state(session, edited)
        recovery.recover(session)
        if not fresh:
            _reconcile(session)
            taken = documents.take_back(session)
            touched = _renewed(session, policy or {}) or bool(edited) or taken == "edited"
            if taken == "blocked" or not _ready(session, because, given=given, touched=touched):
                settle(session)
                return ended(
                    session, unchanged=session.run.status is Status.BLOCKED and taken != "blocked"
                )
        interrupted = _drive(session)
        message = services.journal.inbox(run_id).get(CANCEL) if interrupted else None
        if message is not None:
            end_cancelled(session, str(message["reason"]))
            return ended(session)
        if session.run.status is Status.COMPLETE:
            sweep(session)
        return ended(session, interrupted=interrupted)
    finally:
        try:
            services.scribe.flush()
        finally:
            services.journal.close(session.opened)


def _begin(session: Session, *, fresh: bool) -> None:
    """What comes before looking at what the last owner left."""
    services = session.services
    if services.renewed is not None:
        # Not earlier: changes since an agent was cut off are compared with what was protected then.
        run_folder.save_request(session.folder, services.renewed, services.disk)
    if not fresh:
        refuse_renamed(session)
        _take_up(session)
        return
    services.observer.event(session.opened.events[0])
    session.save_state()
    if services.request.get("adopt"):
        adopting.begin(session, str(services.request.get("scope", "")))
    else:
        documents.begin(session)


def _reconcile(session: Session) -> None:
    """Correct what the run believes about its documents before it does anything else."""
    after = session.changed_run()
    if changes := session.workflow.reconciled(after, session.text):
        session.commit(after, events.run_edited(after, "", list(changes)))


def _renewed(session: Session, policy: Mapping[str, Any]) -> bool:
    """Whether policy values that came with this call change the run itself; that is a person's
    edit like any other.
    """
    after = session.changed_run()
    changes = session.workflow.renewed(after, policy)
    session.run = after
    if changes:
        session.commit(after, events.run_edited(after, "--set", list(changes)))
    return bool(changes)


def _take_up(session: Session) -> None:
    """Before anything is done: check what forbids it, and switch to the run's branch."""
    if why := session.workflow.obstacle(session.run, partial(below, session)):
        raise Halted(why)
    checkout.return_home(session)


def _unaudited(session: Session, changed: list[str]) -> Ended:
    """Protected files changed around a dispatch that was never audited: rest until a person says
    whose change it was.
    """
    session.reload()
    rest = unaudited.ask(session, changed)
    run = resting(session.run, Status.WAITING, rest.reason, rest.stop)
    session.commit(run, events.run_paused(run, rest.reason, rest.gates))
    documents.save(session)
    session.append()
    if (
        recalled(session) is None
    ):  # ask only once: dispatches of child runs stay unfinished until those are driven again
        remember_anew(session)
    return ended(session)


def _ready(session: Session, because: str, *, given: bool, touched: bool) -> bool:
    """Whether the run may continue now; a resting one becomes active if it has a reason."""
    run = session.run
    if run.status is Status.BLOCKED:
        reason = because or changes.since_blocked(session, given=given, touched=touched)
        if not reason:
            return False
        recovery.unblock(session, because, reason)
    elif run.status is Status.WAITING and touched:
        recovery.go_on(session, "a person edited it")
    elif run.status in {Status.WAITING, Status.SLEEPING}:
        recovery.wake(session)
    elif session.opened.events[-1]["type"] != "run.resumed":
        session.commit(run, events.run_resumed(run, because or "resumed", session.services.version))
    return session.run.status is Status.ACTIVE


def _drive(session: Session) -> bool:
    """Run the loop with signal handlers; returns whether a person interrupted it."""
    asked: list[int] = []
    enough = session.services.stopping
    session.services.stopping = lambda: bool(asked) or enough()

    async def main() -> None:
        task = asyncio.current_task()
        assert task is not None
        loop = asyncio.get_running_loop()

        def interrupt(number: int) -> None:
            asked.append(number)
            if len(asked) > 1 or number != signal.SIGINT:
                task.cancel()
            else:
                session.services.observer.activity("", "interrupt", {})

        with _signals(loop, interrupt), contextlib.suppress(asyncio.CancelledError):
            try:
                await drive(session)
            except Halted as halt:
                session.block(blocked(session.run, str(halt), "documents"), session.run.step)
                documents.save_what_can_be(session)
            finally:
                if session.services.gateway is not None:
                    await session.services.gateway.close()

    asyncio.run(main())
    return bool(asked) and session.run.status is Status.ACTIVE


@contextlib.contextmanager
def _signals(loop: asyncio.AbstractEventLoop, handler: Callable[[int], None]) -> Any:
    wanted = (signal.SIGINT, signal.SIGTERM)
    try:
        for number in wanted:
            loop.add_signal_handler(number, handler, number)
    except (ValueError, RuntimeError):
        yield  # not the main thread: whoever started it handles signals
        return
    try:
        yield
    finally:
        for number in wanted:
            loop.remove_signal_handler(number)


def settle(session: Session) -> None:
    """Complete what the last owner of a resting run did not: its last event, its documents, its
    traces.
    """
    run = session.run
    if _end_is_missing(session):
        session.append(completion.completed(session, run))
    if run.status is Status.CANCELLED:
        documents.save_what_can_be(session, only_own=True)
    else:
        documents.save(session, only_own=run.status in ENDED)
    session.append()
    if run.status in ENDED:
        sweep(session)


def settled(session: Session) -> bool:
    """Whether an ended run has nothing left to settle."""
    if (
        not looking.has_ended(session.opened.events)
        or _end_is_missing(session)
        or recovery.leftovers(session)
        or documents.owed(session)
    ):
        return False
    return not view_homes.left(session) and not (
        _kept(session) and session.services.workspace().kept_refs(session.folder.root_id)
    )


def _end_is_missing(session: Session) -> bool:
    """Whether the run's last move was recorded, but not that it ended the run."""
    return (
        session.run.status is Status.COMPLETE
        and session.opened.events[-1]["type"] == "run.advanced"
    )


def end_cancelled(session: Session, reason: str) -> list[str]:
    """Returns what a person has to look after, in words."""
    left = unaudited.left_as_it_is(session)
    reason = "; ".join(part for part in (reason, checkout.part(session)) if part)
    after = resting(session.run, Status.CANCELLED, reason, "cancelled")
    session.commit(
        after, *events.phase_over(session.history.phase), events.run_cancelled(after, reason)
    )
    unwritten = documents.save_what_can_be(session)
    sweep(session)
    return [*left, *unwritten]


def sweep(session: Session) -> None:
    """Remove what an ended run no longer needs: agents' folders and the refs that kept its
    checkpoints.
    """
    session.services.scribe.flush()  # it may be about to remove the same folders
    view_homes.sweep(session)
    if _kept(session):
        session.services.workspace().sweep(session.folder.root_id)


def _kept(session: Session) -> bool:
    """Whether the run worked on code, so that checkpoints are kept."""
    return any(each.commit or each.base for each in session.history.steps.values())


def ended(session: Session, *, interrupted: bool = False, unchanged: bool = False) -> Ended:
    run = session.run
    services = session.services
    asked = run.status is Status.WAITING
    waiting = (
        looking.open_gates(services.project, services.journal, session.opened.run) if asked else []
    )
    return Ended(
        run=session.opened.run,
        workflow=session.workflow.name,
        status=run.status,
        step=run.step,
        reason=run.reason,
        stop=run.stop,
        gates=tuple(gate.key for gate in waiting),
        interrupted=interrupted,
        until=looking.asleep_until(session.opened.events) if run.status is Status.SLEEPING else "",
        advice=advice.for_run(session.opened.run, run, waiting, unchanged=unchanged),
        closing=session.workflow.closing(run),
        outcome=looking.outcome(session.history, run),
    )
