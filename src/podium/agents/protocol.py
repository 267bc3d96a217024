"""What the engine asks of any agent, and what it gets back. Failures are values."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from podium.core.contract import Brief, Output
from podium.core.schema import Schema

if TYPE_CHECKING:
    import asyncio

FailureKind = Literal[
    "crash", "empty", "timeout", "rate_limit", "garbage", "parked", "violation", "not_dispatchable"
]


@dataclass(frozen=True)
class Usage:
    """What an agent claims to have used; None is unknown, never zero."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True)
class Failure:
    kind: FailureKind
    detail: str
    retry_after: float | None = None
    """Seconds until a usage limit resets, if the agent said so."""
    choices: tuple[str, ...] = ("again",)
    """parked: the answers with which a person lets it continue."""
    barred: bool = False
    """not_dispatchable: whether it has no access to its model, for want of a login, a key or
    money.
    """


@dataclass(frozen=True)
class Question:
    """A clarification request: what a person must decide before the work can continue."""

    prompt: str
    choices: tuple[tuple[str, str], ...] = ()
    """(id, description)"""
    recommended: str = ""


@dataclass(frozen=True)
class Answer:
    """What came back. Nothing in it is believed without the files."""

    text: str = ""
    """The final message."""
    verdict: Mapping[str, Any] | None = None
    """The verdict object, if one was sent."""
    usage: Usage = Usage()
    failure: Failure | None = None
    question: Question | None = None


@dataclass(frozen=True)
class Finished:
    """A supervised process that ended."""

    exit_code: int
    output: bytes
    """Standard output, cut at the limit."""
    errors: bytes
    timed_out: bool = False
    silent: bool = False
    """Whether it was ended because it was silent for too long; then `timed_out` is true as well."""
    overflowed: bool = False
    """Whether output was truncated."""
    dropped: int = 0
    """Bytes of both streams that were read but not kept."""
    not_started: str = ""
    """Why the program could not be started at all; empty if it ran."""


class NotStarted(Exception):
    """A program for a conversation could not be started at all; the text says why."""


class Talk(Protocol):
    """A conversation with a program. When the program ends, by itself or at a limit, the reader
    reaches its end.
    """

    @property
    def reader(self) -> asyncio.StreamReader:
        """Its standard output."""
        ...

    @property
    def writer(self) -> asyncio.StreamWriter:
        """Its standard input; closing it asks most programs to exit."""
        ...

    @property
    def errors(self) -> bytes:
        """The end of its standard error so far."""
        ...

    @property
    def ended(self) -> asyncio.Event:
        """Set when the program and everything it started are gone."""
        ...

    @property
    def finished(self) -> Finished | None:
        """How it ended; None before the end of the block. Does not contain its output, which the
        caller has read.
        """
        ...


class Supervise(Protocol):
    """Runs a program to its end under the shim: own session, inherited lock, killed as a whole
    tree.
    """

    def __call__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        stdin: bytes = b"",
        needs: Sequence[Path] = (),
        timeout_s: float | None = None,
        silence_s: float | None = None,
        on_output: Callable[[str], None] | None = None,
    ) -> Awaitable[Finished]:
        """Paths in `needs` must be readable for its installation; without output for `silence_s`
        it is ended.
        """
        ...


class Converse(Protocol):
    """Talks with a program under the same shim and limits; at the end of the block its whole tree
    is dead.

    `async with job.converse(argv, cwd=…, env=…) as talk:`; raises NotStarted, at the latest when
    the block ends.
    """

    def __call__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        needs: Sequence[Path] = (),
        timeout_s: float | None = None,
        silence_s: float | None = None,
    ) -> AbstractAsyncContextManager[Talk]: ...


class Supervising(Supervise, Protocol):
    """Both ways to run a program."""

    @property
    def converse(self) -> Converse: ...


@dataclass(frozen=True)
class Model:
    """Where an agent finds its model: the gateway, with a token that is valid for this dispatch
    only.
    """

    provider: str
    """anthropic, openai, gemini, or a name from the settings."""
    base_url: str
    """As the provider's own clients are configured, and as the agent sees it from where it runs."""
    token: str = field(repr=False)
    """The dummy key."""
    socket: Path | None = None
    """The gateway's unix socket, for a room that has no other network."""
    models: tuple[str, ...] = ()
    """Names or patterns of the models it may ask; empty means any."""
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The variables that usually give the provider's clients their address and key."""
    withheld: tuple[str, ...] = ()
    """Variables that hold a real key: no process of the agent may have them, unless
    `environment` sets them.
    """
    trouble: Callable[[], Failure | None] = field(default=lambda: None, compare=False, repr=False)
    """What the provider last said, if that explains why the agent ended: a usage limit, a
    rejected key.
    """

    @property
    def origin(self) -> str:
        """The base address without the path that some clients expect after it."""
        return "/".join(self.base_url.split("/", 3)[:3])

    def told(self, environment: Mapping[str, str]) -> dict[str, str]:
        """The environment with this model in it and without any real key."""
        return {
            **{name: value for name, value in environment.items() if name not in self.withheld},
            **self.environment,
        }


@dataclass(frozen=True)
class Job:
    """One dispatch as an agent sees it."""

    brief: Brief
    prompt: str
    folder: Path
    """The view: the agent's working folder."""
    scratch: Path
    """A private folder for temporary files and the verdict file; not audited."""
    outputs: tuple[Output, ...]
    templates: Mapping[str, str]
    """Output name to its template's text."""
    attempt: int
    call: int
    """How many dispatches of this role this run has finished before. Scripted agents choose
    their call by it.
    """
    timeout_s: float
    good_verdict: Mapping[str, Any]
    """The dialect's object for success; what `behave: well` reports."""
    proof_of_change: bool
    supervise: Supervising
    say: Callable[[str, Mapping[str, Any]], None]
    """Takes (kind, fields) for the transcript and the live view: text, tool, read, write, run …"""
    environment: Mapping[str, str] = field(default_factory=dict)
    """The allow-listed environment for processes this agent starts."""
    cut: int = 0
    """How many dispatches of this role died with the engine; a scripted call that hangs counts
    as over then.
    """
    turn: int = 1
    """Which dispatch of its key this is, including repairs. Scripted agents choose their call by
    it.
    """
    resumed: str = ""
    """What a person said after this dispatch was parked; empty the first time."""
    choice: str = ""
    """Which of the parked dispatch's choices that was; empty the first time."""
    writable: tuple[str, ...] = ()
    """Patterns of the code the step may change; empty means all of it."""
    protected: tuple[str, ...] = ()
    """Patterns of what only the engine and people may change, whatever else is allowed."""
    verdict_schema: Schema = field(default_factory=dict)
    """The verdict object as the tool `report` accepts it; empty if the step has none."""
    model: Model | None = None
    """Where its model is; None if it finds one itself."""
    enclosed: bool = False
    """Whether the programs of this dispatch run in a room."""
    mounted: bool = False
    """Whether the folder's files are in place only for programs that `supervise` starts."""
    lacks: Callable[[str], bool] = field(default=lambda _: False, compare=False, repr=False)
    """Whether the view has nothing at a path; to be asked when no program is at work."""

    @property
    def converse(self) -> Converse:
        """`supervise` for programs that hold a conversation."""
        return self.supervise.converse

    @property
    def home(self) -> Path:
        """The private HOME of the programs this agent starts.

        The agent's profile puts the files there that it needs.
        """
        return self.scratch / "home"


class Agent(Protocol):
    """An agent. One with a true `keeps_view` finds its folder as it left it when it was parked.

    An `actor` of "engine" or "person" says that its work is not done by programs it starts, so no
    room confines it. One with a false `mounts` finds the code in an ordinary folder, because it
    looks there itself, and not only with programs that it starts.
    """

    name: str
    """As in `--agent NAME`."""

    async def perform(self, job: Job) -> Answer: ...
