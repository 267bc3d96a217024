"""Whether a person changed something, so that a blocked run may go on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.core.effects import Check, Gate, Stage
from podium.core.workflow import Step
from podium.engine import budget, staleness
from podium.engine.session import Session
from podium.engine.surveying import read_by


def since_blocked(session: Session, *, given: bool, touched: bool) -> str:
    """Why a blocked run may go on, in words; empty if nothing changed since it was blocked."""
    if touched:
        return "its state was edited"
    if given:
        return "new policy or agents were given"
    if session.run.stop == "git":
        return "the checkout is looked at again"
    if session.run.stop == "budget" and budget.reached(session, record=False) is None:
        return "its budget allows more"
    if staleness.find(session):
        return "a file it stands on was edited"
    return (
        _decided(session)
        or _inputs(session)
        or _made(session)
        or _drifted(session)
        or _request(session)
    )


def to_be_made(session: Session) -> dict[str, str]:
    """What the current step should make, as it is in the project now."""
    step = session.workflow.steps[session.run.step]
    outputs = step.effect.contract(session.run).outputs if isinstance(step.effect, Stage) else ()
    return {each.path: session.digest(each.path) for each in outputs}


def _made(session: Session) -> str:
    """Compares the blocked step's files with what it found and what it made: any third version
    is a person's.
    """
    event: Mapping[str, Any] = next(
        (each for each in reversed(session.opened.events) if each["type"] == "run.blocked"), {}
    )
    record = session.history.steps.get(str(event.get("key", "")))
    for path, found in event.get("files", {}).items():
        if session.digest(path) not in {found, record.outputs.get(path) if record else None}:
            return f"{path} was edited"
    return ""


def _drifted(session: Session) -> str:
    """Compares the files that kept the step's work out of the checkout with what they were then."""
    known = reversed(session.opened.events) if session.run.stop == "drift" else iter(())
    blocked = next((each["seq"] for each in known if each["type"] == "run.blocked"), 0)
    for event in known:
        if event["type"] == "step.started":
            break
        if (
            event["type"] == "document.drifted"
            and event["seq"] < blocked
            and session.digest(event["path"]) != event["now"]
        ):
            return f"{event['path']} was edited"
    return ""


def _decided(session: Session) -> str:
    """Whether the gate at which it was blocked has been decided."""
    step = session.workflow.steps.get(session.run.step)
    if step is None or not isinstance(step.effect, Gate):
        return ""
    gate = session.history.gates.get(session.key(step))
    return "decided" if gate is not None and gate.decision and not gate.stale else ""


def _inputs(session: Session) -> str:
    """Compares the blocked step's inputs with those of its last dispatch."""
    step = session.workflow.steps.get(session.run.step)
    if step is not None and isinstance(step.effect, Check):
        return _read(session, step, step.effect)
    if step is None or not isinstance(step.effect, Stage):
        return ""
    contract = step.effect.contract(session.run)
    record = session.history.steps.get(session.key(step))
    if record is None:
        if session.run.stop != "contract":
            return ""
        gone = [
            each.path
            for each in contract.inputs
            if each.required and session.text(each.path) is None
        ]
        return "" if gone else "its inputs are there now"
    now = session.services.define(contract.role, session.workflow.roles().get(contract.role, ""))
    if record.definition.get("digest") not in {None, now.digest}:
        return f"the definition of {contract.role} was edited"
    own = {session.run.step, "run-state", "report"}
    for each in contract.inputs:
        was = record.inputs.get(each.name)
        if (
            each.name not in own
            and was is not None
            and was != session.digest(each.path, each.essence)
        ):
            return f"{each.path} was edited"
    return ""


def _read(session: Session, step: Step, check: Check) -> str:
    """Compares what a blocked check read with what is there now; what the check wrote itself
    counts as unchanged.
    """
    record = session.history.steps.get(session.key(step))
    known = set(check.reads(session.run))
    for path in read_by(session, check) if record is not None else ():
        was = record.outputs.get(path) or record.inputs.get(path) if record else None
        if was is None and path not in known:
            return f"{path} was added"
        if was is not None and was != session.digest(path):
            return f"{path} was edited"
    return ""


def _request(session: Session) -> str:
    was = session.services.request.get("commands")
    return (
        "its commands were changed"
        if was is not None and was != dict(session.services.commands)
        else ""
    )
