"""From an executor's report and a code review to a judgement: classes, hazards, blockers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.core.effects import Report
from podium.core.verdict import Judgement
from podium.proof.evidence import holds, state_of
from podium.proof.sentences import line_of
from podium.workflows.governed.exchange.delegations import Delegation
from podium.workflows.governed.exchange.events import exchanged, gate, phase_of
from podium.workflows.governed.exchange.identity import doubtful
from podium.workflows.governed.payloads.questions import asks_nothing
from podium.workflows.governed.phase.brief import over_budget_class, too_many_changes
from podium.workflows.governed.phase.failures import classify
from podium.workflows.governed.phase.hazards import Hazard, Repository, seen_hazards
from podium.workflows.governed.phase.patches import read_patch
from podium.workflows.governed.phase_reports import read_phase_report
from podium.workflows.governed.plan.plan import from_data
from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.review.code_review import decide_review, read_code_review
from podium.workflows.governed.run import PhaseRun

NEXT = {"passes": "mark the phase", "again": "ask once more", "ask": "ask a person"}
BACK = {
    "fixable": "back to the executor",
    "needs_replan": "back to the planner",
    "escalate": "ask a person",
}
_SEEN: Mapping[str, str] = {"contract": "violation", "validation": "validation"}
"""Why a dispatch gave up, to what was seen; anything else is a missing or unreadable answer."""


def unanswered(run: PhaseRun) -> list[str]:
    """Class and reason of a dispatch that came to no verdict."""
    return [classify(_SEEN.get(run.stop, "malformed")), run.reason or "no answer"]


def judge_report(policy: Policy, sent: Delegation, report: Report) -> Judgement:
    """A report as it counts: with the program's own list of changes, its evidence, and
    unapproved hazards.
    """
    run, said = report.run, report.verdict
    assert isinstance(run, PhaseRun)
    data = dict(said.data)
    facts = exchanged(sent, data, run.phase_id)
    doubts = doubtful(data, run.trace_id)
    sets: dict[str, Any] = {
        "report": data,
        "failing": [],
        "question": {},
        "review": {},
        "asked_again": False,
    }
    sets["ran"] = {str(each["name"]): holds(each) for each in report.evidence}
    sets["proof"] = [line_of(each) for each in report.evidence if state_of(each)]
    # Commands that ran have run, however the report ends. Refused work never lands, so its changes
    # need not be
    # examined.
    if hazards := _unapproved(report, run, policy, changes=said.outcome == "ok"):
        return _risky(run, policy, hazards, sets, facts)
    if said.outcome == "needs_input" and asks_nothing(data):
        sets["failing"] = ["escalate", said.reason]
        return Judgement("fail", said.word, said.reason, "fail", sets=sets, facts=facts)
    if said.outcome == "needs_input":
        asked = data.get("clarification_request")
        sets["question"] = dict(asked) if isinstance(asked, Mapping) else {}
        return Judgement("needs_input", said.word, said.reason, sets=sets, facts=facts)
    if said.outcome != "ok":
        known = read_phase_report(data)
        unfinished = said.outcome == "revise" and known.outcome == "ok"
        kind = classify("validation") if unfinished else known.classification
        # Wherever a failure is shown, its class is shown with the reason.
        sets["failing"] = [kind, said.reason.removeprefix(f"{kind}: ") or said.word]
        return Judgement("fail", said.word, said.reason, "fail", sets=sets, facts=facts)
    if much := too_many_changes(from_data(run.plan), report.changed, policy):
        sets["failing"] = [over_budget_class(from_data(run.plan), policy), much]
        return Judgement("fail", said.word, much, "fail", sets=sets, facts=facts)
    sets |= {
        "changed": sorted({*run.changed, *report.changed}),
        "advice": list(read_phase_report(data).advice),
    }
    return Judgement("ok", said.word, said.reason, "", doubts, sets=sets, facts=facts)


def judge_wreck(policy: Policy, report: Report) -> Judgement | None:
    """A dispatch that failed before it could be judged, if it ran unapproved high-risk commands."""
    run = report.run
    assert isinstance(run, PhaseRun)
    hazards = _unapproved(report, run, policy, changes=False)
    sets: dict[str, Any] = {
        "report": {},
        "failing": [],
        "question": {},
        "review": {},
        "asked_again": False,
    }
    return _risky(run, policy, hazards, sets, ()) if hazards else None


def _unapproved(report: Report, run: PhaseRun, policy: Policy, *, changes: bool) -> list[Hazard]:
    found = seen_hazards(
        read_patch(report.patch) if changes else (),
        report.commands,
        policy,
        Repository(report.branch, published=report.published),
    )
    return [each for each in found if each.action not in run.allowed]


def _risky(
    run: PhaseRun,
    policy: Policy,
    hazards: Sequence[Hazard],
    sets: dict[str, Any],
    facts: Sequence[Mapping[str, Any]],
) -> Judgement:
    """None of such work lands in the project before a person approves: until then it counts as
    failed.
    """
    reason = "; ".join(f"{each.action}: {each.evidence}" for each in hazards)
    event = gate(
        run,
        policy,
        "HIGH_RISK_APPROVAL_GATE",
        "WAITING_APPROVAL",
        "BLOCKED",
        reason,
        "ask a person",
        phase_id=run.phase_id,
        needs_person=True,
        checks=("destructive_action_checked",),
    )
    sets["hazards"] = [[each.action, each.evidence] for each in hazards]
    return Judgement("fail", "high risk", reason, "high_risk", sets=sets, facts=(*facts, event))


def judge_review(policy: Policy, sent: Delegation, report: Report) -> Judgement:
    """Blockers are computed from the issues; the headline does not count."""
    run, said = report.run, report.verdict
    assert isinstance(run, PhaseRun)
    data = dict(said.data)
    review = read_code_review(data)
    found = decide_review(review, asked_again=run.asked_again)
    sets: dict[str, Any] = {"review": data, "advice": list(found.advice)}
    outcome = {"passes": "passes", "again": "again", "ask": "ask"}.get(found.kind, "blocked")
    if outcome == "blocked":
        sets["failing"] = [review.blocked_as, "; ".join(map(str, found.blockers))]
    decision = {"passes": "GO", "blocked": "REPLAN"}.get(outcome, "ABSTAIN")
    here = phase_of(run.plan, run.phase_id)
    event = gate(
        run,
        policy,
        "PHASE_REVIEW_GATE",
        "REVIEWING" if outcome != "ask" else "WAITING_APPROVAL",
        decision,
        f"{here.name}: {found.reason}",
        NEXT.get(outcome) or BACK[review.blocked_as],
        phase_id=run.phase_id,
        needs_person=outcome == "ask",
        confidence=review.confidence,
    )
    facts = (*exchanged(sent, data, run.phase_id), event)
    wrong = (*review.contradictions, *doubtful(data, run.trace_id, "phase"))
    return Judgement(
        "ok" if outcome == "passes" else "revise",
        said.word,
        found.reason,
        outcome,
        contradictions=wrong,
        sets=sets,
        facts=facts,
    )
