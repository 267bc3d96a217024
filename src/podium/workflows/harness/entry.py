"""How a harness run begins: a task file, a stage list, and what the flags say."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

from podium.core import globs
from podium.core.errors import Fault, InputError, UsageError
from podium.core.nearest import nearest
from podium.core.verdict import Dialect
from podium.core.workflow import Workflow
from podium.documents.text import fold
from podium.formats.markdown_fields import read_field
from podium.workflows.entry import Entry, Read, Start
from podium.workflows.harness import adopting
from podium.workflows.harness.files import REPORT_TEMPLATE, STATE_TEMPLATE
from podium.workflows.harness.run import HarnessRun
from podium.workflows.harness.stages import (
    ALWAYS,
    COMPLETION,
    StageSpec,
    from_data,
    parse_stages,
    to_data,
)
from podium.workflows.harness.task import TASK, Task, normal_path, path_fault
from podium.workflows.harness.workflow import Harness, first_members
from podium.workflows.protected import PROTECTED

STAGES = "harness/stages.toml"
STATE = "harness/run-state.md"
TASKS = "harness/tasks"
_RULES = tuple(each for each in PROTECTED if each not in {STATE, "harness/runs/**"})
"""Where no state is kept: what lies there is read as something else."""


def _nearest(path: str, options: Mapping[str, Any]) -> str:
    """How to correct a wrong name: the file that was probably meant, or the files there are."""
    beside = options.get("beside", lambda _: ())
    there = list(beside(path))
    by_name = {
        each.rpartition("/")[2]: each
        for each in (*there, *beside(f"{TASKS}/any.md"))
        if each.endswith(".md")
    }
    if near := nearest(path, there, 0.8) or by_name.get(
        nearest(path.rpartition("/")[2], by_name, 0.8), ""
    ):
        return f"did you mean {near}?"
    tasks = [each for each in there if "/" in each and each.endswith(".md")][:5]
    sample = "`podium init harness` makes a sample to start from"
    return f"there is {', '.join(tasks)}; {sample}" if tasks else sample


def start(
    inputs: Sequence[str], policy: Mapping[str, Any], options: Mapping[str, Any], read: Read
) -> Start:
    if len(inputs) != 1:
        raise UsageError(
            "podium run harness takes one task file, for example harness/tasks/T001-sample.md"
        )
    path = inputs[0]
    text = read(path)
    if text is None:
        raise InputError(Fault(path, "there is no such task file", _nearest(path, options)))
    task = TASK.read(text, path).sound()
    state = normal_path(options.get("state") or STATE)
    workflow = sample(policy, read, options["scaffold"])
    stages = workflow.stages
    members = first_members(
        stages,
        task_id=task.id,
        task_file=path,
        title=task.title,
        criteria=[ident for ident, _ in task.criteria],
        artifacts=_paths(stages, task),
        report=task.artifacts.get("Run Report", f"harness/runs/{task.id}-run-report.md"),
        state_path=state,
        approvals=_approvals(workflow, task.approvals, policy, options.get("given", {})),
    )
    if wrong := _state_fault(state, {path, members["report"], *members["artifacts"].values()}):
        raise InputError(
            Fault(
                "--state",
                f"{state!r} {wrong}",
                f"give a path such as harness/run-state-{task.id}.md",
            )
        )
    return Start(
        workflow=workflow,
        members=members,
        definition={"stages": to_data(stages)},
        slug=task.id,
        title=f"{task.id} — {task.title}",
        scope=members["state_path"],
        finished=partial(_finished, task.id),
        adopt=partial(_adopt, workflow, members),
        required=_required(stages),
    )


def _state_fault(state: str, taken: Collection[str]) -> str:
    """Why the run's state cannot be kept in this file; "" where it can."""
    if wrong := path_fault(state):
        return wrong
    if not state.endswith(".md"):
        return "is not a Markdown file"
    if state in taken:
        return "is another document of this run"
    return (
        "is where rules and other files lie"
        if state != STATE and globs.matches(state, _RULES)
        else ""
    )


def sample(policy: Mapping[str, Any], read: Read, scaffold: Read) -> Harness:
    """The line of stages as the project defines it, or as shipped."""
    stages = parse_stages(read(STAGES) or scaffold("stages.toml") or "", STAGES)
    return Harness(stages, policy["max_remediations"])


def _finished(task: str, text: str) -> bool:
    return (
        read_field(text, "Task", "Task ID") == task
        and read_field(text, "Execution State", "Current Status") == "Complete"
    )


def _adopt(workflow: Harness, members: Mapping[str, Any], text: str) -> bool:
    run = workflow.first(**members)
    assert isinstance(run, HarnessRun)
    return adopting.can_be(workflow, run, text)


def _paths(stages: Sequence[StageSpec], task: Task) -> dict[str, str]:
    return {
        each.output: task.artifacts[each.label] for each in stages if each.label in task.artifacts
    }


def _approvals(
    workflow: Harness, said: Mapping[str, bool], policy: Mapping[str, Any], given: Mapping[str, Any]
) -> dict[str, bool]:
    """The command line wins over the task file, which wins over the project's policy."""
    _refuse_flags(workflow, {*policy, *given})
    return {
        gate: _flag(key, name, said, policy, given)
        for key, (gate, name) in _gates(workflow).items()
    }


def _gates(workflow: Harness) -> dict[str, tuple[str, str]]:
    """The policy's key of each gate, with the gate and the name of what it guards."""
    stages = {
        f"require_approval_before_{each.step}": (each.gate, each.name)
        for each in workflow.stages
        if each.approval_before
    }
    return {**stages, "require_approval_before_complete": (COMPLETION, "complete")}


def _refuse_flags(workflow: Harness, keys: Collection[str]) -> None:
    known = _gates(workflow)
    flags = sorted(key for key in keys if key.startswith("require_approval_before_"))
    wrong = [key for key in flags if key not in known and key != "require_approval_before_build"]
    if wrong:
        mend = (
            "gates stand before: "
            f"{', '.join(sorted(each.removeprefix('require_approval_before_') for each in known))}"
        )
        raise InputError(
            [Fault("policy", f"{key} names no stage with a gate", mend) for key in wrong]
        )


def _flag(
    key: str,
    name: str,
    said: Mapping[str, bool],
    policy: Mapping[str, Any],
    given: Mapping[str, Any],
) -> bool:
    if key in given:
        return bool(given[key])
    spoken = {fold(stage): answer for stage, answer in said.items()}
    return spoken.get(fold(name), bool(policy.get(key, True)))


def imagine(workflow: Workflow, policy: Mapping[str, Any]) -> Mapping[str, Any]:
    """A task without flags of its own, so that the policy alone decides about its gates."""
    assert isinstance(workflow, Harness)
    return first_members(
        workflow.stages, task_id="T000", approvals=_approvals(workflow, {}, policy, {})
    )


def _required(stages: Sequence[StageSpec]) -> list[str]:
    found = [STATE_TEMPLATE, REPORT_TEMPLATE, *ALWAYS]
    for stage in stages:
        found += [path for path in (stage.role_file, stage.template) if path]
        found += [
            each for each in stage.reads if not each.startswith("@") and not each.endswith("?")
        ]
    return list(dict.fromkeys(found))


def remake(definition: Mapping[str, Any], policy: Mapping[str, Any]) -> Harness:
    workflow = Harness(from_data(definition["stages"]), policy["max_remediations"])
    _refuse_flags(workflow, policy)
    return workflow


def _dialects() -> Mapping[str, Dialect]:
    # only where an agent is asked
    from podium.workflows.harness.dialects import DIALECTS  # noqa: PLC0415

    return DIALECTS


ENTRY = Entry(
    name="harness",
    summary="one task through fixed stages, with people before Build and before Complete",
    takes="TASKFILE",
    start=start,
    sample=sample,
    remake=remake,
    imagine=imagine,
    dialects=_dialects,
    retries=lambda policy: {"validation": policy["validation_fixes"], "violation": 1},
    options=frozenset({"state"}),
    placed=lambda path: f"harness/{path}",
    home="harness",
    folders=tuple(
        f"harness/{each}"
        for each in (
            "artifacts/specs",
            "artifacts/design",
            "artifacts/plans",
            "artifacts/qa",
            "runs",
        )
    ),
    example="harness/tasks/T001-sample.md",
    settings=(
        "# require_approval_before_build = true      # ask a person before code is written",
        "# require_approval_before_complete = true   # and before the task counts as done",
        (
            "# max_remediations = 2                      # how often QA may send the task back to "
            "Build"
        ),
    ),
)
