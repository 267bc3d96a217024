"""What run-state.md says about one task, and the counters behind it."""

from __future__ import annotations

from dataclasses import dataclass, field

from podium.core.run import Run


@dataclass(kw_only=True)
class HarnessRun(Run):
    """What run-state.md says, and the counters behind it."""

    task_id: str = "T000"
    task_file: str = ""
    title: str = ""
    criteria: list[str] = field(default_factory=list)
    artifacts: dict[str, str] = field(default_factory=dict)
    """Output name to its path."""
    report: str = ""
    state_path: str = "harness/run-state.md"
    approvals: dict[str, bool] = field(default_factory=dict)
    """Gate step to whether it is required."""
    remediations: dict[str, int] = field(default_factory=dict)
    """Review step to how often it has sent the task back."""
    completed: list[str] = field(default_factory=list)
    """Names of the stages whose work is done and still valid."""
    remediating: str = ""
    """The review whose findings the run is working on."""
    people_notes: str = field(default="", compare=False)
    """What people wrote under Notes, as last read."""
