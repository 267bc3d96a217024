"""When a run has used up its budget. Unknown usage is not zero: a cap that cannot be checked also
stops the run.

The name of a cap says what it is on: `tokens` of the run and its child runs together, `step_tokens`
of one step with all its attempts, `day_tokens` of all runs of the project on one day.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

STEP, DAY = "step_", "day_"
_WHOSE = {STEP: "of one step", DAY: "of one day (UTC)"}
_STARTS = frozenset({"run.started", "run.resumed"})
_RESTS = frozenset({"run.paused", "run.blocked", "run.completed", "run.cancelled"})


@dataclass(frozen=True)
class Caps:
    """Caps by what they limit; None means no cap."""

    dispatches: float | None = None
    tokens: float | None = None
    cost_usd: float | None = None
    wall_clock_s: float | None = None
    estimate_usd: float | None = None
    """What a dispatch counts if it does not report its cost; this is not a cap."""
    step_dispatches: float | None = None
    step_tokens: float | None = None
    step_cost_usd: float | None = None
    step_wall_clock_s: float | None = None
    day_dispatches: float | None = None
    day_tokens: float | None = None
    day_cost_usd: float | None = None
    day_wall_clock_s: float | None = None

    def tightened(self, own: Mapping[str, float]) -> Caps:
        """These with a workflow's own caps: the tighter of the two applies. A cap with an
        unknown name is a KeyError.
        """
        found: dict[str, Any] = dict(vars(self))
        for axis, cap in own.items():
            found[axis] = cap if found[axis] is None else min(cap, found[axis])
        return Caps(**found)

    def of(self, scope: str) -> dict[str, float]:
        """The caps that are set for one scope: the run (""), a step or a day."""
        found = {
            name: cap
            for name, cap in vars(self).items()
            if cap is not None and name != "estimate_usd"
        }
        return {
            name: cap
            for name, cap in found.items()
            if (name.startswith(scope) if scope else not name.startswith((STEP, DAY)))
        }


@dataclass(frozen=True)
class Reached:
    """The cap that stops a run."""

    axis: str
    used: float | None
    """None if nobody knows."""
    cap: float
    reason: str


def total(spent: Iterable[float | None], estimate: float | None = None) -> float | None:
    """The sum; unknown if any part is unknown, unless an estimate replaces it."""
    found = [estimate if each is None else each for each in spent]
    return None if None in found else float(sum(each for each in found if each is not None))


def spent(
    usages: Sequence[Mapping[str, Any]],
    seconds: float,
    estimate: float | None = None,
    scope: str = "",
) -> dict[str, float | None]:
    """What these dispatches used together, by the names of the caps that apply."""
    tokens = (each.get(name) for each in usages for name in ("tokens_in", "tokens_out"))
    return {
        f"{scope}dispatches": float(len(usages)),
        f"{scope}tokens": total(tokens),
        f"{scope}cost_usd": total((each.get("cost_usd") for each in usages), estimate),
        f"{scope}wall_clock_s": seconds,
    }


CUT_OFF: Mapping[str, Any] = {"tokens_in": 0, "tokens_out": 0, "cost_usd": 0.0}
"""Usage of a dispatch that was cut off. It counts as a dispatch; otherwise an agent that dies again
and again would get its dispatches for free. Its tokens and cost are unknown and count as zero: as
unknown they would stop a capped run for good, so the person who resumes the run accepts them.
"""


def driven(events: Iterable[Mapping[str, Any]], until: str, since: str = "") -> float:
    """Seconds that a run was driven, without pauses; a stretch that a crash ended counts up to its
    last event.

    `since`: count only what came after that moment. `until`: now, if the run is being driven; "" if
    nobody drives it.
    """
    seconds, going, last = 0.0, False, ""
    for event in events:
        if event["type"] in _STARTS:
            going = True
        elif going:
            seconds += _between(last, event["ts"], since)
            going = event["type"] not in _RESTS
        last = event["ts"]
    return seconds + (_between(last, until, since) if going and until else 0.0)


def _between(began: str, ended: str, since: str) -> float:
    """Zero if the clock was set back: time already used is not returned."""
    first = datetime.fromisoformat(began)
    if since:
        first = max(first, datetime.fromisoformat(since))
    return max(0.0, (datetime.fromisoformat(ended) - first).total_seconds())


def reached(used: Mapping[str, float | None], caps: Mapping[str, float | None]) -> Reached | None:
    """The first cap that is used up, or that cannot be checked because usage is unknown."""
    for axis, much in used.items():
        cap = caps.get(axis)
        if cap is None:
            continue
        if much is None:
            return Reached(
                axis,
                None,
                cap,
                (
                    f"{named(axis)} has a cap of {cap:g}, but what was used is unknown; "
                    f"{_way_out(axis)}"
                ),
            )
        if much >= cap:
            return Reached(axis, much, cap, f"{much:g} of {cap:g} {named(axis)} used{_later(axis)}")
    return None


def named(axis: str) -> str:
    """A cap's name as people read it: `tokens of one step`."""
    for scope, whose in _WHOSE.items():
        if axis.startswith(scope):
            return f"{axis.removeprefix(scope)} {whose}"
    return axis


def _later(axis: str) -> str:
    return "; it goes on after midnight, or with a higher cap" if axis.startswith(DAY) else ""


def _way_out(axis: str) -> str:
    if axis.endswith("cost_usd"):
        return (
            "lift the cap, use an agent that reports it, let its model come through the gateway, "
            "or set budget.estimate_usd for each dispatch that does not say"
        )
    return "lift the cap, use an agent that reports it, or let its model come through the gateway"
