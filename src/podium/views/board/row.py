"""One line of the board: a stage, a gate, a check, a cluster, one of its members, or a child
run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from podium.core.effects import Check, Cluster, Effect, FanOut, Gate, Stage
from podium.views import figures

State = Literal["pending", "running", "done", "failed", "waiting", "stale", "skipped"]
Kind = Literal["stage", "cluster", "gate", "check", "fan_out", "visit", "member", "child"]

OUTCOMES: dict[str, State] = {
    "ok": "done",
    "revise": "failed",
    "fail": "failed",
    "abstain": "skipped",
    "needs_input": "waiting",
}
OVER = frozenset({"done", "skipped"})
"""States that need nobody's attention any more."""


@dataclass(eq=False)
class Row:
    name: str
    """What people call it: the first part of its keys, a member's name, a child's key below its
    step.
    """
    kind: Kind = "stage"
    state: State = "pending"
    key: str = ""
    """The key it last ran under."""
    role: str = ""
    title: str = ""
    """For a child run: what it is about."""
    round: int = 0
    """The number of the round; 0 before the first."""
    attempt: int = 0
    """For a child run: which attempt at its item, as its own state counts them; 0 if it does
    not.
    """
    attempts: int = 0
    """How many attempts there can be."""
    tries: int = 1
    """Dispatches under this key so far, including the running one."""
    limit: int | None = None
    """How many attempts the rules allow, if the journal says so."""
    started: str = ""
    finished: str = ""
    verdict: str = ""
    """The agent's own word."""
    last: str = ""
    """The last thing that happened in it."""
    commit: str = ""
    """For a child run: the commit that contains its work."""
    told: bool = False
    """For a check: whether the row of what it judged shows its verdict."""
    children: dict[str, Row] = field(default_factory=dict)

    def seconds(self, now: float | None = None) -> float | None:
        """How long this round took, or has been taking; None before it starts."""
        if self.finished:
            return figures.between(self.started, self.finished)
        began = figures.moment(self.started)
        return (
            None
            if began is None or now is None or self.state != "running"
            else max(0.0, now - began)
        )

    def effort(self) -> str:
        """`round 2`, `round 2 try 3/4` within it, `attempt 2 of 3`; empty if everything worked
        at once.
        """
        words = [f"round {self.round}"] if self.round > 1 else []
        if self.attempt > 1:
            words.append(
                f"attempt {self.attempt}"
                + (f" of {self.attempts}" if self.attempts >= self.attempt else "")
            )
        if self.tries > 1:
            words.append(f"try {self.tries}" + (f"/{self.limit}" if self.limit else ""))
        return " ".join(words)

    def now_at(self) -> str:
        """For a child run: the step it is at, or was last."""
        inner = [row for row in self.children.values() if row.key]
        return (
            inner[-1].name + (f" {inner[-1].effort()}" if inner[-1].effort() else "")
            if inner
            else ""
        )

    def over(self) -> tuple[int, int]:
        """How many of the rows below it are over, and how many there are."""
        return sum(each.state in OVER for each in self.children.values()), len(self.children)

    def walk(self) -> Iterator[Row]:
        yield self
        for each in self.children.values():
            yield from each.walk()


def kind_of(effect: Effect) -> Kind:
    match effect:
        case Gate():
            return "gate"
        case Cluster():
            return "cluster"
        case Check():
            return "check"
        case FanOut():
            return "fan_out"
        case Stage():
            return "stage"


def parts(key: str, base: str) -> tuple[int, str]:
    """(round, member) of a key below a base: `plan-review/3/plan-auditor` is (3,
    `plan-auditor`).
    """
    rest = key[len(base) :].lstrip("/") if key == base or key.startswith(f"{base}/") else key
    first, _, member = rest.partition("/")
    if first.isdecimal():
        return int(first[:9]), member
    return 1, rest
