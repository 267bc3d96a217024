"""The composition root: every port meets its adapter here and nowhere else.

Commands talk to `App`; `App` builds the engine for one project from settings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from podium.engine.outcome import Ended, Observer


@dataclass(frozen=True)
class RunOptions:
    """What `run` and `resume` may be told."""

    agent: str = ""
    """Agent for all roles (`--agent`); empty = as configured, or as the run was started with."""
    roles: Mapping[str, str] = field(default_factory=dict)
    """Role to agent (`--role ROLE=AGENT`)."""
    policy: Mapping[str, Any] = field(default_factory=dict)
    """Policy values from `--policy FILE` and `--set KEY=VALUE`, already parsed; they win over settings."""
    until: str = ""
    approve_all: bool = False
    run_id: str = ""
    because: str = ""
    """Why a blocked run may go on (`resume --because`)."""
    state_path: str = ""
    """harness: another run-state file (`--state`)."""


@dataclass(frozen=True)
class Planned:
    """One dispatch that would come first (`--dry-run`)."""

    key: str
    role: str
    agent: str
    contract: Mapping[str, Any]
    prompt: str


@dataclass(frozen=True)
class Summary:
    """One run in `podium list` and `podium status`."""

    run: str
    workflow: str
    title: str
    status: str
    step: str
    reason: str
    stop: str
    started: str
    updated: str
    gates: tuple[Mapping[str, Any], ...] = ()
    """Open gates: key, kind, prompt, choices, subject."""
    holder: Mapping[str, Any] | None = None
    """Who drives it now: pid, host, since."""
    advice: tuple[str, ...] = ()


class App:
    """One project, ready for commands."""

    def __init__(self, project: Path, observer: Observer | None = None) -> None:
        self.project = project

    # Driving. Each returns where the run rests; Busy, InputError, Halted … are raised.
    def start(self, workflow: str, inputs: Sequence[str], options: RunOptions) -> Ended: ...
    def resume(self, run: str, options: RunOptions) -> Ended: ...
    def dry_run(self, workflow: str, inputs: Sequence[str], options: RunOptions) -> list[Planned]: ...

    # Deciding. `by` is the person; drains the inbox at once unless a live process will.
    def approve(self, run: str, *, gate: str, note: str, by: str) -> Summary: ...
    def reject(self, run: str, *, gate: str, note: str, to: str, by: str) -> Summary: ...
    def answer(self, run: str, *, gate: str, choice: str, text: str, note: str, by: str) -> Summary: ...
    def rewind(self, run: str, to: str, *, restore_code: bool, by: str) -> tuple[Summary, list[str]]:
        """Also the keys that are stale now."""
    def cancel(self, run: str, reason: str, by: str) -> Summary: ...

    # Looking. None of these takes the lock.
    def resolve(self, spoken: str) -> str:
        """An id, a unique prefix, or `@`, to the run's id."""
    def summary(self, run: str) -> Summary: ...
    def list(self) -> Sequence[Summary]: ...
    def events(self, run: str) -> Sequence[Mapping[str, Any]]:
        """The journal with its child runs' journals, ordered by ts; chain checked."""
    def folder(self, run: str) -> Path: ...
