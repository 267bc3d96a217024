"""One run in virtual time, from start to rest: child runs and clusters in parallel, as far as
the policy allows.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.core.effects import Child
from podium.core.errors import MISTAKES
from podium.core.run import Run, Status
from podium.core.verdict import Judgement
from podium.simulation.dispatching import Rules, Tally, dispatch
from podium.simulation.model import Chance
from podium.simulation.ways import Stand, Ways

LONGEST = 5000
"""Steps after which a run counts as unfinished: people may send it back for ever, and a model
may make them.
"""


@dataclass(frozen=True)
class Lived:
    """The result of one run."""

    end: str
    """`complete`, `blocked: why` or `unfinished`."""
    seconds: float
    tally: Tally


def live(ways: Ways, members: Mapping[str, Any], rules: Rules, chance: Chance) -> Lived:
    tally = Tally()
    start = _begin(ways, members, "", chance)
    seconds, number = _drive(ways, start, rules, tally, 0.0, chance)
    tally.rest(seconds, 0.0)
    return Lived(_end(ways.stands[number].run), seconds, tally)


def _end(run: Run) -> str:
    if run.status is Status.ACTIVE:
        return "unfinished"
    return (
        "complete" if run.status is Status.COMPLETE else f"{run.status.value}: {run.stop or 'rule'}"
    )


def _begin(ways: Ways, members: Mapping[str, Any], whose: object, chance: Chance) -> int:
    """A fresh run; what the model says about beginnings is drawn first."""
    drawn = tuple(
        (name, _drawn(likely, chance))
        for name, likely in sorted(ways.model.begin.get(ways.name, {}).items())
    )
    if (whose, drawn) not in ways.starts:
        first = ways.workflow.first(**members)
        given = {name: _as(getattr(first, name), value) for name, value in drawn}
        ways.starts[whose, drawn] = ways.enter(
            ways.workflow.first(**{**members, **given}) if given else first
        )
    return ways.starts[whose, drawn]


def _drawn(likely: Mapping[str, float], chance: Chance) -> str:
    at = chance() * sum(likely.values())
    for value, weight in likely.items():
        at -= weight
        if at < 0:
            return value
    return list(likely)[-1]


def _as(kind: Any, value: str) -> Any:
    """The value in the member's own type."""
    if isinstance(kind, bool):
        return value == "true"
    return int(value) if isinstance(kind, int) else value


def _drive(
    ways: Ways, number: int, rules: Rules, tally: Tally, began_s: float, chance: Chance
) -> tuple[float, int]:
    """How long the run takes from here to its rest, and where it rests."""
    seconds, waited, before = 0.0, 0.0, ""
    while (stand := ways.stands[number]).kind != "rest" and tally.steps < LONGEST:
        tally.steps += 1
        if stand.kind == "gate":
            assert stand.seconds is not None
            delay = stand.seconds.draw(chance)
            tally.rest(seconds, delay)
            seconds, waited = seconds + delay, waited + delay
            tally.people_s += delay
            before, number = _choose(ways, number, before, chance)
            continue
        people = tally.people_s
        took, outcome, stop = _perform(
            ways, number, stand, rules, tally, began_s + seconds - waited, chance
        )
        seconds += took
        if tally.people_s > people:  # child runs asked somebody
            away = min(took, tally.people_s - people)
            tally.rest(seconds - away, away)
        if stop == "budget":
            return seconds, ways.halted(number, stop)
        if outcome:
            before, number = outcome, _lead(ways, number, outcome, stop, chance)
        else:
            before, number = _choose(ways, number, before, chance)
    return seconds, number


def _choose(ways: Ways, number: int, before: str, chance: Chance) -> tuple[str, int]:
    found = ways.options(number, before)
    if found is None:
        return "", ways.halted(number, "nothing can happen here")
    place = found.draw(chance)
    choice = found.choices[place]
    return choice.outcome, ways.after(number, choice.outcome, choice.sets, place)


def _lead(ways: Ways, number: int, outcome: str, stop: str, chance: Chance) -> int:
    """Where a given outcome leads; what else it sets is drawn from what is possible."""
    stand = ways.stands[number]
    imagined = (
        ways.workflow.imagined(stand.run, outcome)
        if outcome in ways.workflow.steps[stand.run.step].outcomes
        else ()
    )
    if not imagined:
        return ways.after(number, outcome, {}, stop=stop)
    place = min(int(chance() * len(imagined)), len(imagined) - 1) if len(imagined) > 1 else 0
    return ways.after(number, outcome, imagined[place], -2 - place, stop)


def _perform(
    ways: Ways,
    number: int,
    stand: Stand,
    rules: Rules,
    tally: Tally,
    driven_s: float,
    chance: Chance,
) -> tuple[float, str, str]:
    """(seconds, outcome, stop); an empty outcome is left to the model."""
    if stand.kind == "check":
        assert stand.seconds is not None
        return stand.seconds.draw(chance), "", ""
    if stand.kind == "children":
        return _children(ways, number, stand, rules, tally, driven_s, chance)
    tally.visits += len(stand.workers)
    ended = [dispatch(each, rules, tally, driven_s, chance) for each in stand.workers]
    seconds = side_by_side((took for took, _ in ended), stand.width)
    failed = {one.name: why for one, (_, why) in zip(stand.workers, ended, strict=True) if why}
    if not failed:
        return seconds, "", ""
    if "budget" in failed.values():
        return seconds, "fail", "budget"
    if stand.cluster is None:
        return seconds, "fail", next(iter(failed.values()))
    return seconds, *_together(stand, failed)


def side_by_side(times: Iterable[float], width: int) -> float:
    """When the last of them ends, if `width` run at once and each next one begins as soon as
    there is room.
    """
    ends: list[float] = []
    for took in times:
        begin = heapq.heappop(ends) if len(ends) >= width else 0.0
        heapq.heappush(ends, begin + took)
    return max(ends, default=0.0)


def _together(stand: Stand, failed: Mapping[str, str]) -> tuple[str, str]:
    """What a cluster makes of members that were given up, according to its own table."""
    assert stand.cluster is not None
    said = {
        each.name: Judgement("fail", "", "given up", stop=failed[each.name])
        if each.name in failed
        else Judgement("ok")
        for each in stand.workers
    }
    return _decided(lambda: stand.cluster.decide(said), next(iter(failed.values())))  # type: ignore[union-attr]


def _decided(decide: Callable[[], Judgement], otherwise: str) -> tuple[str, str]:
    """The decision; "" if it is `ok`, which leaves it to the model, and a failure if it needs
    real results.
    """
    try:
        found = decide()
    except MISTAKES:
        return "fail", otherwise
    return ("", "") if found.route == "ok" else (found.route, found.stop or otherwise)


def _children(
    ways: Ways,
    number: int,
    stand: Stand,
    rules: Rules,
    tally: Tally,
    driven_s: float,
    chance: Chance,
) -> tuple[float, str, str]:
    assert stand.fan_out is not None
    below = ways.below(stand.fan_out.workflow, stand.run.step)
    if stand.items is None:
        stand.items = _items(stand)
    times: list[float] = []
    rests: list[int] = []
    tally.depth += 1
    for place, child in enumerate(stand.items):
        start = _begin(below, child.members, (number, place), chance)
        took, rest = _drive(below, start, rules, tally, driven_s, chance)
        times.append(took)
        rests.append(rest)
    tally.depth -= 1
    rested = tuple(rests)
    if rested not in stand.ended:
        stand.ended[rested] = _judged(stand, [below.stands[rest].run for rest in rests])
    return side_by_side(times, stand.width), *stand.ended[rested]


def _judged(stand: Stand, runs: Sequence[Run]) -> tuple[str, str]:
    """What the step itself makes of how its child runs ended."""
    assert stand.fan_out is not None
    assert stand.items is not None
    stops = [run.stop for run in runs if run.status is not Status.COMPLETE]
    if "budget" in stops:
        return "fail", "budget"
    try:
        found = stand.fan_out.decide(
            {child.key: run for child, run in zip(stand.items, runs, strict=True)}
        )
    except MISTAKES:
        return ("fail", stops[0]) if stops else ("", "")
    return found.route, found.stop or (stops[0] if stops else "")


def _items(stand: Stand) -> Sequence[Child]:
    assert stand.fan_out is not None
    try:
        return stand.fan_out.items(stand.run)
    except MISTAKES:
        return [Child(str(number)) for number in range(1, stand.fan_out.most + 1)]
