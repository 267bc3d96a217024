"""`progress.yaml`: where the run stands, for people; read back if somebody edits it."""

from __future__ import annotations

from collections.abc import Iterator

from podium.documents import Document, Issue, Many, Maybe, Number, Text, Word, part, record
from podium.workflows.ticket.progress.metrics import Metrics
from podium.workflows.ticket.progress.phases import PHASES, STATUSES, STEPS, IterationStatus
from podium.workflows.ticket.request import naming
from podium.workflows.ticket.request.naming import DOCS_CACHE, WORK_TYPES
from podium.workflows.ticket.request.prompt_document import JIRA, SLUG, STAMP

NAME = "progress.yaml"
_STEP, _PHASE = Word(tuple(STEPS)), Word(tuple(PHASES))
_AREAS = Maybe(Many(Text()), otherwise=())
_COMMAND = Text(empty=True)


@record(whole=True)
class DocsState:
    architecture_exists: bool = False
    code_style_exists: bool = False
    findings_exists: bool = False
    docs_trusted_for_planning: bool = False
    refresh_required: bool = True


@record(whole=True)
class ImpactScan:
    affected_areas: tuple[str, ...] = part(value=_AREAS, default=())
    likely_files: tuple[str, ...] = part(value=_AREAS, default=())


@record(whole=True)
class Startup:
    docs_state: DocsState = part(factory=DocsState)
    impact_scan: ImpactScan = part(factory=ImpactScan)
    planning_ready: bool = True
    updated_at: str = part(value=STAMP)


@record(whole=True)
class Checkpoint:
    timestamp: str = part(value=STAMP)
    git_head: str = part(value=Text(empty=True), default="")
    phase: str = part(value=_PHASE, default="INITIALIZED")
    step: str = part(value=_STEP, default="I2")


@record(whole=True)
class Iteration:
    number: int = part(value=Number(most=99), identity=True)
    status: IterationStatus = "PENDING"
    started_at: str = part(value=STAMP)
    completed_at: str | None = part(value=Maybe(STAMP), default=None)
    tasks_total: int = 0
    tasks_accepted: int = 0


@record(whole=True)
class Progress:
    """The members in the order of the file."""

    jira: str = part(value=JIRA)
    type: str = part(value=Word(WORK_TYPES))
    slug: str = part(value=SLUG)
    branch: str
    build_command: str = part(value=_COMMAND, default="")
    test_command: str = part(value=_COMMAND, default="")
    working_directory: str = part(value=Maybe(_COMMAND, otherwise=""), default="", always=False)
    """Where the commands run; not in the file if it is the project's own folder."""
    max_parallel_tasks: int = part(value=Number(least=1), default=2)
    docs_cache_state_path: str = DOCS_CACHE
    docs_trusted_for_planning: bool = False
    trust_status: str = part(value=Word(("trusted", "stale", "unknown")), default="unknown")
    git_gate_completed: bool = False
    cycle_acceleration_mode: str = part(
        value=Word(("standard", "trivial_graph")), default="standard"
    )
    startup: Startup
    metrics: Metrics = part(factory=Metrics)
    iteration_number: int = part(value=Number(most=99), default=0)
    current_phase: str = part(value=_PHASE, default="INITIALIZED")
    current_step: str = part(value=_STEP, default="I2")
    current_task_id: str | None = None
    current_task_attempt: int = 0
    status: str = part(value=Word(STATUSES), default="PENDING")
    created_at: str = part(value=STAMP)
    last_updated: str = part(value=STAMP)
    last_checkpoint: Checkpoint
    iterations: tuple[Iteration, ...] = ()


def _contradictions(progress: Progress) -> Iterator[Issue]:
    """Values that are valid one by one but not together."""
    point = progress.last_checkpoint
    for path, phase, step in (
        ((), progress.current_phase, progress.current_step),
        (("last_checkpoint",), point.phase, point.step),
    ):
        names = ("phase", "step") if path else ("current_phase", "current_step")
        if step not in PHASES[phase]:
            place = (*path, names[1])
            what = f"{'.'.join(place)} {step} does not belong to phase {phase}"
            yield Issue(place, what, f"{step} is in {STEPS[step]}", ((*path, names[0]),))
    own = naming.branch_of(progress.type, progress.jira, progress.slug)
    if progress.branch != own:
        what, parts = f"branch is {progress.branch!r}", (("type",), ("jira",), ("slug",))
        yield Issue(("branch",), what, f"it follows from the ticket: {own}", parts)
    numbers = [each.number for each in progress.iterations]
    if len(set(numbers)) != len(numbers):
        yield Issue(("iterations",), "iterations has a number twice", "each once")


PROGRESS = Document(NAME, Progress, checks=(_contradictions,))


def read(text: str, where: str = NAME) -> Progress:
    """The document; raises InputError with every fault."""
    return PROGRESS.read(text, where).sound()


def render(progress: Progress) -> str:
    return PROGRESS.render(progress)


def update(text: str, progress: Progress, where: str = NAME) -> str:
    """The document with these values; comments, order and unknown names stay as they are."""
    return PROGRESS.update(text, progress, where)
