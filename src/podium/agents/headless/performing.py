"""One program from its start to its end: fed, heard, kept within its limits, and put down as a whole tree."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from podium.agents.activity import Activity
from podium.agents.headless import session_note
from podium.agents.headless.ears import Ears, ears_for
from podium.agents.headless.heard import Heard
from podium.agents.headless.judging import better, ending_of, failure_of
from podium.agents.profiles.profile import Profile
from podium.agents.profiles.staging import Staged
from podium.agents.protocol import Failure, Finished, Job, NotStarted, Talk, Usage

_CHUNK = 65536
_LOOK_S = 1.0
_PATIENCE_S = 60.0
"""An agent may wait for its model itself for so long; a longer pause is the engine's to make."""
_LEAVE_S = 3.0
"""How long a program may take to go after its last word; its session is on disk then."""


@dataclass(frozen=True)
class Ran:
    """What came of one start."""

    heard: Heard
    failure: Failure | None
    died: bool
    """Whether it went away in the middle of its work without a reason, or for a broken line to its model."""


async def run(
    job: Job,
    profile: Profile,
    given: tuple[Staged, bytes],
    *,
    turns: int | None,
    limit_s: float,
    silence_s: float | None,
    now: Callable[[], datetime],
) -> Ran:
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
            timeout_s=limit_s,
            silence_s=silence_s,
        ) as talk:
            feeding = asyncio.ensure_future(_feed(talk, stdin))
            try:
                await listening.listen(talk)
            finally:
                feeding.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await feeding
        finished = talk.finished
    except NotStarted as fault:
        finished = Finished(127, b"", b"", not_started=str(fault))
    assert finished is not None
    heard = ears.heard
    own_end = profile.stream not in {"text", "opencode"}
    failure = failure_of(heard, finished, limit_s, silence_s, own_end=own_end, noise=ears.noise)
    if job.model is not None:
        failure = better(failure, job.model.trouble())
    if heard.usage != Usage():
        activity.usage(heard.usage)
    activity.ended(ending_of(failure, finished, limited=listening.limited), failure.detail if failure else "")
    died = failure is not None and failure.kind in {"crash", "garbage"} and (heard.failure is None or heard.lost)
    return Ran(heard, failure, died)


async def _feed(talk: Talk, data: bytes) -> None:
    """A program that does not read its input, or is gone, is no fault here."""
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
        """To the end of its output, of its stream, or of its limit of turns; or until its model cannot be had."""
        heard = self._ears.heard
        watch = asyncio.ensure_future(self._watch())
        try:
            while not heard.over and not self.limited and (data := await self._heard(talk, watch)):
                self._ears.feed(data)
                self._note(heard)
                self._count(heard)
        finally:
            watch.cancel()
        if heard.over and heard.failure is None and not self._profile.lingers:
            await _gone(talk)
        elif not heard.over and not self.limited:
            self._ears.end()

    async def _heard(self, talk: Talk, watch: asyncio.Future[None]) -> bytes:
        """The next piece; nothing at the end, or where there is no use in listening on."""
        reading = asyncio.ensure_future(talk.reader.read(_CHUNK))
        both: set[asyncio.Future[Any]] = {reading, watch}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not reading.done():
                reading.cancel()
        return reading.result() if reading.done() and not reading.cancelled() else b""

    async def _watch(self) -> None:
        """Until the gateway knows that the model is not to be had for a while: some agents wait as long as they are told."""
        model = self._job.model
        while True:
            await asyncio.sleep(_LOOK_S)
            found = model.trouble() if model is not None else None
            if found is not None and (found.kind != "rate_limit" or (found.retry_after or 0.0) > _PATIENCE_S):
                self._ears.heard.failure = self._ears.heard.failure or found
                return

    def _count(self, heard: Heard) -> None:
        if self._turns is not None and heard.calls > self._turns:
            self.limited = True
            heard.failure = heard.failure or Failure("timeout", f"it called more than {self._turns} tools and was not done")

    def _note(self, heard: Heard) -> None:
        """As soon as the session has a name: whoever is killed after that can go on with it."""
        if heard.session and not self._noted and self._profile.resumes:
            session_note.keep(self._job.scratch, heard.session, self._job.prompt)
            self._noted = True


async def _gone(talk: Talk) -> None:
    try:
        async with asyncio.timeout(_LEAVE_S):
            while await talk.reader.read(_CHUNK):
                pass  # nothing that is said after the end counts
            await talk.ended.wait()
    except TimeoutError:
        return
