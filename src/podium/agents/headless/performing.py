"""One program from start to end: fed, read, kept within its limits, and ended as a whole process
tree.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from podium.agents.activity import Activity
from podium.agents.headless import session_note
from podium.agents.headless.ears import Ears, ears_for
from podium.agents.headless.heard import Heard
from podium.agents.headless.judging import better, ending_of, failure_of
from podium.agents.model_watch import while_model
from podium.agents.profiles.profile import Profile
from podium.agents.profiles.staging import Staged
from podium.agents.protocol import Failure, Finished, Job, NotStarted, Talk, Usage

_CHUNK = 65536
_LEAVE_S = 3.0
"""How long a program may take to exit after its last message; by then its session is on disk."""


@dataclass(frozen=True)
class Ran:
    """The result of one start."""

    heard: Heard
    failure: Failure | None
    died: bool
    """Whether it broke off in the middle of its work, without a reason or because the line to
    its model broke.
    """


async def run(
    job: Job,
    profile: Profile,
    given: tuple[Staged, bytes],
    *,
    turns: int | None,
    limit_s: float,
    left_s: float,
    silence_s: float | None,
    now: Callable[[], datetime],
    stuck: Callable[[Heard], Failure | None],
) -> Ran:
    """Run the program once. `limit_s`: the dispatch's limit, of which `left_s` is left. `stuck`:
    why an agent that ended could not do its work, if only a person can help.
    """
    staged, stdin = given
    activity = Activity(job)
    ears = ears_for(profile, activity, now)
    listening = _Listening(job, profile, ears, None if profile.own_turns else turns)
    talk: Talk | None = None
    try:
        async with job.converse(
            (staged.program, *staged.launch.argv),
            cwd=job.folder,
            env=staged.env,
            needs=staged.needs,
            timeout_s=left_s,
            silence_s=silence_s,
        ) as talk:
            feeding = asyncio.ensure_future(_feed(talk, stdin))
            try:
                _, lost = await while_model(job.model, listening.listen(talk))
                ears.heard.failure = ears.heard.failure or lost
            finally:
                feeding.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await feeding
        finished = talk.finished
    except NotStarted as fault:
        finished = Finished(127, b"", b"", not_started=str(fault))
    assert finished is not None
    heard = ears.heard
    own_end = profile.stream not in {"text", "opencode", "kimi"}
    failure = failure_of(
        heard, finished, limit_s, silence_s, own_end=own_end, noise=ears.noise, spent=profile.spent
    )
    if failure is None:
        failure = stuck(heard)
    if job.model is not None:
        failure = better(failure, job.model.trouble())
    if heard.usage != Usage():
        activity.usage(heard.usage)
    activity.ended(
        ending_of(failure, finished, limited=listening.limited), failure.detail if failure else ""
    )
    died = (
        failure is not None
        and failure.kind in {"crash", "garbage"}
        and (heard.failure is None or heard.lost)
    )
    return Ran(heard, failure, died)


async def _feed(talk: Talk, data: bytes) -> None:
    """Write the input. A program that does not read it, or is gone, is not an error here."""
    with contextlib.suppress(OSError):
        if data:
            talk.writer.write(data)
            await talk.writer.drain()
        talk.writer.close()


class _Listening:
    def __init__(self, job: Job, profile: Profile, ears: Ears, turns: int | None) -> None:
        self.limited = False
        self._job = job
        self._profile = profile
        self._ears = ears
        self._turns = turns
        self._noted = False

    async def listen(self, talk: Talk) -> None:
        """Read until its output, its stream or its limit of turns ends."""
        heard = self._ears.heard
        while not heard.over and not self.limited and (data := await talk.reader.read(_CHUNK)):
            self._ears.feed(data)
            self._note(heard)
            self._count(heard)
        if heard.over and heard.failure is None and not self._profile.lingers:
            await _gone(talk)
        elif not heard.over and not self.limited:
            self._ears.end()

    def _count(self, heard: Heard) -> None:
        if self._turns is not None and heard.calls > self._turns:
            self.limited = True
            heard.failure = heard.failure or Failure(
                "timeout", f"it called more than {self._turns} tools and was not done"
            )

    def _note(self, heard: Heard) -> None:
        """Save the session as soon as it has a name, so that an agent killed later can continue
        it.
        """
        if heard.session and not self._noted and self._profile.resumes:
            session_note.keep(self._job.scratch, heard.session, self._job.prompt)
            self._noted = True


async def _gone(talk: Talk) -> None:
    try:
        async with asyncio.timeout(_LEAVE_S):
            while await talk.reader.read(_CHUNK):
                pass  # nothing it says after its end counts
            await talk.ended.wait()
    except TimeoutError:
        return
