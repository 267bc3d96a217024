"""A known agent, driven by its command line: one program per dispatch."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from podium.agents.headless import session_note
from podium.agents.headless.heard import Heard, together
from podium.agents.headless.judging import ALLOW, parked
from podium.agents.headless.performing import Ran, run
from podium.agents.headless.schema import object_in, strict, without_nulls
from podium.agents.profiles.profile import Profile
from podium.agents.profiles.staging import (
    NotReady,
    Options,
    Staged,
    home_of,
    missing,
    own_folders,
    stage,
)
from podium.agents.prompt import as_argument
from podium.agents.protocol import Answer, Failure, Job
from podium.agents.reporting import injection
from podium.agents.reporting.reading import answered
from podium.agents.reporting.server import QUESTION
from podium.agents.verdict_file import NAME

_AGAIN = (
    "You began this task before and were interrupted. Look at what your folder holds now "
    "before you rely on "
    "anything that you did; then go on. The task, as before:\n\n"
)
_LEAST_S = 0.1
_SCHEMA = "verdict-schema.json"
_REPORTS = (injection.REPORTED, QUESTION, NAME)


class HeadlessAgent:
    """Runs a known program and reads what it prints, believing none of it."""

    def __init__(
        self,
        name: str,
        profile: Profile,
        options: Options,
        *,
        timeout_s: float | None = None,
        silence_s: float | None = None,
        now: Callable[[], datetime] = lambda: datetime.now().astimezone(),
    ) -> None:
        self.name = name
        self.profile = profile
        self.options = options
        self.resumes = profile.resumes
        self._timeout_s = timeout_s
        self._silence_s = silence_s
        self._now = now

    def own_folders(self, model: bool) -> tuple[Path, ...]:
        """The user's own folders that its room must contain; the engine asks for them."""
        return own_folders(self.profile, self.options, model=model)

    def missing(self, path: str) -> str:
        """Why it cannot be started with this PATH; empty if it can. Asked before a run begins."""
        return missing(self.options.program or self.profile.program, self.profile, path)

    async def perform(self, job: Job) -> Answer:
        limit = job.timeout_s if self._timeout_s is None else min(self._timeout_s, job.timeout_s)
        session = session_note.kept(job.scratch, job.prompt) if self.profile.resumes else ""
        try:
            ran = await self._lives(job, session, limit)
        except NotReady as fault:
            return Answer(failure=Failure("not_dispatchable", str(fault)))
        except OSError as fault:
            return Answer(
                failure=Failure(
                    "not_dispatchable", f"the scratch folder cannot be prepared: {fault}"
                )
            )
        return self._answer(job, ran)

    async def _lives(self, job: Job, session: str, limit_s: float) -> Ran:
        """Run the program, and again if it dies. All its processes share the limit; what each of
        them used counts.
        """
        clock = asyncio.get_running_loop().time
        deadline = clock() + limit_s

        async def again(before: Ran, session: str) -> Ran:
            ran = await self._run(job, session, limit_s, max(_LEAST_S, deadline - clock()))
            if before.heard.messages:
                ran.heard.usage = together(before.heard.usage, ran.heard.usage)
            return ran

        ran = await self._run(job, session, limit_s, limit_s)
        if session and ran.died and not ran.heard.calls:
            return await again(ran, "")  # the session can no longer be found
        if ran.died and ran.heard.session and self.profile.resumes:
            job.say(
                "text", {"text": "(it broke off; its session continues in a new process, once)"}
            )
            ran = await again(ran, ran.heard.session)
            if ran.died and not ran.heard.calls:
                ran = await again(ran, "")  # it broke off before it had saved its session
        return ran

    async def _run(self, job: Job, session: str, limit_s: float, left_s: float) -> Ran:
        """Run it once. `left_s`: what is left of the limit."""
        options = self._allowed(job)
        os.makedirs(job.scratch, exist_ok=True)
        tools = injection.prepare(job) if self._offers_tools(job) else None
        if tools is None:
            injection.clear(job.scratch)
        staged = stage(
            self.profile,
            options,
            job,
            self.profile.headless,
            tools=tools,
            schema=self._schema(job),
            session=session,
        )
        prompt = (_AGAIN if session else "") + job.prompt + (injection.told(job) if tools else "")
        needs = (*staged.needs, *(tools.needs if tools else ()))
        ready = replace(staged, needs=needs)
        return await run(
            job,
            self.profile,
            _with_prompt(ready, job, prompt),
            turns=options.turns,
            limit_s=limit_s,
            left_s=left_s,
            silence_s=self._silence_s,
            now=self._now,
            stuck=partial(_stuck, job),
        )

    def _allowed(self, job: Job) -> Options:
        """What a person allowed applies to this one dispatch."""
        if ALLOW in {job.choice, job.resumed} and not job.enclosed:
            return replace(self.options, permissions="commands")
        return self.options

    def _offers_tools(self, job: Job) -> bool:
        if self.options.report != "tool" or not self.profile.takes_tools:
            return False
        lent = home_of(self.profile, self.options, model=job.model is not None) == "user"
        return not (lent and self.profile.tools_in_settings)

    def _schema(self, job: Job) -> tuple[Path, str] | None:
        if self.options.report != "schema" or not job.verdict_schema:
            return None
        path = job.scratch / _SCHEMA
        path.write_text(json.dumps(strict(job.verdict_schema)), encoding="utf-8")
        return path, json.dumps(job.verdict_schema)

    def _answer(self, job: Job, ran: Ran) -> Answer:
        heard = ran.heard
        if ran.failure is not None:
            return Answer(heard.text, usage=heard.usage, failure=ran.failure)
        session_note.forget(job.scratch)
        return answered(
            job, heard.text, heard.usage, self._structured(heard.structured, heard.text)
        )

    def _structured(self, found: Any, text: str) -> Any:
        if self.options.report != "schema":
            return None
        return without_nulls(found) if found is not None else object_in(text)


def _with_prompt(staged: Staged, job: Job, prompt: str) -> tuple[Staged, bytes]:
    """Give the prompt on standard input, or as an argument if one asks for it; a long one as the
    name of its file.
    """
    file = job.scratch / "prompt.md"
    file.write_text(prompt, encoding="utf-8", errors="replace")
    argv = staged.launch.argv
    if not any("{prompt" in each for each in argv):
        return staged, prompt.encode(errors="replace")
    told = as_argument(prompt, file)
    filled = tuple(
        each.replace("{prompt_file}", str(file)).replace("{prompt}", told) for each in argv
    )
    return replace(staged, launch=replace(staged.launch, argv=filled)), b""


def _stuck(job: Job, heard: Heard) -> Failure | None:
    """The failure of an agent that was refused a command and ended with neither a report nor its
    required files.
    """
    if (
        not heard.refused
        or not _unwritten(job)
        or any(os.path.lexists(job.scratch / each) for each in _REPORTS)
    ):
        return None
    return parked(heard.refused)


def _unwritten(job: Job) -> bool:
    """Whether a required file is missing."""
    must = [each.path for each in job.outputs if not each.optional and not each.many]
    return any(job.lacks(path) for path in must)
