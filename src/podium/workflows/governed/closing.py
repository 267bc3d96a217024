"""The decisions of a governed run about its waves and its final review. Each is also a gate
event.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from podium.core.events import by_workflow, retry_exhausted
from podium.core.run import Run, Status
from podium.core.verdict import Judgement
from podium.workflows.governed import earlier_phases, paths
from podium.workflows.governed.approvals import wave_approvals
from podium.workflows.governed.deciding import Evidence, Texts, changed_since, plan_of, todos_of
from podium.workflows.governed.exchange.events import gate
from podium.workflows.governed.memory import file as memory_file
from podium.workflows.governed.memory.notes import Notes, ours, write_notes
from podium.workflows.governed.memory.task_cache import earlier
from podium.workflows.governed.phase.documents import write_final_review
from podium.workflows.governed.plan.todos import marked, unmarked
from podium.workflows.governed.plan.wave_schedule import batches, next_wave, throttled
from podium.workflows.governed.policy.budgets import reflects
from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.review.code_review import read_code_review
from podium.workflows.governed.review.final_review import decide_final, planned_and_actual
from podium.workflows.governed.run import GovernedRun, PhaseRun
from podium.workflows.governed.words import counted

PENDING = {
    "next": "the next wave",
    "more": "the rest of this wave",
    "replan": "another plan",
    "escalated": "a person's decision",
}
"""What follows the end of a wave, in words."""


REPLANS = "retry_budgets.needs_replan_max"
FINALLY = {
    "passes": "sum it up",
    "fix": "mend what was found",
    "again": "ask once more",
    "ask": "ask a person",
}


def remaining(run: GovernedRun) -> list[int]:
    """Phases of this wave that are not complete."""
    wave = run.waves[run.wave - 1] if 0 < run.wave <= len(run.waves) else []
    return [number for number in wave if number not in run.complete]


def lowest_open(run: GovernedRun, complete: Collection[int]) -> int:
    """The first wave with an incomplete phase, from 1; 0 if there is none."""
    return next(
        (
            at
            for at, wave in enumerate(run.waves, 1)
            if any(number not in complete for number in wave)
        ),
        0,
    )


def unmarked_before(run: GovernedRun, number: int) -> list[str]:
    """Todos of the waves before this phase's wave that are not marked yet."""
    plan = plan_of(run)
    earlier = {each.phase_id for each in plan.phases if each.wave < plan.phase(number).wave}
    return [each.title for each in unmarked(todos_of(run), earlier)]


def batch(run: GovernedRun) -> list[int]:
    """The incomplete phases of this wave that run side by side now: never two on the same file."""
    plan = plan_of(run)
    left = [plan.phase(number) for number in remaining(run)]
    found = batches(left, max(1, len(left)))
    return [each.phase_id for each in found[0]] if found else []


def open_wave(run: GovernedRun, texts: Texts, found: Evidence, policy: Policy) -> Judgement:
    """The next wave and the approvals it needs, or `finished` if all phases are complete."""
    if (changed := changed_since(run, texts, policy)) is not None:
        return changed
    plan = plan_of(run)
    number = next_wave(plan, run.complete)
    if number is None:
        return Judgement("ok", "all waves are complete", "", "finished")
    at = next(place for place, (each, _) in enumerate(plan.waves, 1) if each == number)
    phases = [each for each in plan.waves[at - 1][1] if each.phase_id not in run.complete]
    known = earlier_phases.done(found, run.task, policy)
    alike = {each.phase_id: like[0] for each in phases if (like := earlier(each, known, policy))}
    asked = wave_approvals(number, phases, policy, alike)
    approvals = [
        {
            "phases": list(each.phases),
            "prompt": each.prompt,
            "details": list(each.details),
            "high_risk": each.high_risk,
        }
        for each in asked
    ]
    events = tuple(
        gate(
            run,
            policy,
            "HIGH_RISK_APPROVAL_GATE" if each.high_risk else "PHASE_REVIEW_GATE",
            "WAITING_APPROVAL",
            "GO",
            each.prompt,
            "ask for approval",
            needs_person=True,
            phase_id=each.phases[0] if len(each.phases) == 1 else None,
            checks=("destructive_action_checked",),
        )
        for each in asked
    )
    return Judgement(
        "ok",
        f"wave {number}",
        "",
        "ask",
        sets={"wave": at, "approvals": approvals, "shaky": []},
        facts=events,
    )


def wave_ended(children: Mapping[str, Run]) -> Judgement:
    """How each phase of the wave ended; a blocked phase, which a person must repair, holds the
    run.
    """
    held = [run for run in children.values() if run.status is Status.BLOCKED]
    if held:
        return Judgement("fail", "held", held[0].reason, "held", stop=held[0].stop)
    ended: dict[str, Any] = {}
    for name, run in children.items():
        assert isinstance(run, PhaseRun)
        ended[name] = {
            "result": run.result,
            "changed": run.changed,
            "transient": run.transient,
            "why": run.why,
            "review": run.review,
            "failures": _failures(run),
            "lessons": [f"{kind}: {why}" for kind, why in run.failures],
            "summary": str(run.report.get("summary", "")),
            "ran": run.ran,
            "proof": run.proof,
            "taught": [str(each) for each in run.report.get("next_steps", ())],
            "facts": memory_file.candidates(run.report, f"Found while working on {run.task}."),
        }
    results = {each["result"] for each in ended.values()}
    outcome = (
        "escalated" if "escalated" in results else "replan" if "replan" in results else "complete"
    )
    return Judgement(
        "ok" if outcome == "complete" else "revise", outcome, "", outcome, sets={"ended": ended}
    )


def _failures(run: PhaseRun) -> list[list[str]]:
    """What counts against the phase's budgets, including a plan sent back before any agent was
    asked.
    """
    sent_back = run.result == "replan" and not any(
        kind == "needs_replan" for kind, _ in run.failures
    )
    return [*run.failures, *([["needs_replan", run.why]] if sent_back else [])]


def _failed(run: GovernedRun) -> dict[str, list[list[str]]]:
    """Failures of each incomplete phase, including those of this wave."""
    now = {
        name: [*run.failed.get(name, []), *each.get("failures", [])]
        for name, each in run.ended.items()
    }
    done = {str(number) for number in run.complete} | {
        name for name, each in run.ended.items() if each["result"] == "complete"
    }
    return {name: each for name, each in {**run.failed, **now}.items() if name not in done}


def folded(run: GovernedRun, policy: Policy | None = None) -> dict[str, Any]:
    """The run's members after the results of its phases are taken in; todos are marked one by
    one.
    """
    plan = plan_of(run)
    done = sorted(int(name) for name, each in run.ended.items() if each["result"] == "complete")
    todos = tuple(todos_of(run))
    for number in done:
        if any(each.phase_id == number and not each.done for each in todos):
            todos = marked(todos, number)
    titles = {each.phase_id: each.title for each in plan.phases}
    taught = policy is not None and reflects(policy)
    return {
        "complete": sorted({*run.complete, *done}),
        "todos": [[each.phase_id, each.title, each.done] for each in todos],
        "records": {
            **run.records,
            **{
                str(number): {**run.ended[str(number)], "title": titles.get(number, "")}
                for number in done
            },
        },
        "touched": sorted(
            {*run.touched, *(path for each in run.ended.values() for path in each["changed"])}
        ),
        "shaky": sorted(
            {*run.shaky, *(int(name) for name, each in run.ended.items() if each["transient"])}
        ),
        "lessons": [
            *run.lessons,
            *(
                lesson
                for each in run.ended.values()
                for lesson in (*each["lessons"], *(each["taught"] if taught else ()))
            ),
        ],
        "facts": [*run.facts, *(fact for each in run.ended.values() for fact in each["facts"])],
        "failed": _failed(run),
        "ended": {},
    }


def _over_budget(
    run: GovernedRun, failed: Mapping[str, Sequence[Sequence[str]]], policy: Policy
) -> list[str]:
    """Phases that want to send the plan back more often than one phase may."""
    most = policy.integer(REPLANS)
    wanted = [name for name, each in sorted(run.ended.items()) if each["result"] == "replan"]
    return [
        name for name in wanted if sum(kind == "needs_replan" for kind, _ in failed[name]) > most
    ]


def wave_number(run: GovernedRun) -> int:
    """The plan's number for the wave; in a run of an older version, which kept no numbers, its
    position.
    """
    return run.numbers[run.wave - 1] if 0 < run.wave <= len(run.numbers) else run.wave


def close_wave(run: GovernedRun, texts: Texts, _found: Evidence, policy: Policy) -> Judgement:
    """Complete phases are marked; if too many failed transiently, later waves are slowed down."""
    sets = folded(run, policy)
    over = _over_budget(run, sets["failed"], policy)
    results = {"escalated" if name in over else each["result"] for name, each in run.ended.items()}
    more = lowest_open(run, sets["complete"]) == run.wave
    outcome = (
        "escalated"
        if "escalated" in results
        else "replan"
        if "replan" in results
        else "more"
        if more
        else "next"
    )
    went = outcome in {"next", "more"}
    why = "; ".join(
        f"phase {name}: {each['why'] or 'no reason given'}"
        for name, each in sorted(run.ended.items())
        if each["result"] != "complete"
    )
    done = sum(each["result"] == "complete" for each in run.ended.values())
    now = f"wave {wave_number(run)}: {done} of {counted(len(run.ended))} complete"
    facts: list[Mapping[str, Any]] = [
        by_workflow(
            retry_exhausted(f"wave/{wave_number(run)}/phase/{name}", "needs_replan", REPLANS)
        )
        for name in over
    ]
    if outcome != "more":
        slowed = throttled(run.limit, sets["shaky"], policy)
        sets |= {"limit": slowed.limit, "shaky": []}
        if slowed.because:
            facts.append(
                {
                    "type": "throttle.changed",
                    "from": run.limit,
                    "to": slowed.limit,
                    "because": slowed.because,
                }
            )
    facts.append(
        gate(
            run,
            policy,
            "PHASE_REVIEW_GATE",
            "WAITING_APPROVAL" if outcome == "escalated" else "REVIEWING",
            {"replan": "REPLAN", "escalated": "BLOCKED"}.get(outcome, "GO"),
            now + (f"; {why}" if why else ""),
            PENDING[outcome],
            needs_person=outcome == "escalated",
            checks=("todo_verified",),
        )
    )
    sets["findings"] = [why] if why else []
    writes, kept = noted(
        run,
        texts,
        Notes(plan_of(run).task_title, now, (why,) if why else (), PENDING[outcome]),
        policy,
    )
    return Judgement(
        "ok" if went else "revise",
        outcome,
        why,
        outcome,
        sets={**sets, **kept},
        facts=tuple(facts),
        writes=writes,
    )


def noted(
    run: GovernedRun, texts: Texts, notes: Notes, policy: Policy
) -> tuple[dict[str, str], dict[str, Any]]:
    """The current notes. What a person had in the file before this run is kept beside the plan."""
    before, template = (
        texts.get(paths.NOTES) or "",
        texts.get(paths.templates(policy)["session notes"]) or "",
    )
    writes = {paths.NOTES: write_notes(notes, policy, template)}
    if before.strip() and not run.noted and not ours(before, template):
        writes[paths.old_notes_path(run.task)] = before
    return writes, {"noted": True}


def notes_reads(policy: Policy) -> tuple[str, ...]:
    return (paths.NOTES, paths.templates(policy)["session notes"])


def judge_final(run: GovernedRun, _texts: Texts, _found: Evidence, policy: Policy) -> Judgement:
    plan = plan_of(run)
    review = read_code_review(run.final)
    found = decide_final(review, plan, run.final_cycles, policy, asked_again=run.final_asked)
    decision = {"passes": "GO", "fix": "REPLAN", "again": "ABSTAIN"}.get(found.kind, "BLOCKED")
    event = gate(
        run,
        policy,
        "COMPLETION_GATE",
        "WAITING_APPROVAL" if found.kind == "ask" else "REVIEWING",
        decision,
        found.reason,
        FINALLY[found.kind],
        needs_person=found.kind == "ask",
        confidence=review.confidence,
    )
    blockers = [str(each) for each in review.blockers]
    sets: dict[str, Any] = {
        "fixes": [[number, [str(each) for each in issues]] for number, issues in found.fixes],
        "findings": [] if found.kind == "passes" else [found.reason, *blockers],
    }
    writes = {}
    if found.kind == "passes":
        compared = planned_and_actual(plan, run.touched)
        writes = {
            paths.final_review_path(run.task): write_final_review(
                plan, review.status, found.advice, compared
            )
        }
    outcome = "ok" if found.kind == "passes" else "revise"
    return Judgement(
        outcome,  # type: ignore[arg-type]
        found.kind,
        found.reason,
        found.kind,
        review.contradictions,
        sets=sets,
        facts=(event,),
        writes=writes,
    )
