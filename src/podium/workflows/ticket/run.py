"""What a run of a ticket keeps; the state of the tasks is in tasks.yaml and mirrored here for
the rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from podium.core.run import Run
from podium.workflows.ticket.request.naming import Paths


@dataclass(kw_only=True)
class TicketRun(Run):
    jira: str = "PROJ-1"
    original: str = field(default="", compare=False)
    """Every word of the request as given."""
    text: str = field(default="", compare=False)
    hint: str = field(default="", compare=False)
    ids: list[str] = field(default_factory=list, compare=False)
    """The tickets that a request names, if there are several."""
    chosen: str = field(default="", compare=False)
    """The one of them that a person chose."""
    unclear: list[str] = field(default_factory=list, compare=False)
    """Why the Interpreter is asked."""
    resumes_at: str = ""
    """The step of progress.yaml at which a run without a journal continues; empty for a new run."""
    was_gated: bool = field(default=False, compare=False)
    """Whether that file says that the git gate was passed."""
    created_at: str = field(default="", compare=False)
    type: str = field(default="chore", compare=False)
    slug: str = field(default="", compare=False)
    branch: str = field(default="", compare=False)
    summary: str = field(default="", compare=False)
    mandates: list[dict[str, str]] = field(default_factory=list, compare=False)
    build_command: str = field(default="", compare=False)
    test_command: str = field(default="", compare=False)
    proven: dict[str, str] = field(default_factory=dict, compare=False)
    """What build and tests proved in the last review, in the words of the last lines."""
    directory: str = field(default="", compare=False)
    parallel: int = field(default=2, compare=False)
    docs: dict[str, Any] = field(default_factory=dict, compare=False)
    """docs_state of progress.yaml."""
    docs_trusted: bool = field(default=True, compare=False)
    trust_status: str = field(default="unknown", compare=False)
    docs_due: list[str] = field(default_factory=list, compare=False)
    """Documents whose cached state is missing, stale or invalid."""
    refreshed: list[str] = field(default_factory=list, compare=False)
    """Documents that an agent of this run wrote."""
    vouched: bool = field(default=False, compare=False)
    """Whether an Initializer of this run has looked at the documents and ended well."""
    impact: dict[str, Any] = field(default_factory=dict, compare=False)
    iteration: int = 0
    max_iterations: int = field(default=0, compare=False)
    """What the policy allowed when the iteration began, for people; the rules read the policy."""
    max_attempts: int = field(default=0, compare=False)
    gated: bool = False
    """git_gate_completed."""
    answers: dict[str, str] = field(default_factory=dict, compare=False)
    actions: list[str] = field(default_factory=list, compare=False)
    give_back: bool = field(default=False, compare=False)
    carried: list[str] = field(default_factory=list, compare=False)
    question: str = field(default="", compare=False)
    """What a person must know to answer at the git gate."""
    trivial: bool = False
    green: bool = field(default=False, compare=False)
    """Whether the program itself saw build and test of this iteration's task pass."""
    split: bool = False
    """Whether the Splitter has written this iteration's tasks.yaml."""
    settled: int = field(default=1, compare=False)
    """Numbers the looks at this iteration's tasks.yaml, from 1."""
    planned: str = field(default="", compare=False)
    """The digest of tasks.yaml as an agent left it; if the file differs, a person changed it."""
    leftover: str = field(default="", compare=False)
    """The digest of a tasks.yaml that existed before the plan."""
    anew: bool = field(default=False, compare=False)
    """Whether the run was rewound to before its plan, so that the existing file is an old one."""
    by_hand: bool = field(default=False, compare=False)
    """Whether a person sent the run on with their own tasks.yaml."""
    invalid: str = field(default="", compare=False)
    """Why the Planner's tasks.yaml cannot be used, for the Splitter."""
    strategy: str = "parallel"
    """How the current group runs."""
    order: list[dict[str, Any]] = field(default_factory=list, compare=False)
    """Groups of this iteration: group, strategy, tasks, rounds."""
    tasks: dict[str, list[Any]] = field(default_factory=dict)
    """Task id to its status and attempt, as tasks.yaml was last seen."""
    tries: dict[str, int] = field(default_factory=dict, compare=False)
    """Task id to how often it was started in this iteration: it numbers keys, whatever the
    file's attempt says.
    """
    restore: dict[str, list[Any]] = field(default_factory=dict, compare=False)
    """Statuses and attempts to write back to tasks.yaml after the run was rewound."""
    forgiven: bool = field(default=False, compare=False)
    """Whether tasks that used up their attempts get new ones."""
    group: str = field(default="", compare=False)
    batch: list[str] = field(default_factory=list)
    """The tasks that are running, being validated or being reviewed now."""
    scopes: dict[str, list[str]] = field(default_factory=dict, compare=False)
    """Task of the batch to what it may change."""
    entries: dict[str, str] = field(default_factory=dict, compare=False)
    """Task of the batch to its own lines of tasks.yaml."""
    commands: dict[str, str] = field(default_factory=dict, compare=False)
    """Build, test and working directory that the plan sets for the group; where empty, the
    project's own apply.
    """
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Task to its new status and evidence, until they are written."""
    evidence: dict[str, list[str]] = field(default_factory=dict, compare=False)
    """Task to what its attempts got wrong."""
    touched: list[str] = field(default_factory=list, compare=False)
    head: str = field(default="", compare=False)
    group_began: str = field(default="", compare=False)
    iteration_began: str = field(default="", compare=False)
    minutes: dict[str, float] = field(default_factory=dict, compare=False)
    metrics: dict[str, Any] = field(default_factory=dict, compare=False)
    percent: int = 0
    """percent_complete."""
    iterations: list[dict[str, Any]] = field(default_factory=list, compare=False)
    """The finished ones, as in progress.yaml."""
    accepted: bool = False
    review: dict[str, Any] = field(default_factory=dict, compare=False)
    """What the Reviewer said, until it is judged."""
    proposes: str = field(default="off", compare=False)
    """The program that opens a pull request, by policy; `off` means none."""
    proposal: str = field(default="", compare=False)
    """The link to the pull request."""
    warnings: list[str] = field(default_factory=list, compare=False)

    @property
    def paths(self) -> Paths:
        return Paths(self.jira)

    def warn(self, *said: str) -> None:
        self.warnings = [*self.warnings, *(each for each in said if each not in self.warnings)][
            -50:
        ]
