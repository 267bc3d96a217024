"""The decisions of a governed run about its plan and the plan's review. Each is also a gate
event.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from podium.core.digest import digest
from podium.core.verdict import Judgement
from podium.workflows.governed import paths
from podium.workflows.governed.exchange.events import gate
from podium.workflows.governed.phase.brief import oversized
from podium.workflows.governed.plan.markdown import write_plan
from podium.workflows.governed.plan.output import settle_plan
from podium.workflows.governed.plan.plan import Plan, from_data, to_data
from podium.workflows.governed.plan.todos import Todo, reconciled
from podium.workflows.governed.plan.wave_schedule import first_limit
from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.research import need, undecided
from podium.workflows.governed.review.plan_audits import Finding, Review, read_review, round_score
from podium.workflows.governed.review.regressions import (
    Item,
    audit_findings,
    lineage_fault,
    observed,
    regressed,
    updated,
    write_registry,
)
from podium.workflows.governed.review.reruns import classified, rerun
from podium.workflows.governed.review.round import (
    Progress,
    Round,
    RoundDecision,
    convergence,
    decide_round,
)
from podium.workflows.governed.review.scope import (
    ASSUMPTIONS,
    AUDITOR,
    EXECUTABILITY,
    ReviewScope,
    review_scope,
)
from podium.workflows.governed.run import GovernedRun
from podium.workflows.governed.words import counted

NEXT = {
    "approved": "carry it out",
    "rehearse": "rehearse it",
    "revise": "back to the planner",
    "again": "ask once more",
    "ask": "ask a person",
}
Texts = Mapping[str, str | None]
Evidence = Sequence[Mapping[str, Any]]


def plan_of(run: GovernedRun) -> Plan:
    return from_data(run.plan)


def todos_of(run: GovernedRun) -> list[Todo]:
    return [Todo(number, title, done) for number, title, done in run.todos]


def check_plan(run: GovernedRun, texts: Texts, _found: Evidence, policy: Policy) -> Judgement:
    """Read the whole plan that the planner or a person wrote; one that cannot be carried out
    goes back with every fault.
    """
    path = paths.plan_path(run.task)
    text = run.given or texts.get(path) or ""
    found = settle_plan(text, {} if run.given else run.sent)
    if found.plan is None or found.faults:
        why = "; ".join(found.faults) or "there is no plan"
        event = gate(
            run,
            policy,
            "PLAN_GATE",
            "WAITING_APPROVAL",
            "BLOCKED",
            why,
            "ask a person",
            needs_person=True,
        )
        return Judgement(
            "fail",
            "unreadable",
            why,
            "unreadable",
            sets={"findings": [why], "fit": False, "given": ""},
            facts=(event,),
        )
    plan = found.plan
    sets = {
        **adopted(run, plan, policy),
        "drafts": run.drafts + 1,
        "given": "",
        "plan_file": path,
        "fit": not found.replan,
    }
    writes = _versions(run, plan, text)
    sets["plan_mark"] = digest(writes.get(path, text))
    run = replace(run, tier=plan.complexity_tier)  # the gate events below are about this plan
    if not run.researched and (sought := need(plan, policy)).roles:
        why = f"research: {'; '.join(sought.questions)}"
        event = gate(
            run,
            policy,
            "PLAN_GATE",
            "PLANNING",
            "REPLAN",
            why,
            f"ask {', '.join(sought.roles)}",
            confidence=plan.confidence,
        )
        asked = {"seekers": list(sought.roles), "findings": list(sought.questions)}
        return Judgement(
            "revise",
            "research",
            why,
            "research",
            sets={**sets, **asked},
            facts=(event,),
            writes=writes,
        )
    if plan.abstaining or plan.status == "ABSTAIN":
        why = "the planner abstains: " + ("; ".join(plan.abstain_reasons) or "it gives no reason")
        event = gate(
            run,
            policy,
            "PLAN_GATE",
            "WAITING_APPROVAL",
            "ABSTAIN",
            why,
            "ask a person",
            needs_person=True,
            confidence=plan.confidence,
        )
        return Judgement(
            "ok",
            "ABSTAIN",
            why,
            "abstain",
            sets={**sets, "findings": [why]},
            facts=(event,),
            writes=writes,
        )
    if replan := [*found.replan, *oversized(plan, policy), *undecided(plan)]:
        event = _sent_back(run, policy, "; ".join(replan), plan.confidence)
        return Judgement(
            "revise",
            "REPLAN",
            "; ".join(replan),
            "replan",
            sets={**sets, "findings": replan},
            facts=(event,),
            writes=writes,
        )
    again = rerun(_scope(run, plan, policy), classified([path], {}, {}, ()), {})
    looked = run.reviewing and bool(again.reviewers)
    looks = f"; {again.because}, so all look again" if looked and again.full else ""
    design = (
        f"; {len(plan.open_questions)} open questions have a recommendation"
        if plan.open_questions
        else ""
    )
    said = (
        f"{counted(len(plan.phases))}, {plan.complexity_tier}; nothing is left to find "
        f"out{design}{looks}"
    )
    wrong = (
        *found.contradictions,
        *filter(None, [lineage_fault(plan, path, _earlier(run)) if run.drafts else ""]),
    )
    then = "review the plan again" if looked else "ask for approval"
    event = gate(
        run,
        policy,
        "PLAN_GATE",
        "PLAN_REVIEW" if looked else "WAITING_APPROVAL",
        "GO",
        said,
        then,
        needs_person=not looked,
        confidence=plan.confidence,
        iteration=run.revisions,
    )
    sets |= {"findings": [], "reviewers": list(again.reviewers)}
    return Judgement("ok", plan.status, said, "ok", wrong, sets=sets, facts=(event,), writes=writes)


def may_go_back(run: GovernedRun, policy: Policy) -> bool:
    """Whether a plan that cannot be carried out goes back to the planner once more instead of to
    a person.
    """
    return run.returned < policy.integer("retry_budgets.needs_replan_max")


def _sent_back(run: GovernedRun, policy: Policy, why: str, confidence: float) -> Mapping[str, Any]:
    if may_go_back(run, policy):
        return gate(
            run,
            policy,
            "PLAN_GATE",
            "PLANNING",
            "REPLAN",
            why,
            "back to the planner",
            confidence=confidence,
        )
    return gate(
        run,
        policy,
        "PLAN_GATE",
        "WAITING_APPROVAL",
        "BLOCKED",
        why,
        "ask a person",
        needs_person=True,
        confidence=confidence,
    )


def _scope(run: GovernedRun, plan: Plan, policy: Policy) -> ReviewScope:
    """Who reviews the plan; those who sent the last version back review this one too."""
    return review_scope(plan, policy, kept=run.reviewers if run.reviewing else ())


def _earlier(run: GovernedRun) -> str:
    """Where the previous version is kept."""
    return paths.version_path(run.task, run.drafts) if run.drafts else ""


def _versions(run: GovernedRun, plan: Plan, text: str) -> dict[str, str]:
    """A plan that a person brought is put where plans are; a version that is replaced is kept
    beside it.
    """
    writes = {}
    if run.given:
        # A plan given as JSON is shown to people and reviewers in the form of the template.
        writes[paths.plan_path(run.task)] = (
            write_plan(plan) if text.lstrip("\ufeff \t\r\n").startswith("{") else text
        )
    if run.drafts and run.plan and run.plan != to_data(plan):
        writes[_earlier(run)] = write_plan(plan_of(run))
    return writes


def adopted(run: GovernedRun, plan: Plan, policy: Policy) -> dict[str, Any]:
    """Members of a run that follow from its plan. A complete phase stays complete as long as the
    plan contains it.
    """
    by_id = {each.phase_id: each for each in plan.phases}
    kept = [
        number
        for number in run.complete
        if number in by_id and by_id[number].title == run.records.get(str(number), {}).get("title")
    ]
    todos, _ = reconciled(todos_of(run), plan, kept)
    begun = bool(run.records)
    return {
        "plan": to_data(plan),
        "tier": plan.complexity_tier,
        "waves": [[each.phase_id for each in phases] for _, phases in plan.waves],
        "numbers": [number for number, _ in plan.waves],
        "reviewers": list(_scope(run, plan, policy).reviewers),
        "complete": kept,
        "items": len(plan.phases),
        "todos": [[each.phase_id, each.title, each.done] for each in todos],
        "limit": min(run.limit, first_limit(plan, policy)) if begun else first_limit(plan, policy),
    }


def changed_since(run: GovernedRun, texts: Texts, policy: Policy) -> Judgement | None:
    """A plan that somebody edited after it was checked: decisions about the old one no longer
    count.
    """
    path = run.plan_file or paths.plan_path(run.task)
    if not run.plan_mark or digest(texts.get(path) or "") == run.plan_mark:
        return None
    why = f"{path} is not as it was checked"
    event = gate(run, policy, "PLAN_GATE", "PLANNING", "REPLAN", why, "read the plan again")
    return Judgement("revise", "changed", why, "changed", facts=(event,))


def judge_round(run: GovernedRun, texts: Texts, _found: Evidence, policy: Policy) -> Judgement:
    """One round of plan review, recomputed from the reviewers' objects."""
    if (changed := changed_since(run, texts, policy)) is not None:
        return changed
    plan = plan_of(run)
    reviews = {role: read_review(role, data) for role, data in run.reviews.items()}
    audits = run.audits + (EXECUTABILITY not in reviews and not run.asked_again)
    items = updated(
        [Item(**each) for each in run.registry], observed(run.reviews, run.known), audits
    )
    regressions = regressed(items)
    rounds = _rounds(run, reviews, regressions, audits)
    progress = Progress(run.revisions, rounds, frozenset(run.asked_again))
    found = decide_round(
        _scope(run, plan, policy), reviews, regressions, progress, plan.complexity_tier, policy
    )
    sets: dict[str, Any] = {
        "audits": audits,
        "findings": [str(each) for each in found.findings]
        or ([found.reason] if found.kind == "ask" else []),
        "asked_again": [*run.asked_again, *found.roles]
        if found.kind == "again"
        else run.asked_again,
        "convergence": convergence(found.kind, found.rule),
    }
    writes = {}
    if found.kind != "again":
        kept = {each["audit"]: each for each in run.rounds}
        now = rounds[-1]
        kept[audits] = {
            "audit": audits,
            "score": now.score,
            "plan": now.plan,
            "findings": list(now.findings),
            "data": run.plan,
        }
        sets |= {
            "rounds": list(kept.values()),
            "registry": [vars(each) for each in items],
            "known": {**run.known, **audit_findings(run.reviews.get(AUDITOR, {}))},
        }
        writes[paths.registry_path(run.task)] = write_registry(items, _lineage(run))
    if found.kind == "ask":
        sets |= _best(run, found, policy, writes)
    outcome = "ok" if found.kind in {"approved", "rehearse"} else "revise"
    said = tuple(each for review in reviews.values() for each in review.contradictions)
    return Judgement(
        outcome,  # type: ignore[arg-type]
        found.kind,
        found.reason,
        found.kind,
        said,
        sets=sets,
        facts=(_told(run, policy, found, reviews),),
        writes=writes,
    )


def _lineage(run: GovernedRun) -> list[str]:
    """Every version of the plan that was audited, each with the one it replaced."""
    audited = [str(each["plan"]) for each in run.rounds] + [str(run.drafts)]
    known = list(dict.fromkeys(audited))
    return [
        f"Version {each}"
        + (f", replaced {paths.version_path(run.task, int(each) - 1)}" if int(each) > 1 else "")
        for each in known
    ]


def _rounds(
    run: GovernedRun, reviews: Mapping[str, Review], regressions: Sequence[Finding], audits: int
) -> tuple[Round, ...]:
    """Every finished audit, this one last."""
    earlier = [
        Round(each["audit"], each["score"], each["plan"], tuple(each["findings"]))
        for each in run.rounds
        if each["audit"] != audits
    ]
    said = tuple(
        map(str, (*regressions, *(each for review in reviews.values() for each in review.findings)))
    )
    return (
        *earlier,
        Round(audits, round_score(reviews) if reviews else 100.0, str(run.drafts), said),
    )


def _told(
    run: GovernedRun, policy: Policy, found: RoundDecision, reviews: Mapping[str, Review]
) -> Mapping[str, Any]:
    decision = {"approved": "GO", "rehearse": "GO", "revise": "REPLAN", "again": "ABSTAIN"}.get(
        found.kind, "BLOCKED"
    )
    assumptions, rehearsal = reviews.get(ASSUMPTIONS), reviews.get(EXECUTABILITY)
    return gate(
        run,
        policy,
        "PLAN_GATE",
        "WAITING_APPROVAL" if found.kind == "ask" else "PLAN_REVIEW",
        decision,
        found.reason + (f" ({found.rule})" if found.rule else ""),
        NEXT[found.kind],
        iteration=run.revisions,
        needs_person=found.kind == "ask",
        confidence=min((each.confidence for each in reviews.values()), default=1.0),
        assumptions=assumptions.status if assumptions else "NOT_RUN",
        rehearsal=rehearsal.status if rehearsal else "NOT_RUN",
    )


def _best(
    run: GovernedRun, found: RoundDecision, policy: Policy, writes: dict[str, str]
) -> dict[str, Any]:
    """Show a person the best version so far, if it is not the last one."""
    best = found.best
    if best is None or best.plan == str(run.drafts):
        return {}
    data = next((each["data"] for each in run.rounds if each["audit"] == best.audit), None)
    if data is None:
        return {}
    plan = from_data(data)
    path = paths.best_path(run.task)
    writes[path] = write_plan(plan)
    note = (
        f"the best version was number {best.plan}, with {best.score:.0f} points; it is in {path}, "
        "and `proceed` means that one"
    )
    return {
        **adopted(run, plan, policy),
        "plan_file": path,
        "plan_mark": digest(writes[path]),
        "findings": [note, *map(str, found.findings)],
    }
