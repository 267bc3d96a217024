"""A profile is what is known of one agent program, as a value. Nothing here starts anything or looks at a disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Literal

from podium.agents.reporting.injection import Injection
from podium.core.dataclass import dataclass

Transport = Literal["headless", "acp", "command"]
Permissions = Literal["edits", "commands", "all"]
"""What the program may do without asking, by its own rules: change files of its folder; also run commands; anything."""
Stream = Literal["text", "claude", "codex", "gemini", "opencode", "copilot", "kimi"]
"""How what it prints is read."""
Shape = Literal["anthropic", "responses", "chat", "gemini"]
"""Wire formats of models."""
Mcp = Literal["stdio", "http", "none"]


@dataclass(frozen=True)
class Endpoint:
    """Where its model is, and the key that counts there."""

    url: str
    """Without the `/v1` that clients of OpenAI want after it."""
    key: str


@dataclass(frozen=True)
class Start:
    """One start of a program, as far as its profile must know it."""

    folder: Path
    home: Path
    """The private HOME."""
    endpoint: Endpoint | None = None
    """None: the program reaches its model by itself, with a key or a login of its own."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """The profile's variables that are set for it."""
    model: str = ""
    ambient: bool = False
    """Whether it may take instructions from files that lie in its folder."""
    permissions: Permissions = "edits"
    tools: Injection | None = None
    """The server that takes its report."""
    schema: Path | None = None
    """A file with the schema of the verdict, where it is to answer by its vendor's own means."""
    schema_text: str = ""
    session: str = ""
    """To go on with."""
    turns: int | None = None
    """Most turns of the model."""
    driven: str = ""
    """For an adapter: the program it shall drive; empty = its own."""


@dataclass(frozen=True)
class Launch:
    """How it is started then. Its prompt comes on standard input, unless an argument has `{prompt}` in it."""

    argv: tuple[str, ...]
    """Without the program."""
    env: Mapping[str, str] = field(default_factory=dict)
    """To be set beside the few that every agent gets."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Path below HOME to text."""


@dataclass(frozen=True)
class Habits:
    """In what the talk with a program differs from that with others."""

    notices: str = ""
    """Lines, as a pattern, that the program itself puts among the words of its model; "" = it puts none there."""
    complaints: str = ""
    """The same for those that say what went wrong with its model; believed where the gateway saw that, too."""
    writes_out: bool = False
    """Whether it tells the input of a call as text only, until it is allowed."""


@dataclass(frozen=True)
class Acp:
    """The program, or an adapter for it, as an agent of the Agent Client Protocol."""

    program: str
    install: str
    launch: Callable[[Start], Launch]
    mode: str = ""
    """The session mode to set; "" leaves the one it begins in."""
    mode_in_room: str = ""
    """The same in a room, where a sandbox of its own has no place; "" = as outside."""
    forbidden: tuple[str, ...] = ()
    """Further modes in which another model judges, or nobody."""
    mcp: Mcp = "stdio"
    resumes: bool = True
    """Whether its claim to resume sessions is true."""
    always: tuple[str, ...] = ()
    """Files of its folder that it reads here whatever it is told."""
    habits: Habits = Habits()


@dataclass(frozen=True)
class Profile:
    name: str
    title: str
    program: str
    install: str
    headless: Callable[[Start], Launch]
    keys: tuple[str, ...]
    """Variables of the user's own with which it reaches a model: keys, addresses."""
    secrets: tuple[str, ...] = ()
    """Those of them each of which is enough to reach a model; empty = a login of the user's is needed."""
    stream: Stream = "text"
    tells_tokens: bool = True
    """Whether that says how many tokens were used."""
    shapes: tuple[Shape, ...] = ()
    """In which it can be made to speak to a gateway; the first is the usual one. Empty = it cannot."""
    login: tuple[str, ...] = ()
    """Folders below the user's HOME: its login and settings."""
    moved: Mapping[str, str] = field(default_factory=dict)
    """Those of them that the user may keep elsewhere, with the variable that says where."""
    ambient: tuple[str, ...] = ()
    """Files of its folder that it reads by itself where it may."""
    versions: tuple[str, ...] = ()
    """Against which this profile was tried."""
    resumes: bool = False
    """Whether it goes on with a session after a crash."""
    lingers: bool = False
    """Whether it stays for a while after its last word, to be ended then."""
    own_turns: bool = False
    """Whether it keeps a limit of turns by itself; else its calls of tools are counted for it."""
    spent: int | None = None
    """The exit code by which it says that it was at that limit, where its stream does not say it."""
    takes_tools: bool = True
    """Whether it takes a server of tools."""
    tools_in_settings: bool = False
    """Whether it takes it from its settings alone, which are not ours where a login is lent."""
    always: tuple[str, ...] = ()
    """Those files among `ambient` that it reads whatever it is told."""
    needs_model: bool = False
    """Whether a model must be named for it behind a gateway."""
    acp: Acp | None = None
    note: str = ""
    """What a user should know, in half a sentence."""
    login_hint: str = ""
    """How a person logs in with it."""
