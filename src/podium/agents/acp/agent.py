"""An agent that speaks the Agent Client Protocol. The code that does the work is imported at the
first dispatch.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Literal

from podium.agents.acp.launch import Prepare
from podium.agents.protocol import Answer, Job

Permissions = Literal["policy", "ask"]


class AcpAgent:
    """Starts the program that a profile or the settings name, and talks to it."""

    resumes = True
    """A dispatch that was parked, or whose engine died, continues in the same folder with the
    same session.
    """

    def __init__(
        self,
        name: str,
        prepare: Prepare,
        *,
        permissions: Permissions = "policy",
        timeout_s: float | None = None,
        silence_s: float | None = None,
        now: Callable[[], datetime] = lambda: datetime.now().astimezone(),
    ) -> None:
        self.name = name
        self._prepare = prepare
        self._permissions = permissions
        self._timeout_s = timeout_s
        self._silence_s = silence_s
        self._now = now

    def own_folders(self, model: bool) -> tuple[Path, ...]:
        """The user's own folders that its room must contain; the engine asks for them."""
        own: Callable[[bool], tuple[Path, ...]] | None = getattr(self._prepare, "own_folders", None)
        return own(model) if own is not None else ()

    def missing(self, path: str) -> str:
        """Why it cannot be started with this PATH; empty if it can, or if only trying will tell."""
        told: Callable[[str], str] | None = getattr(self._prepare, "missing", None)
        return told(path) if told is not None else ""

    async def perform(self, job: Job) -> Answer:
        from podium.agents.acp import performing  # noqa: PLC0415  # takes half a second

        limit = job.timeout_s if self._timeout_s is None else min(self._timeout_s, job.timeout_s)
        return await performing.perform(
            job, self._prepare, limit, self._silence_s, self._now, ask=self._permissions == "ask"
        )
