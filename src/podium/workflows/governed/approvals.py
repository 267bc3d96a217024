"""Which approvals a wave needs and how they are asked for: one for all its phases, or one for
each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from podium.workflows.governed.memory.task_cache import Advice
from podium.workflows.governed.phase.hazards import Hazard, planned_hazards
from podium.workflows.governed.plan.plan import Phase
from podium.workflows.governed.policy.policy import Policy


@dataclass(frozen=True)
class Approval:
    """One question to a person."""

    phases: tuple[int, ...]
    prompt: str
    details: tuple[str, ...]
    """What the person may ask to see: each phase with its risk and its files."""
    high_risk: bool = False
    """Never covered by an approval of everything."""


def wave_approvals(
    wave: int, phases: Sequence[Phase], policy: Policy, alike: Mapping[int, Advice] | None = None
) -> tuple[Approval, ...]:
    """The approvals of a wave, in the order they are asked for; `alike` are phases that resemble
    earlier ones.
    """
    alike = alike or {}
    hazards = {each.phase_id: planned_hazards(each, policy) for each in phases}
    ordered = sorted(phases, key=lambda each: each.phase_id)
    apart = policy.text("batch_approval.approval_per") == "phase"
    if (
        any(hazards.values())
        and policy.text("batch_approval.exception_destructive_phases") == "per_phase"
    ):
        apart = True
    if any(each.kind == "question" for each in alike.values()):
        apart = True
    details = tuple(
        _told(each, hazards[each.phase_id]) + _likeness(alike.get(each.phase_id))
        for each in ordered
    )
    if apart:
        return tuple(
            _one(wave, each, hazards[each.phase_id], told)
            for each, told in zip(ordered, details, strict=True)
        )
    return (
        Approval(
            tuple(each.phase_id for each in ordered),
            batch_prompt(wave, ordered),
            details,
            any(hazards.values()),
        ),
    )


def batch_prompt(wave: int, phases: Sequence[Phase]) -> str:
    agents = ", ".join(dict.fromkeys(each.executor_agent for each in phases))
    return f"Wave {wave}: {len(phases)} phases, agents: [{agents}]. Approve all? (y/n/details)"


def _one(wave: int, phase: Phase, hazards: Sequence[Hazard], told: str) -> Approval:
    risks = ", ".join(dict.fromkeys(each.action for each in hazards))
    said = f" It may do what needs a person: {risks}." if risks else ""
    prompt = (
        f"Wave {wave}, {phase.name}, agent: {phase.executor_agent}.{said} Approve? (y/n/details)"
    )
    return Approval((phase.phase_id,), prompt, (told,), bool(hazards))


def _likeness(advice: Advice | None) -> str:
    return (
        f" Looks like {advice.like.title!r} of {advice.like.plan_id}, which was done before."
        if advice
        else ""
    )


def _told(phase: Phase, hazards: Sequence[Hazard]) -> str:
    risk = ", ".join(dict.fromkeys(each.action for each in hazards)) or "no high-risk action"
    files = ", ".join(phase.writes) or "no file"
    return (
        f"{phase.name} ({phase.executor_agent}): {phase.objective} Risk: {risk}. Changes: {files}."
    )
