"""How one program is started and set up as an agent of this protocol: what a profile says, or the settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from podium.agents.command import missing
from podium.agents.profiles.profile import Habits
from podium.agents.protocol import Job
from podium.agents.verdict_file import NAME, VARIABLE
from podium.core.dataclass import dataclass

UNASKED_MODES = frozenset(
    {
        "auto", "agent", "yolo", "bypassPermissions", "dontAsk", "autopilot", "full-access", "agent-full-access",
        "danger-full-access",
    }
)  # fmt: skip
"""Names that programs give to modes in which another model judges, or nobody."""


def mode_name(ident: str) -> str:
    """The name of a mode; some programs tell it behind the address of its definition."""
    return ident.rpartition("#")[2]


@dataclass(frozen=True)
class Launch:
    """Everything about one start; files of a private HOME are there already."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    """The whole environment."""
    needs: tuple[Path, ...] = ()
    """What its installation must be able to read."""
    mode: str = ""
    """The session mode to set; "" leaves the one it begins in."""
    forbidden: frozenset[str] = UNASKED_MODES
    """Modes in which it may not work, nor begin."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Configuration options to set, by id."""
    login: str = ""
    """The login method to use where it asks for one; none of them may need a person."""
    turns: int | None = None
    """Most calls of tools; turns of the model are not told in this protocol."""
    tools: bool = True
    """Whether it takes servers of tools that are started as programs."""
    resumes: bool = True
    """Whether its claim to resume sessions is true."""
    habits: Habits = field(default_factory=Habits)


Prepare = Callable[[Job], Launch]
"""Lays out what the program needs for one dispatch; raises NotReady of the profiles, or OSError."""


@dataclass(frozen=True)
class Plain:
    """Any program that speaks the protocol, as `[agents.NAME] command` names it."""

    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    mode: str = ""
    turns: int | None = None

    def missing(self, path: str) -> str:
        """Why it cannot be started with this PATH; empty where it can."""
        return missing(self.argv, {"PATH": path, **self.env})

    def __call__(self, job: Job) -> Launch:
        os.makedirs(job.scratch / "tmp", exist_ok=True)
        values = {"folder": str(job.folder), "scratch": str(job.scratch)}
        argv = tuple(_filled(each, values) for each in self.argv)
        env = {**job.environment, **self.env}
        env = env if job.model is None else job.model.told(env)
        env |= {VARIABLE: str(job.scratch / NAME), "TMPDIR": str(job.scratch / "tmp")}
        # Files that the command's own arguments name: who configured it wants them read, wherever they lie.
        needs = tuple(Path(each) for each in self.argv[1:] if os.path.isabs(each) and os.path.isfile(each))
        return Launch(argv, env, needs, self.mode, UNASKED_MODES - {self.mode, mode_name(self.mode)}, turns=self.turns)


def _filled(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text
