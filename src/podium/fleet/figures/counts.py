"""The figures of a fleet, computed from its database: who is there, what waits, for how long, how
busy. Pure.

Times are seconds of the database's clock. A window is a period that ends now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

BUCKETS = 60
"""Points of each curve."""
MOST = 20
"""How many troubled turns are listed."""
FAILED = frozenset({"failed", "refused"})
LOST = "lost"
ENDS = frozenset({"complete", "cancelled"})


@dataclass(frozen=True)
class Process:
    """One process that was or is a worker."""

    name: str
    host: str
    pid: int
    labels: tuple[str, ...]
    concurrency: int
    version: str
    started: float
    seen: float
    draining: bool = False
    stopped: float | None = None
    silent: bool = False
    """Whether it has been silent for longer than a lease."""

    @property
    def end(self) -> float | None:
        """When it was last known to be alive; None while it is."""
        return self.stopped if self.stopped is not None else self.seen if self.silent else None

    @property
    def state(self) -> str:
        if self.stopped is not None:
            return "stopped"
        return "lost" if self.silent else "draining" if self.draining else "alive"


@dataclass(frozen=True)
class Turn:
    """One owner's time with a run; `closed` is None while it lasts."""

    run: str
    worker: str
    workflow: str
    ready: float
    opened: float
    closed: float | None = None
    result: str = ""
    status: str = ""
    """The run's status when the turn was over."""
    steps: int = 0

    @property
    def waited(self) -> float:
        return max(0.0, self.opened - self.ready)


@dataclass(frozen=True)
class Queued:
    """A run that has work and that nobody is driving."""

    run: str
    workflow: str
    ready: float
    needs: tuple[str, ...] = ()
    why: str = ""
    """What it waits for, in the line's words."""
    stranded: bool = False
    """No worker present has what it needs."""


@dataclass(frozen=True)
class Total:
    """All turns ever started, by worker, workflow and result; `result` is empty while a turn
    lasts.
    """

    worker: str
    workflow: str
    result: str
    turns: int
    steps: int
    waited_s: float
    ended: int
    """Runs that were complete or cancelled after their turn."""


@dataclass(frozen=True)
class Census:
    """What the database says at one moment."""

    at: float
    window_s: float
    processes: Sequence[Process] = ()
    turns: Sequence[Turn] = ()
    """Those that overlap the window."""
    queue: Sequence[Queued] = ()
    statuses: Mapping[str, int] = field(default_factory=dict)
    """Number of runs by status."""

    @property
    def since(self) -> float:
        return self.at - self.window_s


@dataclass(frozen=True)
class Tally:
    """Counts of the window's turns: all of them, or those of one workflow or worker."""

    name: str
    queued: int
    oldest_s: float
    """How long the first in the queue has waited."""
    under_way: tuple[str, ...]
    turns: int
    """Turns that ended in the window."""
    steps: int
    ended: int
    """Runs that were complete or cancelled after their turn."""
    blocked: int
    failed: int
    """Turns whose driver failed or refused."""
    lost: int
    """Turns whose owner fell silent; each one was or will be taken over."""
    wait_p50_s: float | None
    wait_p95_s: float | None


@dataclass(frozen=True)
class Worker:
    """All processes with one name; its abilities are those of the latest one."""

    process: Process
    tally: Tally
    utilisation: float | None
    """Share of its places that were busy while it lived; None if it did not live in the window."""


@dataclass(frozen=True)
class Curves:
    """The window divided into equal parts; `queue`, `busy` and `places` are values at the end of
    each.
    """

    ends: tuple[float, ...]
    queue: tuple[int, ...]
    busy: tuple[int, ...]
    places: tuple[int, ...]
    wait_p50_s: tuple[float | None, ...]
    wait_p95_s: tuple[float | None, ...]
    ended: tuple[int, ...]
    trouble: tuple[int, ...]
    """Turns that failed or were lost."""


@dataclass(frozen=True)
class Figures:
    at: float
    window_s: float
    total: Tally
    workflows: tuple[Tally, ...]
    workers: tuple[Worker, ...]
    queue: tuple[Queued, ...]
    places: int
    """How many runs the living workers could drive at once."""
    utilisation: float | None
    statuses: Mapping[str, int]
    curves: Curves
    troubles: tuple[Turn, ...]
    """The latest turns that failed or were lost, newest first."""

    @property
    def alive(self) -> int:
        return sum(each.process.state in {"alive", "draining"} for each in self.workers)


def figures(census: Census) -> Figures:
    flows = sorted(
        {each.workflow for each in census.turns} | {each.workflow for each in census.queue}
    )
    workers = _workers(census)
    return Figures(
        at=census.at,
        window_s=census.window_s,
        total=_tally("", census, census.turns, census.queue),
        workflows=tuple(_of_workflow(name, census) for name in flows),
        workers=workers,
        queue=tuple(sorted(census.queue, key=lambda each: (each.ready, each.run))),
        places=sum(each.concurrency for each in census.processes if each.state == "alive"),
        utilisation=_share(_busy(census, census.turns), _room(census, census.processes)),
        statuses=dict(sorted(census.statuses.items())),
        curves=_curves(census),
        troubles=tuple(
            sorted(
                filter(_troubled, _over(census)),
                key=lambda each: (each.closed, each.run),
                reverse=True,
            )[:MOST]
        ),
    )


def quantile(values: Iterable[float], share: float) -> float | None:
    """The smallest value that at least this share of them does not exceed; None if there are
    none.
    """
    found = sorted(values)
    return found[max(0, -(-len(found) * round(share * 100) // 100) - 1)] if found else None


def _of_workflow(name: str, census: Census) -> Tally:
    return _tally(
        name,
        census,
        [each for each in census.turns if each.workflow == name],
        [each for each in census.queue if each.workflow == name],
    )


def _tally(name: str, census: Census, turns: Sequence[Turn], queue: Sequence[Queued]) -> Tally:
    over = [each for each in turns if each.closed is not None and each.closed > census.since]
    waits = [each.waited for each in turns if each.opened > census.since]
    return Tally(
        name=name,
        queued=len(queue),
        oldest_s=max((max(0.0, census.at - each.ready) for each in queue), default=0.0),
        under_way=tuple(sorted(each.run for each in turns if each.closed is None)),
        turns=len(over),
        steps=sum(each.steps for each in turns),
        ended=sum(each.status in ENDS for each in over),
        blocked=sum(each.status == "blocked" for each in over),
        failed=sum(each.result in FAILED for each in over),
        lost=sum(each.result == LOST for each in over),
        wait_p50_s=quantile(waits, 0.50),
        wait_p95_s=quantile(waits, 0.95),
    )


def _workers(census: Census) -> tuple[Worker, ...]:
    names = sorted(
        {each.name for each in census.processes} | {each.worker for each in census.turns}
    )
    found = []
    for name in names:
        own = sorted(
            (each for each in census.processes if each.name == name),
            key=lambda each: (each.end is None, each.started),
        )
        turns = [each for each in census.turns if each.worker == name]
        if own:
            share = _share(_busy(census, turns), _room(census, own))
            found.append(Worker(own[-1], _tally(name, census, turns, ()), share))
    return tuple(found)


def _busy(census: Census, turns: Sequence[Turn]) -> float:
    return sum(_overlap(census, each.opened, each.closed) for each in turns)


def _room(census: Census, processes: Sequence[Process]) -> float:
    return sum(each.concurrency * _overlap(census, each.started, each.end) for each in processes)


def _overlap(census: Census, start: float, end: float | None) -> float:
    return max(0.0, (census.at if end is None else min(end, census.at)) - max(start, census.since))


def _share(part: float, whole: float) -> float | None:
    """A place is taken before its worker is registered and freed after it leaves, so limit the
    share to 1.
    """
    return min(1.0, part / whole) if whole > 0 else None


def _curves(census: Census) -> Curves:
    width = census.window_s / BUCKETS
    ends = [census.since + width * (at + 1) for at in range(BUCKETS)]

    def place(moment: float) -> int:
        return min(BUCKETS - 1, int((moment - census.since) / width))

    over = _over(census)
    waits: list[list[float]] = [[] for _ in ends]
    for each in census.turns:
        if each.opened > census.since:
            waits[place(each.opened)].append(each.waited)
    spans = [(each.ready, each.opened) for each in census.turns] + [
        (each.ready, None) for each in census.queue
    ]
    return Curves(
        ends=tuple(ends),
        queue=_standing(ends, [(start, end, 1) for start, end in spans]),
        busy=_standing(ends, [(each.opened, each.closed, 1) for each in census.turns]),
        places=_standing(
            ends, [(each.started, each.end, each.concurrency) for each in census.processes]
        ),
        wait_p50_s=tuple(quantile(each, 0.50) for each in waits),
        wait_p95_s=tuple(quantile(each, 0.95) for each in waits),
        ended=_counted(over, place, lambda each: each.status in ENDS),
        trouble=_counted(over, place, _troubled),
    )


def _over(census: Census) -> list[Turn]:
    return [each for each in census.turns if each.closed is not None and each.closed > census.since]


def _troubled(turn: Turn) -> bool:
    return turn.result == LOST or turn.result in FAILED


def _counted(
    turns: Sequence[Turn], place: Callable[[float], int], fits: Callable[[Turn], bool]
) -> tuple[int, ...]:
    found = [0] * BUCKETS
    for each in turns:
        if each.closed is not None and fits(each):
            found[place(each.closed)] += 1
    return tuple(found)


def _standing(
    ends: Sequence[float], spans: Sequence[tuple[float, float | None, int]]
) -> tuple[int, ...]:
    """The total weight of the spans that contain each moment; the last moment is now."""
    steps = [(start, weight) for start, end, weight in spans] + [
        (end, -weight) for _, end, weight in spans if end is not None
    ]
    steps.sort()
    found, at, sum_ = [], 0, 0
    for moment in ends:
        while at < len(steps) and steps[at][0] <= moment:
            sum_ += steps[at][1]
            at += 1
        found.append(sum_)
    return tuple(found)
