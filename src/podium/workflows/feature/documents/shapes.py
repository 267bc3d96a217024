"""Every document that agents of `feature` write, as data: where it lies and what it contains.

What the specification names is required. Where it gives only a number of sections (ten in the
analysis, thirteen in the design), the names are our choice: agents are told them, and no document
is refused for lacking one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["prose", "research", "ct", "review", "build", "tests", "tasks", "feature"]

CT_PARTS = ("What", "Where", "Likelihood", "Impact", "Assumption at risk")
R_PARTS = ("What", "Where", "Why", "Suggested Fix", "Affects Tasks")
CT_WORDS = ("Critical", "High", "Medium", "Low")
R_WORDS = ("Blocker", "Major", "Minor")


@dataclass(frozen=True)
class Value:
    """A `Key: value` line whose value is one of these words; any text if there are none."""

    key: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Shape:
    """One document."""

    name: str
    """`research/impact`, `design`, `ct-security`: its path without the cluster's folder and the
    file ending.
    """
    path: str
    """Its path below the folder of the feature."""
    title: str
    headings: tuple[str, ...] = ()
    """The sections the agent is told to write, in order."""
    required: tuple[str, ...] = ()
    """Those that must be there, as a heading, a key or a row; ` / ` separates two names of the
    same one.
    """
    blank: tuple[str, ...] = ()
    """Those that may be there with nothing in them."""
    values: tuple[Value, ...] = ()
    kind: Kind = "prose"


RESEARCH = (
    *("Focus Area", "Summary", "Findings", "File References", "Assumptions & Limitations"),
    *("Open Questions", "Research Metadata"),
)
METADATA = (
    Value("confidence_level", ("high", "medium", "low")),
    Value("coverage_estimate"),
    Value("gaps"),
)
ANALYSIS = (
    *(
        "Summary",
        "The Request in Context",
        "Current Architecture",
        "Affected Areas",
        "Dependencies",
    ),
    *(
        "Conventions and Patterns",
        "Risks",
        "Assumptions & Limitations",
        "Open Questions",
        "Appendix / Sources",
    ),
)
FEATURE = (
    *("Title", "Background", "Functional", "Non-functional", "Constraints", "Acceptance Criteria"),
    *("Edge Cases", "User Stories", "Test Scenarios", "Dependencies & Risks"),
)
DESIGN = (
    *("Summary", "Context and Inputs", "Architecture", "Components", "Data Model", "Interfaces"),
    *("Interaction Flow", "Security", "Failure and Recovery", "Performance and Scale"),
    *("Migration and Compatibility", "Testing Strategy", "Alternatives and Trade-offs"),
)
CT = ("Findings", "Cross-Cutting Observations", "Requirement Coverage")
REVIEW = ("Findings", "Summary")
KNOWLEDGE = ("Summary", "Patterns Worth Keeping", "Decisions Recorded")
SUGGESTIONS = ("Suggestions", "Rejected Suggestions")
BUILD = (
    "Build System",
    "Build Command",
    "Result",
    "Errors",
    "Warnings",
    "Artifacts",
    "Environment",
)
TESTS = ("Counts", "Failing Test Details")
TASKS = ("Tasks", "Failing Task IDs")
FEATURE_CHECK = ("Acceptance Criteria", "Regressions", "Readiness")


def _research(focus: str) -> Shape:
    return Shape(
        f"research/{focus}",
        f"research/{focus}.md",
        f"Research — {focus}",
        RESEARCH,
        RESEARCH,
        values=METADATA,
        kind="research",
    )


def _ct(focus: str) -> Shape:
    name = f"ct-{focus}"
    return Shape(name, f"ct-review/{name}.md", f"Design Review — {focus}", CT, CT[1:], kind="ct")


def _review(focus: str) -> Shape:
    return Shape(f"r-{focus}", f"review/r-{focus}.md", f"Review — {focus}", REVIEW, kind="review")


_ALL = (
    *map(_research, ("architecture", "impact", "dependencies", "patterns")),
    Shape("analysis", "analysis.md", "Analysis", ANALYSIS, ANALYSIS[-1:]),
    Shape("feature", "feature.md", "Feature", FEATURE, FEATURE),
    Shape("design", "design.md", "Design", DESIGN),
    *map(_ct, ("security", "scalability", "maintainability", "strategy")),
    Shape(
        "v-build",
        "verification/v-build.md",
        "Verification — build",
        BUILD,
        BUILD,
        blank=("Errors", "Warnings", "Artifacts"),
        values=(Value("Status", ("PASS", "FAIL")),),
        kind="build",
    ),
    Shape("v-tests", "verification/v-tests.md", "Verification — tests", TESTS, kind="tests"),
    Shape(
        "v-tasks",
        "verification/v-tasks.md",
        "Verification — tasks",
        TASKS,
        TASKS[1:],
        blank=TASKS[1:],
        kind="tasks",
    ),
    Shape(
        "v-feature",
        "verification/v-feature.md",
        "Verification — feature",
        FEATURE_CHECK,
        kind="feature",
    ),
    *map(_review, ("quality", "security", "testing")),
    Shape("r-knowledge", "review/r-knowledge.md", "Review — knowledge", KNOWLEDGE),
    Shape(
        "knowledge-suggestions",
        "review/knowledge-suggestions.md",
        "Knowledge Suggestions",
        SUGGESTIONS,
    ),
)
SHAPES: Mapping[str, Shape] = {shape.name: shape for shape in _ALL}
"""By name."""
