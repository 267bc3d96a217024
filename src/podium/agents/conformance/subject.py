"""What is tested: one agent over one transport, and what it can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from podium.agents.protocol import Agent


@dataclass(frozen=True)
class Subject:
    """One agent over one transport."""

    name: str
    make: Callable[..., Agent]
    """Takes (turns=…, timeout_s=…, silence_s=…, report=…) and returns the agent."""
    path: str
    """Its PATH."""
    missing: str = ""
    """Why it cannot be driven here; empty if it can."""
    resumes: bool = True
    """Whether it continues its session after it was killed."""
    schema: bool = False
    """Whether it has schema output of its own."""
    tools: bool = True
    """Whether it accepts Podium's reporting tool."""
    environment: Mapping[str, str] = field(default_factory=dict)
    always: tuple[str, ...] = ()
    """Files in the folder that it reads whatever it is told."""
    program: str = ""
    """The name of its process, needed to kill it."""
    version: str = ""

    def scrubbed(self, home: str) -> dict[str, str]:
        """Its whole environment: no key, no login, no proxy, nobody's HOME."""
        return {"PATH": self.path, "LANG": "C.UTF-8", "HOME": home, "TZ": "UTC", **self.environment}
