"""What the engine asks of any agent, and what it gets back. Failures are values."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from podium.core.contract import Brief, Output
from podium.core.dataclass import dataclass
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
    """Seconds until a usage limit resets, where the agent said so."""
    choices: tuple[str, ...] = ("again",)
    """parked: what a person can say that lets it go on."""


@dataclass(frozen=True)
class Question:
    """A clarification request: what a person must decide before the work can go on."""

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
    """The verdict object, where one was sent."""
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
    """Whether it was ended because nothing was heard of it; then `timed_out` is true, too."""
    overflowed: bool = False
    """Whether output was cut."""
    dropped: int = 0
    """Bytes of both streams that were read and not kept."""
    not_started: str = ""
    """Why the program could not be started at all; empty where it ran."""


class NotStarted(Exception):
    """A program to talk with that could not be started at all; its text says why."""


class Talk(Protocol):
    """A program that is talked with. When it is ended, by itself or at a limit, the reader comes to its end."""

    @property
    def reader(self) -> asyncio.StreamReader:
        """Its standard output."""
        ...

    @property
    def writer(self) -> asyncio.StreamWriter:
        """Its standard input; closing it is how most programs are asked to go."""
        ...

    @property
    def errors(self) -> bytes:
        """The end of its standard error, as far as it has come."""
        ...

    @property
    def ended(self) -> asyncio.Event:
        """Set when it and all it started are gone."""
        ...

    @property
    def finished(self) -> Finished | None:
        """How it ended; None before the end of the block. Its output is not in it: the caller has read it."""
        ...


class Supervise(Protocol):
    """Run a program to its end under the shim: own session, inherited lock, killed as a whole tree."""

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
        """`needs`: paths its own installation must be able to read; `silence_s`: without output for so long it is ended."""
        ...


class Converse(Protocol):
    """Talk with a program under the same shim and limits; at the end of the block its whole tree is dead.

    `async with job.converse(argv, cwd=…, env=…) as talk:`; raises NotStarted, at the latest when the block ends.
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
    """Where an agent finds its model: the gateway, with a token that is good for this dispatch and nothing else."""

    provider: str
    """anthropic, openai, gemini, or a name of the settings."""
    base_url: str
    """As the provider's own clients are configured, and as the agent sees it from where it runs."""
    token: str = field(repr=False)
    """The dummy key."""
    socket: Path | None = None
    """The gateway's unix socket, for a room whose only network it is."""
    models: tuple[str, ...] = ()
    """Names or patterns of those it may ask; empty = any."""
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The variables by which the provider's clients are usually told address and key."""
    withheld: tuple[str, ...] = ()
    """Variables that hold a real key: no process of the agent may have them, unless `environment` sets them."""
    trouble: Callable[[], Failure | None] = field(default=lambda: None, compare=False, repr=False)
    """What the model's provider last said, where it explains the agent's end: a usage limit, a key that is not taken."""

    @property
    def origin(self) -> str:
        """The base address without the path that some clients want after it."""
        return "/".join(self.base_url.split("/", 3)[:3])

    def told(self, environment: Mapping[str, str]) -> dict[str, str]:
        """The environment with this model in it and no real key."""
        return {**{name: value for name, value in environment.items() if name not in self.withheld}, **self.environment}


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
    """How many dispatches of this role this run has finished before; scripted agents count with it."""
    timeout_s: float
    good_verdict: Mapping[str, Any]
    """The dialect's object for success; what `behave: well` reports."""
    proof_of_change: bool
    supervise: Supervising
    say: Callable[[str, Mapping[str, Any]], None]
    """(kind, fields) into the transcript and the live view: text, tool, read, write, run …"""
    environment: Mapping[str, str] = field(default_factory=dict)
    """The allow-listed environment for processes this agent starts."""
    cut: int = 0
    """How many dispatches of this role died with the engine; a scripted agent's hanging call is over then."""
    turn: int = 1
    """Which dispatch of its key this is, repairs counted; scripted agents count with it."""
    resumed: str = ""
    """What a person said after this dispatch was parked; empty on a first try."""
    choice: str = ""
    """Which of the choices of a parked dispatch that was; empty on a first try."""
    writable: tuple[str, ...] = ()
    """Patterns of the code the step may change; all of it where empty."""
    protected: tuple[str, ...] = ()
    """Patterns of what nobody but the engine and people may change, whatever else is allowed."""
    verdict_schema: Schema = field(default_factory=dict)
    """The verdict object as the tool `report` takes it; empty where the step takes none."""
    model: Model | None = None
    """Where its model is; None = it finds one by itself."""
    enclosed: bool = False
    """Whether a room is around the programs of this dispatch."""

    @property
    def converse(self) -> Converse:
        """`supervise` for programs that are talked with."""
        return self.supervise.converse

    @property
    def home(self) -> Path:
        """The private HOME of what this agent starts; the files an agent needs there are put by its profile."""
        return self.scratch / "home"


class Agent(Protocol):
    """An agent; one with a true `keeps_view` finds its folder as it left it when it was parked.

    An `actor` of "engine" or "person" says that what it does is not done by programs it starts: no room holds it.
    """

    name: str
    """As in `--agent NAME`."""

    async def perform(self, job: Job) -> Answer: ...
