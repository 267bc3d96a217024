"""Who is tried: one agent by one transport, and what it can."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from podium.agents.protocol import Agent
from podium.core.dataclass import dataclass


@dataclass(frozen=True)
class Subject:
    """One agent by one transport."""

    name: str
    make: Callable[..., Agent]
    """(turns=…, timeout_s=…, silence_s=…, report=…) to the agent."""
    path: str
    """Its PATH."""
    missing: str = ""
    """Why it cannot be driven here; empty where it can."""
    resumes: bool = True
    """Whether it goes on with its session after its death."""
    schema: bool = False
    """Whether it has a schema output of its own."""
    tools: bool = True
    """Whether it takes Podium's tool to report by."""
    environment: Mapping[str, str] = field(default_factory=dict)
    always: tuple[str, ...] = ()
    """Files of the folder that it reads whatever it is told."""
    program: str = ""
    """What its process is called, to kill it."""
    version: str = ""

    def scrubbed(self, home: str) -> dict[str, str]:
        """All that its environment holds: no key, no login, no proxy, nobody's HOME."""
        return {"PATH": self.path, "LANG": "C.UTF-8", "HOME": home, "TZ": "UTC", **self.environment}
