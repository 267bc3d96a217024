"""What follows from one round of plan review: approve, rehearse, revise, ask again, or ask a
person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.review.plan_audits import Finding, Review
from podium.workflows.governed.review.scope import ASSUMPTIONS, AUDITOR, EXECUTABILITY, ReviewScope
from podium.workflows.governed.terms import Tier

Kind = Literal["approved", "rehearse", "revise", "again", "ask"]
LEAST_AUDITS, LEAST_GAIN = 3, 5.0
CONVERGED, STAGNATED, USED_UP = "Converged", "Stagnation detected", "Max iterations reached"
"""The only words that a session's outcome has for the end of a review."""


@dataclass(frozen=True)
class Round:
    """One finished audit, as a run remembers it."""

    audit: int
    """From 1."""
    score: float
    plan: str = ""
    """Path or digest of the version that was audited."""
    findings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Progress:
    """How far a plan's review has come."""

    revisions: int = 0
    """How often the plan went back to the planner; bounded by the tier."""
    rounds: tuple[Round, ...] = ()
    """Finished audits, including the one being decided."""
    asked_again: frozenset[str] = frozenset()
    """Reviewers that already abstained in this round."""


@dataclass(frozen=True)
class RoundDecision:
    """The next move, and why."""

    kind: Kind
    reason: str
    rule: str = ""
    """If a person decides: rejected, abstained, stagnation or revisions."""
    roles: tuple[str, ...] = ()
    """For another try: the reviewers that are asked again."""
    findings: tuple[Finding, ...] = ()
    """What the planner must fix, or a person should know."""
    best: Round | None = None
    """If a person decides: the best version so far."""


def decide_round(
    scope: ReviewScope,
    reviews: Mapping[str, Review],
    regressions: Sequence[Finding],
    progress: Progress,
    tier: Tier,
    policy: Policy,
) -> RoundDecision:
    """The move after the reviews at hand; the rehearsal is requested only once the others
    approve.
    """
    missing = [role for role in scope.first if role not in reviews]
    if missing:
        raise ValueError(f"{', '.join(missing)} did not answer; a round is decided when all have")
    audit = reviews.get(AUDITOR)
    findings = _findings(reviews, regressions)
    if audit is not None and audit.status == "REJECTED":
        return RoundDecision(
            "ask",
            "the auditor rejects the plan",
            "rejected",
            findings=findings,
            best=best_round(progress.rounds),
        )
    if silent := _abstained(scope, reviews):
        return _after_abstention(scope, silent, progress)
    if reason := _refused(reviews, regressions):
        return _revise(reason, findings, progress, tier, policy)
    rehearsal = reviews.get(EXECUTABILITY)
    if EXECUTABILITY in scope.reviewers and rehearsal is None:
        return RoundDecision("rehearse", "the reviewers approve; now the plan is rehearsed")
    if rehearsal is not None and not rehearsal.abstains and rehearsal.status != "PASS":
        return _revise(f"the rehearsal says {rehearsal.status}", findings, progress, tier, policy)
    return RoundDecision("approved", _praise(scope, reviews), findings=findings)


def _abstained(scope: ReviewScope, reviews: Mapping[str, Review]) -> tuple[str, ...]:
    """Required reviewers that abstained."""
    return tuple(role for role, each in reviews.items() if each.abstains and role in scope.required)


def _after_abstention(
    scope: ReviewScope, silent: Sequence[str], progress: Progress
) -> RoundDecision:
    fresh = tuple(
        role for role in scope.reviewers if role in silent and role not in progress.asked_again
    )
    if fresh:
        return RoundDecision(
            "again", f"{', '.join(fresh)} abstained and is asked once more", roles=fresh
        )
    reason = f"{', '.join(silent)} abstained twice"
    return RoundDecision("ask", reason, "abstained", best=best_round(progress.rounds))


def _refused(reviews: Mapping[str, Review], regressions: Sequence[Finding]) -> str:
    audit, assumptions = reviews.get(AUDITOR), reviews.get(ASSUMPTIONS)
    said = []
    if audit is not None and not audit.abstains and audit.status != "APPROVED":
        said.append(f"the auditor says {audit.status}")
    if assumptions is not None and not assumptions.abstains and assumptions.blocking:
        said.append(f"{len(assumptions.blocking)} blocking mirages")
    if regressions:
        said.append(f"{len(regressions)} regressions")
    return "; ".join(said)


def _revise(
    reason: str, findings: tuple[Finding, ...], progress: Progress, tier: Tier, policy: Policy
) -> RoundDecision:
    best = best_round(progress.rounds)
    if stagnates([each.score for each in progress.rounds]):
        return RoundDecision(
            "ask",
            f"{reason}; the last two revisions brought next to nothing",
            "stagnation",
            findings=findings,
            best=best,
        )
    limit = policy.max_revisions(tier)
    if progress.revisions >= limit:
        return RoundDecision(
            "ask",
            f"{reason}; all {limit} revisions of a {tier} plan are used",
            "revisions",
            findings=findings,
            best=best,
        )
    return RoundDecision("revise", reason, findings=findings)


def _findings(reviews: Mapping[str, Review], regressions: Sequence[Finding]) -> tuple[Finding, ...]:
    return (*regressions, *(found for each in reviews.values() for found in each.findings))


def _praise(scope: ReviewScope, reviews: Mapping[str, Review]) -> str:
    if not scope.reviewers:
        return "no review is asked for"
    silent = [role for role, each in reviews.items() if each.abstains]
    return "every reviewer approves" + (
        f"; {', '.join(silent)} abstained and was not required" if silent else ""
    )


def stagnates(scores: Sequence[float]) -> bool:
    """From the third audit on: less than 5 points and less than 5 percent gained over the last
    two.
    """
    if len(scores) < LEAST_AUDITS:
        return False
    before, now = scores[-3], scores[-1]
    gain = now - before
    return gain < LEAST_GAIN and (gain <= 0 or gain < before * LEAST_GAIN / 100)


def best_round(rounds: Sequence[Round]) -> Round | None:
    """The round with the highest score; the latest if several have it."""
    return max(rounds, key=lambda each: (each.score, each.audit), default=None)


def convergence(kind: str, rule: str) -> str:
    """How a review ended, in the words of a session's outcome; empty if it did not end by
    itself.
    """
    if kind == "approved":
        return CONVERGED
    return {"stagnation": STAGNATED, "revisions": USED_UP}.get(rule, "")
