"""The line of runs that have work, and whose turn it is on one worker. Pure.

Users take turns: whoever has the fewest runs under way comes first, then whoever was served longest ago. A user's own
runs come in the order in which they were last served, or submitted. A run that waits for a limit keeps a place in each
of its limits, so that runs which need less cannot pass it for ever.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum

from podium.fleet.needs import Offer, lacking
from podium.fleet.wants import NONE, Wants, limited


@dataclass(frozen=True)
class Queued:
    """A run with work that nobody drives."""

    run: str
    user: str = ""
    wants: Wants = NONE
    needs: tuple[str, ...] = ()
    since: float = 0.0
    """When it was last served; when it was submitted, if never."""
    last: str = ""
    """The worker that had it last."""
    ready_s: float = 0.0
    """For how long it could have gone on."""
    ends: bool = False
    """Somebody cancelled it: whoever is there ends it, whatever the limits say."""


@dataclass(frozen=True)
class UnderWay:
    """A run whose owner lives, or that a worker is about to open."""

    run: str
    user: str
    wants: Wants
    worker: str


@dataclass(frozen=True)
class Line:
    waiting: tuple[Queued, ...] = ()
    under_way: tuple[UnderWay, ...] = ()
    offers: tuple[Offer, ...] = ()
    """Of the workers that live and take runs."""
    served: Mapping[str, float] = field(default_factory=dict)
    """When a run of this user was taken last."""


class Kind(IntEnum):
    """Why a run is not taken; what says most comes last."""

    PLACE = 0
    LACK = 1
    LAST = 2
    HERE = 3
    KEPT = 4
    LIMIT = 5


@dataclass(frozen=True)
class Refusal:
    kind: Kind
    text: str


Verdicts = dict[str, Refusal | None]
"""None: the worker may take it."""


def judged(line: Line, offer: Offer) -> Verdicts:
    """Every run in line as this worker sees it, in the order in which they are to be taken."""
    used = Counter(key for each in line.under_way for key in each.wants.keys(each.user))
    ahead: dict[str, list[str]] = defaultdict(list)
    able = _Able(line)
    found: Verdicts = {}
    turns = _Turns(line)
    for each in turns:
        keys = each.wants.settled(offer.usual).keys(each.user)
        caps = {} if each.ends else limited(offer.limits, keys)
        over = next((key for key, cap in caps.items() if used[key] >= cap), "")
        kept = next((key for key, cap in caps.items() if used[key] + len(ahead[key]) >= cap), "")
        if over:
            found[each.run] = Refusal(Kind.LIMIT, f"{over}: {used[over]} of {caps[over]} under way")
        elif kept:
            found[each.run] = Refusal(Kind.KEPT, f"{kept}: the next of {caps[kept]} is for {ahead[kept][0]}, which waits longer")
        else:
            found[each.run] = _refused(line, offer, each)
        # A user who has all that a user may have waits for nothing but that: no other need stand back.
        if not over.startswith("users.") and able.somewhere(each):
            turns.grant(each.user)
            for key in caps:
                ahead[key].append(each.run)
    return found


def chosen(verdicts: Verdicts, barred: Collection[str] = ()) -> str:
    """The run whose turn it is; empty where there is none for this worker."""
    return next((run for run, refusal in verdicts.items() if refusal is None and run not in barred), "")


def reasons(line: Line) -> dict[str, str]:
    """Why each run in line waits, for people: what the worker says that is nearest to taking it."""
    told = [(offer, judged(line, offer)) for offer in line.offers]
    taken = Counter(each.worker for each in line.under_way)
    found: dict[str, str] = {}
    for each in line.waiting:
        seen = [verdicts[each.run] for _, verdicts in told]
        if not seen:
            found[each.run] = "no worker is there"
        elif any(verdicts[each.run] is None and taken[offer.worker] < offer.places for offer, verdicts in told):
            found[each.run] = "a worker is about to take it"
        elif None in seen:
            found[each.run] = "every place of the workers that could take it is taken"
        elif all(one is not None and one.kind is Kind.LACK for one in seen):
            found[each.run] = f"no worker has what it needs: {_nearest(line, each)}"
        else:
            found[each.run] = max((one.kind, one.text) for one in seen if one is not None)[1]
    return found


def takeable(line: Line) -> list[Queued]:
    """Runs that the fleet may take now, or as soon as a worker has room; the first in turn first."""
    # What keeps one worker from a run for a moment is left out, and workers that differ in nothing else judge once.
    kinds = {repr(one): one for one in (replace(each, worker="", places=0, at_once={}, sore=(), stay_s=0.0) for each in line.offers)}
    may = {run: None for offer in kinds.values() for run, refusal in judged(line, offer).items() if refusal is None}
    waiting = {each.run: each for each in line.waiting}
    return [waiting[run] for run in may]


def elsewhere(line: Line, run: str, worker: str) -> bool:
    """Whether a worker other than this one could begin the run now."""
    each = next((each for each in line.waiting if each.run == run), None)
    return each is not None and any(
        one.worker != worker and run not in one.sore and _fits(line, one, each) for one in line.offers
    )


class _Turns:
    """The runs in the order of turns; a user whose run is granted a place comes later with the next one."""

    def __init__(self, line: Line) -> None:
        self._runs: dict[str, list[Queued]] = defaultdict(list)
        for each in sorted(line.waiting, key=lambda each: (each.since, each.run), reverse=True):
            self._runs[each.user].append(each)
        self._busy = Counter(each.user for each in line.under_way)
        self._served = line.served

    def grant(self, user: str) -> None:
        self._busy[user] += 1

    def __iter__(self) -> Iterator[Queued]:
        heap = [self._rank(user) for user in self._runs]
        heapq.heapify(heap)
        while heap:
            user = heapq.heappop(heap)[-1]
            yield self._runs[user].pop()
            if self._runs[user]:
                heapq.heappush(heap, self._rank(user))

    def _rank(self, user: str) -> tuple[int, float, float, str]:
        return self._busy[user], self._served.get(user, 0.0), self._runs[user][-1].since, user


class _Able:
    """Whether any worker could begin a run now if no limit kept it; asked once for all runs that are alike."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._known: dict[tuple[Wants, tuple[str, ...]], list[Offer]] = {}

    def somewhere(self, each: Queued) -> bool:
        alike = (each.wants, each.needs)
        if alike not in self._known:
            self._known[alike] = [one for one in self._line.offers if _fits(self._line, one, each)]
        return any(each.run not in one.sore for one in self._known[alike])


def _fits(line: Line, offer: Offer, each: Queued) -> bool:
    return not lacking(each.wants, each.needs, offer) and _full(line, offer, each.wants) is None


def _refused(line: Line, offer: Offer, each: Queued) -> Refusal | None:
    if missing := lacking(each.wants, each.needs, offer):
        return Refusal(Kind.LACK, f"{offer.worker} lacks {', '.join(missing)}")
    if each.run in offer.sore:
        return Refusal(Kind.HERE, f"its driver failed on {offer.worker}, which tries again later")
    if each.last not in {"", offer.worker} and each.ready_s < offer.stay_s:
        last = next((one for one in line.offers if one.worker == each.last), None)
        if last is not None and not lacking(each.wants, each.needs, last) and each.run not in last.sore:
            return Refusal(Kind.LAST, f"left for a moment to {each.last}, which had it last")
    return _full(line, offer, each.wants, places=False)


def _full(line: Line, offer: Offer, wants: Wants, *, places: bool = True) -> Refusal | None:
    """Whether the worker has no room for such a run; how many places it has left itself it knows best."""
    here = [each for each in line.under_way if each.worker == offer.worker]
    if places and len(here) >= offer.places:
        return Refusal(Kind.PLACE, f"every place of {offer.worker} is taken")
    for agent in wants.settled(offer.usual).agents:
        most = offer.at_once.get(agent)
        if most is not None and sum(agent in each.wants.settled(offer.usual).agents for each in here) >= most:
            return Refusal(Kind.HERE, f"{offer.worker} takes {most} with {agent} at once")
    return None


def _nearest(line: Line, each: Queued) -> str:
    missing = [lacking(each.wants, each.needs, offer) for offer in line.offers]
    fewest = min(missing, key=lambda found: (len(found), found))
    return ", ".join(fewest)
