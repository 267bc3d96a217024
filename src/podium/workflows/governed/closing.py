"""The decisions of a governed run about its waves, its final review and its end. Each is a gate event, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.core.run import Run, Status
from podium.core.verdict import Judgement
from podium.workflows.governed import paths, session_outcome
from podium.workflows.governed.approvals import wave_approvals
from podium.workflows.governed.code_review import read_code_review
from podium.workflows.governed.deciding import Evidence, Texts, plan_of, todos_of
from podium.workflows.governed.events import gate
from podium.workflows.governed.final_review import decide_final, planned_and_actual
from podium.workflows.governed.notes import Notes, write_notes
from podium.workflows.governed.phase_checklist import Checklist, Point
from podium.workflows.governed.phase_documents import PhaseRecord, write_complete, write_final_review
from podium.workflows.governed.plan import Plan
from podium.workflows.governed.policy import Policy
from podium.workflows.governed.run import GovernedRun, PhaseRun
from podium.workflows.governed.session_outcome import SessionOutcome, outcome_status
from podium.workflows.governed.todos import marked
from podium.workflows.governed.wave_schedule import batches, next_wave, throttled


def remaining(run: GovernedRun) -> list[int]:
    """Phases of this wave that are not complete."""
    wave = run.waves[run.wave - 1] if 0 < run.wave <= len(run.waves) else []
    return [number for number in wave if number not in run.complete]


def batch(run: GovernedRun) -> list[int]:
    """Those of them that run side by side now: never two on one file."""
    plan = plan_of(run)
    left = [plan.phase(number) for number in remaining(run)]
    found = batches(left, max(1, len(left)))
    return [each.phase_id for each in found[0]] if found else []


def open_wave(run: GovernedRun, _texts: Texts, _found: Evidence, policy: Policy) -> Judgement:
    """The next wave and the approvals it needs; none is left where all phases are complete."""
    plan = plan_of(run)
    number = next_wave(plan, run.complete)
    if number is None:
        return Judgement("ok", "all waves are complete", "", "finished")
    at = next(place for place, (each, _) in enumerate(plan.waves, 1) if each == number)
    phases = [each for each in plan.waves[at - 1][1] if each.phase_id not in run.complete]
    asked = wave_approvals(number, phases, policy)
    approvals = [{"phases": list(each.phases), "prompt": each.prompt, "details": list(each.details), "high_risk": each.high_risk} for each in asked]
    events = tuple(
        gate(
            run, policy, "HIGH_RISK_APPROVAL_GATE" if each.high_risk else "PHASE_REVIEW_GATE", "WAITING_APPROVAL", "GO", each.prompt, "ask for approval",
            needs_person=True, phase_id=each.phases[0] if len(each.phases) == 1 else None, checks=("destructive_action_checked",),
        )
        for each in asked
    )
    return Judgement("ok", f"wave {number}", "", "ask", sets={"wave": at, "approvals": approvals, "shaky": []}, facts=events)


def wave_ended(children: Mapping[str, Run]) -> Judgement:
    """How each phase of the wave ended; a phase that a person must repair holds the run."""
    held = [run for run in children.values() if run.status is Status.BLOCKED]
    if held:
        return Judgement("fail", "held", held[0].reason, "held", stop=held[0].stop)
    ended: dict[str, Any] = {}
    for name, run in children.items():
        assert isinstance(run, PhaseRun)
        ended[name] = {
            "result": run.result, "changed": run.changed, "transient": run.transient, "why": run.why, "review": run.review,
            "lessons": [f"{kind}: {why}" for kind, why in run.failures], "summary": str(run.report.get("summary", "")), "ran": run.ran,
        }  # fmt: skip
    results = {each["result"] for each in ended.values()}
    outcome = "escalated" if "escalated" in results else "replan" if "replan" in results else "complete"
    return Judgement("ok" if outcome == "complete" else "revise", outcome, "", outcome, sets={"ended": ended})


def folded(run: GovernedRun) -> dict[str, Any]:
    """The run's members once what its phases came to is taken in: todos are marked one by one."""
    plan = plan_of(run)
    done = sorted(int(name) for name, each in run.ended.items() if each["result"] == "complete")
    todos = tuple(todos_of(run))
    for number in done:
        if any(each.phase_id == number and not each.done for each in todos):
            todos = marked(todos, number)
    titles = {each.phase_id: each.title for each in plan.phases}
    return {
        "complete": sorted({*run.complete, *done}),
        "todos": [[each.phase_id, each.title, each.done] for each in todos],
        "records": {**run.records, **{str(number): {**run.ended[str(number)], "title": titles.get(number, "")} for number in done}},
        "touched": sorted({*run.touched, *(path for each in run.ended.values() for path in each["changed"])}),
        "shaky": sorted({*run.shaky, *(int(name) for name, each in run.ended.items() if each["transient"])}),
        "lessons": [*run.lessons, *(lesson for each in run.ended.values() for lesson in each["lessons"])],
        "ended": {},
    }


def close_wave(run: GovernedRun, _texts: Texts, _found: Evidence, policy: Policy) -> Judgement:
    """Complete phases are marked; later waves are slowed where too many failed in passing."""
    sets = folded(run)
    results = {each["result"] for each in run.ended.values()}
    more = [number for number in remaining(run) if number not in sets["complete"]]
    outcome = "escalated" if "escalated" in results else "replan" if "replan" in results else "more" if more else "next"
    went = outcome in {"next", "more"}
    why = "; ".join(f"phase {name}: {each['why'] or 'no reason given'}" for name, each in sorted(run.ended.items()) if each["result"] != "complete")
    done = sum(each["result"] == "complete" for each in run.ended.values())
    facts: list[Mapping[str, Any]] = []
    if outcome != "more":
        slowed = throttled(run.limit, sets["shaky"], policy)
        sets |= {"limit": slowed.limit, "shaky": []}
        if slowed.because:
            facts.append({"type": "throttle.changed", "from": run.limit, "to": slowed.limit, "because": slowed.because})
    facts.append(
        gate(run, policy, "PHASE_REVIEW_GATE", "WAITING_APPROVAL" if outcome == "escalated" else "REVIEWING", {"replan": "REPLAN", "escalated": "BLOCKED"}.get(outcome, "GO"),
             f"wave {run.wave}: {done} of {len(run.ended)} phases complete" + (f"; {why}" if why else ""), outcome, needs_person=outcome == "escalated",
             checks=("todo_verified",))
    )  # fmt: skip
    sets["findings"] = [why] if why else []
    notes = _notes(plan_of(run), f"wave {run.wave}: {done} of {len(run.ended)} phases complete", [why] if why else [], outcome, policy)
    return Judgement("ok" if went else "revise", outcome, why, outcome, sets=sets, facts=tuple(facts), writes={paths.NOTES: notes})


def judge_final(run: GovernedRun, _texts: Texts, _found: Evidence, policy: Policy) -> Judgement:
    plan = plan_of(run)
    review = read_code_review(run.final)
    found = decide_final(review, plan, run.final_cycles, policy, asked_again=run.final_asked)
    decision = {"passes": "GO", "fix": "REPLAN", "again": "ABSTAIN"}.get(found.kind, "BLOCKED")
    event = gate(
        run, policy, "COMPLETION_GATE", "WAITING_APPROVAL" if found.kind == "ask" else "REVIEWING", decision, found.reason, found.kind,
        needs_person=found.kind == "ask", confidence=review.confidence,
    )  # fmt: skip
    blockers = [str(each) for each in review.blockers]
    sets: dict[str, Any] = {
        "fixes": [[number, [str(each) for each in issues]] for number, issues in found.fixes],
        "findings": [] if found.kind == "passes" else [found.reason, *blockers],
    }
    writes = {}
    if found.kind == "passes":
        compared = planned_and_actual(plan, run.touched)
        writes = {paths.final_review_path(run.task): write_final_review(plan, review.status, found.advice, compared)}
    outcome = "ok" if found.kind == "passes" else "revise"
    return Judgement(outcome, found.kind, found.reason, found.kind, review.contradictions, sets=sets, facts=(event,), writes=writes)  # type: ignore[arg-type]


def summarise(run: GovernedRun, texts: Texts, found: Evidence, policy: Policy) -> Judgement:
    """The session's entry first, then the summary; notes within their limits."""
    plan = plan_of(run)
    today = next(str(each["now"]) for each in found if each["name"] == "clock")[:10]
    outcome = _outcome(run, plan, policy, today)
    log = paths.log_path(policy)
    written, old = session_outcome.archived(session_outcome.appended(texts.get(log), session_outcome.write_entry(outcome)), policy)
    writes = {log: written}
    if old:
        # A file of its own for each time: what is archived already is never written again.
        archive = session_outcome.archive_path(policy, f"{today}-{run.task}")
        writes[archive] = f"{session_outcome.TITLE}\n\n{old}"
    writes |= {
        paths.complete_path(run.task): write_complete(plan, _records(run, plan), run.findings),
        paths.NOTES: _notes(plan, outcome.status, run.findings, "approval of the result", policy),
    }
    said = f"{len(run.complete)} of {len(plan.phases)} phases complete"
    event = gate(run, policy, "COMPLETION_GATE", "WAITING_APPROVAL", "BLOCKED" if run.stopped else "GO", said, "ask for acceptance", needs_person=True, checks=("todo_verified",))
    return Judgement("ok", outcome.status, said, "ok", facts=(event,), writes=writes)


def summary_reads(policy: Policy) -> tuple[str, ...]:
    return (paths.log_path(policy),)


def _outcome(run: GovernedRun, plan: Plan, policy: Policy, today: str) -> SessionOutcome:
    reviews = {role: (str(data.get("status", "")), "") for role, data in run.reviews.items()}
    code = [each["review"] for _, each in sorted(run.records.items()) if each.get("review")]
    if code:
        reviews["code-reviewer"] = (str(code[-1]["status"]), f"{len(code)} reviews of phases")
    false = [read_code_review(each).false_positives for each in code]
    return SessionOutcome(
        plan_id=paths.plan_id(run.task), date=today, tier=run.tier, planned=len(plan.phases), completed=len(run.complete), reviews=reviews,
        iterations=run.iterations, max_iterations=policy.max_revisions(plan.complexity_tier), convergence=run.convergence,
        status=outcome_status(len(plan.phases), len(run.complete), stopped=run.stopped), rejected=sum(each for each, _ in false),
        serious=sum(each for _, each in false), lessons=tuple(run.lessons[:5]),
    )  # fmt: skip


def _records(run: GovernedRun, plan: Plan) -> list[PhaseRecord]:
    found = []
    for phase in plan.phases:
        known = run.records.get(str(phase.phase_id))
        if phase.phase_id in run.complete and known:
            ran = known["ran"].get("test")
            tests = Point("tests", True, "the command passed" if ran else "nothing to run; see the phase's document")
            review = str(known["review"].get("status", "not due"))
            found.append(PhaseRecord(phase, known["summary"] or phase.objective, tuple(known["changed"]), review, Checklist((tests,))))
    return found


def _notes(plan: Plan, now: str, blockers: Sequence[str], pending: str, policy: Policy) -> str:
    return write_notes(Notes(plan.task_title, now, tuple(each for each in blockers if each), pending), policy)
