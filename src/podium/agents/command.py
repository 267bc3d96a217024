"""Any program as an agent: it reads the prompt, works in its folder, prints its final message and
ends.

The prompt arrives on standard input unless the arguments ask for it: `{prompt}` is its text,
`{prompt_file}` a file with it, `{folder}` and `{scratch}` are the two folders. The program may
leave a verdict as JSON in the file that PODIUM_VERDICT names. Exit code 0 only means that there is
an answer to look at.
"""

from __future__ import annotations

import codecs
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from podium.agents.last_words import last_words
from podium.agents.process import KEPT_BYTES
from podium.agents.prompt import as_argument
from podium.agents.protocol import Answer, Failure, FailureKind, Finished, Job
from podium.agents.verdict_file import NAME, VARIABLE, BadFile, read_regular, read_verdict

_PLACEHOLDER = re.compile(r"\{(prompt|prompt_file|folder|scratch)\}")
_IN_A_ROOM = (
    "\n(It was confined: if it missed its login, a tool or a cache, name them in [isolation] "
    "readable or writable.)"
)


class CommandAgent:
    """Runs one program per dispatch, under the shim."""

    def __init__(
        self,
        name: str,
        argv: Sequence[str],
        *,
        env_allow: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
        env_set: Mapping[str, str] | None = None,
        result_file: str = "",
        timeout_s: float | None = None,
        silence_s: float | None = None,
    ) -> None:
        self.name = name
        self.argv = tuple(argv)
        self._env = {each: value for each, value in (environ or {}).items() if each in env_allow}
        self._env |= env_set or {}
        self._result_file = result_file
        self._timeout_s = timeout_s
        self._silence_s = silence_s

    def missing(self, path: str) -> str:
        """Why it cannot be started with this PATH; empty if it can. Asked before a run begins."""
        return missing(self.argv, {"PATH": path, **self._env})

    async def perform(self, job: Job) -> Answer:
        env = {**job.environment, **self._env}
        env = env if job.model is None else job.model.told(env)
        env |= {VARIABLE: str(job.scratch / NAME), "TMPDIR": str(job.scratch / "tmp")}
        if fault := not_found(self.argv, env, job.folder):
            return _failed("not_dispatchable", fault)
        try:
            argv, stdin = self._prepare(job)
        except OSError as fault:
            return _failed("not_dispatchable", f"the scratch folder cannot be prepared: {fault}")
        limit = job.timeout_s if self._timeout_s is None else min(self._timeout_s, job.timeout_s)
        job.say("run", {"command": self.argv[0], "arguments": len(argv) - 1})
        ended = await job.supervise(
            argv,
            cwd=job.folder,
            env=env,
            stdin=stdin,
            needs=named_files(self.argv),
            timeout_s=limit,
            silence_s=self._silence_s,
            on_output=lambda line: job.say("text", {"text": line}),
        )
        return self._judge(job, ended, limit)

    def _prepare(self, job: Job) -> tuple[list[str], bytes]:
        """Clean the scratch files, fill in the arguments, and decide what goes to standard
        input.
        """
        os.makedirs(job.scratch / "tmp", exist_ok=True)
        for stale in filter(None, (str(job.scratch / NAME), self._result(job))):
            if os.path.lexists(stale):
                os.unlink(stale)
        prompt_file = job.scratch / "prompt.md"
        prompt_file.write_text(job.prompt, encoding="utf-8")
        values = {
            "prompt": as_argument(job.prompt, prompt_file),
            "prompt_file": str(prompt_file),
        } | _folders(job)
        argv = [_PLACEHOLDER.sub(lambda found: values[found[1]], each) for each in self.argv]
        asked = any(
            found[1].startswith("prompt")
            for each in self.argv
            for found in _PLACEHOLDER.finditer(each)
        )
        return argv, b"" if asked else job.prompt.encode()

    def _result(self, job: Job) -> str:
        folders = _folders(job)
        path = _PLACEHOLDER.sub(lambda found: folders.get(found[1], ""), self._result_file)
        return os.path.join(job.scratch, path) if path else ""

    def _judge(self, job: Job, ended: Finished, limit: float) -> Answer:
        if ended.not_started:
            return _failed("not_dispatchable", f"cannot be started: {ended.not_started}")
        if ended.silent:
            return _failed(
                "timeout",
                (
                    f"silence: no output for {self._silence_s:g} s; it was stopped with every "
                    "process it had started"
                ),
            )
        if ended.timed_out:
            return _failed(
                "timeout",
                f"no answer in {limit:g} s; it was stopped with every process it had started",
            )
        if ended.exit_code != 0:
            hint = _IN_A_ROOM if job.enclosed else ""
            return _failed(
                "crash",
                f"exit code {ended.exit_code}{last_words(ended.errors or ended.output)}{hint}",
            )
        try:
            verdict = read_verdict(job.scratch / NAME)
            text = self._message(job, ended)
        except BadFile as fault:
            return _failed("garbage", str(fault))
        except UnicodeDecodeError as fault:
            return _failed(
                "garbage", f"the answer is not UTF-8 text: {fault.object[fault.start :][:40]!r}"
            )
        if "\0" in text:
            return _failed("garbage", f"the answer contains NUL bytes: {text[:40]!r}")
        if not text.strip() and verdict is None:
            return _failed("empty", "exit code 0, but it printed no message and left no verdict")
        return Answer(text=text, verdict=verdict)

    def _message(self, job: Job, ended: Finished) -> str:
        data, final = ended.output, not ended.overflowed
        if path := self._result(job):
            data, final = read_regular(Path(path), KEPT_BYTES) or b"", True
        # If the output was truncated, its last character may be too; that is not the agent's fault.
        return codecs.getincrementaldecoder("utf-8")().decode(data, final)


def named_files(argv: Sequence[str]) -> tuple[Path, ...]:
    """Files named in the command's own arguments: whoever configured them wants them read,
    wherever they are.
    """
    return tuple(Path(each) for each in argv[1:] if os.path.isabs(each) and os.path.isfile(each))


def _failed(kind: FailureKind, detail: str) -> Answer:
    return Answer(failure=Failure(kind, detail))


def _folders(job: Job) -> dict[str, str]:
    return {"folder": str(job.folder), "scratch": str(job.scratch)}


def not_found(argv: Sequence[str], env: Mapping[str, str], folder: Path) -> str:
    """Why the program cannot be run; empty if it can. Nothing is started."""
    if not argv:
        return "no command is configured"
    program = argv[0]
    if os.sep in program:
        path = os.path.join(folder, program)
        if not os.path.exists(path):
            return f"there is no program {program}"
        return (
            ""
            if os.access(path, os.X_OK) and os.path.isfile(path)
            else f"{program} is not executable"
        )
    return (
        ""
        if shutil.which(program, path=env.get("PATH", os.defpath))
        else f"{program} is not on the PATH"
    )


def missing(argv: Sequence[str], env: Mapping[str, str]) -> str:
    """The same, before a run begins. A program in the agent's own folder cannot be checked yet."""
    aside = bool(argv) and os.sep in argv[0] and not os.path.isabs(argv[0])
    return "" if aside or (argv and argv[0].startswith("{")) else not_found(argv, env, Path())
