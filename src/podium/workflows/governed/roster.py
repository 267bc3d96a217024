"""Who may be asked: a closed list of twelve agents. A name that is not here is never dispatched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from podium.core.nearest import nearest

Part = Literal["planner", "executor", "reviewer"]


@dataclass(frozen=True)
class Agent:
    """One member of the roster."""

    name: str
    """The name in schemas and plans."""
    role: str
    """The name in settings and scenarios."""
    schema: str
    """The schema of what it sends back."""
    part: Part
    writes: bool = False
    """Whether it may change files of the project."""
    may_call: tuple[str, ...] = ()
    """Roles to which it may hand work itself."""

    @property
    def short(self) -> str:
        return self.name.removesuffix("-subagent")


def _executor(
    name: str, role: str, schema: str, *, writes: bool = True, may_call: tuple[str, ...] = ()
) -> Agent:
    return Agent(f"{name}-subagent", role, schema, "executor", writes, may_call)


ROSTER: tuple[Agent, ...] = (
    Agent("Planner", "planner", "planner.plan", "planner", may_call=("code-mapper", "researcher")),
    _executor("CodeMapper", "code-mapper", "code-mapper.discovery", writes=False),
    _executor(
        "Researcher",
        "researcher",
        "researcher.research-findings",
        writes=False,
        may_call=("code-mapper",),
    ),
    _executor("CoreImplementer", "core-implementer", "core-implementer.execution-report"),
    _executor("UIImplementer", "ui-implementer", "ui-implementer.execution-report"),
    _executor("PlatformEngineer", "platform-engineer", "platform-engineer.execution-report"),
    _executor("TechnicalWriter", "technical-writer", "technical-writer.execution-report"),
    _executor("BrowserTester", "browser-tester", "browser-tester.execution-report"),
    _executor("CodeReviewer", "code-reviewer", "code-reviewer.verdict", writes=False),
    Agent("PlanAuditor-subagent", "plan-auditor", "plan-auditor.plan-audit", "reviewer"),
    Agent(
        "AssumptionVerifier-subagent",
        "assumption-verifier",
        "assumption-verifier.plan-audit",
        "reviewer",
    ),
    Agent(
        "ExecutabilityVerifier-subagent",
        "executability-verifier",
        "executability-verifier.execution-report",
        "reviewer",
    ),
)
BY_NAME: Mapping[str, Agent] = {each.name: each for each in ROSTER}
BY_ROLE: Mapping[str, Agent] = {each.role: each for each in ROSTER}
EXECUTORS: tuple[str, ...] = tuple(each.name for each in ROSTER if each.part == "executor")
"""Names that a phase may have as its executor."""
READ_ONLY: frozenset[str] = frozenset(
    each.name for each in ROSTER if not each.writes and each.part != "planner"
)


def executor_fault(name: str) -> str:
    """Why a phase cannot have this executor; empty if it can."""
    if name in EXECUTORS:
        return ""
    if not name:
        return "no executor_agent is named, and none is guessed"
    if name in BY_NAME:
        part = "plans" if BY_NAME[name].part == "planner" else "reviews plans"
        return f"{name} {part} and never executes a phase"
    near = nearest(name, EXECUTORS)
    hint = f"did you mean {near}?" if near else f"one of {', '.join(EXECUTORS)}"
    return f"{name[:80]!r} is not in the roster; {hint}"
