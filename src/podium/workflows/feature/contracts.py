"""What each agent of a feature may read and must write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from podium.core.contract import ITSELF, Contract, Input, Output
from podium.core.run import Run
from podium.workflows.feature.clusters.clusters import RESEARCH_MEMBERS
from podium.workflows.feature.dialects import dialect_of
from podium.workflows.feature.documents import documents
from podium.workflows.feature.memory.knowledge import check_decisions
from podium.workflows.feature.plan import tasks
from podium.workflows.feature.run import FeatureRun
from podium.workflows.protected import PROTECTED

HIDDEN = (".podium/**", "docs/feature/**")
"""What a view of code leaves out: a feature's documents are inputs, each for those who may see
it.
"""
AGAIN: Mapping[str, int] = {"error": 1, "total": 1}
"""An agent that fails is asked once more, whatever the failure."""
ONCE: Mapping[str, int] = {"error": 0, "total": 1}
"""An implementer's ERROR is believed at once; an unreadable answer is asked for once more."""


def feature(run: Run) -> FeatureRun:
    assert isinstance(run, FeatureRun)
    return run


def common(run: FeatureRun, *names: str, optional: Sequence[str] = ()) -> tuple[Input, ...]:
    """The request, the memory, and documents of the feature by their names."""
    found = [
        Input("request", f"{run.folder}/initial-request.md"),
        Input("memory", f"{run.folder}/memory.md", required=False),
    ]
    found += [
        Input(name.rpartition("/")[2], f"{run.folder}/{name}.md", material=True) for name in names
    ]
    found += [
        Input(name.rpartition("/")[2], f"{run.folder}/{name}.md", required=False)
        for name in optional
    ]
    return tuple(found)


def task_files(run: FeatureRun) -> tuple[Input, ...]:
    return tuple(Input(name, str(task["path"]), required=False) for name, task in run.tasks.items())


def memory(run: FeatureRun) -> Output:
    """Agents that work alone may add to the memory; the program merges what they write."""
    return Output("memory", f"{run.folder}/memory.md", optional=True)


def document(
    run: FeatureRun, role: str, shape: str, inputs: tuple[Input, ...], **more: Any
) -> Contract:
    """The contract of an agent that writes one document."""
    made = documents.output(documents.SHAPES[shape], run.folder, strict=run.strict)
    return Contract(
        role=role,
        inputs=inputs,
        outputs=(made, *more.pop("outputs", ())),
        protected=PROTECTED,
        hidden=HIDDEN,
        dialect=dialect_of(role),
        retries=AGAIN,
        **more,
    )


# -- from the request to the design


def research(focus: str, run: Run) -> Contract:
    at = feature(run)
    return document(
        at,
        "researcher",
        f"research/{focus}",
        common(at),
        code="read",
        told=(f"Focus area: {focus}.",),
    )


def synthesis(run: Run) -> Contract:
    at = feature(run)
    inputs = common(at, optional=tuple(f"research/{each}" for each in RESEARCH_MEMBERS))
    return document(
        at, "researcher", "analysis", inputs, outputs=(memory(at),), told=("Mode: synthesis.",)
    )


def spec(run: Run) -> Contract:
    at = feature(run)
    return document(at, "spec", "feature", common(at, "analysis"), outputs=(memory(at),))


def design(run: Run) -> Contract:
    at = feature(run)
    back = ("design", "design_critical_review") if at.ct_loops else ()
    told = (
        ("The review sent the design back: settle every Critical and High finding.",)
        if at.ct_loops
        else ()
    )
    inputs = common(at, "analysis", "feature", optional=back)
    return document(at, "designer", "design", inputs, outputs=(memory(at),), told=told)


def ct(role: str, run: Run) -> Contract:
    at = feature(run)
    return document(at, role, role, common(at, "feature", "design"))


# -- those who write code


def task(name: str, run: Run) -> Contract:
    """One task of a wave; in a review's fix pass also with the findings that sent it back."""
    at = feature(run)
    known = at.tasks[name]
    fixing = at.step == "r_fix"
    late = ("review",) if fixing else ()
    return Contract(
        role=str(known["agent"]),
        inputs=(Input("task", str(known["path"])), *common(at, "feature", "design", optional=late)),
        outputs=(
            Output(
                "task",
                str(known["path"]),
                template=ITSELF,
                optional=True,
                check=lambda text, before: tasks.only_ticks(before, text),
            ),
        ),
        code="write",
        protected=PROTECTED,
        hidden=HIDDEN,
        dialect=dialect_of(str(known["agent"])),
        proof_of_change="standing",
        retries=ONCE,
        told=(
            f"Task: {name}.",
            *(("Fix what review.md finds in this task, and nothing else.",) if fixing else ()),
        ),
    )


# -- verification and review


def v_build(run: Run) -> Contract:
    at = feature(run)
    inputs = (*common(at, "feature", "design", "plan"), *task_files(at))
    return _may_be_blank(document(at, "v-build", "v-build", inputs, code="read"))


def v(role: str, run: Run) -> Contract:
    at = feature(run)
    names = {"v-tests": (), "v-tasks": ("plan",), "v-feature": ("feature",)}[role]
    inputs = (
        *common(at, "verification/v-build", *names),
        *(task_files(at) if role == "v-tasks" else ()),
    )
    return _may_be_blank(document(at, role, role, inputs, code="read"))


def _may_be_blank(contract: Contract) -> Contract:
    """An empty verification document is not a fault: it counts as no findings, with a warning."""
    first, *others = contract.outputs
    return replace(contract, outputs=(replace(first, blank=True), *others))


def r(role: str, run: Run) -> Contract:
    at = feature(run)
    told = [
        f"Review tier: {at.tier or 'Standard'}.",
        "Changed files: " + (", ".join(at.touched[:200]) or "none"),
    ]
    if role == "r-knowledge":
        return _knowledge(at, tuple(told))
    if at.step == "r_security":
        told.append(
            "Your last review found what blocks everything. Look again: confirm it, or say "
            "why it does not hold."
        )
    return document(
        at,
        role,
        role,
        common(at),
        code="read",
        told=tuple(told),
        changes=f"{at.folder}/review/changes.patch",
    )


def _knowledge(run: FeatureRun, told: tuple[str, ...]) -> Contract:
    suggestions = documents.output(
        documents.SHAPES["knowledge-suggestions"], run.folder, "suggestions"
    )
    more = (
        replace(suggestions, optional=True),
        Output(
            "decisions",
            f"{run.folder}/decisions.md",
            template=ITSELF,
            optional=True,
            check=check_decisions,
        ),
    )
    inputs = common(run, optional=("decisions",))
    return document(run, "r-knowledge", "r-knowledge", inputs, told=told, outputs=more)
