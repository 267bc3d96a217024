"""The line of runs that have work, and whose turn it is on one worker. Pure.

Users take turns: the one with the fewest runs under way comes first, then the one served longest
ago. If a run has limits, the same is asked for each of them, and the answer that is best for the
user counts: somebody who has had enough turns with other agents still gets one with this agent. A
user's own runs come in the order in which they were last served, or submitted.

A run that waits for a limit keeps a place in each of its limits, so that runs which need less
cannot overtake it for ever.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum

from podium.fleet.line.needs import Offer, lacking
from podium.fleet.line.wants import NONE, Wants, limited


@dataclass(frozen=True)
class Queued:
    """A run with work that nobody is driving."""

    run: str
    user: str = ""
    wants: Wants = NONE
    needs: tuple[str, ...] = ()
    since: float = 0.0
    """When it was last served, or submitted if never."""
    last: str = ""
    """The worker that had it last."""
    ready_s: float = 0.0
    """How long it could have continued already."""
    ends: bool = False
    """Somebody cancelled it: any worker may end it, whatever the limits say."""


@dataclass(frozen=True)
class UnderWay:
    """A run whose owner is alive, or that a worker is about to open."""

    run: str
    user: str
    wants: Wants
    worker: str


@dataclass(frozen=True)
class Line:
    waiting: tuple[Queued, ...] = ()
    under_way: tuple[UnderWay, ...] = ()
    offers: tuple[Offer, ...] = ()
    """Of the workers that are alive and take runs."""
    served: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """When a run of this user that counts towards this limit was last taken; an empty limit
    means any run.
    """


class Kind(IntEnum):
    """Why a run is not taken, the most telling reason last."""

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
    return _judged(_Rooms(line), offer)


def _judged(rooms: _Rooms, offer: Offer) -> Verdicts:
    line = rooms.line
    used = Counter(key for each in line.under_way for key in each.wants.keys(each.user))
    ahead: dict[str, list[str]] = defaultdict(list)
    found: Verdicts = {}
    turns = _Turns(line, offer)
    for each in turns:
        caps = turns.caps(each)
        over = next((key for key, cap in caps.items() if used[key] >= cap), "")
        kept = next((key for key, cap in caps.items() if used[key] + len(ahead[key]) >= cap), "")
        if over:
            found[each.run] = Refusal(Kind.LIMIT, f"{over}: {used[over]} of {caps[over]} under way")
        elif kept:
            found[each.run] = Refusal(
                Kind.KEPT,
                (
                    f"{kept}: the next of {caps[kept]} is for {ahead[kept][0]}, which has waited "
                    "longer"
                ),
            )
        else:
            found[each.run] = rooms.refused(offer, each)
        # A user at their own limit waits for nothing else, and an agent that is switched off does
        # not start: in both
        # cases nobody needs to give way.
        if not over.startswith("users.") and 0 not in caps.values() and rooms.somewhere(each):
            turns.grant(each)
            for key in caps:
                ahead[key].append(each.run)
    return found


def chosen(verdicts: Verdicts, barred: Collection[str] = ()) -> str:
    """The run whose turn it is; empty if there is none for this worker."""
    return next(
        (run for run, refusal in verdicts.items() if refusal is None and run not in barred), ""
    )


def reasons(line: Line) -> dict[str, str]:
    """Why each run in line waits, for people: the reason of the worker that is closest to taking
    it.
    """
    rooms = _Rooms(line)
    told = [(_judged(rooms, kind), offers) for kind, offers in _kinds(line)]
    return {each.run: _reason(rooms, told, each) for each in line.waiting}


BEHIND = "others like it are ahead of it"
"""In a long line of similar runs only the first are examined; the others wait for those."""


def stranded(line: Line) -> frozenset[str]:
    """Runs for which every worker present lacks something."""
    return frozenset(
        each.run
        for each in line.waiting
        if line.offers and all(lacking(each.wants, each.needs, one) for one in line.offers)
    )


def takeable(line: Line) -> list[Queued]:
    """Runs that the fleet may take now, or as soon as a worker has room, in order of turns."""
    rooms = _Rooms(line)
    may = {
        run: None
        for kind, _ in _kinds(line)
        for run, refusal in _judged(rooms, kind).items()
        if refusal is None
    }
    waiting = {each.run: each for each in line.waiting}
    return [waiting[run] for run in may]


def elsewhere(line: Line, run: str, worker: str) -> bool:
    """Whether another worker could start the run now."""
    each = next((each for each in line.waiting if each.run == run), None)
    rooms = _Rooms(line)
    return each is not None and any(
        one.worker != worker and run not in one.sore and rooms.fits(one, each)
        for one in line.offers
    )


def _kinds(line: Line) -> list[tuple[Offer, list[Offer]]]:
    """Group workers that differ only in what is temporary: each group judges alike, so it is
    asked once.
    """
    found: dict[str, tuple[Offer, list[Offer]]] = {}
    for each in line.offers:
        kind = replace(each, worker="", places=0, at_once={}, sore=(), stay_s=0.0)
        found.setdefault(repr(kind), (kind, []))[1].append(each)
    return list(found.values())


def _reason(rooms: _Rooms, told: list[tuple[Verdicts, list[Offer]]], each: Queued) -> str:
    refusals: list[Refusal] = []
    for verdicts, offers in told:
        common = verdicts[each.run]
        for offer in offers if common is None else ():
            own = rooms.refused(offer, each)
            if own is None and not rooms.taken(offer):
                return "a worker is about to take it"
            refusals.append(
                own or Refusal(Kind.PLACE, "every place of the workers that could take it is taken")
            )
        refusals += [common] if common is not None else []
    if not refusals:
        return "no worker is running"
    if all(one.kind is Kind.LACK for one in refusals):
        return f"no worker has what it needs: {_nearest(rooms.line, each)}"
    kinds = {one.kind for one in refusals}
    told_first = Kind.PLACE if Kind.PLACE in kinds else max(kinds)
    return next(one.text for one in refusals if one.kind is told_first)


class _Turns:
    """The runs in order of turns. A user whose run is granted a place comes later with the next
    one.
    """

    def __init__(self, line: Line, offer: Offer) -> None:
        self._runs: dict[str, list[Queued]] = defaultdict(list)
        for each in sorted(line.waiting, key=lambda each: (each.since, each.run), reverse=True):
            self._runs[each.user].append(each)
        self._busy = Counter(
            (each.user, key) for each in line.under_way for key in ("", *each.wants.keys(each.user))
        )
        self._served, self._offer = line.served, offer
        self._known: dict[tuple[Wants, str], dict[str, int]] = {}

    def caps(self, each: Queued) -> dict[str, int]:
        """The limits that the run counts towards; computed once for similar runs."""
        alike = (each.wants, each.user)
        if alike not in self._known:
            self._known[alike] = limited(
                self._offer.limits, each.wants.settled(self._offer.usual).keys(each.user)
            )
        return {} if each.ends else self._known[alike]

    def grant(self, each: Queued) -> None:
        self._busy.update((each.user, key) for key in ("", *self.caps(each)))

    def __iter__(self) -> Iterator[Queued]:
        heap = [self._rank(user) for user in self._runs]
        heapq.heapify(heap)
        while heap:
            user = heapq.heappop(heap)[-1]
            yield self._runs[user].pop()
            if self._runs[user]:
                heapq.heappush(heap, self._rank(user))

    def _rank(self, user: str) -> tuple[int, float, float, str]:
        first = self._runs[user][-1]
        scarce = [(user, key) for key in ("", *self.caps(first)) if not key.startswith("users.")]
        served = min(self._served.get(key, first.since) for key in scarce)
        return min(self._busy[key] for key in scarce), served, first.since, user


class _Rooms:
    """Which workers have what a run needs, and room for it. Asked once for all similar runs."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self._here: dict[str, list[UnderWay]] = defaultdict(list)
        for each in line.under_way:
            self._here[each.worker].append(each)
        self._able: dict[tuple[Wants, tuple[str, ...]], list[Offer]] = {}

    def somewhere(self, each: Queued) -> bool:
        """Whether any worker could start it now, ignoring limits."""
        alike = (each.wants, each.needs)
        if alike not in self._able:
            self._able[alike] = [one for one in self.line.offers if self.fits(one, each)]
        return any(each.run not in one.sore for one in self._able[alike])

    def fits(self, offer: Offer, each: Queued) -> bool:
        return (
            not lacking(each.wants, each.needs, offer)
            and not self.taken(offer)
            and self._full(offer, each.wants) is None
        )

    def taken(self, offer: Offer) -> bool:
        return len(self._here[offer.worker]) >= offer.places

    def refused(self, offer: Offer, each: Queued) -> Refusal | None:
        """Why the worker refuses the run, apart from limits and free places, which it knows best
        itself.
        """
        if missing := lacking(each.wants, each.needs, offer):
            return Refusal(Kind.LACK, f"{offer.worker} lacks {', '.join(missing)}")
        if each.run in offer.sore:
            return Refusal(
                Kind.HERE, f"its driver failed on {offer.worker}, which tries again later"
            )
        if each.last not in {"", offer.worker} and each.ready_s < offer.stay_s:
            last = next((one for one in self.line.offers if one.worker == each.last), None)
            if (
                last is not None
                and not lacking(each.wants, each.needs, last)
                and each.run not in last.sore
            ):
                return Refusal(Kind.LAST, f"kept for a moment for {each.last}, which had it last")
        return self._full(offer, each.wants)

    def _full(self, offer: Offer, wants: Wants) -> Refusal | None:
        for agent in wants.settled(offer.usual).agents if offer.at_once else ():
            most = offer.at_once.get(agent)
            here = self._here[offer.worker]
            if most is not None and sum(agent in each.wants.agents for each in here) >= most:
                return Refusal(Kind.HERE, f"{offer.worker} takes {most} with {agent} at once")
        return None


def _nearest(line: Line, each: Queued) -> str:
    missing = [lacking(each.wants, each.needs, offer) for offer in line.offers]
    fewest = min(missing, key=lambda found: (len(found), found))
    return ", ".join(fewest)
