"""Faults from a seed: which one, at which moment, on which workflow; and what must hold of a run
that met it.
"""

from __future__ import annotations

import asyncio
import errno
import os
import random
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.crash.story import NOON, Counted, Snapshot, in_turn, scribes
from tests.faults.disks import FailingDisk, PowerCut, PowerlessDisk
from tests.faults.weakness import Weakness
from tests.faults.worlds import STEPS, WORKFLOWS, World

from podium.agents.protocol import Agent, Answer, Job
from podium.core.errors import Busy, PodiumError
from podium.core.run import Status
from podium.engine import landings, workspace
from podium.engine.git import git
from podium.engine.git import snapshot as git_snapshot
from podium.engine.git.git import GitFailed
from podium.wiring_values import RunOptions

KINDS = ("full", "readonly", "broken", "power", "git", "clock", "drivers", "agents")
ERRORS = {"full": errno.ENOSPC, "readonly": errno.EROFS, "broken": errno.EIO}
SLEEP_S = 600.0
WEAK = ("slow", "crash", "timeout", "empty", "raises", "killed")
MENDED = "the disk is well again"
_TIME = re.compile(rb"20\d\d-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?")
_COMMIT = re.compile(rb"\b[0-9a-f]{12}(?:[0-9a-f]{28})?\b")


@dataclass(frozen=True)
class Trial:
    """One fault at one moment of one run; the same seed is always the same trial."""

    seed: int
    workflow: str
    kind: str
    call: int = 0
    """The call of git that fails, and it alone; 0 where the seed draws it."""

    @property
    def draw(self) -> random.Random:
        return random.Random(f"{self.call or self.seed} {self.workflow} {self.kind}")

    def __str__(self) -> str:
        which = (
            f"--every {self.kind} --call {self.call}"
            if self.call
            else f"--seed {self.seed} --kind {self.kind}"
        )
        return f"{which} --workflow {self.workflow}"

    @property
    def command(self) -> str:
        """What repeats this trial, and nothing else."""
        return f'make torture ARGS="{self}"'


def trial(seed: int, workflow: str = "", kind: str = "") -> Trial:
    """The seed's own workflow and kind, unless they are named."""
    draw = random.Random(seed)
    drawn = draw.choice(WORKFLOWS), draw.choice(KINDS)
    return Trial(seed, workflow or drawn[0], kind or drawn[1])


@dataclass
class Undisturbed:
    """A run that met no fault, and how long it was in every respect."""

    world: World
    fresh: Snapshot
    files: dict[str, bytes] = field(default_factory=dict)
    code: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    operations: int = 0
    git_calls: int = 0
    looks: int = 0


class Clockwork:
    """A clock that is set back once, and stays behind."""

    def __init__(self, number: int = 0, back: timedelta = timedelta()) -> None:
        self.number, self.back, self.looks = number, back, 0

    def __call__(self) -> datetime:
        self.looks += 1
        return NOON - self.back if self.number and self.looks >= self.number else NOON


class Gits:
    """Git as it is, but for one call or for all from one call on: those fail, before or after
    their work.
    """

    def __init__(
        self, number: int = 0, lasts: int = 1, code: int = 128, *, worked: bool = False
    ) -> None:
        self.number, self.lasts, self.code, self.worked = number, lasts, code, worked
        self.calls = 0
        self.real = git.call

    def __call__(self, args: Sequence[str], **more: Any) -> bytes:
        self.calls += 1
        if not self.number <= self.calls < self.number + self.lasts:
            return self.real(args, **more)
        if self.worked:
            self.real(args, **more)
        said = {
            128: "fatal: unable to write new index file",
            124: "no answer within 600 seconds",
            -9: "",
        }[self.code]
        raise GitFailed(more.get("shown") or args, self.code, said)


@contextmanager
def gits(made: Gits) -> Iterator[Gits]:
    with pytest.MonkeyPatch.context() as patch:
        for module in (git, git_snapshot, workspace):
            patch.setattr(module, "call", made)
        yield made


@contextmanager
def one_after_the_other() -> Iterator[None]:
    """The same order of everything each time: no threads, no clock of the machine's."""
    with in_turn(), scribes(lazy=True):
        yield


def undisturbed(workflow: str, root: Path) -> Undisturbed:
    world = World.of(workflow, root)
    found = Undisturbed(world, world.place.kept({}))
    counted = FailingDisk(0, 0, 0)
    clock = Clockwork()
    world.clock = clock
    with gits(Gits()) as calls:
        ended = world.go(counted)
    assert ended.status is Status.COMPLETE, ended
    found.files, found.code, found.asked = world.files(), world.code(), world.asked()
    found.operations, found.git_calls, found.looks = len(counted.done), calls.calls, clock.looks
    world.clock = Clockwork()
    return found


# -- the faults


def met(tried: Trial, whole: Undisturbed) -> list[str]:
    """Let the run meet its fault, heal what was broken, go on to the end; what is wrong with
    that, and what repeats it.
    """
    assert tried.workflow == whole.world.workflow
    world = whole.world
    world.place.bring_back(whole.fresh)
    world.wrapped, world.clock = (lambda agent: agent), Clockwork()
    faults = _FAULTS[tried.kind](tried, whole)
    if not faults:
        faults = _healed(tried, whole)
    return [f"{each}; once more:\n  {tried.command}" for each in faults]


def _interrupted(world: World, went: Callable[[], object]) -> list[str]:
    """A process that meets a fault: it may end with a typed error or the disk's own, and with
    nothing else.
    """
    try:
        went()
    except PowerCut:
        return []
    except PodiumError as error:
        return [] if str(error).strip() else [f"{type(error).__name__} without a word"]
    except OSError as error:
        return [] if error.errno in ERRORS.values() else [f"{type(error).__name__}: {error}"]
    except Exception as error:  # noqa: BLE001  # that is the finding
        return [f"{type(error).__name__}: {error}"]
    finally:
        world.freed()
    return []


def _supported(world: World) -> list[str]:
    """Whether what a person is shown now follows from the journal."""
    if not world.journal.exists():
        return []
    try:
        events = world.events()
        summary = world.app().summary(world.folder.name)
    except Exception as error:  # noqa: BLE001  # that is the finding
        return [f"it cannot be looked at: {type(error).__name__}: {error}"]
    own = [each for each in events if "state" in each and each["run"] == world.folder.name]
    last = max(own, key=lambda each: each["seq"])["state"]
    shown = (summary.step, str(getattr(summary.status, "value", summary.status)))
    return (
        []
        if shown == (last["step"], last["status"])
        else [f"shown is {shown}, recorded {last['step']}, {last['status']}"]
    )


def _disk(tried: Trial, whole: Undisturbed) -> list[str]:
    draw = tried.draw
    disk = FailingDisk(
        draw.randint(1, whole.operations), ERRORS[tried.kind], draw.choice((1, 3, 10_000))
    )
    return _broken(whole, lambda: whole.world.go(disk))


def _power(tried: Trial, whole: Undisturbed) -> list[str]:
    disk = PowerlessDisk(tried.seed, tried.draw.randint(1, whole.operations))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            landings, "DEAR_S", -1.0
        )  # agents take no time here; those of people take minutes
        faults = _interrupted(whole.world, lambda: whole.world.go(disk))
    disk.lose(whole.world.place.views)
    return faults or _supported(whole.world)


def _git(tried: Trial, whole: Undisturbed) -> list[str]:
    draw = tried.draw
    number, lasts = (
        (tried.call, 1)
        if tried.call
        else (draw.randint(1, whole.git_calls), draw.choice((1, 3, 10_000)))
    )
    failing = Gits(number, lasts, draw.choice((128, 124, -9)), worked=draw.random() < 0.3)
    with gits(failing):
        return _broken(whole, whole.world.go)


def _clock(tried: Trial, whole: Undisturbed) -> list[str]:
    draw = tried.draw
    if asleep(draw):
        return _asleep(
            whole,
            draw.randint(1, len(whole.asked)),
            timedelta(seconds=draw.choice((60, 3600, 86_400 * 365))),
        )
    whole.world.clock = Clockwork(
        draw.randint(1, whole.looks), timedelta(seconds=draw.choice((1, 60, 3600)))
    )
    return _broken(whole, whole.world.go)


def asleep(draw: random.Random) -> bool:
    """Whether it is set back while the run sleeps, and not while it is driven."""
    return draw.random() < 0.3


def _asleep(whole: Undisturbed, at: int, back: timedelta) -> list[str]:
    """An agent is refused for a while, and in that time the clock is set back: the sleep is
    neither over at once nor never.
    """
    world, clock, weak = whole.world, Clockwork(1), Weakness(at, "rate_limit", SLEEP_S)
    world.clock, world.wrapped = clock, weak.of
    ended = world.go()
    clock.back = back
    for slept in range(STEPS):
        before, ended = len(world.asked()), world.go()
        if ended.status is not Status.SLEEPING:
            return [] if slept else [f"the sleep is over with the clock {back} behind"]
        left = datetime.fromisoformat(ended.until) - (NOON - clock.back)
        if len(world.asked()) > before or left > timedelta(seconds=SLEEP_S) + min(
            back, timedelta(seconds=SLEEP_S)
        ):
            return [f"the clock is {back} behind, and it sleeps {left} longer"]
        clock.back -= left
    return [f"it still sleeps after {STEPS} times its time"]


def _broken(whole: Undisturbed, went: Callable[[], object]) -> list[str]:
    before = whole.world.ended()
    faults = _interrupted(whole.world, went) or _supported(whole.world)
    lost = before - whole.world.ended()
    return faults or ([f"lost: {sorted(lost)}"] if lost else [])


def _drivers(tried: Trial, whole: Undisturbed) -> list[str]:
    """In the middle of one dispatch somebody else wants to drive the run, too."""
    world, at, said = whole.world, tried.draw.randint(1, len(whole.asked)), list[str]()

    class Rival:
        actor = Counted.actor

        def __init__(self, inner: Agent) -> None:
            self.inner, self.name = inner, inner.name

        async def perform(self, job: Job) -> Answer:
            if len(world.place.asked()) + 1 == at:
                said.append(await asyncio.get_running_loop().run_in_executor(None, self._drive))
            return await self.inner.perform(job)

        def _drive(self) -> str:
            try:
                world.app().resume(world.folder.name, RunOptions(approve_all=True, by="Ada"))
            except Busy as refused:
                return (
                    ""
                    if str(os.getpid()) in str(refused)
                    else f"it does not say who drives: {refused}"
                )
            except Exception as error:  # noqa: BLE001  # that is the finding
                return f"{type(error).__name__}: {error}"
            return "two processes drove one run"

    world.wrapped = Rival
    faults = _broken(whole, world.go)
    world.wrapped = lambda agent: agent
    return faults or [each for each in said if each] or ([] if said else ["nobody else came"])


def weakness(tried: Trial, dispatches: int) -> Weakness:
    draw = tried.draw
    return Weakness(draw.randint(1, dispatches), draw.choice(WEAK))


def _agents(tried: Trial, whole: Undisturbed) -> list[str]:
    """One agent is slow, dies, says nothing or breaks its contract; the run is not led astray by
    it.
    """
    world, weak = whole.world, weakness(tried, len(whole.asked))
    world.wrapped = weak.of
    faults = _broken(whole, world.go)
    return faults or ([] if weak.met else ["nobody was weak"])


_FAULTS: Mapping[str, Callable[[Trial, Undisturbed], list[str]]] = {
    "full": _disk,
    "readonly": _disk,
    "broken": _disk,
    "power": _power,
    "git": _git,
    "clock": _clock,
    "drivers": _drivers,
    "agents": _agents,
}


# -- after the fault


def _healed(tried: Trial, whole: Undisturbed) -> list[str]:
    """Nothing is broken any more: the run comes to the end of an undisturbed one, and nothing
    finished is asked for again.
    """
    world = whole.world
    done, before = world.ended(), len(world.asked())
    blocked = any(each["type"] == "run.blocked" for each in world.events())
    ended = None
    try:
        for _ in range(STEPS):
            ended = world.go(
                because=MENDED if ended is not None and ended.status is Status.BLOCKED else ""
            )
            if ended.status in {Status.COMPLETE, Status.CANCELLED, Status.WAITING}:
                break
            blocked = blocked or ended.status is Status.BLOCKED
    except Exception as error:  # noqa: BLE001  # that is the finding
        return [f"after it was healed: {type(error).__name__}: {error}"]
    assert ended is not None
    if ended.status is not Status.COMPLETE:
        return [f"it ends {ended.status.value} at {ended.step}: {ended.reason}"]
    return _compared(tried, whole, done, before, blocked=blocked)


def _compared(
    tried: Trial, whole: Undisturbed, done: set[str], before: int, *, blocked: bool
) -> list[str]:
    world = whole.world
    found = [*_supported(world), *_repeated(world, done, before)]
    stale = _stale(world)
    if world.code() != whole.code:
        found.append(f"the code is another: {_differing(world.code(), whole.code)}")
    now, wanted = world.files(), whole.files
    if tried.kind == "clock":
        now, wanted = _timeless(now), _timeless(wanted)
    # A try that failed is a round of some workflows, and their documents count rounds.
    rounds = set(world.asked()) != set(whole.asked)
    if not blocked and not stale and not rounds and (names := _differing(now, wanted)):
        found.append(f"documents are others: {names}")
    left = subprocess.run(
        ["git", "worktree", "list", "--porcelain"],
        cwd=world.place.project,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.count("worktree ")
    return found + ([f"{left - 1} worktrees are left"] if left > 1 else [])


def _stale(world: World) -> set[str]:
    return {each["key"] for each in world.events() if each["type"] == "step.stale"}


def _repeated(world: World, done: set[str], before: int) -> list[str]:
    """Whether anybody was asked again whose end was recorded, and who was not declared void with
    a reason.
    """
    again = sorted(set(world.asked()[before:]) & done - _stale(world))
    return [f"asked again after its end was recorded: {', '.join(again)}"] if again else []


def _timeless(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Without what a clock that is behind must change: times, and names of commits, which hold
    one.
    """
    return {name: _COMMIT.sub(b"COMMIT", _TIME.sub(b"TIME", data)) for name, data in files.items()}


def _differing(one: Mapping[str, bytes], other: Mapping[str, bytes]) -> str:
    """Names of files that differ, but for those that tell of every time a run was taken up."""
    return ", ".join(
        sorted(
            name
            for name in {*one, *other}
            if one.get(name) != other.get(name) and not name.endswith("log.jsonl")
        )
    )
