"""`progress.yaml`: where the run stands, for people; read back if somebody edits it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.core.errors import Fault, InputError
from podium.formats import yaml_edit, yaml_text
from podium.formats.yaml_shape import Fields, Flag, Listing, Maybe, Number, Text, faults
from podium.formats.yaml_tree import Node, parse
from podium.workflows.ticket.progress.metrics import CONFIDENCES, Metrics
from podium.workflows.ticket.progress.phases import ITERATION_STATUSES, PHASES, STATUSES, STEPS
from podium.workflows.ticket.request import naming
from podium.workflows.ticket.request.naming import DOCS_CACHE, WORK_TYPES
from podium.workflows.ticket.request.prompt_document import JIRA, SLUG, STAMP

NAME = "progress.yaml"
MODES = ("standard", "trivial_graph")
TRUST = ("trusted", "stale", "unknown")


@dataclass(frozen=True, kw_only=True)
class DocsState:
    architecture_exists: bool = False
    code_style_exists: bool = False
    findings_exists: bool = False
    docs_trusted_for_planning: bool = False
    refresh_required: bool = True


@dataclass(frozen=True, kw_only=True)
class ImpactScan:
    affected_areas: tuple[str, ...] = ()
    likely_files: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Startup:
    docs_state: DocsState = field(default_factory=DocsState)
    impact_scan: ImpactScan = field(default_factory=ImpactScan)
    planning_ready: bool = True
    updated_at: str


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    timestamp: str
    git_head: str = ""
    phase: str = "INITIALIZED"
    step: str = "I2"


@dataclass(frozen=True, kw_only=True)
class Iteration:
    number: int
    status: str = "PENDING"
    started_at: str
    completed_at: str | None = None
    tasks_total: int = 0
    tasks_accepted: int = 0


@dataclass(frozen=True, kw_only=True)
class Progress:
    """The members in the order of the file."""

    jira: str
    type: str
    slug: str
    branch: str
    build_command: str = ""
    test_command: str = ""
    working_directory: str = ""
    """Where the commands run; not in the file if it is the project's own folder."""
    max_parallel_tasks: int = 2
    docs_cache_state_path: str = DOCS_CACHE
    docs_trusted_for_planning: bool = False
    trust_status: str = "unknown"
    git_gate_completed: bool = False
    cycle_acceleration_mode: str = "standard"
    startup: Startup
    metrics: Metrics = field(default_factory=Metrics)
    iteration_number: int = 0
    current_phase: str = "INITIALIZED"
    current_step: str = "I2"
    current_task_id: str | None = None
    current_task_attempt: int = 0
    status: str = "PENDING"
    created_at: str
    last_updated: str
    last_checkpoint: Checkpoint
    iterations: tuple[Iteration, ...] = ()


_COUNT = Number()
_MINUTES = Maybe(Number(whole=False))
_STEP = Text(words=tuple(STEPS))
_PHASE = Text(words=tuple(PHASES))
_STARTUP = Fields(
    {
        "docs_state": Fields({each.name: Flag() for each in dataclasses.fields(DocsState)}),
        "impact_scan": Fields(
            {each.name: Maybe(Listing(Text())) for each in dataclasses.fields(ImpactScan)}
        ),
        "planning_ready": Flag(),
        "updated_at": STAMP,
    }
)
_METRICS = Fields(
    {
        **dict.fromkeys(
            ("tasks_total", "tasks_completed", "groups_total", "groups_completed"), _COUNT
        ),
        "percent_complete": Number(most=100),
        "elapsed_minutes_estimate": Number(whole=False),
        "remaining_minutes_estimate": _MINUTES,
        "eta_confidence": Text(words=CONFIDENCES),
        "first_code_change_at": Maybe(STAMP),
        "lead_time_to_first_code_change_minutes": _MINUTES,
        "latest_group_cycle_minutes_estimate": _MINUTES,
        "latest_iteration_cycle_minutes_estimate": _MINUTES,
    }
)
_ITERATION = Fields(
    {
        "number": Number(most=99),
        "status": Text(words=ITERATION_STATUSES),
        "started_at": STAMP,
        "completed_at": Maybe(STAMP),
        "tasks_total": _COUNT,
        "tasks_accepted": _COUNT,
    }
)
_CHECKPOINT = {"timestamp": STAMP, "git_head": Text(empty=True), "phase": _PHASE, "step": _STEP}
SHAPE = Fields(
    {
        "jira": JIRA,
        "type": Text(words=WORK_TYPES),
        "slug": SLUG,
        "branch": Text(),
        "build_command": Text(empty=True),
        "test_command": Text(empty=True),
        "max_parallel_tasks": Number(least=1),
        "docs_cache_state_path": Text(),
        "docs_trusted_for_planning": Flag(),
        "trust_status": Text(words=TRUST),
        "git_gate_completed": Flag(),
        "cycle_acceleration_mode": Text(words=MODES),
        "startup": _STARTUP,
        "metrics": _METRICS,
        "iteration_number": Number(most=99),
        "current_phase": _PHASE,
        "current_step": _STEP,
        "current_task_id": Maybe(Text()),
        "current_task_attempt": _COUNT,
        "status": Text(words=STATUSES),
        "created_at": STAMP,
        "last_updated": STAMP,
        "last_checkpoint": Fields(_CHECKPOINT),
        "iterations": Listing(_ITERATION),
    },
    {"working_directory": Maybe(Text(empty=True))},
)


def read(text: str, where: str = NAME) -> Progress:
    """The document; raises InputError with every fault."""
    root = parse(text, where)
    if wrong := [*faults(root, SHAPE, where), *_contradictions(root, where)]:
        raise InputError(wrong)
    data = root.data
    startup = data["startup"]
    known = {each.name for each in dataclasses.fields(Progress)}
    plain = {name: value for name, value in data.items() if name in known}
    return Progress(
        **plain
        | {
            "working_directory": data.get("working_directory") or "",
            "startup": Startup(
                docs_state=DocsState(**_only(startup["docs_state"], DocsState)),
                impact_scan=ImpactScan(
                    **{
                        name: tuple(each or ())
                        for name, each in _only(startup["impact_scan"], ImpactScan).items()
                    }
                ),
                planning_ready=startup["planning_ready"],
                updated_at=startup["updated_at"],
            ),
            "metrics": Metrics(**_only(data["metrics"], Metrics)),
            "last_checkpoint": Checkpoint(**_only(data["last_checkpoint"], Checkpoint)),
            "iterations": tuple(Iteration(**_only(each, Iteration)) for each in data["iterations"]),
        }
    )


def _only(data: Mapping[str, Any], kind: Any) -> dict[str, Any]:
    return {each.name: data[each.name] for each in dataclasses.fields(kind)}


def _contradictions(root: Node, where: str) -> list[Fault]:
    """Values that are valid one by one but not together."""
    found = []
    for phase_at, step_at in (
        (("current_phase",), ("current_step",)),
        (("last_checkpoint", "phase"), ("last_checkpoint", "step")),
    ):
        phase, step = root.at(*phase_at), root.at(*step_at)
        if (
            phase
            and step
            and step.value in STEPS
            and phase.value in PHASES
            and step.value not in PHASES[phase.value]
        ):
            what = f"{'.'.join(step_at)} {step.value} does not belong to phase {phase.value}"
            found.append(
                Fault(f"{where}:{step.line}", what, f"{step.value} is in {STEPS[step.value]}")
            )
    said = {name: root.at(name) for name in ("type", "jira", "slug", "branch")}
    values = {
        name: node.value for name, node in said.items() if node is not None and node.kind == "value"
    }
    own = naming.branch_of(values.get("type", ""), values.get("jira", ""), values.get("slug", ""))
    branch = said["branch"]
    if branch is not None and len(values) == 4 and branch.value != own:
        found.append(
            Fault(
                f"{where}:{branch.line}",
                f"branch is {branch.value!r}",
                f"it follows from the ticket: {own}",
            )
        )
    numbers = [each.data["number"] for each in _iterations(root)]
    if len(set(numbers)) != len(numbers):
        found.append(
            Fault(
                f"{where}:{root.names['iterations'].line}",
                "iterations has a number twice",
                "each once",
            )
        )
    return found


def _iterations(root: Node) -> list[Node]:
    listed = root.at("iterations")
    return (
        [each for each in listed.items if isinstance(each.data, dict) and "number" in each.data]
        if listed
        else []
    )


def data_of(progress: Progress) -> dict[str, Any]:
    plain = _listed(dataclasses.asdict(progress))
    assert isinstance(plain, dict)
    return (
        plain
        if progress.working_directory
        else {name: each for name, each in plain.items() if name != "working_directory"}
    )


def _listed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _listed(each) for name, each in value.items()}
    return [_listed(each) for each in value] if isinstance(value, list | tuple) else value


def render(progress: Progress) -> str:
    return yaml_text.document(data_of(progress))


def update(text: str, progress: Progress, where: str = NAME) -> str:
    """The document with these values; comments, order and unknown names stay as they are."""
    return yaml_edit.merge(text, data_of(progress), where)
