"""Plans and task files written by code: the shortest ones that pass every check, and what a
planner is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.core.nearest import refuse_unknown
from podium.formats.field_lines import field_value, one_line
from podium.formats.markdown import scan
from podium.formats.markdown_fields import bullets
from podium.formats.outline import fold_title
from podium.formats.structure import structure_of
from podium.workflows.feature.documents.labelled import fold_label
from podium.workflows.feature.plan.plan import (
    AGENTS,
    EFFORTS,
    LARGEST_PLAN,
    MAX_DEPENDENCIES,
    MAX_FILES,
    MAX_LINES,
    MODES,
    PLAN_SECTIONS,
    Plan,
    PlannedTask,
)
from podium.workflows.feature.plan.tasks import LABELS, TASK_SECTIONS

FIRST_TASK = "01-feature"
_PLAN_MEMBERS = ("mode", "waves", "depends_on")
_TASK_MEMBERS = ("goal", "depends_on", "agent", "files", "criteria", "effort", "lines")


def compose_plan(members: Mapping[str, Any], template: str, facts: Mapping[str, str]) -> str:
    """A plan of these waves (lists of ids); without members, one wave of one task.

    Facts used: `Planning Mode`, and `Task ID` for the one task.
    """
    refuse_unknown(members, _PLAN_MEMBERS)
    mode = field_value(str(members.get("mode") or facts.get("Planning Mode") or MODES[0]))
    waves = members.get("waves", [[facts.get("Task ID") or FIRST_TASK]])
    depends = members.get("depends_on", {})
    if not isinstance(waves, list | tuple):
        # one kind of refusal for members
        raise ValueError("waves: must be lists of task ids")  # noqa: TRY004
    if not isinstance(depends, Mapping):
        raise ValueError("depends_on: must be an object such as {02-b: [01-a]}")  # noqa: TRY004
    plan = Plan(
        mode,
        tuple(
            tuple(
                PlannedTask(each, _texts(depends.get(each, ()), f"depends_on.{each}"))
                for each in _texts(wave, "waves")
            )
            for wave in waves
        ),
    )
    return _with_template(render_plan(plan), template, facts)


def compose_task(members: Mapping[str, Any], template: str, facts: Mapping[str, str]) -> str:
    """A task file with these values; the facts may give its id as `Task ID`."""
    refuse_unknown(members, _TASK_MEMBERS)
    goal = field_value(str(members.get("goal") or "The request works as its specification says."))
    files = _texts(members.get("files", ()), "files")
    criteria = _texts(members.get("criteria", ("What was asked for works.",)), "criteria")
    effort = field_value(str(members.get("effort") or EFFORTS[0]))
    lines = f" ({int(members['lines'])} lines)" if "lines" in members else ""
    agent = field_value(str(members.get("agent") or ""))
    blocks: dict[str, Sequence[str]] = {
        "Task Goal": (goal,),
        "depends_on": (", ".join(_texts(members.get("depends_on", ()), "depends_on")) or "none",),
        "agent": (agent,),
        "In-scope": bullets(f"`{path}`" for path in files) or ("- What the request asks for",),
        "Out-of-scope": ("- Everything else",),
        "Acceptance Criteria": [f"- [ ] {one_line(each)}" for each in criteria],
        "Estimated Effort": (f"{effort}{lines}",),
        "Test Requirements": ("- One test for each criterion",),
        "Implementation Steps": ("1. Write the tests, then the code",),
        "Completion Checklist": ("- [ ] Every criterion is met",),
    }
    # A team's template may spell a title in its own way.
    spelled = {
        LABELS.get(fold_label(title), ""): title
        for title in reversed(structure_of(template).headings)
    }
    rows = [f"# Task {field_value(facts.get('Task ID') or FIRST_TASK)}"]
    for title in (
        *TASK_SECTIONS[:2],
        *(["agent"] if agent or "agent" in spelled else []),
        *TASK_SECTIONS[2:],
    ):
        rows += [
            "",
            f"## {spelled.get(title, title)}",
            "",
            *(each or "none" for each in blocks[title]),
        ]
    return _with_template("\n".join(rows) + "\n", template, facts)


def render_plan(plan: Plan) -> str:
    """The plan as a document; reading it gives the same plan."""
    rows = ["# Plan", "", "## Planning Mode", "", plan.mode, "", "## Execution Waves"]
    for number, wave in enumerate(plan.waves, 1):
        rows += ["", f"### Wave {number}{' (parallel)' if len(wave) > 1 else ''}", ""]
        for task in wave:
            agent = f", agent: {task.agent}" if task.agent else ""
            rows.append(f"- {task.id} (depends_on: {', '.join(task.depends_on) or 'none'}{agent})")
    edges = [
        f"- {dep} → {task.id}" for wave in plan.waves for task in wave for dep in task.depends_on
    ]
    rows += ["", "## Dependency Graph", "", *(edges or ["No task waits for another."])]
    rows += [
        "",
        "## Pre-Mortem",
        "",
        "| What may go wrong | Likelihood | What prevents it |",
        "|---|---|---|",
    ]
    rows.append(
        "| The request was misunderstood | Low | The review compares the result with the request |"
    )
    return "\n".join(rows) + "\n"


def told_plan(template: str = "") -> tuple[str, ...]:
    """What plan.md must contain, in sentences for the brief."""
    return (
        (
            "Sections: "
            f"{', '.join(dict.fromkeys((*PLAN_SECTIONS, *structure_of(template).headings)))}."
        ),
        f"Planning Mode is one of {', '.join(MODES)}.",
        (
            "Under `## Execution Waves` each wave is a heading `### Wave N (parallel)`, numbered "
            "from 1 without gaps."
        ),
        "Under it each task is one line `- 03-task-c (depends_on: 01)`.",
        "A task waits only for tasks of earlier waves; a circle of dependencies is refused.",
        (
            "Every task has one file tasks/NN-description.md and one place; plan and file name "
            "the same dependencies."
        ),
        "Pre-Mortem holds a table of what may go wrong.",
        f"At most {LARGEST_PLAN} tasks.",
        (
            "In a replan, name what must be done: tasks that failed, or new ones. A finished task "
            "is done again only where its file changes."
        ),
    )


def told_task(template: str = "") -> tuple[str, ...]:
    """What a task file must contain, in sentences for the brief."""
    titles = dict.fromkeys((*TASK_SECTIONS, *structure_of(template).headings))
    return (
        f"Parts, each a heading or a bold key: {', '.join(titles)}.",
        f"depends_on lists ids such as 01, 02, or says none; at most {MAX_DEPENDENCIES}.",
        f"agent may be {' or '.join(AGENTS)}; without it {AGENTS[0]} does the task.",
        (
            f"In-scope names each file by its path, at most {MAX_FILES} besides tests and "
            "documents, without patterns."
        ),
        "A path is relative to the repository, stays inside it, and is not in .git or .podium.",
        f"Estimated Effort is {' or '.join(EFFORTS)}, with at most {MAX_LINES} production lines.",
        "Acceptance Criteria and Completion Checklist are lists of check boxes.",
    )


def _with_template(text: str, template: str, facts: Mapping[str, str]) -> str:
    """The document with the sections and header lines that a team's template adds."""
    wanted = structure_of(template)
    present = {fold_title(heading.title) for heading in scan(text).headings}
    more = [title for title in wanted.headings if fold_title(title) not in present]
    title, _, rest = text.partition("\n")
    head = [f"{key}: {field_value(facts.get(key, ''))}".rstrip() + "  " for key in wanted.fields]
    text = "\n".join([title, "", *head, rest]) if head else text
    return text + "".join(f"\n## {one_line(each)}\n\nNothing to report.\n" for each in more)


def _texts(value: Any, where: str) -> tuple[str, ...]:
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        # one kind of refusal for members
        raise ValueError(f"{where}: must be a list of texts")  # noqa: TRY004
    return tuple(field_value(str(each)) for each in value)
