"""What each stage may read, must write and must leave alone, for one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from podium.core.contract import Contract, Input, Output
from podium.core.globs import matches
from podium.core.run import Run
from podium.formats import markdown_fields, structure
from podium.formats.outline import fold_title
from podium.workflows.harness import qa, task
from podium.workflows.harness.qa_review import READINESS_TITLE, RESULT_TITLE
from podium.workflows.harness.run import HarnessRun
from podium.workflows.harness.stages import ALWAYS, StageSpec
from podium.workflows.protected import GUARDED, HARNESS, PROTECTED

if TYPE_CHECKING:
    from podium.workflows.harness.workflow import Harness

HIDDEN = ("harness/**", ".podium/**", ".github/agents/**", ".claude/agents/**")


def contract(workflow: Harness, stage: StageSpec, run: Run) -> Contract:
    assert isinstance(run, HarnessRun)
    return Contract(
        role=stage.role,
        inputs=_inputs(workflow, stage, run),
        outputs=_outputs(stage, run),
        code=stage.code_access,
        code_paths=stage.code_paths,
        protected=protected(workflow, run),
        hidden=HIDDEN,
        dialect="harness-qa" if stage.kind == "review" else "harness",
        evidence=stage.evidence,
        tests=stage.tests,
        proof_of_change="new" if stage.kind == "build" else "none",
    )


def protected(workflow: Harness, run: HarnessRun) -> tuple[str, ...]:
    """What no stage may change: the rules and records, and the line's roles, templates and
    documents wherever they lie.
    """
    # Artifacts in `harness` are left out: a stage sees only those it may read. A stage may write
    # its own output.
    among_code = [path for path in run.artifacts.values() if not matches(path, HIDDEN)]
    return (*_with_own(PROTECTED, workflow, run), *among_code)


def guarded(workflow: Harness, run: HarnessRun) -> tuple[str, ...]:
    """What is watched in the project while a stage works; without the files of other workflows,
    whose runs may write them.
    """
    return _with_own((*GUARDED, *HARNESS), workflow, run)


def _with_own(known: tuple[str, ...], workflow: Harness, run: HarnessRun) -> tuple[str, ...]:
    own = [path for each in workflow.stages for path in (each.role_file, each.template) if path]
    more = [path for path in (run.state_path, run.task_file, *own) if not matches(path, known)]
    return tuple(dict.fromkeys([*known, *more]))


def _inputs(workflow: Harness, stage: StageSpec, run: HarnessRun) -> tuple[Input, ...]:
    found = [
        Input("run-state", run.state_path),
        Input("task", run.task_file, material=True, essence=task.material_text),
        Input("role", stage.role_file),
    ]
    if stage.template:
        found.append(Input("template", stage.template))
    found += [Input(path.rpartition("/")[2].removesuffix(".md"), path) for path in ALWAYS]
    paths = workflow.artifacts(run)
    remediating = workflow.by_step.get(run.remediating)
    for spoken in stage.reads:
        optional = spoken.endswith("?")
        name = spoken.removesuffix("?")
        if not name.startswith("@"):
            found.append(
                Input(name.rpartition("/")[2].removesuffix(".md"), name, required=not optional)
            )
            continue
        name = name[1:]
        made_later = _made_later(workflow, stage, name)
        # A review's artifact is an input only while its findings are being worked on.
        if made_later and (remediating is None or remediating.output != name):
            continue
        found.append(
            Input(
                name,
                paths[name],
                required=not optional or made_later,
                material=name != "report" and not made_later,
            )
        )
    return tuple(found)


def _made_later(workflow: Harness, stage: StageSpec, name: str) -> bool:
    at = workflow.stages.index(stage)
    return any(each.output == name for each in workflow.stages[at:])


def _outputs(stage: StageSpec, run: HarnessRun) -> tuple[Output, ...]:
    if not stage.output:
        return ()
    return (
        Output(
            name=stage.output,
            path=run.artifacts[stage.output],
            template=stage.template,
            check=partial(_check, stage, run.task_id),
            compose=partial(_compose, stage, tuple(run.criteria)),
            stated=qa.stated if stage.kind == "review" else None,
            structure=partial(_told, tuple(run.criteria) if stage.kind == "review" else ()),
        ),
    )


def _check(stage: StageSpec, task_id: str, text: str, template: str) -> tuple[str, ...]:
    shape = structure.structure_of(template)
    if stage.kind == "review":
        # The values of these two sections may also be inline; the check below looks for the values.
        valued = {fold_title(RESULT_TITLE), fold_title(READINESS_TITLE)}
        shape = replace(
            shape, headings=tuple(each for each in shape.headings if fold_title(each) not in valued)
        )
    faults = list(structure.check(text, shape, template))
    for section, key in ((None, "Task"), ("Lifecycle Check", "Task ID")):
        said = markdown_fields.read_field(text, section, key)
        if said is not None and task_id not in said.replace("`", " ").replace("—", " ").split():
            faults.append(f"it belongs to another task: {key} is {said!r}, this is {task_id}")
    if stage.kind == "review":
        review, missing = qa.parse_qa(text)
        if review is None:
            faults += missing
    return tuple(faults)


def _told(criteria: Sequence[str], template: str) -> tuple[str, ...]:
    """The required structure in words, for the brief."""
    shape = structure.structure_of(template)
    lines = (
        [f"header lines: {', '.join(f'{name}:' for name in shape.fields)}"] if shape.fields else []
    )
    lines += (
        [f"criteria, each as `### id` with its `Status:`: {', '.join(criteria)}"]
        if criteria
        else []
    )
    return (*lines, "sections, each as `## heading`: " + ", ".join(shape.headings))


_DOCUMENT_MEMBERS = ("title", "sections")


def template_fault(stage: StageSpec, member: str, value: Any) -> str:
    """What `_compose` would not take, or would leave out."""
    if stage.kind != "review":
        return (
            ""
            if member in _DOCUMENT_MEMBERS
            else f"unknown member {member!r}; known are: {', '.join(_DOCUMENT_MEMBERS)}"
        )
    try:
        qa.from_members({member: value})
    except ValueError as fault:
        return str(fault)
    return ""


def _compose(
    stage: StageSpec,
    criteria: Sequence[str],
    members: Mapping[str, Any],
    template: str,
    facts: Mapping[str, str],
) -> str:
    """A well-formed artifact from the template: what a good agent's shortest answer looks like."""
    if stage.kind == "review":
        filled = {"criteria": dict.fromkeys(criteria, "Pass"), **members}
        return qa.compose(filled, facts, structure.structure_of(template).headings)
    sections: Mapping[str, str] = members.get("sections", {})
    title = str(
        members.get("title", f"{stage.label} — {facts.get('Title', facts.get('Task', ''))}")
    )
    lines = [f"# {title}", ""]
    lines += [
        f"{name}: {facts[name]}"
        for name in ("Task", "Artifact", "Generated By", "Run", "Date")
        if name in facts
    ]
    for heading in structure.structure_of(template).headings:
        lines += ["", f"## {heading}", ""]
        if heading == "Lifecycle Check":
            lines += [
                f"Task ID: {facts.get('Task', '')}  ",
                f"Run State: `{facts.get('Run State', 'harness/run-state.md')}`  ",
                f"Current Stage: {stage.name}  ",
                "Proceeding Validly: Yes",
            ]
        else:
            lines.append(
                str(
                    sections.get(heading, f"{heading} of {facts.get('Task', 'the task')}: settled.")
                )
            )
    return "\n".join(lines) + "\n"


def subject(names: Sequence[str], run: Run) -> Sequence[str]:
    """Paths of what a gate approves: the artifacts of the stages before it."""
    assert isinstance(run, HarnessRun)
    return [run.artifacts[name] for name in names]
