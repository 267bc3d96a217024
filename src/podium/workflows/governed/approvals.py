"""Which approvals a wave needs and how they are asked for: one for all its phases, or one each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from podium.workflows.governed.hazards import Hazard, planned_hazards
from podium.workflows.governed.plan import Phase
from podium.workflows.governed.policy import Policy


@dataclass(frozen=True)
class Approval:
    """One question to a person."""

    phases: tuple[int, ...]
    prompt: str
    details: tuple[str, ...]
    """What they may ask to see: each phase with its risk and its files."""
    high_risk: bool = False
    """Never covered by an approval of everything."""


def wave_approvals(wave: int, phases: Sequence[Phase], policy: Policy) -> tuple[Approval, ...]:
    """The approvals of a wave, in the order they are asked for."""
    hazards = {each.phase_id: planned_hazards(each, policy) for each in phases}
    ordered = sorted(phases, key=lambda each: each.phase_id)
    apart = policy.text("batch_approval.approval_per") == "phase"
    if any(hazards.values()) and policy.text("batch_approval.exception_destructive_phases") == "per_phase":
        apart = True
    if apart:
        return tuple(_one(wave, each, hazards[each.phase_id]) for each in ordered)
    details = tuple(_told(each, hazards[each.phase_id]) for each in ordered)
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


def _one(wave: int, phase: Phase, hazards: Sequence[Hazard]) -> Approval:
    risks = ", ".join(dict.fromkeys(each.action for each in hazards))
    said = f" It may do what needs a person: {risks}." if risks else ""
    prompt = f"Wave {wave}, {phase.name}, agent: {phase.executor_agent}.{said} Approve? (y/n/details)"
    return Approval((phase.phase_id,), prompt, (_told(phase, hazards),), bool(hazards))


def _told(phase: Phase, hazards: Sequence[Hazard]) -> str:
    risk = ", ".join(dict.fromkeys(each.action for each in hazards)) or "no high-risk action"
    files = ", ".join(phase.writes) or "no file"
    return f"{phase.name} ({phase.executor_agent}): {phase.objective} Risk: {risk}. Changes: {files}."


def high_risk_prompt(phase: Phase, hazards: Sequence[Hazard]) -> str:
    """The question after the fact: something that needs a person was seen in the work itself."""
    seen = "\n".join(f"  {each.action}: {each.evidence}" for each in hazards)
    return f"{phase.name} did what needs a person's approval:\n{seen}\nKeep it?"
