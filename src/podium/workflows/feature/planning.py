"""The planner's part: its contract, the check of what it wrote, and the waves made from it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from podium.core import waves as layers
from podium.core.contract import Contract, Output
from podium.core.effects import Report
from podium.core.run import Run
from podium.core.verdict import Judgement
from podium.workflows.feature import remembering
from podium.workflows.feature.contracts import AGAIN, HIDDEN, common, feature, memory, task_files
from podium.workflows.feature.dialects import dialect_of
from podium.workflows.feature.plan import checks as plan_checks
from podium.workflows.feature.plan import compose as plan_compose
from podium.workflows.feature.plan.checks import Checked, Known
from podium.workflows.feature.plan.plan import LARGEST_PLAN, Mode, agent_of, subwaves
from podium.workflows.feature.plan.syntax import read_plan
from podium.workflows.feature.plan.task_names import Names, id_of, number_of
from podium.workflows.feature.plan.tasks import all_ticked, read_task
from podium.workflows.feature.run import FeatureRun, told, warned
from podium.workflows.protected import PROTECTED

Texts = Mapping[str, str | None]


def mode(run: FeatureRun) -> Mode:
    if run.planning > 1:
        return "replan"
    return "extension" if run.extends else "initial"


def earlier(folder: str, read: Callable[[str], str | None]) -> dict[str, Any]:
    """Members for a run that finds an earlier run's plan: its tasks, and which of them are
    ticked off.
    """
    text = read(f"{folder}/plan.md")
    if text is None:
        return {}
    tasks: dict[str, Any] = {}
    finished: list[str] = []
    for each in [task for wave in read_plan(text).waves for task in wave][:LARGEST_PLAN]:
        path = f"{folder}/tasks/{each.id}.md"
        found = read(path) if id_of(path) else None
        if found is None:
            continue
        own = read_task(path, found).task
        finished += [each.id] if all_ticked(found) else []
        tasks[each.id] = {
            "path": path,
            "agent": agent_of(each)[0],
            "depends_on": list(own.depends_on),
            "essence": plan_checks.essence(found),
            "changed": [],
        }
    known = {"tasks": tasks, "finished": finished}
    return {"extends": True, "found": known, **copy.deepcopy(known)}


def plan(run: Run) -> Contract:
    at = feature(run)
    late: tuple[str, ...] = ("design_critical_review",) if at.constrained else ()
    late += ("plan",) if at.tasks else ()
    said = [f"Planning Mode: {mode(at)}."]
    if mode(at) == "replan":
        late += ("verifier", "review")
        said.append(
            f"Must be fixed: {', '.join(at.failed) or 'what verifier.md and review.md say'}."
        )
    if at.constrained:
        said.append("The planning constraints in design_critical_review.md bind the plan.")
    new = _new_task(at)
    return Contract(
        role="planner",
        inputs=(*common(at, "analysis", "feature", "design", optional=late), *task_files(at)),
        outputs=(
            Output(
                "plan",
                f"{at.folder}/plan.md",
                compose=partial(_compose_plan, at),
                structure=plan_compose.told_plan,
            ),
            Output(
                "tasks",
                f"{at.folder}/tasks/*.md",
                many=True,
                example=f"{at.folder}/tasks/{new}.md",
                template=str(at.tasks[new]["path"]) if new in at.tasks else "",
                compose=partial(_compose_task, new),
                structure=lambda _: plan_compose.told_task(),
            ),
            memory(at),
        ),
        protected=PROTECTED,
        hidden=HIDDEN,
        dialect=dialect_of("planner"),
        retries=AGAIN,
        whole=lambda texts: checked(at, texts).faults,
        told=tuple(said),
    )


def checked(run: FeatureRun, texts: Texts) -> Checked:
    """A plan, read and checked with all its task files."""
    start = f"{run.folder}/tasks/"
    files = {
        path: text for path, text in texts.items() if path.startswith(start) and text is not None
    }
    before = {str(task["path"]): str(task["essence"]) for task in run.tasks.values()}
    known = Known(frozenset(run.finished), frozenset(run.failed), before)
    text = texts.get(f"{run.folder}/plan.md") or ""
    return plan_checks.check(text, files, mode=mode(run), known=known, strict=run.strict)


def judge_plan(limit: int, report: Report) -> Judgement:
    """The plan as the program understood it."""
    assert report.run is not None
    run, said = feature(report.run), report.verdict
    if said.outcome != "ok":
        return Judgement(said.outcome, said.word, said.reason)
    path = f"{run.folder}/plan.md"
    texts = {name: text for name, text in report.outputs.items() if "/" in name}
    text = report.outputs.get("plan", "")
    made = checked(run, {**texts, path: text})
    remembered, odd = remembering.taken_in(
        run, "planner", "4", path, text, report.outputs.get("memory"), said.reason
    )
    warnings = (*made.warnings, *odd)
    sets = {
        **_scheduled(run, made, texts, limit),
        "memory": remembered,
        "warnings": warned(run, warnings),
    }
    return Judgement(said.outcome, said.word, said.reason, sets=sets, facts=told(warnings))


def documents(run: Run) -> Sequence[str]:
    """The plan and every known task file."""
    at = feature(run)
    return [f"{at.folder}/plan.md", *(str(task["path"]) for task in at.tasks.values())]


def task_documents(run: Run) -> Sequence[str]:
    """Every file that looks like a task file: a person may have added one."""
    return [f"{feature(run).folder}/tasks/*.md"]


def _named(run: FeatureRun, texts: Texts) -> Texts:
    """The plan, the known task files, and of the others only those the plan names: earlier plans
    leave files behind.
    """
    known = documents(run)
    mine = Names.of(map(id_of, known[1:]))
    others = {name: path for path in texts if path not in known and (name := id_of(path))}
    there = Names.of(others)
    said = [task.id for wave in read_plan(texts.get(known[0]) or "").waves for task in wave]
    meant = [found for each in said if not mine.find(each) and (found := there.find(each))]
    return {path: texts.get(path) for path in (*known, *(others[name] for name in meant))}


def judge_schedule(
    limit: int, run: Run, texts: Texts, _found: Sequence[Mapping[str, Any]]
) -> Judgement:
    """The waves as the documents have them now: a person may have changed them since the planner
    wrote them.
    """
    at = feature(run)
    texts = _named(at, texts)
    made = checked(at, texts)
    if made.faults:
        return Judgement(
            "fail",
            "ERROR",
            f"the plan cannot be carried out: {'; '.join(made.faults)}",
            stop="plan",
        )
    sets = _scheduled(at, made, texts, limit)
    fresh = [each for each in made.warnings if each not in at.warnings]
    waves, tasks = len(made.waves), sum(map(len, made.waves))
    word = f"{waves} wave{'s' * (waves != 1)}, {tasks} task{'s' * (tasks != 1)}"
    return Judgement("ok", word, sets={**sets, "warnings": warned(at, fresh)}, facts=told(fresh))


def _scheduled(run: FeatureRun, made: Checked, texts: Texts, limit: int) -> dict[str, Any]:
    """What the run keeps of a plan: its tasks, and its waves in parts small enough to run side
    by side.
    """
    known = {
        each.id: {
            "path": made.tasks[each.id].path,
            "agent": agent_of(each)[0],
            "depends_on": list(each.depends_on),
            "essence": plan_checks.essence(texts.get(made.tasks[each.id].path) or ""),
            "changed": run.tasks.get(each.id, {}).get("changed", []),
        }
        for wave in made.waves
        for each in wave
    }
    queue = [
        {"wave": number, "tasks": [each.id for each in part]}
        for number, wave in zip(made.numbers, made.waves, strict=True)
        for part in subwaves(wave, limit)
    ]
    # Tasks of earlier plans that were worked on come first, then this plan's tasks in order.
    kept = {
        name: task
        for name, task in run.tasks.items()
        if name not in known and name in {*run.finished, *run.failed}
    }
    tasks = {**kept, **known}
    finished = [each for each in run.finished if each not in known]
    return {
        "queue": queue,
        "left": len(queue),
        "tasks": tasks,
        "finished": finished,
        "failed": [],
        "results": {},
    }


# -- the shortest good answer


def _new_task(run: FeatureRun) -> str:
    """The id that the shortest answer gives its one task: a task that must be fixed, else the
    next number.
    """
    if run.failed:
        return run.failed[0]
    numbers = [number for each in run.tasks if (number := number_of(each)) is not None]
    return f"{max(numbers) + 1:02d}-fix-{run.planning}" if numbers else plan_compose.FIRST_TASK


def _compose_plan(
    run: FeatureRun, members: Mapping[str, Any], template: str, facts: Mapping[str, str]
) -> str:
    """All tasks that must be fixed, each after those it waits for."""
    left = [each for each in run.tasks if each in run.failed]
    depends = {each: [dep for dep in run.tasks[each]["depends_on"] if dep in left] for each in left}
    found = layers.waves(depends)
    assert isinstance(found, list)
    plain: dict[str, Any] = {"mode": mode(run), "waves": found or [[_new_task(run)]]}
    plain["depends_on"] = {each: run.tasks[each]["depends_on"] for each in left}
    return plan_compose.compose_plan({**plain, **members}, template, facts)


def _compose_task(
    new: str, members: Mapping[str, Any], template: str, facts: Mapping[str, str]
) -> str:
    """A task that is done again keeps its file, unless the scenario says what should be in it."""
    if template and not members:
        return template
    return plan_compose.compose_task(members, "", {**facts, "Task ID": new})
