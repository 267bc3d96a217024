"""What the engine is given: all ports and settings of one process, as one value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from podium.agents.confine.confinement import Confinement
from podium.agents.confine.room import Enclose, unconfined
from podium.agents.confine.toolchains import Tools
from podium.agents.gateway.desk import Desk
from podium.agents.process import KEPT_BYTES
from podium.agents.protocol import Agent, Supervising
from podium.core.budget import Caps
from podium.core.errors import Fault
from podium.core.retry import Policy
from podium.core.verdict import Dialect
from podium.engine.days import Days
from podium.engine.outcome import Observer
from podium.engine.recorder import Recorder
from podium.engine.scribe import Scribe
from podium.engine.workspace import Workspace
from podium.state.disk import Disk
from podium.state.port import Journal
from podium.verify.redact import Redactor


@dataclass(frozen=True)
class Definition:
    """A role's definition and where it comes from."""

    text: str
    """The definition itself, without the head of its file."""
    source: str
    digest: str = ""
    """Of the whole file; recorded with each dispatch."""
    warnings: tuple[Fault, ...] = ()


class Supervisors(Protocol):
    """Makes the functions that run programs."""

    def __call__(
        self,
        inherit: Sequence[int] = (),
        *,
        enclose: Enclose = unconfined,
        kept_bytes: int = KEPT_BYTES,
    ) -> Supervising: ...


@dataclass(frozen=True)
class Surroundings:
    """What the project's commands find of the person's machine."""

    environment: Mapping[str, str] = field(default_factory=dict)
    """The person's own, without secrets."""
    home: Path = Path("/nonexistent")
    tools: Callable[[], Tools] = Tools
    """What toolchains and commands need outside the project, as far as it exists."""


@dataclass
class Services:
    """The engine's surroundings; only `stopping` is replaced while a run is driven."""

    project: Path
    journal: Journal
    disk: Disk
    clock: Callable[[], datetime]
    observer: Observer
    version: str
    agent_for: Callable[[str], Agent]
    """Role to its agent; raises UsageError if there is none."""
    define: Callable[[str, str], Definition]
    """(role, project path of its definition or "") to its definition."""
    workspace: Callable[[], Workspace]
    supervisor: Supervisors
    """(descriptors to inherit, room) to a supervise function; the engine's own commands have no
    room.
    """
    environment: Mapping[str, str]
    """The allow-listed environment of every process that the engine starts."""
    dialects: Mapping[str, Dialect]
    commands: Mapping[str, str]
    """build, test, lint."""
    retry: Policy
    timeout_s: float
    views: Path
    """Where agents' working folders are made, outside the project."""
    vendor_of: Callable[[str], str] = lambda _: ""
    """Role to whose models its agent asks; "" = nobody can tell."""
    apart: Mapping[str, str] = field(default_factory=dict)
    """Roles, each with the role whose vendor it must not share."""
    mutants: int = 0
    """How many changed lines are broken once the tests pass."""
    test_patterns: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    """Further patterns of tests, and of what decides how they run."""
    hidden: tuple[str, ...] = ()
    """Patterns of checks that no agent sees."""
    tests: str = "add"
    """What steps may do to tests, where their contracts do not say it."""
    fewer: str = "show"
    """What becomes of work after which fewer tests run: show or block."""
    requires_proof: bool = True
    """Whether the project's commands must prove what is done."""
    before: str = "same"
    """What applies to tests that fail before the run: ask, green or same."""
    repeat: int = 1
    """How often a command that passes is run on the same code."""
    surroundings: Surroundings = field(default_factory=Surroundings)
    caps: Caps = field(default_factory=Caps)
    approve_all: str = ""
    """Who approved all gates in advance; "" = nobody."""
    redact: Redactor = field(default_factory=lambda: Redactor({}))
    until: str = ""
    """Stop cleanly after this key."""
    stopping: Callable[[], bool] = lambda: False
    """Whether a person asked to stop after the current step."""
    request: Mapping[str, Any] = field(default_factory=dict)
    renewed: Mapping[str, Any] | None = None
    """The request with what was given this time. It is saved once the run is owned and checked;
    None = no change.
    """
    confinement: Callable[[], Confinement | None] = lambda: None
    """How agents that are programs are confined; None if they are only audited."""
    scribe: Scribe = field(default_factory=Scribe)
    days: Days = field(default_factory=Days)
    gateway: Desk | None = None
    """The gateway between agents and their models; None = each agent reaches its model itself."""
    fresh: bool = False
    """Whether the project's folder was made for this process, so that no earlier agent can have
    changed anything in it.
    """
    recorder: Recorder | None = None
    """Keeps each call, so that the run can be replayed; None = not recorded."""

    def now(self) -> datetime:
        return self.clock()

    def today(self) -> str:
        return self.clock().date().isoformat()
