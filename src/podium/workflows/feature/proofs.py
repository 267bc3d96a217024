"""What must hold for every run of a feature, whatever its agents and people say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from podium.core.effects import Cluster
from podium.core.proofs import Exploration, moves, story
from podium.core.run import DONE, Run, Status
from podium.core.workflow import Invariant
from podium.workflows.feature.run import FeatureRun

LINE = (
    "setup",
    "research",
    "synthesis",
    "spec",
    "design",
    "ct",
    "ct_verdict",
    "plan",
    "schedule",
    "wave",
    "v_build",
    "v_verdict",
    "r",
    "r_verdict",
)
"""Steps that no complete run can skip."""
CALLS = 4
"""Agents at once, whatever the policy says."""


def imagined(run: FeatureRun, outcome: str) -> Sequence[Mapping[str, Any]]:
    """Plans of one part and of two; reviews that name a task and that do not; security is asked
    again once.
    """
    if run.step == "schedule" and outcome == "ok":
        tasks = {
            name: {"path": f"{run.folder}/tasks/{name}.md", "agent": "implementer"}
            for name in ("01-a", "02-b")
        }
        parts = [{"wave": 1, "tasks": ["01-a"]}, {"wave": 2, "tasks": ["02-b"]}]
        return [{"queue": parts[:count], "left": count, "tasks": tasks} for count in (1, 2)]
    if run.step == "r_verdict" and outcome == "NEEDS_REVISION":
        return [{"affected": []}, {"affected": ["01-a"]}]
    if run.step == "r_verdict" and outcome == "SECURITY":
        return () if run.security_asked else ({"security_asked": True},)
    return ({},)


def invariants(policy: Mapping[str, Any]) -> tuple[Invariant, ...]:
    ct, v, r = (policy[f"max_{each}_loops"] for each in ("ct", "v", "r"))
    return (
        *(Invariant(f"no run is complete without {each}", partial(_passes, each)) for each in LINE),
        Invariant("no more than 4 agents at once", _calls),
        Invariant(
            f"the design review runs at most {ct + 1} times", partial(_bounded, "ct", ct + 1)
        ),
        Invariant(
            "every revision of the design is reviewed again", partial(_after, "design", "ct")
        ),
        Invariant(
            "no wave starts before the plan as it stands was checked",
            partial(_only_by, "plan", "wave", "schedule"),
        ),
        Invariant("every wave is verified", partial(_after, "wave", "v_verdict")),
        Invariant(
            f"verification runs at most {v + 1} times, once more after the replan",
            partial(_bounded, "v_verdict", v + 2),
        ),
        Invariant("no verification is done in part", _whole),
        Invariant("what verification found is never forgotten", _findings),
        Invariant(
            f"the review runs at most {r + 1} times, once more after the replan",
            partial(_bounded, "r", r + 2),
        ),
        Invariant(
            f"tasks are sent back by a review at most {r} times", partial(_bounded, "r_fix", r)
        ),
        Invariant(
            "security is asked again at most once in each review",
            partial(_bounded, "r_security", r + 2),
        ),
        Invariant("every fix of a review is reviewed again", partial(_after, "r_fix", "r")),
        Invariant(
            "the program looks at every fix of a review itself", partial(_after, "r_fix", "r_check")
        ),
        Invariant("nothing passes a review that is not DONE", _reviewed),
        Invariant("an ERROR of the review leads to a new plan or to the end", _errors),
        Invariant(
            "with approval mode nothing is specified without an approved analysis",
            partial(_approved, "spec", "approve_research"),
        ),
        Invariant(
            "with approval mode no wave of the first plan starts without its approval",
            partial(_approved, "wave", "approve_plan"),
        ),
    )


def _around(found: Exploration, starts: Sequence[int], step: str, goal: str = DONE) -> int | None:
    """The nearest state at `goal` that is reachable from `starts` without entering `step` on the
    way.
    """
    after: dict[int, list[int]] = {}
    for each in found.transitions:
        after.setdefault(each.source, []).append(each.target)
    seen, todo = set(starts), list(starts)
    for at in todo:  # the list grows during the walk: breadth first
        if found.states[at].step == goal and at not in starts:
            return at
        fresh = [n for n in after.get(at, ()) if n not in seen and found.states[n].step != step]
        seen.update(fresh)
        todo += fresh
    return None


def _passes(step: str, found: Exploration) -> Sequence[str]:
    starts = [n for n in found.starts if found.states[n].step != step]
    reached = _around(found, starts, step)
    return [] if reached is None else [f"complete without {step}: {story(found.path(reached))}"]


def _after(step: str, next_step: str, found: Exploration) -> Sequence[str]:
    reached = _around(found, found.at(step), next_step)
    return (
        []
        if reached is None
        else [f"{step} without {next_step} after it: {story(found.path(reached))}"]
    )


def _bounded(step: str, most: int, found: Exploration) -> Sequence[str]:
    seen = found.most_visits(step)
    return [] if seen <= most else [f"{step} can run {seen:g} times"]


def _calls(found: Exploration) -> Sequence[str]:
    limits = {
        name: each.effect.limit
        for name, each in found.workflow.steps.items()
        if isinstance(each.effect, Cluster)
    }
    return [f"{name} starts {limit} at once" for name, limit in limits.items() if limit > CALLS]


def _only_by(start: str, target: str, way: str, found: Exploration) -> Sequence[str]:
    """Whether every way from one step to another passes through a third."""
    reached = _around(found, found.at(start), way, goal=target)
    return (
        []
        if reached is None
        else [f"{target} without {way} after {start}: {story(found.path(reached))}"]
    )


def _whole(found: Exploration) -> Sequence[str]:
    """Every verification begins with the build, and a build that is DONE is followed by the
    other three members.
    """
    wrong = [
        *_only_by("wave", "v_verdict", "v_build", found),
        *_only_by("plan", "v_verdict", "v_build", found),
    ]
    for each in found.transitions:
        before, after = found.states[each.source], found.states[each.target]
        if before.step == "v_build" and each.outcome == "ok" and after.step != "v":
            wrong.append(f"a good build leads to {after.step}: {story(found.path(each.source))}")
    return wrong[:3]


def _reviewed(found: Exploration) -> Sequence[str]:
    around = found.dominated(DONE, "r_verdict", "DONE")
    return [] if around is None else [f"complete without a review that is DONE: {story(around)}"]


def _errors(found: Exploration) -> Sequence[str]:
    wrong = []
    for each in found.transitions:
        before, after = found.states[each.source], found.states[each.target]
        if (
            before.step == "r_verdict"
            and each.outcome == "ERROR"
            and after.status is Status.ACTIVE
            and after.step != "plan"
        ):
            wrong.append(f"goes on to {after.step}: {story(found.path(each.source))}")
    return wrong[:3]


def _approved(step: str, gate: str, found: Exploration) -> Sequence[str]:
    def first(run: Run) -> bool:
        return run.step == "setup" and bool(getattr(run, "approval_mode", False))

    around = found.dominated(step, gate, "approved", first)
    return [] if around is None else [f"{step} without approval: {story(around)}"]


def _findings(found: Exploration) -> Sequence[str]:
    """A failed verification is remembered until another one passes."""
    wrong = []
    for each in found.transitions:
        before, after = found.states[each.source], found.states[each.target]
        judged = before.step == "v_verdict" and moves(after)
        kept = getattr(after, "findings", False)
        lost = getattr(before, "findings", False) and not kept and not judged
        if lost or (judged and each.outcome != "DONE" and not kept):
            wrong.append(story(found.path(each.source)))
    return wrong[:3]
