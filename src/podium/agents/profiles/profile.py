"""A profile is what is known about one agent program, as a value. Nothing here starts anything
or reads a disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from podium.agents.reporting.injection import Injection

Transport = Literal["headless", "acp", "command"]
Permissions = Literal["edits", "commands", "all"]
"""What the program may do without asking, by its own rules: edit files in its folder; also run
commands; anything.
"""
Stream = Literal["text", "claude", "codex", "gemini", "opencode", "copilot", "kimi"]
"""How its output is read."""
Shape = Literal["anthropic", "responses", "chat", "gemini"]
"""Wire formats of models."""
Mcp = Literal["stdio", "http", "none"]


@dataclass(frozen=True)
class Endpoint:
    """The address of its model, and the key that is valid there."""

    url: str
    """Without the `/v1` that OpenAI's clients expect after it."""
    key: str


@dataclass(frozen=True)
class Start:
    """Everything about one start that a profile needs to know."""

    folder: Path
    home: Path
    """The private HOME."""
    endpoint: Endpoint | None = None
    """None: the program reaches its model by itself, with its own key or login."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """The profile's variables that are set for it."""
    model: str = ""
    ambient: bool = False
    """Whether it may take instructions from files in its folder."""
    permissions: Permissions = "edits"
    tools: Injection | None = None
    """The server that takes its report."""
    schema: Path | None = None
    """A file with the verdict's schema, if it is to answer with its vendor's schema output."""
    schema_text: str = ""
    session: str = ""
    """The session to continue."""
    turns: int | None = None
    """The most turns of the model."""
    driven: str = ""
    """For an adapter: the program it should drive; empty means its own."""


@dataclass(frozen=True)
class Launch:
    """How it is then started. The prompt comes on standard input unless an argument contains
    `{prompt}`.
    """

    argv: tuple[str, ...]
    """Without the program."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Set in addition to the few that every agent gets."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Paths below HOME, with their text."""


@dataclass(frozen=True)
class Habits:
    """How the conversation with one program differs from that with others."""

    notices: str = ""
    """A pattern for lines that the program itself puts among its model's words; "" if it puts
    none there.
    """
    complaints: str = ""
    """The same for lines that report trouble with its model; believed only if the gateway saw it
    too.
    """
    writes_out: bool = False
    """Whether it sends the input of a call only as text until the call is allowed."""


@dataclass(frozen=True)
class Acp:
    """The program, or an adapter for it, as an agent of the Agent Client Protocol."""

    program: str
    install: str
    launch: Callable[[Start], Launch]
    mode: str = ""
    """The session mode to set; "" keeps the one the session starts in."""
    mode_in_room: str = ""
    """The same in a room, where its own sandbox does not work; "" means the same as outside."""
    forbidden: tuple[str, ...] = ()
    """Further modes in which another model judges tool calls, or nobody does."""
    mcp: Mcp = "stdio"
    resumes: bool = True
    """Whether it really can resume sessions, as it claims."""
    always: tuple[str, ...] = ()
    """Files in its folder that it reads over this protocol whatever it is told."""
    habits: Habits = Habits()


@dataclass(frozen=True)
class SettingsFile:
    """A file in which a person may have named the address of the model."""

    path: str
    """Below HOME, below the project, or absolute."""
    variable: str
    """The variable with the same meaning."""
    at: str
    """Where in the file: `env.NAME`; `*` is any member, `{name}` the one that `name` says."""
    project: bool = False
    key_at: str = ""
    """Where it says which key goes there, if that may be another than the environment's."""


def in_both(variable: str, *paths: str) -> tuple[SettingsFile, ...]:
    """Files of variables, each below HOME and below the project."""
    return tuple(
        SettingsFile(path, variable, variable, project=project)
        for path in paths
        for project in (False, True)
    )


@dataclass(frozen=True)
class Profile:
    name: str
    title: str
    program: str
    install: str
    headless: Callable[[Start], Launch]
    keys: tuple[str, ...]
    """The user's own variables with which it reaches a model: keys, addresses."""
    settings: tuple[SettingsFile, ...] = ()
    """What else may say where these keys belong."""
    secrets: tuple[str, ...] = ()
    """The keys any one of which is enough to reach a model; empty means that a login is needed."""
    stream: Stream = "text"
    tells_tokens: bool = True
    """Whether its stream reports how many tokens were used."""
    shapes: tuple[Shape, ...] = ()
    """Formats in which it can talk to a gateway, the usual one first; empty if it cannot."""
    login: tuple[str, ...] = ()
    """Folders below the user's HOME with its login and settings."""
    moved: Mapping[str, str] = field(default_factory=dict)
    """Those that the user may keep elsewhere, with the variable that says where."""
    ambient: tuple[str, ...] = ()
    """Files in its folder that it reads on its own if allowed."""
    versions: tuple[str, ...] = ()
    """The versions that this profile was tested with."""
    resumes: bool = False
    """Whether it can continue a session after a crash."""
    lingers: bool = False
    """Whether it keeps running for a while after its last message and must be ended."""
    own_turns: bool = False
    """Whether it enforces a limit of turns itself; otherwise we count its tool calls."""
    spent: int | None = None
    """The exit code that means it reached that limit, if its stream does not say so."""
    takes_tools: bool = True
    """Whether it accepts an MCP server."""
    tools_in_settings: bool = False
    """Whether it accepts one only through its settings, which are not ours if a login is lent."""
    always: tuple[str, ...] = ()
    """Files of `ambient` that it reads whatever it is told."""
    needs_model: bool = False
    """Whether it must be given a model's name behind a gateway."""
    acp: Acp | None = None
    note: str = ""
    """What a user should know, in half a sentence."""
    login_hint: str = ""
    """How a person logs in to it."""
