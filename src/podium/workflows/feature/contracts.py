"""What each agent of a feature may read and must write."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from podium.core.contract import ITSELF, Contract, Input, Output
from podium.core.digest import digest
from podium.core.run import Run
from podium.workflows.feature import documents, plan_checks, plan_compose, tasks
from podium.workflows.feature.dialects import dialect_of
from podium.workflows.feature.knowledge import check_decisions
from podium.workflows.feature.plan import Mode, Plan
from podium.workflows.feature.plan_checks import Checked, Known
from podium.workflows.feature.run import FeatureRun

PROTECTED = (".podium/**", ".git/**", "podium.toml", ".github/agents/**", ".claude/agents/**", "governance/**")
HIDDEN = (".podium/**", "docs/feature/**")
"""What a view of code leaves out: a feature's documents come as inputs, each to those who may see it."""
AGAIN = {"error": 1}
"""An agent's ERROR is asked once more; of an implementer it is not."""
ONCE = {"error": 0}


def feature(run: Run) -> FeatureRun:
    assert isinstance(run, FeatureRun)
    return run


def _common(run: FeatureRun, *names: str, optional: Sequence[str] = ()) -> tuple[Input, ...]:
    """The request and the memory, and documents of the feature by their names."""
    found = [Input("request", f"{run.folder}/initial-request.md"), Input("memory", f"{run.folder}/memory.md", required=False)]
    found += [Input(name.rpartition("/")[2], f"{run.folder}/{name}.md", material=True) for name in names]
    found += [Input(name.rpartition("/")[2], f"{run.folder}/{name}.md", required=False) for name in optional]
    return tuple(found)


def _task_files(run: FeatureRun) -> tuple[Input, ...]:
    return tuple(Input(name, str(task["path"]), required=False) for name, task in run.tasks.items())


def _memory(run: FeatureRun) -> Output:
    """Sequential agents may add to the memory; what they write is merged by the program."""
    return Output("memory", f"{run.folder}/memory.md", optional=True)


def document(run: FeatureRun, role: str, shape: str, inputs: tuple[Input, ...], **more: Any) -> Contract:
    """An agent that writes one document."""
    made = documents.output(documents.SHAPES[shape], run.folder)
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


def research(focus: str, run: Run) -> Contract:
    at = feature(run)
    return document(at, "researcher", f"research/{focus}", _common(at), code="read", told=(f"Focus area: {focus}.",))


def synthesis(run: Run) -> Contract:
    at = feature(run)
    found = tuple(f"research/{each}" for each in ("architecture", "impact", "dependencies", "patterns"))
    inputs = _common(at, optional=found)
    return document(at, "researcher", "analysis", inputs, outputs=(_memory(at),), told=("Mode: synthesis.",))


def spec(run: Run) -> Contract:
    at = feature(run)
    return document(at, "spec", "feature", _common(at, "analysis"), outputs=(_memory(at),))


def design(run: Run) -> Contract:
    at = feature(run)
    back = ("design", "design_critical_review") if at.ct_loops else ()
    told = ("The review sent the design back: settle every Critical and High finding.",) if at.ct_loops else ()
    inputs = _common(at, "analysis", "feature", optional=back)
    return document(at, "designer", "design", inputs, outputs=(_memory(at),), told=told)


def ct(role: str, run: Run) -> Contract:
    at = feature(run)
    return document(at, role, role, _common(at, "feature", "design"))


def v_build(run: Run) -> Contract:
    at = feature(run)
    inputs = (*_common(at, "feature", "design", "plan"), *_task_files(at))
    return _may_be_blank(document(at, "v-build", "v-build", inputs, code="read"))


def v(role: str, run: Run) -> Contract:
    at = feature(run)
    names = {"v-tests": (), "v-tasks": ("plan",), "v-feature": ("feature",)}[role]
    inputs = (*_common(at, "verification/v-build", *names), *(_task_files(at) if role == "v-tasks" else ()))
    return _may_be_blank(document(at, role, role, inputs, code="read"))


def _may_be_blank(contract: Contract) -> Contract:
    """An empty verification document is no fault: it counts as no findings, with a warning."""
    first, *others = contract.outputs
    return replace(contract, outputs=(replace(first, blank=True), *others))


def r(role: str, run: Run) -> Contract:
    at = feature(run)
    told = (f"Review tier: {at.tier or 'Full'}.", "Changed files: " + (", ".join(at.touched[:200]) or "none"))
    if role != "r-knowledge":
        return document(at, role, role, _common(at), code="read", told=told, changes=f"{at.folder}/review/changes.patch")
    suggestions = documents.output(documents.SHAPES["knowledge-suggestions"], at.folder, "suggestions")
    more = (
        replace(suggestions, optional=True),
        Output("decisions", f"{at.folder}/decisions.md", template=ITSELF, optional=True, check=check_decisions),
    )
    return document(at, role, role, _common(at, optional=("decisions",)), code="read", told=told, outputs=more)


# -- the planner


def mode(run: FeatureRun) -> Mode:
    return "initial" if run.planning <= 1 else "replan"


def plan(run: Run) -> Contract:
    at = feature(run)
    late: tuple[str, ...] = ("design_critical_review",) if at.constrained else ()
    if mode(at) == "replan":
        late += ("plan", "verifier", "review")
    told = [f"Planning Mode: {mode(at)}."]
    if at.constrained:
        told.append("The open tensions in design_critical_review.md bind the plan.")
    new = _new_task(at)
    return Contract(
        role="planner",
        inputs=(*_common(at, "analysis", "feature", "design", optional=late), *_task_files(at)),
        outputs=(
            Output("plan", f"{at.folder}/plan.md", compose=partial(_compose_plan, at), structure=plan_compose.told_plan),
            Output(
                "tasks", f"{at.folder}/tasks/*.md", many=True, example=f"{at.folder}/tasks/{new}.md",
                compose=partial(_compose_task, new), structure=lambda _: plan_compose.told_task(),
            ),
            _memory(at),
        ),
        protected=PROTECTED,
        hidden=HIDDEN,
        dialect=dialect_of("planner"),
        retries=AGAIN,
        whole=partial(_faults, at),
        told=tuple(told),
    )  # fmt: skip


def planned(run: FeatureRun, texts: Mapping[str, str]) -> Checked:
    """The plan that was written, read and checked with all its task files."""
    start = f"{run.folder}/tasks/"
    files = {path: text for path, text in texts.items() if path.startswith(start)}
    known = Known(Plan(), {}, frozenset(run.finished)) if run.planning > 1 else None
    return plan_checks.check(texts.get(f"{run.folder}/plan.md", ""), files, mode=mode(run), known=known)


def essence(text: str) -> str:
    """The digest of a task file whatever its boxes say: implementers tick them."""
    return digest(re.sub(r"\[[xX]\]", "[ ]", text))


def _faults(run: FeatureRun, texts: Mapping[str, str]) -> tuple[str, ...]:
    kept = {str(run.tasks[each]["path"]): each for each in run.finished if each in run.tasks}
    changed = [
        f"{path}: the task {name} is finished; its file stays as it is"
        for path, name in kept.items()
        if path in texts and essence(texts[path]) != run.tasks[name]["essence"]
    ]
    return (*planned(run, texts).faults, *changed)


def _open_tasks(run: FeatureRun) -> list[str]:
    return [each for each in run.tasks if each not in run.finished]


def _new_task(run: FeatureRun) -> str:
    """The id a shortest answer gives its one task: an open one again, else the next number."""
    if left := _open_tasks(run):
        return left[0]
    numbers = [int(each.partition("-")[0]) for each in run.tasks if each.partition("-")[0].isdigit()]
    return plan_compose.FIRST_TASK if not numbers else f"{max(numbers) + 1:02d}-fix-{run.planning}"


def _compose_plan(run: FeatureRun, members: Mapping[str, Any], template: str, facts: Mapping[str, str]) -> str:
    waves: dict[str, Any] = {"mode": mode(run), "waves": [_open_tasks(run) or [_new_task(run)]]}
    return plan_compose.compose_plan({**waves, **members}, template, facts)


def _compose_task(new: str, members: Mapping[str, Any], template: str, facts: Mapping[str, str]) -> str:
    return plan_compose.compose_task(members, template, {**facts, "Task ID": new})


# -- those who write code


def task(name: str, run: Run) -> Contract:
    """One task of a wave; in a review's fix pass with the findings that send it back."""
    at = feature(run)
    known = at.tasks[name]
    fixing = at.step == "r_fix"
    late = ("review",) if fixing else ()
    return Contract(
        role=str(known["agent"]),
        inputs=(Input("task", str(known["path"])), *_common(at, "feature", "design", optional=late)),
        outputs=(
            Output(
                "task", str(known["path"]), template=ITSELF, optional=True,
                check=lambda text, before: tasks.only_ticks(before, text),
            ),
        ),
        code="write",
        protected=PROTECTED,
        hidden=HIDDEN,
        dialect=dialect_of(str(known["agent"])),
        proof_of_change=True,
        retries=ONCE,
        told=(f"Task: {name}.", *(("Mend what review.md finds in this task, and nothing else.",) if fixing else ())),
    )  # fmt: skip
