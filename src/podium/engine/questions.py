"""Gates that a step opens itself: an agent's question, an unanswered prompt, work for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.agents.protocol import Answer, Failure
from podium.core import events
from podium.core.verdict import Judgement
from podium.engine import gates, proof_record
from podium.engine.gates import Rest
from podium.engine.session import Session

Facts = Sequence[Mapping[str, Any]]

MOST = 3
"""Questions that one step may ask; an agent that is still unsure after three answers will stay
so.
"""


def pending(session: Session, key: str) -> Rest | None:
    """The step's own gate that still waits, if any; available decisions are taken first."""
    for gate in list(session.history.gates.values()):
        if gate.key.startswith(f"{key}/") and gate.open:
            gates.decide(session, gate)
            if gate.open:
                stop = "drift" if gate.kind == "drift" else "question"
                return Rest(f"{gate.prompt} Waiting for a person.", stop, (gate.key,))
    return None


def ask(
    session: Session, key: str, answer: Answer, facts: Facts, used: Mapping[str, Any]
) -> Rest | Judgement:
    """An agent's question becomes a gate with choices, before anything counts as a failure."""
    question = answer.question
    assert question is not None
    if len(_opened(session, key, "question")) >= MOST:
        reason = f"{key}: the task is unclear, still asking after {MOST} answers: {question.prompt}"
        return Judgement("fail", "", reason, stop="unclear")
    choices = [ident for ident, _ in question.choices]
    told = "".join(
        f"\n  {ident}: {text}" if text else f"\n  {ident}" for ident, text in question.choices
    )
    hint = f"\n  recommended: {question.recommended}" if question.recommended else ""
    _retry(session, key, "needs_input", question.prompt, facts, used)
    return _open(
        session,
        key,
        _next(session, key, "question"),
        f"{question.prompt}{told}{hint}",
        choices,
        "question",
    )


def park(
    session: Session, key: str, failure: Failure, facts: Facts, used: Mapping[str, Any]
) -> Rest:
    """An agent that waits at a prompt is neither slow nor crashed: it is parked, and a person
    can see and answer the prompt.
    """
    _retry(session, key, "parked", failure.detail, facts, used)
    return _open(
        session, key, _next(session, key, "parked"), failure.detail, failure.choices, "parked"
    )


def _next(session: Session, key: str, word: str) -> str:
    """The name of the step's next gate; questions and parkings are numbered together, in the
    order in which they came.
    """
    return f"{key}/{word}-{len(_opened(session, key, 'question', 'parked')) + 1}"


def _opened(session: Session, key: str, *words: str) -> list[str]:
    """The gates of these kinds that this step has opened so far."""
    return [
        gate
        for gate in session.history.gates
        if gate.startswith(tuple(f"{key}/{word}-" for word in words))
    ]


def _retry(
    session: Session,
    key: str,
    classification: str,
    prompt: str,
    facts: Facts,
    used: Mapping[str, Any],
) -> None:
    """The dispatch is over, whatever the answer; its record goes into the same write as the
    gate's opening.
    """
    attempt = session.history.steps[key].attempt
    again = events.retry_scheduled(key, classification, attempt, MOST, 0.0, (prompt,), used)
    session.pending += [*map(dict, facts), again]


def _open(
    session: Session, key: str, gate: str, prompt: str, choices: Sequence[str], stop: str
) -> Rest:
    step = session.history.steps[key].step
    shown = proof_record.for_people(session)
    gates.opened(session, gate, step, "question", prompt, choices, {}, words=True, **shown)
    return Rest(prompt, stop, (gate,))
