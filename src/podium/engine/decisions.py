"""What people decide from outside: approve, reject, answer, rewind, cancel. None of it needs a
running engine.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from podium.core import keys
from podium.core.digest import MISSING, digest
from podium.core.effects import ANSWERED
from podium.core.errors import Busy, UsageError
from podium.core.history import CANCEL
from podium.core.records import GateRecord
from podium.core.run import ENDED, Status
from podium.core.workflow import Workflow
from podium.engine import gates
from podium.engine.recovery import end_leftovers
from podium.engine.rewinding import rewind
from podium.engine.runs import (
    behind,
    end_cancelled,
    open_recorded,
    open_session,
    recorded,
    settle,
    settled,
)
from podium.engine.services import Services
from podium.engine.session import Session
from podium.state.regular import read_regular

__all__ = ["Changed", "answer", "cancel", "drain", "open_gate", "post", "rejection", "rewind"]

PATIENCE_S = 20.0
"""How long `cancel` waits for a driving process to end."""


def open_gate(
    run: str, waiting: Sequence[GateRecord], wanted: str, *, question: bool, choice: str = ""
) -> GateRecord:
    """The gate a person means; if several are open, they must name one."""
    found = [gate for gate in waiting if not wanted or keys.names(wanted, gate.key)]
    if not found:
        named = f" {wanted!r}" if wanted else ""
        raise UsageError(
            f"run {run} has no open gate{named}; `podium status {run}` shows what it waits for"
        )
    if len(found) > 1:
        raise UsageError(
            f"run {run} has several open gates, name one with --gate: "
            f"{', '.join(g.key for g in found)}"
        )
    gate = found[0]
    asks = gate.kind in {"question", "drift"}
    # A choice that the gate offers is a decision, whichever command brings it; drift that can be
    # approved takes either command.
    either = choice in gate.choices or (gate.kind == "drift" and "approved" in gate.choices)
    if question != asks and not either:
        way = "`podium answer`" if asks else "`podium approve` or `podium reject`"
        raise UsageError(f"gate {gate.key} (kind: {gate.kind}) is decided with {way}")
    return gate


def rejection(workflow: Workflow, gate: GateRecord, to: str) -> str:
    """The outcome that a rejection means: a step's name, from any name that people use for the
    stage.
    """
    if not to:
        return "rejected"
    for name in gate.choices[1:]:
        if to.casefold() in {each.casefold() for each in _names(workflow, name)}:
            return name
    known = ", ".join(_names(workflow, name)[-1] for name in gate.choices[1:])
    raise UsageError(f"gate {gate.key} cannot send back to {to!r}; it can to: {known}")


def _names(workflow: Workflow, name: str) -> tuple[str, ...]:
    """The names that people use for a step; a child run's steps are known only by their step
    names.
    """
    step = workflow.steps.get(name)
    return (name, keys.base_of(name)) if step is None else (name, step.key_base, step.phase or name)


def answer(gate: GateRecord, choice: str, text: str) -> str:
    choice = _meant(gate, choice)
    if choice and gate.choices and choice not in gate.choices:
        raise UsageError(
            f"{choice!r} is not a choice of {gate.key}; choose one of: {', '.join(gate.choices)}"
        )
    if not choice and not gate.words:
        raise UsageError(
            f"gate {gate.key} is not answered in words; choose one of: {', '.join(gate.choices)}"
        )
    if not choice and not text:
        raise UsageError(f"gate {gate.key} needs --choice ID or --text TEXT")
    return choice or ANSWERED


def _meant(gate: GateRecord, said: str) -> str:
    """The choice, also if the person uses the question's words for it: `commit first` for
    `commit`.
    """
    if said in gate.choices or said not in gate.prompt:
        return said
    return next((each for each in gate.choices if said.startswith(f"{each} ")), said)


class Changed(UsageError):
    """What the person was shown is not what is there now: nothing was decided."""


def post(
    services: Services,
    workflow: Workflow,
    run: str,
    gate: GateRecord,
    message: Mapping[str, Any],
    seen: Mapping[str, str] | None = None,
) -> list[str]:
    """Post the decision and, unless a live process will take it, record it; returns which files
    changed since the gate opened.

    `seen`: digests of what the person was shown; None if they look at the files themselves.
    """
    subject = {path: _digest(services.project / path) for path in gate.subject}
    if seen is not None and (
        other := sorted(path for path in {*subject, *seen} if subject.get(path) != seen.get(path))
    ):
        raise Changed(
            f"{', '.join(other)} changed since it was shown; nothing was decided. Look again."
        )
    moved = [path for path, value in subject.items() if value != gate.subject[path]]
    if not services.journal.post(run, gate.message, {**message, "subject": subject}):
        drain(
            services, workflow, run
        )  # whoever posted the first one may have died before recording it
        raise UsageError(
            f"gate {gate.key} of run {run} has already been decided; `podium log {run}` says "
            "by whom"
        )
    drain(services, workflow, run)
    return moved


def _digest(where: Path) -> str:
    """A project file's digest without a session."""
    data = read_regular(where)
    if data is None:
        return MISSING if not os.path.lexists(where) else "unreadable"
    return digest(data)


def drain(services: Services, workflow: Workflow, run: str) -> None:
    """Record decisions that wait in the inbox; a live owner does that itself."""
    try:
        session, _ = open_session(services, workflow, run)
    except Busy:
        return
    try:
        for gate in session.history.open_gates():
            gates.decide(session, gate)
    finally:
        services.journal.close(session.opened)


def cancel(services: Services, workflow: Workflow, run: str, reason: str) -> list[str]:
    """End a run cleanly: its process is told to stop, its agents are ended, its views removed.
    Returns what a person has to look after.

    Where a run stands is taken from its journal: what somebody wrote into its state file does not
    matter any more.
    """
    driven = _end_driver(services, run, reason)
    if not driven:
        known = recorded(services, workflow, run)
        if settled(known) and not behind(known):
            raise _over(known)
    session = open_recorded(services, workflow, run)
    try:
        end_leftovers(session)
        if session.run.status in ENDED:
            if behind(session):
                session.save_state()
            settle(session)
        if session.run.status is Status.CANCELLED and driven:
            return []
        if session.run.status in ENDED:
            raise _over(session)
        return end_cancelled(session, reason)
    finally:
        services.journal.close(session.opened)


def _over(session: Session) -> UsageError:
    return UsageError(f"run {session.opened.run} has already ended: {session.run.status.value}")


def _end_driver(services: Services, run: str, reason: str) -> bool:
    """Tell the process that drives the run to end it; returns whether there was one."""
    holder = services.journal.holder(run)
    if holder is None or not holder.get("alive"):
        return False
    services.journal.post(run, CANCEL, {"reason": reason})
    os.kill(int(holder["pid"]), signal.SIGTERM)
    deadline = time.monotonic() + PATIENCE_S
    while services.journal.holder(run) is not None:
        if time.monotonic() > deadline:
            raise Busy(
                f"process {holder['pid']} still holds run {run} {PATIENCE_S:g} s after it was "
                "told to stop"
            )
        time.sleep(0.05)
    return True
