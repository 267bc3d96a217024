"""What the agents of a governed run are handed, may read and must write."""

from __future__ import annotations

import json
from functools import partial

from podium.core.contract import Contract, Input
from podium.core.run import Run
from podium.workflows import protected
from podium.workflows.governed import paths
from podium.workflows.governed.dialects import dialect_name
from podium.workflows.governed.exchange import delegations
from podium.workflows.governed.exchange.delegations import Delegation, Revision
from podium.workflows.governed.exchange.identity import foreign
from podium.workflows.governed.plan.output import plan_output
from podium.workflows.governed.plan.plan import from_data
from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.review.final_review import prior_findings, snapshot
from podium.workflows.governed.review.scope import AUDITOR, review_scope
from podium.workflows.governed.run import GovernedRun

PROTECTED = (*protected.PROTECTED, paths.NOTES, "plans/**")
"""What no agent may change: the program itself writes the plans and notes."""
HIDDEN = (".podium/**",)


def governed(run: Run) -> GovernedRun:
    assert isinstance(run, GovernedRun)
    return run


def plan_file(run: GovernedRun) -> str:
    return run.plan_file or paths.plan_path(run.task)


def plan_reads(run: Run) -> list[str]:
    return [plan_file(governed(run))]


def handed(sent: Delegation) -> tuple[str, ...]:
    """The payload, as the agent's schema requires it."""
    return (
        f"Delegation for {sent.agent}:",
        *(
            f"    {line}"
            for line in json.dumps(sent.payload, indent=2, ensure_ascii=False).splitlines()
        ),
    )


def patient(policy: Policy) -> dict[str, int]:
    """An agent that gives no answer is asked again as often as the budget for transient failures
    allows.
    """
    most = policy.integer("retry_budgets.transient_max")
    return {"crash": most, "timeout": most, "rate_limit": most, "transient": most}


def planning(policy: Policy, run: Run) -> Delegation:
    at = governed(run)
    path = paths.plan_path(at.task)
    kept = (
        [f"Phases {', '.join(map(str, at.complete))} are complete: keep them as they are"]
        if at.complete
        else []
    )
    days = policy.integer("memory_hygiene.stale_memory_freshness_days")
    old = [
        f"What {paths.MEMORY} says may be out of date after {days} days: look before you rely on it"
    ]
    told = [*at.findings, *kept]
    revision = (
        Revision("; ".join(at.findings) or "the plan must be revised", path, findings=tuple(told))
        if at.drafts
        else None
    )
    context = [paths.research_path(at.task)] if at.discovered else []
    return delegations.planning(
        at.request,
        policy,
        constraints=old,
        context=context,
        revision=revision,
        trace_id=at.trace_id,
        iteration=at.revisions,
    )


def planner(policy: Policy, run: Run) -> Contract:
    task = governed(run).task
    path = paths.plan_path(task)
    known = {"plan so far": path, "memory": paths.MEMORY, "research": paths.research_path(task)}
    return Contract(
        role="planner",
        inputs=tuple(Input(name, each, required=False) for name, each in known.items()),
        outputs=(plan_output(path),),
        code="read",
        protected=protected.PROTECTED,
        hidden=HIDDEN,
        dialect=dialect_name("planner", policy.generation),
        told=handed(planning(policy, run)),
        retries=patient(policy),
    )


def reviewing(policy: Policy, role: str, run: Run) -> Delegation:
    at = governed(run)
    plan = from_data(at.plan)
    return delegations.plan_review(
        role,
        plan,
        paths.plan_path(at.task),
        policy,
        task_id=at.task,
        trace_id=at.trace_id,
        iteration=at.revisions,
        focus=review_scope(plan, policy).focus_areas,
        retry_attempt=int(role in at.asked_again),
    )


def reviewer(policy: Policy, role: str, run: Run) -> Contract:
    at = governed(run)
    sound = [
        f"{each['id']} (sound in round {each['last']}): {each['description']}"
        for each in at.registry
        if each["status"] == "VERIFIED"
    ]
    told = (
        (
            "Sound before; what fails now is a regression and blocks:",
            *(f"- {each}" for each in sound),
        )
        if sound and role == AUDITOR
        else ()
    )
    return Contract(
        role=role,
        inputs=(Input("plan", paths.plan_path(at.task), material=True),),
        code="read",
        protected=PROTECTED,
        hidden=HIDDEN,
        dialect=dialect_name(role, policy.generation),
        told=(*handed(reviewing(policy, role, run)), *told),
        retries=patient(policy),
        belongs=partial(foreign, from_data(at.plan)),
    )


def reviewing_all(policy: Policy, run: Run) -> Delegation:
    at = governed(run)
    prior = prior_findings(
        {int(number): each["review"] for number, each in at.records.items() if each.get("review")}
    )
    return delegations.code_review(
        at.touched or ["none"], policy, snapshot=snapshot(from_data(at.plan)), prior=prior
    )


def final_reviewer(policy: Policy, run: Run) -> Contract:
    at = governed(run)
    return Contract(
        role="code-reviewer",
        inputs=(Input("plan", plan_file(at)),),
        code="read",
        protected=PROTECTED,
        hidden=HIDDEN,
        dialect=dialect_name("code-reviewer", policy.generation),
        told=handed(reviewing_all(policy, run)),
        retries=patient(policy),
        belongs=partial(foreign, from_data(at.plan)),
        changes=f"plans/artifacts/{at.task}/changes.patch",
    )
