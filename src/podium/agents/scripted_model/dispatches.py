"""A Podium scenario as a script: the model writes the files that the prompt demands, reports, and
ends its turn.

A dispatch is recognised by the first line of its prompt. If the job itself was announced
(`rehearse`), files are composed as the scripted agent would compose them; otherwise from the
structure that the prompt describes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from podium.agents.protocol import Agent, Answer, Job
from podium.agents.scenario import Call, Scenario
from podium.agents.scenario_content import Contents, Unplayable
from podium.agents.scripted_model import prompts
from podium.agents.scripted_model.conversation import Conversation, Declared
from podium.agents.scripted_model.scenes import Scene, folder, last
from podium.agents.scripted_model.script import (
    Act,
    Ending,
    Read,
    Refusal,
    Run,
    Script,
    Step,
    Tokens,
    Write,
)
from podium.agents.scripted_model.tools import shell_write

FOR_EVER = 3600.0
_REPORT = re.compile(r"(?:^|[^A-Za-z])report$")
_ASK = re.compile(r"(?:^|[^A-Za-z])ask$")


class Dispatches:
    """Plays every dispatch as the scenario says for its role and key."""

    def __init__(self, scenario: Scenario, home: Path) -> None:
        self._scenario = scenario
        self._home = home
        self._announced: dict[tuple[str, str], Rehearsal] = {}
        self._read: dict[str, Rehearsal] = {}
        """What was made of each prompt when it first came. Later the files it asks for will
        exist.
        """
        self._count: dict[str, int] = {}
        """How many prompts came for each role."""

    def rehearse(self, job: Job) -> None:
        """Announce a dispatch, with everything that its prompt leaves out."""
        call = self._scenario.choose(job.brief.role, job.brief.key, job.call, job.turn, job.cut)
        self._announced[job.brief.role, job.brief.key] = rehearsal(job, call, self._home)

    def scene(self, said: Conversation) -> Scene | None:
        found = last(said.turns, prompts.HEAD)
        asked = prompts.read(found[0]) if found else None
        if found is None or asked is None:
            return None
        ident = hashlib.sha256(found[0].encode()).hexdigest()
        known = self._announced.get((asked.role, asked.key)) or self._read.get(ident)
        if known is None:
            known = self._read[ident] = self._made(asked, folder(said))
        cwd = str(known.job.folder)
        values = {"cwd": "" if cwd == prompts.NOWHERE else cwd}
        return Scene(
            asked.key, known.script(said.tools), f"{ident}{known.job.turn}", found[1], values
        )

    def _made(self, asked: prompts.Asked, cwd: str) -> Rehearsal:
        number = self._count[asked.role] = self._count.get(asked.role, -1) + 1
        call = self._scenario.choose(asked.role, asked.key, number)
        return rehearsal(prompts.job_of(asked, cwd), call, self._home)


@dataclass(frozen=True)
class Rehearsal:
    """One dispatch, worked out before it begins."""

    job: Job
    call: Call
    acts: tuple[Act, ...]
    fault: str = ""
    """Why the scenario cannot be played here."""

    def script(self, tools: Mapping[str, Declared]) -> Script:
        """The steps for an agent with these tools."""
        if self.fault:
            return Script((Step(f"ERROR: {self.fault}"),))
        acts = [*self.acts, *_reported(self.job, self.call, tools)]
        steps = [
            Step(acts=(each,), delay=self.call.sleep if at == 0 else 0.0)
            for at, each in enumerate(acts)
        ]
        steps.append(_last(self.job, self.call))
        used = self.call.usage
        if used.tokens_in is None or used.tokens_out is None:
            return Script(tuple(steps))
        # The whole dispatch costs what the scenario says: the last turn carries all of it.
        cheap = [replace(each, tokens=Tokens(0, 0)) for each in steps[:-1]]
        return Script((*cheap, replace(steps[-1], tokens=Tokens(used.tokens_in, used.tokens_out))))


def rehearsal(job: Job, call: Call, home: Path) -> Rehearsal:
    try:
        return Rehearsal(job, call, tuple(_acts(job, call, Contents(job, home))))
    except Unplayable as fault:
        return Rehearsal(job, call, (), str(fault))


def _acts(job: Job, call: Call, contents: Contents) -> Iterator[Act]:
    """In the same order as the scripted agent."""
    if call.behave_well:
        for act in contents.good():
            data = base64.b64decode(act["data"]).decode(errors="replace")
            yield from _written(job, act["path"], data, append=act["act"] == "append")
    for path in call.read:
        yield Read(contents.place(path))
    for path, content in call.write:
        yield from _written(
            job, contents.place(path), contents.bytes_of(path, content).decode(errors="replace")
        )
    for path, text in call.append:
        yield from _written(job, contents.place(path), text, append=True)
    for path in call.delete:
        yield Run(f"rm -rf {shlex.quote(contents.place(path))}")
    for path, mode_bits in call.chmod:
        yield Run(f"chmod {mode_bits:o} {shlex.quote(contents.place(path))}")
    for path, target in call.symlink:
        yield Run(f"ln -sfn {shlex.quote(target)} {shlex.quote(contents.place(path))}")
    for command in call.run:
        yield Run(command)


def _written(job: Job, path: str, text: str, *, append: bool = False) -> Iterator[Act]:
    """As a write if possible: many agents write files but have no shell."""
    try:
        before = (job.folder / path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        before = None
    if append and before is None and not job.folder.is_dir():
        yield Run(shell_write(path, text, ">>"))
        return
    if before is not None:  # agents refuse to replace what they have not read
        yield Read(path)
    yield Write(path, (before or "") + text if append else text)


def _reported(job: Job, call: Call, tools: Mapping[str, Declared]) -> Iterator[Act]:
    if call.ask is not None and (name := _tool(_ASK, tools)):
        choices = [{"id": ident, "description": text} for ident, text in call.ask.choices]
        more = {"recommended": call.ask.recommended} if call.ask.recommended else {}
        yield Ending(
            name, {"question": call.ask.prompt, **({"choices": choices} if choices else {}), **more}
        )
        return
    verdict = _verdict(job, call)
    if call.fail is not None:
        return
    if name := _tool(_REPORT, tools):
        # If only the prompt is known, the tool's own schema says what to report.
        if verdict or (call.behave_well and tools[name].schema.get("required")):
            yield Ending(name, verdict)
    elif call.verdict is not None:
        yield Run(f'printf %s {shlex.quote(json.dumps(verdict))} > "$PODIUM_VERDICT"')


def _tool(pattern: re.Pattern[str], tools: Mapping[str, Declared]) -> str:
    return next((each for each in tools if pattern.search(each)), "")


def _verdict(job: Job, call: Call) -> Mapping[str, Any]:
    return {**(job.good_verdict if call.behave_well else {}), **(call.verdict or {})}


def _last(job: Job, call: Call) -> Step:
    text = (
        call.say
        if call.say is not None
        else call.ask.prompt
        if call.ask
        else f"DONE: {job.brief.key}"
    )
    match call.fail:
        case None:
            return Step(text)
        case "hang" | "timeout":
            return Step(text, delay=FOR_EVER)
        case "rate_limit":
            return Step(text, refuse=Refusal(429, 1_000_000, call.retry_after))
        case _:
            return Step(text, refuse=Refusal(400, 1_000_000, None))


class Rehearsed:
    """An agent whose every job is announced to the scripted model before it begins."""

    def __init__(self, agent: Agent, dispatches: Dispatches) -> None:
        self.name = agent.name
        self._agent = agent
        self._dispatches = dispatches

    async def perform(self, job: Job) -> Answer:
        self._dispatches.rehearse(job)
        return await self._agent.perform(job)
