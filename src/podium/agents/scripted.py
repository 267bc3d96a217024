"""The scripted agent: plays a scenario in process, under the same contract as any other agent.

One call is played in a fixed order, so that a scenario means the same everywhere: behave well, sleep, read, write,
append, delete, chmod, symlink, run, then the answer (verdict, usage, say, ask), and last the failure. So a failure
comes after the files of its call are written, as with a program that dies at the end of its work.

It plays hostile programs too: a path may be absolute, climb out of the folder or go through a symbolic link, and is
written as asked; the transcript says `outside`. What the system refuses becomes a line in the transcript and the call
continues, as with an agent whose tool failed. What the scenario asks for and the contract does not have is
`not_dispatchable`.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from podium.agents.protocol import Answer, Failure, Job
from podium.agents.scenario import Call, Scenario
from podium.agents.scenario_content import Contents, Unplayable

_SHOWN = 4000


class ScriptedAgent:
    """Does what a scenario says for the role, the key and the number of the call."""

    actor = "engine"

    def __init__(self, scenario: Scenario, scenario_dir: Path, name: str = "scripted", file: Path | None = None) -> None:
        self.name = name
        self.file = file
        """Where the scenario was read; its lines are counted there."""
        self._scenario = scenario
        self._dir = scenario_dir

    async def perform(self, job: Job) -> Answer:
        call = self._scenario.choose(job.brief.role, job.brief.key, job.call, job.turn, job.cut)
        play = _Play(job, call, self._dir)
        try:
            async with asyncio.timeout(job.timeout_s):
                return await play.whole()
        except TimeoutError:
            return Answer(usage=call.usage, failure=Failure("timeout", f"no answer in {job.timeout_s:g} s"))
        except Unplayable as unplayable:
            return Answer(usage=call.usage, failure=Failure("not_dispatchable", str(unplayable)))


class _Play:
    """One call on one job."""

    def __init__(self, job: Job, call: Call, folder: Path) -> None:
        self.job = job
        self.call = call
        self.contents = Contents(job, folder)
        self.reads: list[str] = []
        self.did: list[str] = []

    async def whole(self) -> Answer:
        call = self.call
        if call.behave_well:
            self.behave_well()
        if call.sleep:
            await asyncio.sleep(call.sleep)
        for path in call.read:
            self.attempt("read", path, self.read)
        for path, content in call.write:
            data = self.contents.bytes_of(path, content)
            self.attempt("write", path, _write, data, "wb")
        for path, text in call.append:
            self.attempt("append", path, _write, text.encode(), "ab")
        for path in call.delete:
            self.attempt("delete", path, _delete)
        for path, mode in call.chmod:
            self.attempt("chmod", path, _chmod, mode)
        for path, target in call.symlink:
            self.attempt("symlink", path, _symlink, target)
        for command in call.run:
            await self.run(command)
        return await self.answer()

    def behave_well(self) -> None:
        """Write the shortest output that satisfies the contract, except documents whose content is sent as data."""
        for path, data, mode in self.contents.good(sent=self.call.verdict is not None):
            self.attempt("write", path, _write, data, mode)

    def attempt(self, act: str, path: str, do: Callable[..., Mapping[str, Any] | None], *with_: Any) -> None:
        """Do it as a program would: a failure is reported and the call continues."""
        relative = self.contents.place(path)
        fields: dict[str, Any] = {"path": relative}
        where = os.path.normpath(os.path.join(self.job.folder, relative))
        if os.path.commonpath([where, self.job.folder]) != os.path.normpath(self.job.folder):
            fields["outside"] = True
        try:
            fields |= do(os.path.join(self.job.folder, relative), *with_) or {}
        except OSError as fault:
            fields["failed"] = fault.strerror or str(fault)
        except ValueError as fault:  # a NUL in the path
            fields["failed"] = str(fault)
        if act == "read":
            size = fields.get("bytes")
            found = fields.get("failed") or ("a folder" if size is None else f"{size} bytes")
            self.reads.append(f"read {relative}: {found}")
        elif "failed" not in fields:
            self.did.append(f"{act} {relative}")
        self.job.say(act, fields)

    def read(self, at: str) -> Mapping[str, Any]:
        try:
            if os.path.isdir(at):
                return {"entries": len(os.listdir(at))}
            with open(at, "rb") as file:
                return {"bytes": len(file.read())}
        except (FileNotFoundError, NotADirectoryError):
            return {"failed": "not there"}

    async def run(self, command: str) -> None:
        job = self.job
        ended = await job.supervise(("/bin/sh", "-c", command), cwd=job.folder, env=job.environment)
        output = (ended.output + ended.errors).decode(errors="replace")[-_SHOWN:]
        fields = {"command": command, "exit": ended.exit_code, "output": output}
        if ended.not_started:
            fields["failed"] = ended.not_started
        job.say("run", fields)
        self.did.append(f"run {command}: exit {ended.exit_code}")

    async def answer(self) -> Answer:
        job, call = self.job, self.call
        text = "\n".join([self.message(), *self.reads])
        job.say("text", {"text": text})
        if call.fail == "hang":
            await asyncio.Event().wait()  # until cancelled or timed out
        if failure := _failure(call):
            said = "" if failure.kind in {"empty", "garbage"} else text
            return Answer(text=said, usage=call.usage, failure=failure)
        verdict = {**(job.good_verdict if call.behave_well and not self.spelled_out() else {}), **(call.verdict or {})}
        sent = verdict if verdict or call.verdict is not None else None
        return Answer(text=text, verdict=sent, usage=call.usage, question=call.ask)

    def spelled_out(self) -> bool:
        """Whether it wrote its verdict as a document and sent none, so that the good object would contradict it."""
        if self.call.verdict is not None:
            return False
        written = {self.contents.place(path) for path, _ in self.call.write}
        return any(output.spelled is not None and output.path in written for output in self.job.outputs)

    def message(self) -> str:
        """What it was told to say; otherwise a word of success if it behaved well throughout, or else what it did."""
        call = self.call
        if call.say is not None:
            return call.say
        if call.ask is not None:
            return call.ask.prompt
        if call.behave_well and call.verdict is None:
            return f"DONE: {self.job.brief.key}"
        return "; ".join(self.did) or ("answered with its verdict alone" if call.verdict is not None else "nothing to do")


def _failure(call: Call) -> Failure | None:
    match call.fail:
        case None | "hang":
            return None
        case "crash":
            return Failure("crash", "exit code 1")
        case "empty":
            return Failure("empty", "the agent ended without an answer")
        case "rate_limit":
            return Failure("rate_limit", "the usage limit is reached", call.retry_after)
        case "timeout":
            return Failure("timeout", "the agent gave up waiting for its model")
        case "garbage":
            return Failure("garbage", f"the answer is not a message: {bytes(range(128, 160))!r}")
        case "parked":
            return Failure("parked", "the agent waits at a permission prompt that nobody answers")
        case "violation":
            return Failure("violation", "the agent was stopped at something that it may not do")
        case "not_dispatchable":
            return Failure("not_dispatchable", call.say or "the agent cannot be started")


def _write(at: str, data: bytes, mode: str) -> Mapping[str, Any]:
    os.makedirs(os.path.dirname(at), exist_ok=True)
    with open(at, mode) as file:
        file.write(data)
    return {"bytes": len(data)}


def _delete(at: str) -> None:
    if os.path.isdir(at) and not os.path.islink(at):
        shutil.rmtree(at)
    else:
        os.unlink(at)


def _chmod(at: str, mode: int) -> Mapping[str, Any]:
    os.chmod(at, mode)
    return {"mode": f"{mode:04o}"}


def _symlink(at: str, target: str) -> Mapping[str, Any]:
    os.makedirs(os.path.dirname(at), exist_ok=True)
    if os.path.lexists(at):
        _delete(at)
    os.symlink(target, at)
    return {"target": target}
