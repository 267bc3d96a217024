"""What the agents of a governed run are handed, may read and must write."""

from __future__ import annotations

import json

from podium.core.contract import Contract, Input
from podium.core.run import Run
from podium.workflows.governed import delegations, paths
from podium.workflows.governed.delegations import Delegation, Revision
from podium.workflows.governed.dialects import dialect_name
from podium.workflows.governed.final_review import snapshot
from podium.workflows.governed.plan import from_data
from podium.workflows.governed.plan_output import plan_output
from podium.workflows.governed.policy import Policy
from podium.workflows.governed.run import GovernedRun

PROTECTED = (".podium/**", ".git/**", "podium.toml", ".github/agents/**", ".claude/agents/**", "governance/**", "plans/**")


def governed(run: Run) -> GovernedRun:
    assert isinstance(run, GovernedRun)
    return run


def handed(sent: Delegation) -> tuple[str, ...]:
    """The payload, as the agent's schema has it."""
    return (f"Delegation for {sent.agent}:", *(f"    {line}" for line in json.dumps(sent.payload, indent=2, ensure_ascii=False).splitlines()))


def planner(policy: Policy, run: Run) -> Contract:
    at = governed(run)
    path = paths.plan_path(at.task)
    revision = Revision("; ".join(at.findings) or "the plan must be revised", path, findings=tuple(at.findings)) if at.drafts else None
    sent = delegations.planning(at.request, policy, revision=revision, trace_id=at.trace_id, iteration=at.revisions)
    return Contract(
        role="planner", inputs=(Input("plan so far", path, required=False),), outputs=(plan_output(path),), code="read", protected=PROTECTED[:-1],
        hidden=(".podium/**",), dialect=dialect_name("planner"), told=handed(sent),
    )  # fmt: skip


def reviewer(policy: Policy, role: str, run: Run) -> Contract:
    at = governed(run)
    path = paths.plan_path(at.task)
    again = int(role in at.asked_again)
    sent = delegations.plan_review(
        role, from_data(at.plan), path, policy, task_id=at.task, trace_id=at.trace_id, iteration=at.revisions, retry_attempt=again
    )
    return Contract(
        role=role, inputs=(Input("plan", path, material=True),), code="read", protected=PROTECTED, hidden=(".podium/**",),
        dialect=dialect_name(role), told=handed(sent),
    )  # fmt: skip


def final_reviewer(policy: Policy, run: Run) -> Contract:
    at = governed(run)


    sent = delegations.code_review(at.touched or ["none"], policy, snapshot=snapshot(from_data(at.plan)))
    return Contract(
        role="code-reviewer", inputs=(Input("plan", paths.plan_path(at.task)),), code="read", protected=PROTECTED, hidden=(".podium/**",),
        dialect=dialect_name("code-reviewer"), told=handed(sent), changes=f"plans/artifacts/{at.task}/changes.patch",
    )  # fmt: skip
