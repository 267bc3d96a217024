"""How one program is started and set up as an agent of this protocol, according to its profile
or the settings.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from podium.agents.command import missing, named_files
from podium.agents.profiles.profile import Habits
from podium.agents.protocol import Job
from podium.agents.verdict_file import NAME, VARIABLE

UNASKED_MODES = frozenset(
    {
        "auto",
        "agent",
        "yolo",
        "bypassPermissions",
        "dontAsk",
        "autopilot",
        "full-access",
        "agent-full-access",
        "danger-full-access",
    }
)
"""Names of modes in which another model judges tool calls, or nobody does."""


def mode_name(ident: str) -> str:
    """The name of a mode. Some programs put the address of its definition in front."""
    return ident.rpartition("#")[2]


@dataclass(frozen=True)
class Launch:
    """Everything needed for one start. The files of a private HOME already exist."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    """The whole environment."""
    needs: tuple[Path, ...] = ()
    """Paths that its installation must be able to read."""
    mode: str = ""
    """The session mode to set; "" keeps the one the session starts in."""
    forbidden: frozenset[str] = UNASKED_MODES
    """Modes in which the agent may neither start nor work."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Configuration options to set, by id."""
    login: str = ""
    """The login method to use if the agent asks for one. It must not need a person."""
    turns: int | None = None
    """The most tool calls allowed. This protocol does not report turns of the model."""
    tools: bool = True
    """Whether it accepts MCP servers that are started as programs."""
    resumes: bool = True
    """Whether it really can resume sessions, as it claims."""
    habits: Habits = field(default_factory=Habits)


Prepare = Callable[[Job], Launch]
"""Prepares everything the program needs for one dispatch. Raises NotReady (of the profiles) or
OSError.
"""


@dataclass(frozen=True)
class Plain:
    """Any program that speaks the protocol, as configured in `[agents.NAME] command`."""

    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    mode: str = ""
    turns: int | None = None

    def missing(self, path: str) -> str:
        """Why it cannot be started with this PATH; empty if it can."""
        return missing(self.argv, {"PATH": path, **self.env})

    def __call__(self, job: Job) -> Launch:
        os.makedirs(job.scratch / "tmp", exist_ok=True)
        values = {"folder": str(job.folder), "scratch": str(job.scratch)}
        argv = tuple(_filled(each, values) for each in self.argv)
        env = {**job.environment, **self.env}
        env = env if job.model is None else job.model.told(env)
        env |= {VARIABLE: str(job.scratch / NAME), "TMPDIR": str(job.scratch / "tmp")}
        return Launch(
            argv,
            env,
            named_files(self.argv),
            self.mode,
            UNASKED_MODES - {self.mode, mode_name(self.mode)},
            turns=self.turns,
        )


def _filled(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text
