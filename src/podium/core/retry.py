"""What to do after a failed dispatch: retry, repair, sleep, ask, or give up. Decides, does nothing.

One history belongs to one visit of one step: a new visit has fresh limits. Every class of failure
has its own limit, all together may have one, and a number of failures of one class in a row may end
the visit earlier; the decision names the rule that ended it. A dispatch that the service refused
with a time to come back did no work, nor did one that waits at a prompt nobody answered: neither
counts towards any limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

DEFAULT_LIMITS: Mapping[str, int] = {
    "violation": 1,
    "validation": 3,
    "crash": 0,
    "timeout": 0,
    "rate_limit": 3,
}
"""Retries by class; a class that is not named has none."""

ARTIFACT = "artifact"
ERROR = "error"
"""A contract with a limit for this class retries after any error of its agent, crashes and
timeouts included.
"""
TRANSIENT = "transient"
"""A contract with a limit for this class retries, later each time, after silence and after
repairs that did not help.
"""
MENDED = frozenset({"empty", "garbage"})
"""Unusable answers that an agent is asked to repair, unless its contract has a limit for
silence.
"""
TOTAL = "total"
"""A contract's limit on retries and repairs of all classes together."""
_COUNTS_AS: Mapping[str, str] = {"empty": ARTIFACT, "garbage": ARTIFACT}
_PASSING = frozenset({"rate_limit", "crash", "timeout", "transient"})
"""Classes that time alone may cure; for the others, waiting is useless."""
LONGEST_DELAY_S = 900.0


@dataclass(frozen=True)
class Attempt:
    """One failed dispatch of a visit."""

    number: int
    repair: bool
    """Whether it was a repair of an earlier answer."""
    failure: str
    """What went wrong, as one word: a classification, `empty` or `garbage`."""
    detail: str = ""
    reset_s: float | None = None
    """For a rate limit: the seconds until it ends, if the service said so."""


@dataclass(frozen=True)
class Policy:
    limits: Mapping[str, int] = field(default_factory=dict)
    """Retries by class, which override DEFAULT_LIMITS."""
    total: int | None = None
    """Retries and repairs of one visit together."""
    backoff_s: float = 30.0
    """First delay for classes that time may cure; it doubles each time."""
    repair_attempts: int = 1
    repeat_escalation: int | None = None
    """This many failures of one class in a row end the visit, whatever retries are left."""

    def limit(self, classification: str) -> int:
        if classification == ARTIFACT:
            return self.repair_attempts
        return self.limits.get(classification, DEFAULT_LIMITS.get(classification, 0))


@dataclass(frozen=True)
class Retry:
    """Repeat the whole dispatch."""

    classification: str
    attempt: int
    """Which retry of its class this is, from 1."""
    limit: int
    delay_s: float


@dataclass(frozen=True)
class Repair:
    """Ask once more, with the exact fault."""

    attempt: int


@dataclass(frozen=True)
class Sleep:
    """A durable pause, then the same dispatch again."""

    seconds: float


@dataclass(frozen=True)
class Park:
    """A person must answer the agent's prompt; then the same dispatch continues."""

    detail: str


@dataclass(frozen=True)
class GiveUp:
    classification: str
    rule: str
    """The member of the policy that forbids more: `limits.<class>`, `repair_attempts`,
    `repeat_escalation` or `total`.
    """


Move = Retry | Repair | Sleep | Park | GiveUp


def classification(failure: str) -> str:
    """The class that a failure counts towards."""
    return _COUNTS_AS.get(failure, failure)


def mended(own: Mapping[str, int]) -> frozenset[str]:
    """Unusable answers that are repaired, under a contract's own limits."""
    return MENDED - {"empty"} if TRANSIENT in own else MENDED


def as_error(failure: str, own: Mapping[str, int]) -> str:
    """The failure's class under a contract's own limits."""
    if failure in MENDED - mended(own):
        return TRANSIENT
    return ERROR if ERROR in own and failure in {"crash", "timeout"} else failure


def next_move(history: Sequence[Attempt], policy: Policy, own: Mapping[str, int]) -> Move:
    """`decide` with the run's policy, overridden by a contract's own limits."""
    kind = history[-1].failure
    if TOTAL in own and kind != "rate_limit":
        # A busy service is nobody's failure: it has its own limit and uses up no other.
        history = [each for each in history if each.failure != "rate_limit"]
    limits = {**policy.limits, **{name: limit for name, limit in own.items() if name != TOTAL}}
    total = policy.total if kind == "rate_limit" else own.get(TOTAL, policy.total)
    over = replace(policy, limits=limits, total=total)
    move = decide(history, over)
    if isinstance(move, GiveUp) and move.rule == "repair_attempts" and TRANSIENT in own:
        return _silent(history, over)
    return move


def _silent(history: Sequence[Attempt], policy: Policy) -> Move:
    """A contract may have a limit for answers that stay unusable after their repairs; then they
    are retried later.
    """
    used = sum(each.failure == TRANSIENT for each in history)
    limit = policy.limit(TRANSIENT)
    if used >= limit:
        return GiveUp(TRANSIENT, f"limits.{TRANSIENT}")
    return Retry(TRANSIENT, used + 1, limit, _delay(policy, TRANSIENT, used))


def decide(history: Sequence[Attempt], policy: Policy) -> Move:
    """The next move after the last of a visit's failed attempts, oldest first."""
    last = history[-1]
    if last.failure == "parked":
        return Park(last.detail)
    if _refused(last):
        return Sleep(max(0.0, last.reset_s or 0.0))
    counted = [each for each in history if each.failure != "parked" and not _refused(each)]
    kind = classification(last.failure)
    used = _used(counted, kind)
    if rule := _bitten(counted, policy, kind, used):
        return GiveUp(kind, rule)
    if kind == ARTIFACT:
        return Repair(used + 1)
    return Retry(kind, used + 1, policy.limit(kind), _delay(policy, kind, used))


def _refused(attempt: Attempt) -> bool:
    return attempt.failure == "rate_limit" and attempt.reset_s is not None


def _used(counted: Sequence[Attempt], kind: str) -> int:
    """How much of the class's limit is used: repairs made, or failures of the class before this
    one.
    """
    if kind == ARTIFACT:
        return sum(each.repair for each in counted)
    return sum(classification(each.failure) == kind for each in counted) - 1


def _bitten(counted: Sequence[Attempt], policy: Policy, kind: str, used: int) -> str:
    """The rule that forbids another dispatch, the most specific first; empty if none does."""
    if used >= policy.limit(kind):
        return "repair_attempts" if kind == ARTIFACT else f"limits.{kind}"
    if policy.repeat_escalation is not None and _in_a_row(counted) >= policy.repeat_escalation:
        return "repeat_escalation"
    if policy.total is not None and len(counted) > policy.total:
        return "total"
    return ""


def _in_a_row(counted: Sequence[Attempt]) -> int:
    kinds = [classification(each.failure) for each in reversed(counted)]
    return next((n for n, kind in enumerate(kinds) if kind != kinds[0]), len(kinds))


def _delay(policy: Policy, kind: str, used: int) -> float:
    """No jitter: the same history gives the same delay, and the agents of one run are too few to
    crowd a service.
    """
    if kind not in _PASSING:
        return 0.0
    # The exponent is capped, because a float overflows long before a generous limit is reached.
    return min(LONGEST_DELAY_S, policy.backoff_s * 2.0 ** min(used, 64))


def worst_dispatches(policy: Policy, classes: Iterable[str]) -> int:
    """The most dispatches that one visit can cost if it fails only in these classes."""
    kinds = {classification(each) for each in classes} - {"parked"}
    spent = sorted((max(0, policy.limit(kind)) for kind in kinds), reverse=True)
    if not spent:
        return 1
    most, rest = spent[0], sum(spent[1:])
    if policy.repeat_escalation is not None:
        # The commonest class fits only between failures of the others: one more stretch than there
        # are of them.
        stretch = max(0, policy.repeat_escalation - 1)
        most, rest = min(most, stretch * (rest + 1)), rest if stretch else 0
    again = most + rest
    return 1 + (again if policy.total is None else min(again, max(0, policy.total)))
