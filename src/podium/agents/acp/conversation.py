"""The conversation with one process of an agent: session, mode, turns, and how each can end."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from podium.agents.acp import session_file, stopping
from podium.agents.acp.client import Client, Request
from podium.agents.acp.launch import Launch, mode_name
from podium.agents.acp.session_file import Kept
from podium.agents.acp.wire import VERSION, Hello, Malformed, Refused, Session, Turn, Wire
from podium.agents.activity import Activity
from podium.agents.headless.troubles import trouble
from podium.agents.prompt import digest_of
from podium.agents.protocol import Failure, FailureKind, Job
from podium.agents.reporting.injection import REPORTED, Injection
from podium.agents.reporting.server import QUESTION

START_S = 60.0
"""How long an agent may take for each step of setting up its session."""
CANCEL_S = 2.0
"""How long a cancelled turn may take to end on its own."""
MOST_TURNS = 4
"""Turns in one dispatch. Some agents end a turn when something is refused, and can be told to
continue.
"""
ALLOW, REJECT = "allow", "reject"
INTERRUPTED = (
    "You were interrupted. The files in your folder are as you left them. Go on with your task, "
    "and report when it is done."
)
_T = TypeVar("_T")


class Ended(Exception):
    """The dispatch is over, for the given reason."""

    def __init__(
        self, kind: FailureKind, detail: str, choices: tuple[str, ...] = ("again",)
    ) -> None:
        super().__init__(detail)
        self.failure = Failure(kind, detail, choices=choices)


@dataclass
class Task:
    """One dispatch, as each of its processes needs it."""

    job: Job
    launch: Launch
    prompt: str
    servers: Sequence[Injection]
    deadline: float
    """Time of the event loop's clock."""
    limit_s: float
    silence_s: float | None = None
    now: Callable[[], datetime] = lambda: datetime.now().astimezone()
    decided: tuple[Request | None, str] | None = None
    """What a person was asked, and their answer."""


class Conversation:
    """The conversation with one process. `left` is the session that an earlier process left
    behind.
    """

    def __init__(self, task: Task, client: Client, activity: Activity, left: Kept | None) -> None:
        self.resumable = False
        """Whether the agent can continue a session in a new process."""
        self._task = task
        self._client = client
        self._activity = activity
        self._left = left
        self._broke = False
        """Whether an earlier turn ended with an error."""

    async def whole(self, wire: Wire) -> None:
        """Run the agent to the end of its work. Raises Ended if it does not get there, Lost if
        the agent is gone.
        """
        try:
            hello = await self._soon("initialize", wire.initialize())
            if hello.version != VERSION:
                raise Ended(
                    "not_dispatchable",
                    f"it speaks version {hello.version} of the protocol, not {VERSION}",
                )
            self.resumable = self._task.launch.resumes and (hello.loads or hello.resumes)
            session, resumed = await self._session(wire, hello)
            await self._set_up(wire, session)
            self._activity.started(
                "acp", session.ident, version=f"{hello.name} {hello.release}".strip()
            )
            await self._turns(wire, session.ident, self._opening(resumed=resumed))
        except Refused as refused:
            failure = stopping.of_error(refused.asked, refused.code, str(refused), refused.data)
            raise Ended(failure.kind, failure.detail) from None
        except Malformed as fault:
            raise Ended("garbage", str(fault)) from None

    async def _soon(self, what: str, work: Awaitable[_T]) -> _T:
        left = self._task.deadline - asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(min(START_S, left)):
                return await work
        except TimeoutError:
            raise Ended(
                "timeout",
                (
                    f"it did not answer {what} in time; it was stopped with every process it had "
                    "started"
                ),
            ) from None

    # -- before the first prompt

    async def _session(self, wire: Wire, hello: Hello) -> tuple[Session, bool]:
        """A session, and whether it is the one that was left behind."""
        task, client = self._task, self._client
        folder = os.fspath(task.job.folder)
        client.mode = (
            ""  # a loaded session replays old messages, which say nothing about what it does now
        )
        if self._left is not None and self.resumable:
            client.session = self._left.session
            try:
                again = wire.resume_session(self._left.session, folder, task.servers, hello)
                return await self._soon("session/resume", again), True
            except Refused:
                client.session = ""  # the agent no longer knows this session, so start a new one
        try:
            session = await self._soon("session/new", wire.new_session(folder, task.servers))
        except Refused as refused:
            if refused.code != stopping.AUTH_REQUIRED or task.launch.login not in hello.logins:
                raise
            await self._soon("authenticate", wire.log_in(task.launch.login))
            session = await self._soon("session/new", wire.new_session(folder, task.servers))
        client.session = session.ident
        session_file.keep(task.job.scratch, Kept(session.ident, digest_of(task.job.prompt)))
        return session, False

    async def _set_up(self, wire: Wire, session: Session) -> None:
        launch, client = self._task.launch, self._client
        begins = session.mode or str((session.options or {}).get("mode") or "")
        client.mode = begins
        named = (
            [each for each in session.modes if mode_name(each) == launch.mode]
            if launch.mode
            else []
        )
        wanted = launch.mode if launch.mode in session.modes else next(iter(named), "")
        if launch.mode and session.modes and not wanted:
            raise Ended(
                "not_dispatchable",
                f"it has no mode {launch.mode!r}; it has {', '.join(session.modes)}",
            )
        if wanted and wanted != begins:
            await self._soon("session/set_mode", wire.set_mode(session.ident, wanted))
            client.mode = wanted
        for option, value in launch.options.items():
            if (session.options or {}).get(option, value) != value:
                await self._soon(
                    "session/set_config_option", wire.set_option(session.ident, option, value)
                )
                client.mode = value if option == "mode" else client.mode
        if mode_name(client.mode) in launch.forbidden:
            raise Ended(
                "not_dispatchable",
                f"it works in the mode {client.mode!r}, in which it is not asked what it may do",
            )

    def _opening(self, *, resumed: bool) -> str:
        """The first prompt: the whole task, or a note that the known task continues."""
        task, parts = self._task, list[str]()
        if task.decided is not None:
            asked, said = task.decided
            what = (
                f"You asked to be allowed: {asked.told()}."
                if asked
                else "You asked for a permission."
            )
            allowed = f"It is {'allowed, once' if said == ALLOW else 'not allowed'}."
            words = f" They say: {said}" if said not in {ALLOW, REJECT} else ""
            parts.append(f"A person decided. {what} {allowed}{words}")
        known = (
            resumed and self._left is not None and self._left.prompt == digest_of(task.job.prompt)
        )
        if resumed:
            parts.append(INTERRUPTED)
        if not known:
            parts.append(task.prompt)
        return "\n\n".join(parts)

    # -- turns

    async def _turns(self, wire: Wire, session: str, text: str) -> None:
        client = self._client
        for left in reversed(range(MOST_TURNS)):
            try:
                turn = await self._turn(wire, session, text)
            except Refused as refused:
                if not left:
                    raise
                text = self._again(refused)
                continue
            client.used(turn.usage)
            model = self._task.job.model
            if client.complaint and model is not None and model.trouble() is not None:
                raise Ended("crash", client.complaint)
            stuck = (
                bool(client.refused)
                and not client.telling.spoke
                and turn.reason in {"end_turn", "cancelled"}
            )
            if not stuck or not left or self._reported():
                if failure := stopping.of_reason(turn.reason):
                    raise Ended(failure.kind, failure.detail)
                return
            told = "\n".join(f"- {each}" for each in client.refused[-5:])
            text = (
                f"This was refused:\n{told}\nGo on without it. If you cannot, report that, and why."
            )

    def _again(self, refused: Refused) -> str:
        """What to say after an error, once: some agents abandon a turn when their model's answer
        breaks off.
        """
        words = f"{refused} {refused.data}"
        if (
            self._broke
            or refused.code == stopping.AUTH_REQUIRED
            or trouble(words, self._task.now()) is not None
        ):
            raise refused
        self._broke = True
        self._activity.text(
            f"(the turn ended with an error, {words[:200]}; it is told to continue, once)"
        )
        return INTERRUPTED

    def _reported(self) -> bool:
        scratch = self._task.job.scratch
        return os.path.lexists(scratch / REPORTED) or os.path.lexists(scratch / QUESTION)

    async def _turn(self, wire: Wire, session: str, text: str) -> Turn:
        client, task = self._client, self._task
        client.begin()
        prompt = asyncio.ensure_future(wire.prompt(session, text))
        attention = asyncio.ensure_future(client.attention.wait())
        late = False
        try:
            async with asyncio.timeout_at(task.deadline):
                await asyncio.wait({prompt, attention}, return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            late = True
        finally:
            # This also applies when the dispatch itself is cancelled. The agent gets a moment to
            # end in order, but no
            # longer: one that does not even read its input must not hold us up.
            open_ends = [prompt, attention]
            if not prompt.done():
                client.stop()
                open_ends.append(asyncio.ensure_future(wire.cancel(session)))
                await asyncio.wait({prompt, open_ends[-1]}, timeout=CANCEL_S)
            client.end()
            for each in open_ends:
                each.cancel()
            await asyncio.gather(*open_ends, return_exceptions=True)
        if client.violation:
            raise Ended("violation", client.violation)
        if client.limited:
            raise Ended(
                "timeout", f"{stopping.LIMITED}: it used more than {client.rules.most_tools} tools"
            )
        if client.waiting is not None:
            raise Ended(
                "parked", f"it asks to be allowed: {client.waiting.told()}", (ALLOW, REJECT)
            )
        if late:
            raise Ended(
                "timeout",
                (
                    f"no answer in {task.limit_s:g} s; it was stopped with every process it had "
                    "started"
                ),
            )
        return prompt.result()
