"""Gates a step opens by itself: an agent's question, a prompt nobody answered, work for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.agents.protocol import Answer, Failure
from podium.core import events
from podium.core.verdict import Judgement
from podium.engine import gates
from podium.engine.gates import Rest
from podium.engine.session import Session

MOST = 3
"""Questions one step may ask; an agent that knows no more after three answers is not going to."""


def pending(session: Session, key: str) -> Rest | None:
    """The step's own gate that still waits, if any; decisions that are there are taken first."""
    for gate in list(session.history.gates.values()):
        if gate.key.startswith(f"{key}/") and gate.open:
            gates.decide(session, gate)
            if gate.open:
                return Rest(f"{gate.prompt} Waiting for a person.", "question", (gate.key,))
    return None


def ask(session: Session, key: str, answer: Answer, facts: Sequence[Mapping[str, Any]]) -> Rest | Judgement:
    """An agent's question reaches a person as a gate with choices, before anything counts as a failure."""
    question = answer.question
    assert question is not None
    number = _asked(session, key) + 1
    if number > MOST:
        reason = f"{key}: the task is unclear, still asking after {MOST} answers: {question.prompt}"
        return Judgement("fail", "", reason, stop="unclear")
    choices = [ident for ident, _ in question.choices]
    told = "".join(f"\n  {ident}: {text}" for ident, text in question.choices)
    hint = f"\n  recommended: {question.recommended}" if question.recommended else ""
    return _open(session, key, f"{key}/question-{number}", f"{question.prompt}{told}{hint}", choices, facts, "needs_input")


def park(session: Session, key: str, failure: Failure, facts: Sequence[Mapping[str, Any]]) -> Rest:
    """An agent that waits at a prompt is neither slow nor crashed: it is parked, shown, and answerable."""
    number = _asked(session, key) + 1
    return _open(session, key, f"{key}/parked-{number}", failure.detail, failure.choices, facts, "parked")


def _asked(session: Session, key: str) -> int:
    return sum(gate.startswith(f"{key}/") for gate in session.history.gates)


def _open(
    session: Session,
    key: str,
    gate: str,
    prompt: str,
    choices: Sequence[str],
    facts: Sequence[Mapping[str, Any]],
    classification: str,
) -> Rest:
    record = session.history.steps[key]
    session.append(
        *facts,
        events.retry_scheduled(key, classification, record.attempt, MOST, 0.0, (prompt,)),
        events.gate_opened(gate, record.step, "question", prompt, choices, {}),
    )
    return Rest(prompt, "question" if classification == "needs_input" else "parked", (gate,))
