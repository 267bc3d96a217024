"""The decisions of a governed run: about its plan, its review, its waves and its end. Each is a gate event, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.core.run import Run, Status
from podium.core.verdict import Judgement
from podium.workflows.governed import paths, session_outcome
from podium.workflows.governed.approvals import wave_approvals
from podium.workflows.governed.code_review import read_code_review
from podium.workflows.governed.events import gate
from podium.workflows.governed.final_review import decide_final, planned_and_actual
from podium.workflows.governed.notes import Notes, write_notes
from podium.workflows.governed.phase_checklist import Checklist
from podium.workflows.governed.phase_documents import PhaseRecord, write_complete, write_final_review
from podium.workflows.governed.plan import Plan, from_data, to_data
from podium.workflows.governed.plan_audits import read_review, round_score
from podium.workflows.governed.plan_output import settle_plan
from podium.workflows.governed.policy import Policy
from podium.workflows.governed.review_round import Progress, Round, convergence, decide_round
from podium.workflows.governed.review_scope import review_scope
from podium.workflows.governed.run import GovernedRun, PhaseRun
from podium.workflows.governed.session_outcome import SessionOutcome, outcome_status
from podium.workflows.governed.todos import first_todos
from podium.workflows.governed.wave_schedule import first_limit, next_wave, throttled

Texts = Mapping[str, str | None]
Evidence = Sequence[Mapping[str, Any]]


def plan_of(run: GovernedRun) -> Plan:
    return from_data(run.plan)


def check_plan(run: GovernedRun, texts: Texts, _found: Evidence, policy: Policy) -> Judgement:
    """What the planner or a person wrote, read whole; a plan that cannot be carried out goes back with every fault."""
    text = texts.get(paths.plan_path(run.task)) or texts.get(run.given) or ""
    found = settle_plan(text)
    if found.plan is None or found.faults:
        return Judgement("fail", "unreadable", "; ".join(found.faults) or "there is no plan", "unreadable", stop="plan")
    plan = found.plan
    sets: dict[str, Any] = {
        "plan": to_data(plan),
        "tier": plan.complexity_tier,
        "waves": [[each.phase_id for each in phases] for _, phases in plan.waves],
        "reviewers": list(review_scope(plan, policy).reviewers),
        "todos": [[each.phase_id, each.title, each.done] for each in first_todos(plan)],
        "limit": first_limit(plan, policy),
        "drafts": run.drafts + 1,
    }
    writes = {paths.plan_path(run.task): text} if run.given and not texts.get(paths.plan_path(run.task)) else {}
    if plan.abstaining or plan.status == "ABSTAIN":
        return Judgement("fail", "ABSTAIN", "; ".join(plan.abstain_reasons), "abstain", sets=sets, stop="plan")
    if found.replan:
        event = gate(run, policy, "PLAN_GATE", "PLANNING", "REPLAN", "; ".join(found.replan), "back to the planner")
        return Judgement("revise", "REPLAN", "; ".join(found.replan), "replan", sets={**sets, "findings": list(found.replan)}, facts=(event,), writes=writes)
    run.tier = plan.complexity_tier
    event = gate(run, policy, "PLAN_GATE", "WAITING_APPROVAL", "GO", f"{len(plan.phases)} phases", "ask for approval", needs_person=True, confidence=plan.confidence)
    return Judgement("ok", plan.status, f"{len(plan.phases)} phases, {plan.complexity_tier}", "ok", sets=sets, facts=(event,), writes=writes)


def judge_round(run: GovernedRun, _texts: Texts, _found: Evidence, policy: Policy) -> Judgement:
    """One round of plan review, recomputed from the reviewers' objects."""
    plan = plan_of(run)
    scope = review_scope(plan, policy)
    reviews = {role: read_review(role, data) for role, data in run.reviews.items()}
    audits = run.audits + ("executability-verifier" not in reviews)
    score = round_score(reviews) if reviews else 100.0
    rounds = [Round(each["audit"], each["score"], each["plan"], tuple(each["findings"])) for each in run.rounds if each["audit"] != audits]
    said = tuple(str(each) for review in reviews.values() for each in review.findings)
    rounds.append(Round(audits, score, str(run.drafts), said))
    progress = Progress(run.revisions, tuple(rounds), frozenset(run.asked_again))
    found = decide_round(scope, reviews, (), progress, plan.complexity_tier, policy)
    decision = {"approved": "GO", "rehearse": "GO", "revise": "REPLAN", "again": "ABSTAIN"}.get(found.kind, "BLOCKED")
    event = gate(
        run, policy, "PLAN_GATE", "PLAN_REVIEW" if found.kind != "ask" else "WAITING_APPROVAL", decision, found.reason, found.kind,
        iteration=run.revisions, needs_person=found.kind == "ask",
    )  # fmt: skip
    sets = {
        "audits": audits,
        "rounds": [{"audit": each.audit, "score": each.score, "plan": each.plan, "findings": list(each.findings)} for each in rounds],
        "findings": [str(each) for each in found.findings],
        "asked_again": [*run.asked_again, *found.roles] if found.kind == "again" else run.asked_again,
        "convergence": convergence(found.kind, found.rule),
    }
    return Judgement("ok" if found.kind in {"approved", "rehearse"} else "revise", found.kind, found.reason, found.kind, sets=sets, facts=(event,))


def open_wave(run: GovernedRun, _texts: Texts, _found: Evidence, policy: Policy) -> Judgement:
    """The next wave and the approvals it needs; none is left where all phases are complete."""
    plan = plan_of(run)
    wave = next_wave(plan, run.complete)
    if wave is None:
        return Judgement("ok", "all waves are complete", "", "finished")
    phases = [each for number, found in plan.waves if number == wave for each in found if each.phase_id not in run.complete]
    asked = wave_approvals(wave, phases, policy)
    approvals = [{"phases": list(each.phases), "prompt": each.prompt, "details": list(each.details), "high_risk": each.high_risk} for each in asked]
    event = gate(run, policy, "HIGH_RISK_APPROVAL_GATE" if any(each.high_risk for each in asked) else "PHASE_REVIEW_GATE", "WAITING_APPROVAL", "GO",
                 asked[0].prompt, "ask for approval", needs_person=True)  # fmt: skip
    return Judgement("ok", f"wave {wave}", "", "ask", sets={"wave": wave, "approvals": approvals}, facts=(event,))


def wave_ended(children: Mapping[str, Run]) -> Judgement:
    """How each phase of the wave ended; a phase that a person must repair holds the run."""
    held = [run for run in children.values() if run.status is Status.BLOCKED]
    if held:
        return Judgement("fail", "held", held[0].reason, "held", stop=held[0].stop)
    ended: dict[str, Any] = {}
    for name, run in children.items():
        assert isinstance(run, PhaseRun)
        ended[name] = {"result": run.result, "changed": run.changed, "transient": run.transient, "reasons": [why for _, why in run.failures],
                       "review": run.review, "summary": str(run.report.get("summary", ""))}  # fmt: skip
    results = {each["result"] for each in ended.values()}
    outcome = "escalated" if "escalated" in results else "replan" if "replan" in results else "complete"
    return Judgement("ok" if outcome == "complete" else "revise", outcome, "", outcome, sets={"ended": ended})


def close_wave(run: GovernedRun, _texts: Texts, _found: Evidence, policy: Policy) -> Judgement:
    """Complete phases are marked one by one; later waves are slowed where too many failed in passing."""
    done = sorted(int(name) for name, each in run.ended.items() if each["result"] == "complete")
    complete = sorted({*run.complete, *done})
    slowed = throttled(run.limit, [int(name) for name, each in run.ended.items() if each["transient"]], policy)
    facts: list[Mapping[str, Any]] = []
    if slowed.because:
        facts.append({"type": "throttle.changed", "from": run.limit, "to": slowed.limit, "because": slowed.because})
    results = {each["result"] for each in run.ended.values()}
    outcome = "escalated" if "escalated" in results else "replan" if "replan" in results else "next"
    why = "; ".join(reason for each in run.ended.values() if each["result"] != "complete" for reason in each["reasons"]) or "no reason given"
    facts.append(
        gate(run, policy, "PHASE_REVIEW_GATE", "REVIEWING" if outcome == "next" else "WAITING_APPROVAL", {"next": "GO", "replan": "REPLAN"}.get(outcome, "BLOCKED"),
             f"wave {run.wave}: {len(done)} of {len(run.ended)} phases complete" + ("" if outcome == "next" else f"; {why}"), outcome, needs_person=outcome == "escalated")
    )  # fmt: skip
    sets = {
        "complete": complete,
        "todos": [[number, title, number in complete] for number, title, _ in run.todos],
        "limit": slowed.limit,
        "records": {**run.records, **{name: each for name, each in run.ended.items() if each["result"] == "complete"}},
        "touched": sorted({*run.touched, *(path for each in run.ended.values() for path in each["changed"])}),
        "ended": {},
        "findings": [] if outcome == "next" else [why],
    }
    return Judgement("ok" if outcome == "next" else "revise", outcome, why if outcome != "next" else "", outcome, sets=sets, facts=tuple(facts))


def judge_final(run: GovernedRun, _texts: Texts, _found: Evidence, policy: Policy) -> Judgement:
    plan = plan_of(run)
    review = read_code_review(run.final)
    found = decide_final(review, plan, run.final_cycles, policy, asked_again=run.final_asked)
    decision = {"passes": "GO", "fix": "REPLAN", "again": "ABSTAIN"}.get(found.kind, "BLOCKED")
    event = gate(run, policy, "COMPLETION_GATE", "REVIEWING", decision, found.reason, found.kind, needs_person=found.kind == "ask")
    sets: dict[str, Any] = {"fixes": [[number, [str(each) for each in issues]] for number, issues in found.fixes], "findings": [str(each) for _, issues in found.fixes for each in issues]}
    writes = {}
    if found.kind == "passes":
        compared = planned_and_actual(plan, run.touched)
        writes = {paths.final_review_path(run.task): write_final_review(plan, review.status, found.advice, compared)}
    return Judgement("ok" if found.kind == "passes" else "revise", found.kind, found.reason, found.kind, sets=sets, facts=(event,), writes=writes)


def summarise(run: GovernedRun, texts: Texts, found: Evidence, policy: Policy) -> Judgement:
    """The session's entry first, then the summary; notes within their limits."""
    plan = plan_of(run)
    today = next(str(each["now"]) for each in found if each["name"] == "clock")[:10]
    reviews = {role: (str(data.get("status", "")), "") for role, data in run.reviews.items()}
    outcome = SessionOutcome(
        plan_id=paths.plan_id(run.task), date=today, tier=run.tier, planned=len(plan.phases), completed=len(run.complete), reviews=reviews,
        iterations=run.revisions, max_iterations=policy.max_revisions(plan.complexity_tier), convergence=run.convergence,
        status=outcome_status(len(plan.phases), len(run.complete), stopped=run.stopped),
    )  # fmt: skip
    log = paths.log_path(policy)
    records = [
        PhaseRecord(each, run.records.get(str(each.phase_id), {}).get("summary") or each.objective, tuple(run.records.get(str(each.phase_id), {}).get("changed", ())), "", Checklist(()))
        for each in plan.phases
        if each.phase_id in run.complete
    ]
    writes = {
        log: session_outcome.appended(texts.get(log), session_outcome.write_entry(outcome)),
        paths.complete_path(run.task): _complete(plan, records),
        paths.NOTES: write_notes(Notes(plan.task_title, outcome.status, (), "approval of the result"), policy),
    }
    event = gate(run, policy, "COMPLETION_GATE", "WAITING_APPROVAL", "GO", f"{len(run.complete)} of {len(plan.phases)} phases complete", "ask for acceptance", needs_person=True)
    return Judgement("ok", outcome.status, "", sets={}, facts=(event,), writes=writes)


def _complete(plan: Plan, records: Sequence[PhaseRecord]) -> str:
    return write_complete(plan, [PhaseRecord(each.phase, each.summary, each.changed, each.review, _listed()) for each in records])


def _listed() -> Checklist:
    from podium.workflows.governed.phase_checklist import Point  # noqa: PLC0415

    return Checklist((Point("tests", True, "the phase's document has the evidence"),))
