"""The runs whose folders are kept: one long journey for each workflow, and the ways in which a
run comes to rest in it.
"""

from __future__ import annotations

import json
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
from tests.fakes.repository import git

from podium.workflows.governed.payloads.good import good_answer, risk_review

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
    inputs: Sequence[str] = ()
    """Another request than the journey's."""
    at: str = ""
    """The step at which the run, or a child run of it, stands then; gates before it are decided."""


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
        {
            "agents": {
                "planner": [t.planned(t.task(1), t.task(2), t.task(3, depends_on=["TASK-1"]))],
                "reviewer": [t.rejected(), WELL],
            }
        },
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
            "keys": {
                "wave/1/phase/2/review/1": [
                    g.reviewed("NEEDS_REVISION", g.issue(file="src/part2.py"))
                ]
            },
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


def _remembered(project: Project) -> None:
    """Something alike is in the memory already."""
    known = {
        "subject": "src/app.py",
        "fact": "VALUE is one.",
        "citations": ["src/app.py:1"],
        "reason": "r",
        "category": "project",
    }
    project.write("memories/repo.jsonl", json.dumps(known) + "\n")


ONE = {"planner": [f.planner({"01-a": []})], "ct-security": [WELL], "r-quality": [WELL]}
BLOCKER = f.finds("Blocker", "NEEDS_REVISION", where="src/01-a.py", what="a secret in the code")
OLD = [{"path": "src/old.py", "action": "modify", "reason": "is mended"}]
DELETED = {
    "title": "Delete the old files",
    "objective": "Delete the old module files.",
    "files": OLD,
}
GONE = {"delete": ["src/old.py"], "verdict": good_answer("core-implementer"), "say": "deleted"}
READING = {
    "executor_agent": "Researcher-subagent",
    "phase_type": "read_only",
    "files": [{"path": "src/app.py", "action": "review", "reason": "why"}],
}
FACT = {"fact": "VALUE is one", "evidence": [{"file": "src/app.py", "line_start": 1}]}
LOOKED = {"verdict": {**good_answer("researcher"), "key_findings": [FACT]}, "say": "looked"}
DOUBT = risk_review(
    performance={"applicability": "uncertain", "impact": "UNKNOWN", "disposition": "open_question"}
)
UNSURE = {
    "planner": [g.plan({}, risk_review=DOUBT), g.plan({})],
    "researcher": [LOOKED],
    "plan-auditor": [WELL],
}
SMALL = {"planner": [t.planned(t.task(1, "src/app.py"))], "reviewer": [WELL]}
BAD = g.reviewed("FAILED", g.issue())


def _governed(*phases: Mapping[str, Any], **agents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The agents of a small plan that nobody finds fault with."""
    told = {name.replace("_", "-"): calls for name, calls in agents.items()}
    return {"planner": [g.plan(*phases, complexity_tier="SMALL")], "plan-auditor": [WELL], **told}


def _large(*final: Mapping[str, Any]) -> dict[str, Any]:
    """Those of one that is reviewed as a whole."""
    return {
        "agents": {"planner": [g.plan({}, complexity_tier="LARGE")], "plan-auditor": [WELL]},
        "keys": {"final-review/*": final},
    }


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
        Stop("at-approve_completion", {"build": [WELL], "qa": [WELL]}, at="approve_completion"),
    ),
    "feature": (
        Stop("gate", policy={"approval_mode": True}),
        Stop("killed-in-wave", dies_at="wave/1/02-b", gates=9),
        Stop("sleeping", keys={"wave/1/01-a": [LIMITED, f.builds("01-a")]}, gates=9),
        Stop("blocked", {"spec": [f.ERROR, f.ERROR, f.ERROR, WELL]}, gates=9),
        Stop("at-approve_plan", ONE, policy={"approval_mode": True}, at="approve_plan"),
        Stop(
            "at-r_security",
            {**ONE, "r-security": [BLOCKER, WELL]},
            dies_at="r-security/1",
            at="r_security",
        ),
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
        Stop(
            "at-which_ticket",
            SMALL,
            inputs=["PROJ-12 or PROJ-13: add a function that counts words"],
            at="which_ticket",
        ),
        Stop(
            "at-interpret",
            SMALL,
            inputs=["PROJ-12 maybe do something about the words somewhere"],
            dies_at="interpret",
            at="interpret",
        ),
        Stop(
            "at-split_tasks",
            {**SMALL, "planner": [{**WELL, "delete": ["@tasks"]}]},
            dies_at="iteration/0/split",
            at="split_tasks",
        ),
        Stop(
            "at-ask_branch",
            SMALL,
            before=lambda project: git(project.root, "branch", t.BRANCH),
            at="ask_branch",
        ),
        Stop(
            "at-review_task",
            {"planner": [t.grouped("sequential", t.task(1), t.task(2))], "reviewer": [WELL]},
            dies_at="iteration/0/review/TASK-1/1",
            at="review_task",
        ),
        Stop("at-accept", SMALL, until="next-group/3", at="accept"),
    ),
    "governed": (
        Stop("gate"),
        Stop("killed-in-phase", dies_at="wave/1/phase/2/execute/1", gates=9),
        Stop("child-asks", keys={"wave/1/phase/1/execute/1": [g.asks()]}, gates=2),
        Stop("sleeping", keys={"wave/1/phase/1/execute/1": [LIMITED, WELL]}, gates=9),
        Stop("at-look_up", UNSURE, dies_at="research/1/researcher", at="look_up"),
        Stop("at-judge_research", UNSURE, until="research/1/researcher", at="judge_research"),
        Stop(
            "at-resolve_plan",
            _governed(plan_auditor=[g.audit("REJECTED", g.finding("CRITICAL")), WELL]),
            policy={"plan_review_gate_trigger_conditions.min_phases": 1},
            at="resolve_plan",
        ),
        Stop("at-approve_risk", _governed(DELETED, core_implementer=[GONE]), at="approve_risk"),
        Stop(
            "at-resolve_wave",
            _governed(core_implementer=[g.failed("escalate"), WELL]),
            at="resolve_wave",
        ),
        Stop("at-fix", **_large(BAD, WELL), dies_at="final-fix/1/phase/1/execute/1", at="fix"),
        Stop("at-resolve_final", **_large(BAD), at="resolve_final"),
        Stop(
            "at-settle_memory",
            _governed(READING, researcher=[LOOKED]),
            before=_remembered,
            at="settle_memory",
        ),
        Stop("at-clarify", _governed(core_implementer=[g.asks(), WELL]), at="clarify"),
        Stop(
            "at-accept_risk", _governed({"files": OLD}, core_implementer=[GONE]), at="accept_risk"
        ),
    ),
}
