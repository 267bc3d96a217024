"""The state of a loop, of one item and of the planner: a few counters, and what the next
dispatch is told.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from podium.core.run import Run


@dataclass(kw_only=True)
class RoadmapRun(Run):
    """The loop: one item at a time."""

    file: str = "roadmap.json"
    current: str = ""
    """The id of the item being worked on, or of the last one."""
    item: dict[str, Any] = field(default_factory=dict, compare=False)
    """Members of its child run."""
    left: int = 0
    """Items that are not done, without the current one."""
    taken: int = 0
    """Items begun in this call, if calls are bounded."""
    bounded: bool = field(default=False, compare=False)
    """Whether the last call ended because it reached its bound."""
    ended: dict[str, Any] = field(default_factory=dict, compare=False)
    """How the current item ended; empty while it is worked on."""
    begins: str = field(default="", compare=False)
    """`anew` if the current item starts from the beginning, whatever an earlier visit left."""
    sent_on: str = field(default="", compare=False)
    """What a person did while the loop rested: `edited` if they changed the file, which then says
    what to do;
    `again` if they sent it on unchanged, which gives each blocked item one more chance.
    """
    chances: list[str] = field(default_factory=list, compare=False)
    """Blocked items that have not had that chance yet."""
    plan: str = field(default="", compare=False)
    """The digest of what people own in the file, as last read."""


@dataclass(kw_only=True)
class ItemRun(Run):
    """One item through its pipeline."""

    file: str = field(default="roadmap.json", compare=False)
    id: str = field(default="ITEM", compare=False)
    title: str = field(default="", compare=False)
    complexity: str = "simple"
    criteria: list[str] = field(default_factory=list, compare=False)
    verification: list[str] = field(default_factory=list)
    dependencies: list[str] = field(default_factory=list, compare=False)
    research: str = "full"
    """skip, full, or narrowed to what the planner's research does not cover."""
    planning_research: dict[str, list[str]] = field(default_factory=dict, compare=False)
    retries: int = 0
    """The item's retryCount."""
    max_retries: int = field(default=2, compare=False)
    """What agents are told; the rule itself is in the workflow."""
    resumes_at: str = ""
    """Where the item continues once a person has decided about an edit of it."""
    edits: list[str] = field(default_factory=list, compare=False)
    research_found: str = field(default="", compare=False)
    design: str = field(default="", compare=False)
    implemented: list[dict[str, str]] = field(default_factory=list, compare=False)
    tested: str = field(default="", compare=False)
    reviewed: str = field(default="", compare=False)
    proven: list[str] = field(default_factory=list, compare=False)
    """What the commands prove about the last attempt, in words."""
    failure: list[str] = field(default_factory=list, compare=False)
    """What the last step found wrong."""
    failures: list[list[str]] = field(default_factory=list, compare=False)
    """What each failed attempt got wrong, oldest first."""
    arrived: list[str] = field(default_factory=list, compare=False)
    """Paths that the last step changed."""
    touched: list[str] = field(default_factory=list, compare=False)
    """Paths that any step changed: what is committed when the item passes."""


@dataclass(kw_only=True)
class PlanRun(Run):
    """The planner's one step."""

    file: str = "roadmap.json"
    goal: str = ""
