"""Runs one command of the project in a view: the code that would land, in the person's own
environment, in a room that leads nowhere else.
"""

from __future__ import annotations

import os
import time
from collections.abc import Coroutine, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from podium.agents.confine.command_room import CommandRoom
from podium.agents.confine.room import Enclose, Enclosed, unconfined
from podium.agents.environment import MARK
from podium.agents.protocol import Finished
from podium.engine.services import Services
from podium.engine.views.code_view import CodeView
from podium.engine.views.mounts import Mounts, mounted
from podium.proof.evidence import Execution
from podium.proof.report import read_report
from podium.state.port import Opened

KEPT_BYTES = 64_000_000
"""Of each stream; a command that prints more has not been read to its end."""


_Result = TypeVar("_Result")


class Host(Protocol):
    """For whom a command runs: the session of a run, or a trial without one."""

    services: Services
    opened: Opened

    def marker(self, key: str) -> str:
        """What its processes carry."""

    async def beside(self, waiting: Coroutine[Any, Any, _Result]) -> _Result:
        """Await it, and do meanwhile what is due."""


class Output(NamedTuple):
    """A command as it ran, and everything it printed."""

    execution: Execution
    text: str


def enclosure(host: Host, code: CodeView, scratch: Path) -> Enclose:
    """The room of a command that works in a view, with the view mounted in it. `scratch`: a folder
    of ours for what it writes elsewhere.
    """
    services = host.services
    confinement, around = services.confinement(), services.surroundings
    folders, files = around.tools()
    tools = tuple(path for path in folders if _apart(path, code.top, scratch))
    mounts = code.mounts()
    if mounts is not None:
        mounts = mounts.with_private(tools, scratch / "tools")
    enclose: Enclose = unconfined
    if confinement is not None:
        room = CommandRoom(
            top=code.top,
            home=around.home,
            private=scratch,
            tools=tools,
            writable=confinement.writable,
            readable=(*confinement.readable, *files, *(code.borrowed if mounts is None else ())),
            hidden=(services.views,),
            network="open" if confinement.network in {"", "open"} else "none",
            layered=mounts is not None,
        )
        enclose = confinement.command_enclosure(room)
    return enclose if mounts is None else partial(_in_view, mounts, enclose)


def _in_view(
    mounts: Mounts,
    enclose: Enclose,
    argv: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    needs: Sequence[Path],
) -> Enclosed:
    return mounted(mounts, enclose(argv, cwd, env, needs))


def _apart(tool: Path, top: Path, scratch: Path) -> bool:
    """Whether a folder of tools holds neither the project nor what we write."""
    return not (top.is_relative_to(tool) or scratch.is_relative_to(tool) or tool == top)


async def execute(
    host: Host, key: str, name: str, command: str, code: CodeView, scratch: Path
) -> Output:
    """Run it to its end, and see which tracked files it changed."""
    services = host.services
    services.observer.activity(key, "command", {"name": name, "command": command})
    supervise = services.supervisor(
        host.opened.inherit, enclose=enclosure(host, code, scratch), kept_bytes=KEPT_BYTES
    )
    before = tracked_changes(host, code)
    environment = {**services.surroundings.environment, MARK: host.marker(key)}
    began = time.monotonic()

    async def run() -> Finished:
        argv, limit = ("/bin/sh", "-c", command), services.timeout_s
        return await supervise(argv, cwd=code.project, env=environment, timeout_s=limit)

    ended = await host.beside(run())
    seconds = time.monotonic() - began
    after = tracked_changes(host, code)
    changed = sorted(path for path in after if before.get(path) != after[path])
    folder = os.fspath(code.project)
    return _output(host, name, command, ended, seconds, code.kind, changed, folder)


async def execute_in_checkout(host: Host, key: str, name: str, command: str) -> Output:
    """The same where the person works, as they would run it themselves. Only before any agent has
    had a part in the code.
    """
    services = host.services
    services.observer.activity(key, "command", {"name": f"{name}-checkout", "command": command})
    environment = {**services.surroundings.environment, MARK: host.marker(key)}
    began = time.monotonic()

    async def run() -> Finished:
        supervise = services.supervisor(host.opened.inherit, kept_bytes=KEPT_BYTES)
        argv, limit = ("/bin/sh", "-c", command), services.timeout_s
        return await supervise(argv, cwd=services.project, env=environment, timeout_s=limit)

    ended = await host.beside(run())
    return _output(host, name, command, ended, time.monotonic() - began, "checkout")


def _output(
    host: Host,
    name: str,
    command: str,
    ended: Finished,
    seconds: float,
    where: str,
    changed: Sequence[str] = (),
    folder: str = "",
) -> Output:
    text = (ended.output + b"\n" + ended.errors).decode(errors="replace")
    limit = host.services.timeout_s
    execution = Execution(
        name=name,
        command=command,
        exit=_exit(ended),
        report=read_report(text, folder or os.fspath(host.services.project)),
        seconds=seconds,
        where=where,
        fault=ended.not_started,
        timed_out_after=limit if ended.timed_out else None,
        cut_after=KEPT_BYTES if ended.overflowed else None,
        changed=tuple(changed),
    )
    return Output(execution, text)


def _exit(ended: Finished) -> int | None:
    return None if ended.not_started else ended.exit_code


def tracked_changes(host: Host, code: CodeView) -> dict[str, tuple[str, int, int]]:
    """The tracked files of a view that differ from its tree, with what tells two changes apart."""
    marks: dict[str, tuple[str, int, int]] = {}
    for change in host.services.workspace().changes(code):
        if change.status == "added":
            continue
        item = code.entry(code.outward(change.path))
        size, time_ns = (item.facts.st_size, item.facts.st_mtime_ns) if item else (0, 0)
        marks[change.path] = (change.status, size, time_ns)
    return marks
