"""A model from what really happened: the journals of finished runs, folded into shares and
spreads.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from podium.simulation.model import FAILURES, AgentModel, Model, Spread, StepModel

BELIEF = 2.0
"""How many observations the previous model counts for, so that one run does not settle a share."""
_AS = {"error": "crash", "empty": "artifact", "garbage": "artifact"}

Event = Mapping[str, Any]


@dataclass
class _Seen:
    """What journals say about one role."""

    dispatches: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    tokens: list[float] = field(default_factory=list)
    cost_usd: list[float] = field(default_factory=list)


def estimated(
    runs: Iterable[Sequence[Event]],
    workflow: str,
    base: Model,
    known: Mapping[str, Sequence[str]] | None = None,
) -> Model:
    """`runs`: the events of each run, child runs too. What they do not tell stays as in the base.

    `known`: steps with their outcomes; names of older versions are left out.
    """
    roles: defaultdict[str, _Seen] = defaultdict(_Seen)
    outcomes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    waits: list[float] = []
    for events in runs:
        own = next(
            (str(each["workflow"]) for each in events if each["type"] == "run.started"), workflow
        )
        _fold(events, "" if own == workflow else f"{own}/", roles, outcomes, waits)
    steps = dict(base.steps)
    for name, counts in sorted(outcomes.items()):
        seen = {
            each: count
            for each, count in counts.items()
            if known is None or each in known.get(name, ())
        }
        if seen:
            said = steps.get(name, StepModel())
            steps[name] = replace(said, outcomes=_mixed(seen, said.outcomes))
    return replace(
        base,
        roles={
            **base.roles,
            **{name: _agent(seen, base.role(name)) for name, seen in sorted(roles.items())},
        },
        steps=steps,
        person=spread(waits) or base.person,
    )


def _fold(
    events: Sequence[Event],
    prefix: str,
    roles: defaultdict[str, _Seen],
    outcomes: defaultdict[str, Counter[str]],
    waits: list[float],
) -> None:
    role_of: dict[str, str] = {}
    opened: dict[str, str] = {}
    for each in events:
        key = str(each.get("key", ""))
        match each["type"]:
            case "step.started" if each.get("role"):
                role_of[key] = str(each["role"])
                roles[role_of[key]].dispatches += 1
            case "step.finished" if key in role_of:
                _used(roles[role_of[key]], each.get("usage", {}))
                if each.get("failure"):
                    _failed(roles[role_of[key]], str(each["failure"]))
            case "retry.scheduled" if each.get("of") == "workflow":
                pass  # the failure itself was reported when the step ended
            case "retry.scheduled" if key in role_of:
                _used(roles[role_of[key]], each.get("usage", {}))
                _failed(roles[role_of[key]], str(each["classification"]))
            case "retry.exhausted" if key in role_of:
                _failed(roles[role_of[key]], str(each["classification"]))
            case "gate.opened":
                opened[key] = str(each["ts"])
            case "gate.decided" if key in opened:
                waits.append(_between(opened.pop(key), str(each["ts"])))
            case "run.advanced":
                outcomes[f"{prefix}{each['from']}"][str(each["outcome"])] += 1


def _failed(seen: _Seen, classification: str) -> None:
    kind = _AS.get(classification, classification)
    if kind in FAILURES:
        seen.failures[kind] += 1


def _used(seen: _Seen, usage: Mapping[str, Any]) -> None:
    """Unknown values are left out; they are never zero."""
    if usage.get("seconds") is not None:
        seen.seconds.append(float(usage["seconds"]))
    if usage.get("tokens_in") is not None and usage.get("tokens_out") is not None:
        seen.tokens.append(float(usage["tokens_in"]) + float(usage["tokens_out"]))
    if usage.get("cost_usd") is not None:
        seen.cost_usd.append(float(usage["cost_usd"]))


def _agent(seen: _Seen, base: AgentModel) -> AgentModel:
    total = seen.dispatches + BELIEF
    shares = {
        kind: (seen.failures[kind] + BELIEF * base.failures.get(kind, 0.0)) / total
        for kind in FAILURES
    }
    return replace(
        base,
        seconds=spread(seen.seconds) or base.seconds,
        tokens=spread(seen.tokens) or base.tokens,
        cost_usd=spread(seen.cost_usd) or base.cost_usd,
        failures=shares,
    )


def _mixed(counts: Mapping[str, int], before: Mapping[str, float]) -> dict[str, float]:
    whole = sum(before.values())
    names = dict.fromkeys((*before, *sorted(counts)))
    return {
        name: counts.get(name, 0) + (BELIEF * before.get(name, 0.0) / whole if whole else 0.0)
        for name in names
    }


def spread(values: Sequence[float]) -> Spread | None:
    """The median and the 90th percentile of the values; None if there are none."""
    if not values:
        return None
    found = sorted(values)
    return Spread(found[(len(found) - 1) // 2], found[min(len(found) - 1, int(len(found) * 0.9))])


def _between(began: str, ended: str) -> float:
    return max(0.0, (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds())
