"""What each agent's object means: read against its schema, then weighed; the headline alone
never counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from podium.core.verdict import Dialect, MalformedVerdict, Outcome, Verdict
from podium.workflows.governed.payloads.good import good_answer
from podium.workflows.governed.payloads.payloads import payload_faults
from podium.workflows.governed.payloads.questions import (
    SOME_QUESTION,
    asks_nothing,
    question_faults,
    unanswerable,
)
from podium.workflows.governed.payloads.tool_schema import tool_schema
from podium.workflows.governed.payloads.vocabulary import told
from podium.workflows.governed.phase_reports import read_phase_report
from podium.workflows.governed.plan.checks import check_plan
from podium.workflows.governed.plan.reading import read_object
from podium.workflows.governed.review.code_review import decide_review, read_code_review
from podium.workflows.governed.review.plan_audits import read_review
from podium.workflows.governed.roster import BY_ROLE, ROSTER
from podium.workflows.governed.terms import GENERATIONS, LATEST, Generation

MOST_SAID = 5
_AUDITED: Mapping[str, Outcome] = {
    "APPROVED": "ok",
    "PASS": "ok",
    "COMPLETE": "ok",
    "NEEDS_REVISION": "revise",
    "WARN": "revise",
    "FAIL": "revise",
    "REJECTED": "fail",
    "ABSTAIN": "abstain",
}


def dialect_name(role: str, generation: Generation = LATEST) -> str:
    """The same object may be an answer in one generation and none in the other."""
    return f"governed-{role}" if generation == LATEST else f"governed-{role}@{generation}"


def read_answer(role: str, generation: Generation, data: Mapping[str, Any]) -> Verdict:
    """The verdict in an agent's object; MalformedVerdict names the exact faults."""
    if role == "planner":
        return _planned(data, generation)
    schema = BY_ROLE[role].schema
    faults: Sequence[Any] = payload_faults(schema, data, generation)
    if faults and asks_nothing(data):
        # The report goes to a person anyway: asking the agent for the question would cost the phase
        # its retries.
        complete = {**data, "clarification_request": SOME_QUESTION}
        faults = payload_faults(schema, complete, generation)
    if faults:
        raise MalformedVerdict(_few(list(map(str, faults))))
    if role == "code-reviewer":
        return _code_reviewed(data)
    if BY_ROLE[role].part == "reviewer":
        return _plan_reviewed(role, data)
    return _executed(data)


def _few(faults: list[str]) -> str:
    rest = len(faults) - MOST_SAID
    return "; ".join(faults[:MOST_SAID]) + (f"; and {rest} more" if rest > 0 else "")


def _planned(data: Mapping[str, Any], generation: Generation) -> Verdict:
    found = read_object(data, generation)
    if found.plan is None:
        raise MalformedVerdict(_few(list(found.faults)))
    word = found.plan.status
    if word == "ABSTAIN" or found.plan.abstaining:
        return Verdict("abstain", word, "; ".join(found.plan.abstain_reasons), data)
    wrong = check_plan(found.plan).replan
    return Verdict("revise" if wrong else "ok", word, _few(list(wrong)), data)


def _executed(data: Mapping[str, Any]) -> Verdict:
    report = read_phase_report(data)
    if report.outcome == "needs_input" and asks_nothing(data):
        return Verdict(report.outcome, report.status, unanswerable(data)[0], data)
    if report.outcome == "needs_input" and report.question is None:
        raise MalformedVerdict(_few(list(question_faults(data["clarification_request"]))))
    reason = "; ".join(report.contradictions)
    if report.outcome == "ok" and not report.done:
        return Verdict("revise", report.status, reason, data)
    if report.outcome == "fail":
        reason = (
            f"{report.classification}: {'; '.join(data.get('next_steps', ())) or 'no reason given'}"
        )
    if report.outcome == "abstain" and not reason:
        reason = "; ".join(map(str, data.get("abstain", {}).get("reasons", ())))
        reason = f"{report.status}: {reason}" if reason else ""
    return Verdict(report.outcome, report.status, reason, data)


def _code_reviewed(data: Mapping[str, Any]) -> Verdict:
    review = read_code_review(data)
    decision = decide_review(review)
    outcome = read_phase_report(data).outcome
    blockers = [str(each) for each in decision.blockers]
    return Verdict(outcome, review.status, _few(blockers) or decision.reason, data)


def _plan_reviewed(role: str, data: Mapping[str, Any]) -> Verdict:
    review = read_review(role, data)
    outcome = _AUDITED[review.status]
    if outcome == "ok" and review.blocking:
        outcome = "revise"
    said = [*review.contradictions, *map(str, review.findings)]
    return Verdict(
        outcome, review.status, _few(said) if said else str(data["recommendation"])[:500], data
    )


DIALECTS: Mapping[str, Dialect] = {
    dialect_name(each.role, generation): Dialect(
        name=dialect_name(each.role, generation),
        read=partial(read_answer, each.role, generation),
        # A planner may write its plan, send it as data, or both.
        required=each.role != "planner",
        good=good_answer(each.role, generation),
        told=told(each.role, generation),
        stored=partial(tool_schema, each.role, generation),
    )
    for each in ROSTER
    for generation in GENERATIONS
}
