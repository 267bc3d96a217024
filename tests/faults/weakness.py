"""An agent that is weak once, at its n-th dispatch, and well afterwards."""

from __future__ import annotations

import asyncio
import errno
from dataclasses import dataclass, replace

from podium.agents.command import CommandAgent
from podium.agents.protocol import Agent, Answer, Failure, Job
from podium.agents.scripted import ScriptedAgent

_HALF = "mkdir -p src; echo HALF > src/half.py; echo half; kill -KILL $$; echo never"
"""A program that writes, and is killed in the middle of its work."""


@dataclass
class Weakness:
    """Which dispatch it is, and what happens there: slow, raises, a real program that is killed,
    or the failure of this name.
    """

    at: int
    how: str
    reset_s: float | None = None
    asked: int = 0
    met: Job | None = None

    def of(self, agent: Agent) -> Agent:
        return _Weak(agent, self)

    def hidden(self, job: Job) -> Job:
        """A failed dispatch counts as one; a script that knows nothing of it says at the next
        one what it would have said.
        """
        if self.met is None or self.how in {"slow", "raises"}:
            return job
        call = job.call - (job.brief.role == self.met.brief.role and job.call > self.met.call)
        turn = job.turn - (job.brief.key == self.met.brief.key and job.turn > self.met.turn)
        return replace(job, call=call, turn=turn)


class _Weak:
    actor = ScriptedAgent.actor

    def __init__(self, inner: Agent, weakness: Weakness) -> None:
        self.inner, self.weakness, self.name = inner, weakness, inner.name

    async def perform(self, job: Job) -> Answer:
        weakness = self.weakness
        weakness.asked += 1
        if weakness.asked != weakness.at:
            return await self.inner.perform(weakness.hidden(job))
        weakness.met = job
        if weakness.how == "rate_limit":
            return Answer(
                failure=Failure("rate_limit", "the usage limit is reached", weakness.reset_s)
            )
        if weakness.how == "killed":
            return await CommandAgent("weak", ("sh", "-c", _HALF)).perform(job)
        if weakness.how == "slow":
            await asyncio.sleep(0.2)
        answer = await self.inner.perform(job)
        if weakness.how == "slow":
            return answer
        if weakness.how == "raises":
            raise OSError(errno.EIO, "its pipe broke")
        return Answer(failure=Failure(weakness.how, "it was not well"))  # type: ignore[arg-type]
