"""What a governed run and each of its phases keep: counters, the plan as data, and what was
decided.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from podium.core.run import WHOLE, Run


@dataclass(kw_only=True)
class GovernedRun(Run):
    task: str = field(default="task", compare=False)
    """The task's name in paths."""
    request: str = field(default="", compare=False)
    trace_id: str = field(default="", compare=False)
    given: str = field(default="", compare=False)
    """The text of a plan that a person brought, until it is checked."""
    plan: dict[str, Any] = field(default_factory=dict, compare=False, metadata=WHOLE)
    plan_file: str = field(default="", compare=False)
    """Where the plan in force is."""
    plan_mark: str = field(default="", compare=False)
    """The digest of that file when it was checked."""
    tier: str = "SMALL"
    sent: dict[str, Any] = field(default_factory=dict, compare=False)
    """The object that the planner sent; the worse of object and document counts."""
    fit: bool = False
    """Whether the plan can be carried out at all."""
    researched: bool = False
    """Whether the time for research is over: it follows the first draft only."""
    seekers: list[str] = field(default_factory=list, compare=False)
    """Who is asked to find out what the draft leaves open."""
    discovered: dict[str, Any] = field(default_factory=dict, compare=False)
    """Role to what it found."""
    facts: list[dict[str, Any]] = field(default_factory=list, compare=False)
    """What may be remembered from this task."""
    alike: str = field(default="", compare=False)
    """Why a fact looks known."""
    choice: str = field(default="", compare=False)
    """What a person decided about it."""
    drafts: int = field(default=0, compare=False)
    """Plans checked so far."""
    consented: bool = False
    """Whether a person approved this very version of the plan."""
    sound: bool = False
    """Whether the reviewers approved this very version."""
    reviewing: bool = False
    """Whether the plan is being revised because a reviewer asked for it."""
    reviewers: list[str] = field(default_factory=list)
    revisions: int = 0
    iterations: int = field(default=0, compare=False)
    """Revisions of all plans of this run."""
    audits: int = field(default=0, compare=False)
    reviews: dict[str, Any] = field(default_factory=dict, compare=False)
    """Role to its answer in this round."""
    fresh: dict[str, Any] = field(default_factory=dict, compare=False)
    """Answers not yet taken into the round."""
    asked_again: list[str] = field(default_factory=list)
    """Reviewers that abstained in this round."""
    rehearsed: bool = False
    rounds: list[dict[str, Any]] = field(default_factory=list, compare=False)
    registry: list[dict[str, Any]] = field(default_factory=list, compare=False)
    """What reviews found sound, to detect regressions."""
    known: dict[str, str] = field(default_factory=dict, compare=False)
    """Findings of all audits by id."""
    findings: list[str] = field(default_factory=list, compare=False)
    """What the planner must fix, or a person should know."""
    convergence: str = field(default="Converged", compare=False)
    waves: list[list[int]] = field(default_factory=list)
    """Waves of the plan, as phase ids."""
    numbers: list[int] = field(default_factory=list, compare=False)
    """The plan's number for each of them."""
    complete: list[int] = field(default_factory=list)
    items: int = field(default=0, compare=False)
    """How many phases the plan has."""
    todos: list[list[Any]] = field(default_factory=list, compare=False)
    wave: int = 0
    approvals: list[dict[str, Any]] = field(default_factory=list)
    """Approvals of this wave still to be asked for."""
    limit: int = field(default=4, compare=False)
    shaky: list[int] = field(default_factory=list, compare=False)
    """Phases of this wave with transient failures."""
    returned: int = 0
    """How often in a row a plan went back because it could not be carried out."""
    replans: int = 0
    """How often phases sent the plan back since a person last decided how to continue."""
    failed: dict[str, list[list[str]]] = field(default_factory=dict, compare=False)
    """Incomplete phase to (class, reason) of its failures under all plans so far: its budgets
    outlive a plan.
    """
    ended: dict[str, Any] = field(default_factory=dict, compare=False)
    """Phase to how its run ended, until the wave is closed."""
    records: dict[str, Any] = field(default_factory=dict, compare=False)
    """Complete phase to what its documents say."""
    touched: list[str] = field(default_factory=list, compare=False)
    final_cycles: int = 0
    final_asked: bool = False
    final: dict[str, Any] = field(default_factory=dict, compare=False)
    fixes: list[list[Any]] = field(default_factory=list)
    """Phases that fix what the final review found, each with its issues."""
    stopped: bool = False
    noted: bool = field(default=False, compare=False)
    """Whether the notes are this run's own."""
    lessons: list[str] = field(default_factory=list, compare=False)


@dataclass(kw_only=True)
class PhaseRun(Run):
    task: str = field(default="task", compare=False)
    trace_id: str = field(default="", compare=False)
    plan: dict[str, Any] = field(default_factory=dict, compare=False, metadata=WHOLE)
    plan_file: str = field(default="", compare=False)
    phase_id: int = field(default=1, compare=False)
    title: str = field(default="", compare=False)
    tier: str = field(default="SMALL", compare=False)
    complete: list[int] = field(default_factory=list, compare=False)
    """Phases that were complete when this one began."""
    unmarked: list[str] = field(default_factory=list, compare=False)
    """Todos of earlier waves that were not marked then."""
    undeclared: list[str] = field(default_factory=list, compare=False)
    """Files that earlier phases changed outside the plan."""
    allowed: list[str] = field(default_factory=list, compare=False)
    """High-risk actions that a person approved for this phase."""
    granted: bool = False
    """Whether a person has already been asked about high-risk actions."""
    reviewed: bool = True
    """Whether a code review is due."""
    commands: dict[str, str] = field(default_factory=dict, compare=False)
    """Build and test commands detected from the project's files."""
    told: list[str] = field(default_factory=list, compare=False)
    earlier: list[list[str]] = field(default_factory=list, compare=False)
    """(class, reason) of each failure of this phase under earlier plans; they count too."""
    failures: list[list[str]] = field(default_factory=list)
    """(class, reason) of each failure, oldest first."""
    failing: list[str] = field(default_factory=list, compare=False)
    """(class, reason) of the failure being routed."""
    unheard: bool = False
    """Whether the failure is the review's, which nobody answered: the work stands, and only the
    review is asked for again.
    """
    asked_again: bool = False
    report: dict[str, Any] = field(default_factory=dict, compare=False)
    question: dict[str, Any] = field(default_factory=dict, compare=False)
    """The clarification request as sent; empty if the agent asks without one."""
    choice: str = field(default="", compare=False)
    """The option that a person chose."""
    hazards: list[list[str]] = field(default_factory=list, compare=False)
    """(action, evidence) of what a person has not approved."""
    ran: dict[str, bool] = field(default_factory=dict, compare=False)
    proof: list[str] = field(default_factory=list, compare=False)
    """What each command proved, in a sentence."""
    review: dict[str, Any] = field(default_factory=dict, compare=False)
    advice: list[str] = field(default_factory=list, compare=False)
    changed: list[str] = field(default_factory=list, compare=False)
    result: str = ""
    """complete, replan or escalated."""
    why: str = field(default="", compare=False)
    """Why it is not complete."""
    transient: bool = field(default=False, compare=False)
