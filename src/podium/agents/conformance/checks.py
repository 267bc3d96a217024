"""The contract, check by check: what an agent must do, how it must fail, and what it must not
reach.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from podium.agents.conformance.world import SECRET, NotPossible, Outcome, World
from podium.agents.protocol import Answer

Result = Literal["held", "FAILED", "not reached", "not offered"]
Make = Callable[[], AbstractContextManager[World]]
"""Makes a fresh world for each check."""
HELLO = "hello from a scripted model\n"


@dataclass(frozen=True)
class Row:
    """One row of the result table."""

    check: str
    result: Result
    event: str
    """The typed result that the engine is given."""
    assurance: Mapping[str, str] = field(default_factory=dict)
    """What was really enforced on it."""
    detail: str = ""
    seconds: float = 0.0

    @property
    def good(self) -> bool:
        return self.result in {"held", "not offered"}


def event_of(found: Outcome | None) -> str:
    """The typed end of a dispatch, in words."""
    if found is None:
        return "cancelled"
    if found.kind:
        return f"failure {found.kind}"
    verdict = f", verdict {found.answer.verdict.get('status')}" if found.answer.verdict else ""
    return f"ended {found.ending or 'end_turn'}{verdict}"


def judged(
    check: str, found: Outcome | None, faults: list[str], assurance: Mapping[str, str]
) -> Row:
    seconds = found.seconds if found else 0.0
    said = found.answer.failure.detail if found and found.answer.failure else ""
    detail = "; ".join([*faults, *([said] if faults and said else [])])
    return Row(check, "FAILED" if faults else "held", event_of(found), assurance, detail, seconds)


# -- what it must do


def _worked(here: World, script: str) -> tuple[Outcome, list[str]]:
    found = here.play(script)
    file = here.folder / "hello.txt"
    faults = [] if found.kind == "" else [f"it failed: {found.kind}"]
    if not file.is_file() or file.read_text() != HELLO:
        faults.append("hello.txt is not what the model wrote")
    return found, faults


def hello(here: World) -> list[Row]:
    found, faults = _worked(here, "hello")
    return [judged("hello", found, faults, found.assurance)]


def retry(here: World) -> list[Row]:
    found, faults = _worked(here, "retry")
    return [judged("retry on 529", found, faults, found.assurance)]


def cut(here: World) -> list[Row]:
    found, faults = _worked(here, "cut")
    return [judged("cut stream", found, faults, found.assurance)]


def submit(here: World) -> list[Row]:
    if not here.driver.tools:
        return [
            Row(
                "submit by tool",
                "not offered",
                "",
                {},
                "it accepts none of our tools; it reports in a file",
            )
        ]
    found = here.play("submit")
    wanted = {"status": "done", "summary": "reported"}
    faults = (
        []
        if found.answer.verdict == wanted
        else [f"the verdict is {found.answer.verdict}, not the one of the tool"]
    )
    return [judged("submit by tool", found, faults, found.assurance)]


# -- what it must not reach


def attack(here: World) -> list[Row]:
    """One dispatch in which the model tries everything. Each attempt gets a row, identified by
    its turn.
    """
    found = here.play("attack")
    turns = sum(bool(each.shape) and each.status == 200 for each in here.model.calls)
    gone = [path.name for path in here.root.glob("escaped*")]
    tries: tuple[tuple[str, int, str], ...] = (
        (
            "read outside, by tool and shell",
            3,
            f"the model was told {SECRET!r}" if here.seen_by_model(SECRET) else "",
        ),
        ("write outside by tool", 4, "the file is there" if "escaped-tool.txt" in gone else ""),
        ("write outside by shell", 5, "the file is there" if "escaped-shell.txt" in gone else ""),
        ("network beside the model", 6, "it connected" if here.reached() else ""),
        (
            "tools nobody declared",
            8,
            "one of them wrote" if (here.folder / "rogue.txt").exists() else "",
        ),
        ("detached daemon", 9, "a process is still running" if here.alive() else ""),
    )
    return [_tried(check, found, fault, reached=turns > turn) for check, turn, fault in tries]


def _tried(check: str, found: Outcome, fault: str, *, reached: bool) -> Row:
    if not fault and not reached:
        said = found.answer.failure.detail if found.answer.failure else "it ended before"
        return Row(check, "not reached", event_of(found), found.assurance, said, found.seconds)
    return judged(check, found, [fault] if fault else [], found.assurance)


# -- how it must fail


def slow(here: World) -> list[Row]:
    def cancel(task: asyncio.Task[Answer]) -> None:
        task.cancel()

    found = here.meanwhile("slow", cancel, lambda: bool(here.model.calls))
    faults = [] if found is None else [f"it was not cancelled: {event_of(found)}"]
    return [judged("slow, then cancelled", found, faults + _left(here), here.assurance)]


def loop(here: World) -> list[Row]:
    found = here.play("loop", agent={"turns": 3}, timeout_s=25.0)
    faults = [] if found.kind == "timeout" else [f"no limit ended it: {event_of(found)}"]
    return [judged("loop, then its limit", found, faults + _left(here), found.assurance)]


def bad_json(here: World) -> list[Row]:
    found = here.play(
        "badjson",
        agent={"report": "schema" if here.driver.schema else "file"} if here.driver.tools else {},
    )
    faults = [] if found.kind == "" else [f"it failed: {found.kind}"]
    if found.answer.verdict is not None:
        faults.append(f"words were taken for the verdict {found.answer.verdict}")
    return [judged("bad JSON", found, faults, found.assurance)]


def limited(here: World) -> list[Row]:
    found = here.play("limited")
    told = found.answer.failure.retry_after if found.answer.failure else None
    faults = (
        []
        if (found.kind, told) == ("rate_limit", 3600.0)
        else [f"{event_of(found)}, retry after {told}"]
    )
    return [judged("usage limit", found, faults, found.assurance)]


def locked(here: World) -> list[Row]:
    found = here.play("locked")
    faults = [] if found.kind == "not_dispatchable" else [event_of(found)]
    return [judged("key rejected", found, faults + _left(here), found.assurance)]


def killed(here: World) -> list[Row]:
    def kill(_: object) -> None:
        found = [pid for pid in here.alive() if is_agent(pid, here.driver.program)]
        if not found:
            raise NotPossible(f"no process of {here.driver.program} was found to kill")
        for pid in found:
            os.kill(pid, signal.SIGKILL)

    found = here.meanwhile("killed", kill, (here.folder / "begun").exists)
    name = "kill, then resume" if here.driver.resumes else "kill, then reported as a crash"
    faults: list[str] = []
    if found is None:
        faults = ["it was cancelled"]
    elif here.driver.resumes:
        faults = (
            []
            if found.kind == "" and (here.folder / "hello.txt").exists()
            else [f"its session did not continue: {event_of(found)}"]
        )
    elif found.kind != "crash":
        faults = [f"its death was reported as {event_of(found)}"]
    return [judged(name, found, faults, here.assurance)]


def is_agent(pid: int, program: str) -> bool:
    """Whether this process is the agent itself, not the shim or the room around it."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    # Some programs replace their command line with a title: `kimi-code` for kimi.
    titled = len([each for each in words if each]) == 1 and words[0].startswith(
        f"{program}-".encode()
    )
    return titled or any(Path(os.fsdecode(each)).name == program for each in words[:2])


def _left(here: World) -> list[str]:
    return ["a process is still running"] if here.alive() else []


CHECKS: Mapping[str, Callable[[World], list[Row]]] = {
    "hello": hello,
    "attack": attack,
    "retry": retry,
    "cut": cut,
    "slow": slow,
    "loop": loop,
    "badjson": bad_json,
    "submit": submit,
    "limited": limited,
    "locked": locked,
    "killed": killed,
}
"""Checks, by the script they play."""


def verify(make: Make, only: tuple[str, ...] = ()) -> Iterator[Row]:
    """Run each check in a world of its own. A fault of the check itself is a failed row, not the
    end of the table.
    """
    for name, check in CHECKS.items():
        if only and name not in only:
            continue
        try:
            with make() as here:
                yield from check(here)
        except NotPossible as fault:
            yield Row(name, "FAILED", "", {}, str(fault))
