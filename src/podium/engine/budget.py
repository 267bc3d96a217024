"""Caps on one run: what was used survives every resume, and unknown is never zero."""

from __future__ import annotations

from datetime import datetime

from podium.core import events
from podium.core.verdict import Judgement
from podium.engine.session import Session


def reached(session: Session) -> Judgement | None:
    """The first cap that the run has used up, as the end of the step."""
    caps = session.services.caps
    used = session.history.used()
    tokens = None if used["tokens_in"] is None or used["tokens_out"] is None else used["tokens_in"] + used["tokens_out"]
    began = datetime.fromisoformat(session.history.started) if session.history.started else session.services.now()
    axes: list[tuple[str, float | None, float | None]] = [
        ("dispatches", session.history.dispatches(), caps.dispatches),
        ("tokens", tokens, caps.tokens),
        ("cost_usd", used["cost_usd"], caps.cost_usd),
        ("wall_clock_s", (session.services.now() - began).total_seconds(), caps.wall_clock_s),
    ]
    for axis, spent, cap in axes:
        if cap is None:
            continue
        if spent is None:
            reason = f"budget: {axis} has a cap of {cap:g}, but what was used is unknown; lift the cap or use an agent that reports it"
            return Judgement("fail", "budget", reason, stop="budget")
        if spent >= cap:
            session.append(events.budget_reached(axis, spent, cap))
            return Judgement("fail", "budget", f"budget: {spent:g} of {cap:g} {axis} used", stop="budget")
    return None
