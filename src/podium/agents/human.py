"""A person as an agent: gets the brief and the folder, and says when the work is done.

Without a terminal nobody can be asked now, so the dispatch is parked and the engine turns it into a
gate.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Awaitable, Callable
from typing import TextIO

from podium.agents.protocol import Answer, Failure, Job
from podium.agents.verdict_file import NAME, BadFile, read_verdict

Ask = Callable[[str], Awaitable[str | None]]
"""Shows a text and returns the line typed; None if nobody can answer any more."""

PAUSED = "paused at the terminal"
"""Why a dispatch is parked when its person wants to pause; they are not asked about it at once."""
DONE = "done"
"""The choice that only means: look at what I did."""
KEYS = "  Enter: done · text and Enter: your answer in words · q and Enter: pause\n> "


class HumanAgent:
    """Gives a dispatch to the person at the terminal, or to whoever answers the gate later."""

    keeps_view = True
    mounts = False
    actor = "person"

    def __init__(self, ask: Ask | None, name: str = "human") -> None:
        self.name = name
        self._ask = ask

    async def perform(self, job: Job) -> Answer:
        if job.resumed:
            line: str | None = job.resumed if job.resumed != DONE else ""
        elif self._ask is None:
            return _parked(job, "there is no terminal to ask at")
        else:
            line = await self._asked(job)
        if line is None:
            return _parked(job, "the terminal was closed")
        said = line.strip()
        if said == "q":
            return _parked(job, PAUSED)
        try:
            verdict = read_verdict(job.scratch / NAME)
        except BadFile as fault:
            return Answer(text=said, failure=Failure("garbage", str(fault)))
        if said:
            return Answer(text=said, verdict=verdict)
        # Enter only means done: the files decide, and a verdict file if there is one.
        return Answer(text=f"DONE: {job.brief.key}", verdict=verdict)

    async def _asked(self, job: Job) -> str | None:
        """What the person says. If a file is missing when they press Enter, they are asked once
        more.
        """
        assert self._ask is not None
        line = await self._ask(_request(job))
        if line is not None and not line.strip() and (missing := _missing(job)):
            line = await self._ask(f"  still missing in {job.folder}: {', '.join(missing)}\n{KEYS}")
        return line


class TerminalPrompt:
    """An Ask at a terminal."""

    def __init__(self, stdin: TextIO, out: TextIO, shape: Callable[[str], str] = str) -> None:
        """`shape`: a text as this terminal shows it best."""
        self._stdin, self._out, self._shape = stdin, out, shape
        self._typed: asyncio.Future[bytes] | None = None

    async def __call__(self, text: str) -> str | None:
        self._out.write(self._shape(text))
        self._out.flush()
        loop = asyncio.get_running_loop()
        typed: asyncio.Future[bytes] = loop.create_future()

        def take() -> None:
            # A terminal delivers whole lines; a thread waiting in input() could not be cancelled.
            if not typed.done():
                typed.set_result(os.read(self._stdin.fileno(), 65536))

        loop.add_reader(self._stdin.fileno(), take)
        self._typed = typed
        try:
            data = await typed
        finally:
            loop.remove_reader(self._stdin.fileno())
            self._typed = None
        return data.decode(errors="replace") if data else None

    def pause(self) -> None:
        """Pause for the person who is being asked: the current step is theirs, and nobody else
        will finish it.
        """
        if self._typed is not None and not self._typed.done():
            self._typed.set_result(b"q\n")


def terminal(
    stdin: TextIO, out: TextIO, shape: Callable[[str], str] = str
) -> TerminalPrompt | None:
    """An Ask at this terminal; None if there is no terminal."""
    return TerminalPrompt(stdin, out, shape) if stdin.isatty() and out.isatty() else None


def _missing(job: Job) -> list[str]:
    """Required files that are missing, unless a verdict says why."""
    if (job.scratch / NAME).exists():
        return []
    wanted = [each.path for each in job.outputs if not (each.optional or each.many)]
    return [each for each in wanted if job.lacks(each)]


def _request(job: Job) -> str:
    outputs = "".join(f"  write {output.path}\n" for output in job.outputs)
    wrong = f"  {said}\n" if (said := _wrong(job)) else ""
    return (
        f"\n{job.prompt.rstrip()}\n\n{job.brief.key} is yours ({job.brief.role}). Work in "
        f"{job.folder}\n{outputs}{wrong}{KEYS}"
    )


def _parked(job: Job, why: str) -> Answer:
    """What to do and where, for the gate."""
    outputs = ", ".join(output.path for output in job.outputs)
    task = f"write {outputs}" if outputs else "do what the prompt says"
    wrong = f" {said}." if (said := _wrong(job)) else ""
    detail = (
        f"{job.brief.key} is yours to do ({why}): {task} in {job.folder}, as the prompt there asks "
        f"(`podium show @ {job.brief.key}` prints it); then say that it is done.{wrong}"
    )
    return Answer(failure=Failure("parked", detail, choices=(DONE,)))


def _wrong(job: Job) -> str:
    """What the last attempt lacked, without its number: the person knows that they tried."""
    if not job.brief.history:
        return ""
    return f"Still wrong: {re.sub(r'^Attempt [0-9]+ [(][a-z_]+[)]: ', '', job.brief.history[-1])}"
