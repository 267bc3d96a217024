"""What a run of the loop, of one item and of the planner keep: a few counters, and words for the next dispatch."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from podium.core.dataclass import dataclass
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
    """Items that are not done, the current one left out."""
    taken: int = 0
    """Items begun in this call, where calls are bounded."""
    bounded: bool = field(default=False, compare=False)
    """Whether the last call ended because it had taken as many as it may."""
    ended: dict[str, Any] = field(default_factory=dict, compare=False)
    """How the current item ended; empty while it is worked on."""
    begins: str = field(default="", compare=False)
    """`anew` where the current item is begun from the start, whatever an earlier visit of it left."""
    sent_on: str = field(default="", compare=False)
    """Since the loop rested: `edited` if a person changed the file, which then says what is to be done; `again` if
    they sent it on without: each blocked item has one more chance."""
    chances: list[str] = field(default_factory=list, compare=False)
    """The blocked items that are still to have it."""
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
    """As agents are told; the rule itself is the workflow's."""
    resumes_at: str = ""
    """Where it goes on once a person has looked at an edit of the item."""
    edits: list[str] = field(default_factory=list, compare=False)
    research_found: str = field(default="", compare=False)
    design: str = field(default="", compare=False)
    implemented: list[dict[str, str]] = field(default_factory=list, compare=False)
    tested: str = field(default="", compare=False)
    reviewed: str = field(default="", compare=False)
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
