"""Caps on one run: what was used survives every resume, and unknown is never zero."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from podium.core import budget as rule
from podium.core import events
from podium.core.history import History
from podium.core.verdict import Judgement
from podium.engine.services import Caps
from podium.engine.session import Session
from podium.state import run_folder

_STARTS = frozenset({"run.started", "run.resumed"})
_RESTS = frozenset({"run.paused", "run.blocked", "run.completed", "run.cancelled"})


def _driven(session: Session) -> float:
    """Seconds the run was driven, pauses left out; a stretch that a crash ended counts up to its last event."""
    total, driven, last = 0.0, False, ""
    for event in session.opened.events:
        if event["type"] in _STARTS:
            driven = True
        elif driven:
            total += _between(last, event["ts"])
            driven = event["type"] not in _RESTS
        last = event["ts"]
    return total + (_between(last, session.services.now().isoformat()) if driven else 0.0)


def _between(began: str, ended: str) -> float:
    """Nothing where the clock was set back: what was used before is not given back."""
    return max(0.0, (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds())


def _family(session: Session) -> list[History]:
    """The run and its children: a budget is for all of them together."""
    services, root = session.services, session.folder.root_id
    return [History(services.journal.read(each)) for each in run_folder.family(services.project, root)]


def together(family: Sequence[History]) -> dict[str, float | None]:
    """What all of them used; unknown as soon as one does not know."""
    return {name: rule.total(each.used()[name] for each in family) for name in ("tokens_in", "tokens_out", "cost_usd")}


def used(session: Session) -> dict[str, float | None]:
    """What the run and its children have used by their journals."""
    return together(_family(session))


def reached(session: Session, *, record: bool = True) -> Judgement | None:
    """The first cap that the run has used up, as the end of the step."""
    caps = session.services.caps
    if caps == Caps(estimate_usd=caps.estimate_usd):
        return None
    family = _family(session)
    used = together(family)
    spent = {
        "dispatches": float(sum(each.dispatches() for each in family)),
        "tokens": rule.total((used["tokens_in"], used["tokens_out"])),
        "cost_usd": rule.total((each.get("cost_usd") for every in family for each in every.usages()), caps.estimate_usd),
        "wall_clock_s": _driven(session) if caps.wall_clock_s is not None else 0.0,
    }
    found = rule.reached(spent, vars(caps))
    if found is None:
        return None
    if record and found.used is not None:
        session.append(events.budget_reached(found.axis, found.used, found.cap))
    return Judgement("fail", "budget", f"budget: {found.reason}", "held", stop="budget")
