"""One dispatch to an agent of this protocol: a process, a conversation, and a second process if
the first dies.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from podium.agents.acp import session_file, stopping
from podium.agents.acp.client import Client, Request, Rules
from podium.agents.acp.conversation import ALLOW, CANCEL_S, REJECT, Conversation, Ended, Task
from podium.agents.acp.launch import Launch, Prepare
from podium.agents.acp.lines import Lines
from podium.agents.acp.permission import Scope
from podium.agents.acp.session_file import Kept
from podium.agents.acp.telling import Telling
from podium.agents.acp.wire import Lost, Wire
from podium.agents.activity import Activity
from podium.agents.headless.judging import better
from podium.agents.headless.troubles import trouble
from podium.agents.model_watch import while_model
from podium.agents.profiles.staging import NotReady
from podium.agents.prompt import digest_of
from podium.agents.protocol import Answer, Failure, Job, NotStarted, Talk
from podium.agents.reporting import injection
from podium.agents.reporting.reading import answered

Clock = Callable[[], datetime]
_KEPT_NOISE = 5


async def perform(
    job: Job, prepare: Prepare, limit_s: float, silence_s: float | None, now: Clock, *, ask: bool
) -> Answer:
    try:
        left = session_file.kept(job.scratch)
        tools = injection.prepare(job)
        launch = prepare(job)
    except NotReady as fault:
        return Answer(failure=Failure("not_dispatchable", str(fault)))
    except OSError as fault:
        return Answer(failure=Failure("not_dispatchable", f"its files cannot be prepared: {fault}"))
    activity = Activity(job)
    client = Client(_rules(job, launch, left, ask=ask), Telling(activity))
    task = Task(
        job=job,
        launch=launch,
        prompt=job.prompt + (injection.told(job) if launch.tools else ""),
        servers=(tools,) if launch.tools else (),
        deadline=asyncio.get_running_loop().time() + limit_s,
        limit_s=limit_s,
        silence_s=silence_s,
        now=now,
        decided=_decided(job, left),
    )
    failure, lost = await while_model(job.model, _lives(task, client, activity, left))
    failure = failure or lost
    if failure is not None and failure.kind == "crash":
        failure = trouble(failure.detail, now()) or failure
    if job.model is not None:
        failure = better(failure, job.model.trouble())
    client.telling.ended(
        stopping.ending_of(failure), failure.detail if failure else "", client.usage
    )
    if failure is None:
        session_file.forget(job.scratch)
        return answered(job, client.telling.message, client.usage)
    if failure.kind == "parked":
        # Only now: every process that could have written there before is dead.
        session_file.keep(job.scratch, Kept(client.session, digest_of(job.prompt), client.waiting))
    return Answer(client.telling.message, usage=client.usage, failure=failure)


def scope_of(job: Job) -> Scope:
    """The part of the job's contract that decides about tools."""
    return Scope(
        code=job.brief.code,
        outputs=tuple(each.path for each in job.outputs),
        inputs=tuple(path for _, path, _ in job.brief.inputs),
        writable=job.writable,
        protected=job.protected,
    )


def _rules(job: Job, launch: Launch, left: Kept | None, *, ask: bool) -> Rules:
    granted = left.waiting if left is not None and job.choice == ALLOW else None
    return Rules(
        os.path.realpath(job.folder),
        scope_of(job),
        launch.forbidden,
        ask,
        granted,
        launch.turns,
        launch.habits,
    )


def _decided(job: Job, left: Kept | None) -> tuple[Request | None, str] | None:
    if not (job.resumed or job.choice):
        return None
    said = job.choice if job.choice in {ALLOW, REJECT} else job.resumed
    return (left.waiting if left is not None else None, said)


async def _lives(
    task: Task, client: Client, activity: Activity, left: Kept | None
) -> Failure | None:
    """Run the agent to the end of its work. If its process dies, one more process continues its
    session.
    """
    failure, resumable = await _life(task, client, activity, left)
    if failure is None or not resumable or not client.session:
        return failure
    activity.text(
        f"({failure.detail.splitlines()[0]}; its session continues in a new process, once)"
    )
    task.decided = None
    again, _ = await _life(task, client, activity, Kept(client.session, digest_of(task.job.prompt)))
    return again


async def _life(
    task: Task, client: Client, activity: Activity, left: Kept | None
) -> tuple[Failure | None, bool]:
    """Run one process. Returns how it failed, if it did, and whether another process could
    continue.
    """
    launch = task.launch
    remaining = max(0.1, task.deadline - asyncio.get_running_loop().time())
    conversation = Conversation(task, client, activity, left)
    failure: Failure | None = None
    owed, noise = "", list[str]()
    talk: Talk | None = None
    try:
        async with task.job.converse(
            launch.argv,
            cwd=task.job.folder,
            env=launch.env,
            needs=_needs(task),
            timeout_s=remaining + CANCEL_S,
            silence_s=task.silence_s,
        ) as talk:
            lines = Lines(talk.reader, talk.writer, noise.append)
            async with Wire(lines, client.handle) as wire:
                try:
                    await conversation.whole(wire)
                except Ended as ended:
                    failure = ended.failure
                except Lost as lost:
                    owed = str(lost)
                    failure = Failure("garbage", lines.fault) if lines.fault else None
            if failure is not None and failure.kind == "parked":
                await _leave(talk)
    except NotStarted as fault:
        return Failure("not_dispatchable", f"cannot be started: {fault}"), False
    if not owed or failure is not None:
        return failure, False
    failure = stopping.of_end(talk.finished, owed, task.limit_s, noise[-_KEPT_NOISE:])
    return failure, conversation.resumable and failure.kind == "crash"


async def _leave(talk: Talk) -> None:
    """Let the agent exit by itself, so that it saves the session that will be resumed."""
    talk.writer.close()
    try:
        async with asyncio.timeout(CANCEL_S):
            await talk.ended.wait()
    except TimeoutError:
        return


def _needs(task: Task) -> tuple[Path, ...]:
    return (*task.launch.needs, *(path for each in task.servers for path in each.needs))
