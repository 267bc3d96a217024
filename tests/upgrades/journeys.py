"""The runs whose folders are kept: one long journey for each workflow, and the ways in which a run comes to rest in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.crash.story import SCENARIO as HARNESS
from tests.fakes import feature as f
from tests.fakes import governed as g
from tests.fakes import roadmap as r
from tests.fakes import ticket as t
from tests.fakes.project import SPEC, TASK, Project

WELL: dict[str, Any] = {"behave": "well"}
LIMITED: dict[str, Any] = {"fail": "rate_limit", "retry_after": 3600}


@dataclass(frozen=True)
class Journey:
    """One run from its request; `scenario` says what its agents do."""

    workflow: str
    inputs: Sequence[str]
    make: Callable[[Path], Project]
    scenario: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Stop:
    """How a journey is broken off."""

    name: str
    agents: Mapping[str, Any] = field(default_factory=dict)
    """Calls over those of the journey, by role."""
    keys: Mapping[str, Any] = field(default_factory=dict)
    """The same by key."""
    until: str = ""
    """It stops when this key is done; empty: it goes on until it rests by itself."""
    dies_at: str = ""
    """The whole process is killed while the agent of this key works."""
    gates: int = 0
    """How many gates a person decides before; the rest is left open."""
    policy: Mapping[str, Any] = field(default_factory=dict)
    before: Callable[[Project], object] = lambda _: None
    """What a person did before it began."""
    after: Callable[[Project], object] = lambda _: None
    """What a person does then."""


def _road(base: Path) -> Project:
    second = r.item("US-2", "complex", dependencies=["US-1"], planningResearch=r.KNOWN)
    return r.Road.of(base, r.item("US-1"), second)


JOURNEYS = {
    "harness": Journey("harness", [TASK], Project.at, HARNESS),
    "feature": Journey(
        "feature",
        [f.REQUEST],
        f.FeatureProject.at,
        {
            "agents": {
                "planner": [f.planner({"01-a": [], "02-b": []}, {"03-c": ["01-a"]})],
                "ct-security": [f.finds("High"), WELL],
                "r-quality": [f.finds("Major", "NEEDS_REVISION", tasks=["02"]), WELL],
            },
        },
    ),
    "roadmap": Journey("roadmap", [], _road),
    "ticket": Journey(
        "ticket",
        [t.WORDS],
        t.TicketProject.at,
        {"agents": {"planner": [t.planned(t.task(1), t.task(2), t.task(3, depends_on=["TASK-1"]))], "reviewer": [t.rejected(), WELL]}},
    ),
    "governed": Journey(
        "governed",
        [g.REQUEST],
        g.Governed.of,
        {
            "agents": {
                "planner": [g.plan({}, {}, {"wave": 2}, complexity_tier="LARGE")],
                "plan-auditor": [g.audit("NEEDS_REVISION", g.finding()), WELL],
            },
            "keys": {"wave/1/phase/2/review/1": [g.reviewed("NEEDS_REVISION", g.issue(file="src/part2.py"))]},
        },
    ),
}


def _edited(path: str) -> Callable[[Project], None]:
    def change(project: Project) -> None:
        project.write(path, project.text(path) + "\nA person's line.\n")

    return change


def _another_item(project: Project) -> None:
    """The item at work is told otherwise; the run asks what that means."""
    assert isinstance(project, r.Road)
    project.set("US-2", acceptanceCriteria=["it is fast"])
    assert project.resume().gates


STOPS: Mapping[str, Sequence[Stop]] = {
    "harness": (
        Stop("gate"),
        Stop("decided", after=lambda project: project.approve(note="seen")),
        Stop("question", {"po-spec": [{"say": "?", "ask": "Which words count?"}, WELL]}),
        Stop("sleeping", {"feature-design": [LIMITED, WELL]}),
        Stop("blocked", {"tech-lead": [{"say": "The plan is written."}] * 6 + [WELL]}),
        Stop("killed", dies_at="build", gates=1),
        Stop("edited", after=_edited(SPEC)),
        Stop("rewound", after=lambda project: project.rewind("design")),
    ),
    "feature": (
        Stop("gate", policy={"approval_mode": True}),
        Stop("killed-in-wave", dies_at="wave/1/02-b", gates=9),
        Stop("sleeping", keys={"wave/1/01-a": [LIMITED, f.builds("01-a")]}, gates=9),
        Stop("blocked", {"spec": [f.ERROR, f.ERROR, f.ERROR, WELL]}, gates=9),
    ),
    "roadmap": (
        Stop("killed-in-item", dies_at="item/US-1/implement/1"),
        Stop("sleeping-in-item", {"implement": [LIMITED, WELL]}),
        Stop("drift", until="item/US-2/testing/1", after=_another_item),
    ),
    "ticket": (
        Stop("killed", dies_at=t.task_key(1)),
        Stop("sleeping", {"planner": [LIMITED, WELL]}),
        Stop("question", before=lambda project: project.write("src/app.py", "VALUE = 2\n")),
    ),
    "governed": (
        Stop("gate"),
        Stop("killed-in-phase", dies_at="wave/1/phase/2/execute/1", gates=9),
        Stop("child-asks", keys={"wave/1/phase/1/execute/1": [g.asks()]}, gates=2),
        Stop("sleeping", keys={"wave/1/phase/1/execute/1": [LIMITED, WELL]}, gates=9),
    ),
}
