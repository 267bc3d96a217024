"""Asks a person, remembers what was shown, and accepts the decision only for that content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.core import events
from podium.core.effects import ANSWERED, Gate
from podium.core.records import GateRecord, message_name
from podium.core.verdict import Judgement
from podium.core.workflow import Step
from podium.engine import net_changes, proof_record, staleness
from podium.engine.session import Session


@dataclass(frozen=True)
class Rest:
    """A step that cannot continue by itself."""

    reason: str
    stop: str
    gates: tuple[str, ...] = ()
    until: str = ""


def perform(session: Session, step: Step, effect: Gate) -> Judgement | Rest:
    """Open the gate, or take the decision that is there."""
    key = session.key(step)
    if not effect.required(session.run):  # a person withdrew the flag while the run stood here
        return Judgement("ok", "", classification=effect.choices[0])
    gate = session.history.gates.get(key)
    if gate is None or gate.stale:
        subject = {path: session.digest(path) for path in effect.subject(session.run)}
        subject |= {
            name.removeprefix("code/"): value
            for name, value in staleness.code_inputs(session).items()
        }
        choices = (
            effect.choices
            if effect.offers is None
            else (*effect.offers(session.run), *effect.choices[1:])
        )
        words = ANSWERED in effect.choices
        gate = opened(
            session,
            key,
            step.name,
            effect.kind,
            _prompt(session, effect),
            choices,
            subject,
            words=words,
            **proof_record.for_people(session),
            changes=net_changes.of_run(session, key),
        )
    decide(session, gate)
    if gate.open:
        return Rest(f"{gate.prompt} Waiting for a person.", "gate", (key,))
    outcome = effect.default_rejection if gate.decision == "rejected" else gate.decision
    sets = {"note": _note(gate)} if gate.note else {}
    if effect.offers is not None and outcome in gate.choices and outcome not in effect.choices[1:]:
        outcome, sets = effect.choices[0], {**sets, effect.into: gate.decision}
    facts = tuple(effect.tells(session.run, outcome, gate.by))
    return Judgement("ok", gate.decision, classification=outcome, sets=sets, facts=facts)


def _prompt(session: Session, effect: Gate) -> str:
    detail = effect.detail(session.run)
    return f"{detail}{'' if not detail or detail.endswith(chr(10)) else ' '}{effect.question}"


def _note(gate: GateRecord) -> str:
    return f"{gate.by}: {gate.note}" if gate.note and gate.decision != "approved" else gate.note


def opened(
    session: Session,
    key: str,
    step: str,
    kind: str,
    prompt: str,
    choices: Sequence[str],
    subject: Mapping[str, str],
    **more: Any,
) -> GateRecord:
    """`more`: what else the event says (see `events.gate_opened`)."""
    # A decision cannot be older than its question: one that is already there was not written by a
    # person.
    at = session.opened.seq + len(session.pending) + 1
    if _withdrawn(session, forged := message_name(key, at)):
        # Recording the forgery takes this number, and the question gets the next, which may have
        # been forged as well.
        found = [
            each
            for each in (forged, message_name(key, at + 1))
            if each == forged or _withdrawn(session, each)
        ]
        session.pending.append(
            events.contract_violated(key, [f"inbox/{each}" for each in found], "protected")
        )
    session.append(events.gate_opened(key, step, kind, prompt, choices, subject, **more))
    return session.history.gates[key]


def _withdrawn(session: Session, message: str) -> bool:
    return session.services.journal.withdraw(session.folder.root_id, message)


def decide(session: Session, gate: GateRecord) -> None:
    """Take a decision from the inbox, or the approval given in advance, which never covers a
    high-risk gate.
    """
    if not gate.open:
        return
    root = session.folder.root_id
    message = session.services.journal.inbox(root).get(gate.message)
    if message is None and session.services.approve_all and gate.kind == "approval":
        by = f"{session.services.approve_all} (--yes-i-approve-all-gates)"
        message = {"decision": "approved", "by": by, "note": ""}
    if message is not None:
        _record(session, gate, message)


def _record(session: Session, gate: GateRecord, message: Mapping[str, Any]) -> None:
    """A decision is about the content on disk when it was made, and the record says so."""
    subject = dict(message.get("subject") or {path: session.digest(path) for path in gate.subject})
    session.append(
        events.gate_decided(
            gate.key,
            str(message["decision"]),
            str(message["by"]),
            str(message.get("note", "")),
            subject,
        )
    )
