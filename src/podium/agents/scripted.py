"""The scripted agent: plays a scenario under the same contract as any other agent.

One call is played in a fixed order, so that a scenario means the same everywhere: behave well,
sleep, read, write, append, delete, chmod, symlink, run, then the answer (verdict, usage, say, ask),
and last the failure. So a failure comes after the files of its call are written, as with a program
that dies at the end of its work.

It plays hostile programs too: a path may be absolute, climb out of the folder or go through a
symbolic link, and is written as asked; the transcript says `outside`. What the system refuses
becomes a line in the transcript and the call continues, as with an agent whose tool failed. What
the scenario asks for and the contract does not have is
`not_dispatchable`.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from podium.agents import acts
from podium.agents.acts import Act, Result
from podium.agents.protocol import Answer, Failure, Job
from podium.agents.scenario import Call, Scenario
from podium.agents.scenario_content import Contents, Unplayable

_SHOWN = 4000


class ScriptedAgent:
    """Does what a scenario says for the role, the key and the number of the call."""

    actor = "engine"

    def __init__(
        self,
        scenario: Scenario,
        scenario_dir: Path,
        name: str = "scripted",
        file: Path | None = None,
    ) -> None:
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
            return Answer(
                usage=call.usage, failure=Failure("timeout", f"no answer in {job.timeout_s:g} s")
            )
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
        wanted = self.good()
        if call.sleep:
            await self.act(wanted)
            wanted = []
            await asyncio.sleep(call.sleep)
        wanted += [acts.read(self.place(path)) for path in call.read]
        wanted += [
            acts.write(self.place(path), self.contents.bytes_of(path, content))
            for path, content in call.write
        ]
        wanted += [
            acts.write(self.place(path), text.encode(), append=True) for path, text in call.append
        ]
        wanted += [acts.delete(self.place(path)) for path in call.delete]
        wanted += [acts.chmod(self.place(path), mode) for path, mode in call.chmod]
        wanted += [acts.symlink(self.place(path), target) for path, target in call.symlink]
        await self.act(wanted)
        for command in call.run:
            await self.run(command)
        return await self.answer()

    def place(self, path: str) -> str:
        return self.contents.place(path)

    def good(self) -> list[Act]:
        """The shortest output that satisfies the contract, except documents whose content is
        sent as data.
        """
        if not self.call.behave_well:
            return []
        return self.contents.good(sent=self.call.verdict is not None)

    async def act(self, wanted: Sequence[Act]) -> None:
        """Do it as a program would: a failure is reported and the call continues."""
        for result in await self.performed(wanted):
            fields = {name: value for name, value in result.items() if name != "act"}
            if result["act"] == "read":
                size = fields.get("bytes")
                content = fields.get("failed") or ("a folder" if size is None else f"{size} bytes")
                self.reads.append(f"read {fields['path']}: {content}")
            elif "failed" not in fields:
                self.did.append(f"{result['act']} {fields['path']}")
            self.job.say(result["act"], fields)

    async def performed(self, wanted: Sequence[Act]) -> list[Result]:
        """In this process if the folder is an ordinary one, otherwise where it is mounted."""
        job = self.job
        if not wanted or not job.mounted:
            return acts.perform(wanted, os.fspath(job.folder))
        ended = await job.supervise(
            (sys.executable, "-I", "-S", acts.__file__),
            cwd=job.folder,
            env=job.environment,
            stdin=json.dumps(list(wanted)).encode(),
        )
        if ended.exit_code:
            reason = ended.not_started or ended.errors.decode(errors="replace")[-_SHOWN:]
            raise Unplayable(f"its files could not be written: {reason}")
        results: list[Result] = json.loads(ended.output)
        return results

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
        verdict = {
            **(job.good_verdict if call.behave_well and not self.spelled_out() else {}),
            **(call.verdict or {}),
        }
        sent = verdict if verdict or call.verdict is not None else None
        return Answer(text=text, verdict=sent, usage=call.usage, question=call.ask)

    def spelled_out(self) -> bool:
        """Whether it wrote its verdict as a document and sent none, so that the good object
        would contradict it.
        """
        if self.call.verdict is not None:
            return False
        written = {self.contents.place(path) for path, _ in self.call.write}
        return any(
            output.spelled is not None and output.path in written for output in self.job.outputs
        )

    def message(self) -> str:
        """What it was told to say; otherwise a word of success if it behaved well throughout, or
        else what it did.
        """
        call = self.call
        if call.say is not None:
            return call.say
        if call.ask is not None:
            return call.ask.prompt
        if call.behave_well and call.verdict is None:
            return f"DONE: {self.job.brief.key}"
        return "; ".join(self.did) or (
            "answered with its verdict alone" if call.verdict is not None else "nothing to do"
        )


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
