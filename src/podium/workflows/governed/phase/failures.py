"""After a phase failed: again, again with a hint, back to the planner, or to a person.

Budgets count per phase: each class has its own, all classes share one, and a number of failures of
the same class in a row ends the phase. `core.retry` does the arithmetic; this module gives it the
policy's numbers and the failure classes.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from podium.core import retry
from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.terms import CLASSES, FailureClass, Tier

Action = Literal["retry", "retry_with_hint", "retry_other_model", "replan", "sleep", "escalate"]
_ACTIONS: Mapping[str, Action] = {
    "transient": "retry",
    "fixable": "retry_with_hint",
    "needs_replan": "replan",
    "model_unavailable": "retry_other_model",
    "escalate": "retry",
}
"""What a class's budget is spent on; the policy gives `escalate` none unless a person changed
it.
"""
_RULES: Mapping[str, str] = {
    "limits.transient": "retry_budgets.transient_max",
    "limits.fixable": "retry_budgets.fixable_max",
    "limits.needs_replan": "retry_budgets.needs_replan_max",
    "limits.escalate": "retry_budgets.escalate_max",
    "limits.model_unavailable": "retry_budgets.model_unavailable_max",
    "repeat_escalation": "stagnation_detection.same_phase_failure_escalation_threshold",
    "total": "retry_budgets.max_retries_per_phase",
}
_SEEN: Mapping[str, FailureClass] = {
    "empty": "transient",
    "garbage": "transient",
    "artifact": "transient",
    "malformed": "transient",
    "timeout": "transient",
    "rate_limit": "transient",
    "crash": "transient",
    "model_unavailable": "model_unavailable",
    "violation": "fixable",
    "validation": "fixable",
    "build_failed": "fixable",
    "tests_failed": "fixable",
    "lint_failed": "fixable",
    "review_blocked": "fixable",
    "needs_replan": "needs_replan",
    "scope_drift": "needs_replan",
    "contract_drift": "needs_replan",
    "not_dispatchable": "escalate",
    "budget": "escalate",
}
"""What the program itself saw, to its failure class; anything unlisted escalates."""
DIAGNOSED: frozenset[Tier] = frozenset({"MEDIUM", "LARGE"})
"""Tiers in which a fix is retried only with a diagnosis."""


_OVERFLOW = re.compile(
    (
        r"context[ _](?:length|window|limit|size)|(?:prompt|input|request) (?:is )?too "
        r"(?:long|large)|maximum context|too many tokens"
    ),
    re.IGNORECASE,
)
"""How services say that a model was given more than it can hold."""


@dataclass(frozen=True)
class PhaseFailure:
    """One failure of one phase, as a run remembers it."""

    classification: FailureClass
    reason: str = ""
    reset_s: float | None = None
    """For a usage limit: in how many seconds it ends, if the service said so."""


@dataclass(frozen=True)
class FailureRoute:
    """The next move after a phase's last failure."""

    action: Action
    classification: FailureClass
    retry_attempt: int = 0
    """The number of the retry that follows, from 1; the next delegation contains it."""
    delay_s: float = 0.0
    hint: str = ""
    rule: str = ""
    """The policy number that ended it, by its dotted name."""
    reason: str = ""


def classify(seen: str, said: str = "") -> FailureClass:
    """The class of a failure: what the program saw wins, else what the report said, else a
    person decides.
    """
    if seen:
        return _SEEN.get(seen, "escalate")
    return next((each for each in CLASSES if each == said), "escalate")


def retry_policy(policy: Policy, backoff_s: float) -> retry.Policy:
    """The policy's numbers in the form of `core.retry`."""
    repeat = policy.flag("stagnation_detection.same_classification_repeat_escalation")
    return retry.Policy(
        limits={name: policy.integer(f"retry_budgets.{name}_max") for name in CLASSES},
        total=policy.integer("retry_budgets.max_retries_per_phase"),
        backoff_s=backoff_s,
        repeat_escalation=policy.integer(
            "stagnation_detection.same_phase_failure_escalation_threshold"
        )
        if repeat
        else None,
    )


def route_failure(
    history: Sequence[PhaseFailure], policy: Policy, backoff_s: float = 2.0
) -> FailureRoute:
    """The move after the last of a phase's failures, which are ordered oldest first."""
    last = history[-1]
    if last.reset_s is not None:
        waits = f"a usage limit ends in {last.reset_s:g} s"
        return FailureRoute(
            "sleep", last.classification, _retries(history), max(0.0, last.reset_s), reason=waits
        )
    if action := breaker(overflows(history), policy):
        rule = "compaction.max_consecutive_failures"
        return FailureRoute(
            "escalate", last.classification, rule=rule, reason=f"{action}: {last.reason}"
        )
    counted = [each for each in history if each.reset_s is None]
    attempts = [
        retry.Attempt(number, False, each.classification, each.reason)
        for number, each in enumerate(counted, 1)
    ]
    move = retry.decide(attempts, retry_policy(policy, backoff_s))
    if isinstance(move, retry.Retry):
        action = _ACTIONS[last.classification]
        hint = last.reason if action in {"retry_with_hint", "replan"} else ""
        return FailureRoute(
            action, last.classification, len(counted), move.delay_s, hint, reason=last.reason
        )
    rule = _RULES.get(move.rule, "") if isinstance(move, retry.GiveUp) else ""
    return FailureRoute("escalate", last.classification, rule=rule, reason=last.reason)


def _retries(history: Sequence[PhaseFailure]) -> int:
    return sum(each.reset_s is None for each in history)


def diagnosis_fault(tier: Tier, report: Mapping[str, Any], policy: Policy) -> str:
    """What the report lacks if a fix is to be retried: on larger plans a diagnosis; empty if
    nothing is missing.

    Only reports of the later generation can contain one.
    """
    if policy.generation != "2026-06" or tier not in DIAGNOSED:
        return ""
    if "diagnosis_evidence" in report:
        return ""
    return (
        "diagnosis_evidence is missing: reproduction_steps, root_cause_hypothesis and "
        "affected_component"
    )


def overflows(history: Sequence[PhaseFailure]) -> int:
    """How many of the last failures in a row were caused by more context than the agent can
    hold.
    """
    last = list(itertools.takewhile(lambda each: _OVERFLOW.search(each.reason), reversed(history)))
    return len(last)


def breaker(consecutive_failures: int, policy: Policy) -> str:
    """What follows from context that could not be reduced: empty means try again, else the
    policy's word.
    """
    most = policy.integer("compaction.max_consecutive_failures")
    return policy.text("compaction.circuit_breaker_action") if consecutive_failures > most else ""
