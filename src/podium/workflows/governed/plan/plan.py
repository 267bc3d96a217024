"""A plan as a value: phases in waves, each with its executor, and what the reviews need to know.

The value covers the schemas of both generations. Empty members that a schema does not require are
left out when the plan is written, so that reading it back gives the same value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from podium.workflows.governed.terms import WRITING_ACTIONS, Tier

SCHEMA_VERSION = "1.2.0"
MOST_PARALLEL = 10
"""Applies if a plan does not say how many agents may work at once."""


@dataclass(frozen=True)
class PlanFile:
    """One file that a phase touches."""

    path: str
    action: str
    reason: str


@dataclass(frozen=True)
class Expectation:
    """A failure that the planner foresees."""

    scenario: str
    classification: str
    mitigation: str


@dataclass(frozen=True)
class Phase:
    """One piece of work for one executor."""

    phase_id: int
    title: str
    objective: str
    wave: int
    executor_agent: str = ""
    """Empty only in a plan from before executors were named: such a plan goes back to the
    planner.
    """
    files: tuple[PlanFile, ...] = ()
    tests: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    acceptance_criteria: tuple[str, ...] = ()
    quality_gates: tuple[str, ...] = ()
    dependencies: tuple[int, ...] = ()
    failure_expectations: tuple[Expectation, ...] = ()
    skill_references: tuple[str, ...] = ()
    phase_type: str = ""
    phase_task_card_path: str = ""

    @property
    def name(self) -> str:
        """The name used in todos."""
        return f"Phase {self.phase_id} — {self.title}"

    @property
    def writes(self) -> tuple[str, ...]:
        """Paths that this phase means to change."""
        return tuple(each.path for each in self.files if each.action in WRITING_ACTIONS)

    @property
    def read_only(self) -> bool:
        return self.phase_type == "read_only"


@dataclass(frozen=True)
class PhaseContract:
    """What one phase hands to another."""

    from_phase: int
    to_phase: int
    interface: str
    format: str


@dataclass(frozen=True)
class OpenQuestion:
    question: str
    options: tuple[str, ...]
    recommendation: str


@dataclass(frozen=True)
class Risk:
    risk: str
    mitigation: str


@dataclass(frozen=True)
class RiskReview:
    """What the planner found about one category of risk."""

    category: str
    applicability: str
    impact: str
    evidence_source: str
    disposition: str

    @property
    def unresolved_high(self) -> bool:
        return (
            self.applicability == "applicable"
            and self.impact == "HIGH"
            and self.disposition != "resolved"
        )


@dataclass(frozen=True)
class Diagram:
    type: str
    title: str
    mermaid_source: str


@dataclass(frozen=True)
class Plan:
    """Everything that a planner decides."""

    status: str
    task_title: str
    summary: str
    confidence: float
    complexity_tier: Tier
    phases: tuple[Phase, ...]
    risk_review: tuple[RiskReview, ...] = ()
    abstaining: bool = False
    abstain_reasons: tuple[str, ...] = ()
    open_questions: tuple[OpenQuestion, ...] = ()
    risks: tuple[Risk, ...] = ()
    success_criteria: tuple[str, ...] = ()
    handoff_agent: str = "Orchestrator"
    handoff_prompt: str = ""
    contracts: tuple[PhaseContract, ...] = ()
    diagrams: tuple[Diagram, ...] = ()
    max_parallel_agents: int | None = None
    iteration_budget: int | None = None
    revision_mode: str = ""
    revision_of: str = ""
    active_plan_path: str = ""
    existing_plan_path: str = ""
    trace_id: str = ""
    resource_profile: str = ""
    spec_path: str = ""
    research_brief_path: str = ""
    code_context_pack_path: str = ""
    context_packet_path: str = ""

    def phase(self, phase_id: int) -> Phase:
        return next(each for each in self.phases if each.phase_id == phase_id)

    @property
    def waves(self) -> tuple[tuple[int, tuple[Phase, ...]], ...]:
        """Phases by wave, both in ascending order."""
        numbers = sorted({each.wave for each in self.phases})
        ordered = sorted(self.phases, key=lambda each: each.phase_id)
        return tuple(
            (wave, tuple(each for each in ordered if each.wave == wave)) for wave in numbers
        )

    @property
    def unresolved_risks(self) -> tuple[RiskReview, ...]:
        return tuple(each for each in self.risk_review if each.unresolved_high)

    @property
    def parallel(self) -> int:
        return self.max_parallel_agents or MOST_PARALLEL


OPTIONAL_TEXTS = (
    *(
        "revision_of",
        "active_plan_path",
        "existing_plan_path",
        "trace_id",
        "resource_profile",
        "spec_path",
    ),
    *("research_brief_path", "code_context_pack_path", "context_packet_path"),
)
"""Optional members of a plan, each a single text."""


def from_data(data: Mapping[str, Any]) -> Plan:
    """The plan in an object that its schema accepted; only executors may be missing."""
    abstain, handoff = data["abstain"], data["handoff"]
    return Plan(
        status=data["status"],
        task_title=data["task_title"],
        summary=data["summary"],
        confidence=float(data["confidence"]),
        complexity_tier=data["complexity_tier"],
        phases=tuple(map(_phase, data["phases"])),
        risk_review=tuple(RiskReview(**each) for each in data["risk_review"]),
        abstaining=abstain["is_abstaining"],
        abstain_reasons=tuple(abstain["reasons"]),
        open_questions=tuple(
            OpenQuestion(each["question"], tuple(each["options"]), each["recommendation"])
            for each in data["open_questions"]
        ),
        risks=tuple(Risk(**each) for each in data["risks"]),
        success_criteria=tuple(data["success_criteria"]),
        handoff_agent=handoff["target_agent"],
        handoff_prompt=handoff["prompt"],
        contracts=tuple(
            PhaseContract(**_whole(each, "from_phase", "to_phase"))
            for each in data.get("contracts", ())
        ),
        diagrams=tuple(Diagram(**each) for each in data.get("diagrams", ())),
        max_parallel_agents=_number(data.get("max_parallel_agents")),
        iteration_budget=_number(data.get("iteration_budget")),
        revision_mode=data.get("revision_mode", ""),
        **{name: data.get(name, "") for name in OPTIONAL_TEXTS},
    )


def _phase(data: Mapping[str, Any]) -> Phase:
    known = {each.name for each in fields(Phase)}
    members: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in data.items()
        if name in known
    }
    members |= {name: int(data[name]) for name in ("phase_id", "wave")}
    members["files"] = tuple(PlanFile(**each) for each in data["files"])
    members["dependencies"] = tuple(map(int, data.get("dependencies", ())))
    members["failure_expectations"] = tuple(
        Expectation(**each) for each in data.get("failure_expectations", ())
    )
    return Phase(**members)


def _whole(data: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The members, with these as whole numbers: 2.0 is 2 in JSON."""
    return {**data, **{name: int(data[name]) for name in names}}


def _number(value: Any) -> int | None:
    return None if value is None else int(value)


def to_data(plan: Plan) -> dict[str, Any]:
    """The plan as the planner's object; a revision mode is written only if the plan has one."""
    data: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "agent": "Planner",
        "status": plan.status,
        "task_title": plan.task_title,
        "summary": plan.summary,
        "confidence": plan.confidence,
        "abstain": {"is_abstaining": plan.abstaining, "reasons": list(plan.abstain_reasons)},
        "phases": [_phase_data(each) for each in plan.phases],
        "open_questions": _plain(plan.open_questions),
        "risks": _plain(plan.risks),
        "risk_review": _plain(plan.risk_review),
        "success_criteria": list(plan.success_criteria),
        "complexity_tier": plan.complexity_tier,
        "handoff": {"target_agent": plan.handoff_agent, "prompt": plan.handoff_prompt},
    }
    optional: dict[str, Any] = {
        "contracts": _plain(plan.contracts),
        "diagrams": _plain(plan.diagrams),
        "max_parallel_agents": plan.max_parallel_agents,
        "iteration_budget": plan.iteration_budget,
        "revision_mode": plan.revision_mode,
        **{name: getattr(plan, name) for name in OPTIONAL_TEXTS},
    }
    return data | {name: value for name, value in optional.items() if value}


def _phase_data(phase: Phase) -> dict[str, Any]:
    data: dict[str, Any] = {
        "phase_id": phase.phase_id,
        "title": phase.title,
        "objective": phase.objective,
        "wave": phase.wave,
        "executor_agent": phase.executor_agent,
        "files": _plain(phase.files),
        "tests": list(phase.tests),
        "steps": list(phase.steps),
        "acceptance_criteria": list(phase.acceptance_criteria),
        "quality_gates": list(phase.quality_gates),
    }
    optional: dict[str, Any] = {
        "dependencies": list(phase.dependencies),
        "failure_expectations": _plain(phase.failure_expectations),
        "skill_references": list(phase.skill_references),
        "phase_type": phase.phase_type,
        "phase_task_card_path": phase.phase_task_card_path,
    }
    data |= {name: value for name, value in optional.items() if value}
    return (
        data
        if phase.executor_agent
        else {name: each for name, each in data.items() if name != "executor_agent"}
    )


def _plain(values: Sequence[Any]) -> list[dict[str, Any]]:
    """Small records as objects, their tuples as lists."""
    return [
        {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in vars(each).items()
        }
        for each in values
    ]
