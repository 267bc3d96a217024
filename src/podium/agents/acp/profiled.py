"""A known program, or its adapter, started for this protocol according to its profile."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from podium.agents.acp.launch import UNASKED_MODES, Launch, mode_name
from podium.agents.profiles.profile import Profile
from podium.agents.profiles.staging import NotReady, Options, missing, own_folders, stage
from podium.agents.protocol import Job


@dataclass(frozen=True)
class Profiled:
    profile: Profile
    options: Options

    def __call__(self, job: Job) -> Launch:
        acp = self.profile.acp
        if acp is None:
            raise NotReady(f"{self.profile.title} does not speak the Agent Client Protocol")
        staged = stage(self.profile, self.options, job, acp.launch, program=self._program())
        mode = (acp.mode_in_room if job.enclosed else "") or acp.mode
        return Launch(
            argv=(staged.program, *staged.launch.argv),
            env=staged.env,
            needs=staged.needs,
            mode=mode,
            forbidden=(UNASKED_MODES | set(acp.forbidden)) - {mode, mode_name(mode)},
            turns=self.options.turns,
            tools=acp.mcp == "stdio" and self.options.report == "tool",
            resumes=acp.resumes,
            habits=acp.habits,
        )

    def own_folders(self, model: bool) -> tuple[Path, ...]:
        return own_folders(self.profile, self.options, model=model)

    def missing(self, path: str) -> str:
        """Why it cannot be started with this PATH; empty if it can."""
        return missing(self._program(), self.profile, path)

    def _program(self) -> str:
        """`program` in the settings names the agent; an adapter is found under its own name."""
        acp = self.profile.acp
        assert acp is not None
        return (
            acp.program
            if acp.program != self.profile.program
            else self.options.program or acp.program
        )
