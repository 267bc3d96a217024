"""Every setting as a frozen value. The string under a field is its entry in the reference page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from typing import Any

from podium.core.dataclass import dataclass
from podium.settings.policies import defaults, over

ASSURANCE = ("asked", "mediated", "audited", "confined")
TOLD = ("gate", "blocked", "budget", "sleep", "complete", "cancelled")


@dataclass(frozen=True)
class AgentSettings:
    """`[agents.<name>]`: an agent that `--agent NAME` and roles can name."""

    backend: str = ""
    """How it is driven: command, acp, scripted, human, or a known program (`podium agents` lists them).

    Empty = `command` where a command is given, else the table's own name.
    """
    command: tuple[str, ...] = field(default=(), metadata={"kind": "command"})
    """The program and its arguments, as text or as a list; empty = the backend's own.

    `{prompt}`, `{folder}` and `{model}` are filled in.
    """
    transport: str = field(default="", metadata={"choices": ("headless", "acp", "command")})
    """How Podium talks to it: through its command line without a terminal, through the Agent Client Protocol, or as a plain
    program.

    Empty = `command` where a command is given, else `headless`.
    """
    program: str = ""
    """A known program under another name or path; empty = its usual name, found on PATH."""
    model: str = ""
    """The model to ask for, in the backend's own spelling; empty = the agent's default."""
    home: str = field(default="", metadata={"choices": ("private", "user")})
    """The HOME of a known program: one of its own for each dispatch, or one with your login lent to it.

    Empty = `private` where a key or the gateway leads to a model, else `user`.
    """
    ambient: bool = False
    """Whether a known program may take instructions from files of the folder: AGENTS.md, CLAUDE.md and the like."""
    permissions: str = field(default="", metadata={"choices": ("edits", "commands", "all", "policy", "ask")})
    """What a known program may do by its own rules: change files, also run commands, anything.

    acp: `policy` answers what it asks by the step's contract, `ask` leaves to you what that does not decide.
    Empty = `policy`, or `all` in a room, which holds it, else `edits`.
    """
    mode: str = ""
    """acp: the mode to set in a program that Podium has no profile of; empty = the one it begins in."""
    report: str = field(default="", metadata={"choices": ("tool", "schema", "file")})
    """How a known program is asked to report: by Podium's tool, by its vendor's schema output, or by a file.

    Empty = `tool` where it takes one.
    """
    max_turns: int | None = None
    """Most turns of a known program's model in one dispatch; where it cannot count them, most calls of tools."""
    silence_s: float | None = field(default=None, metadata={"kind": "seconds"})
    """An agent that prints nothing for so long is ended, with all it started.

    Empty = half an hour for a known program, no such limit for any other: it may be silent until it is done.
    """
    env: tuple[str, ...] = ()
    """Names of environment variables the agent may see, besides the few it always gets."""
    timeout_s: float | None = field(default=None, metadata={"kind": "seconds"})
    """Longest time for one dispatch to this agent; empty = the workflow's `step_timeout_s`."""
    result_file: str = ""
    """File in which the agent leaves its final message; empty = its standard output."""
    scenario: str = ""
    """scripted: the scenario's file, from the project root."""
    gateway: bool | None = None
    """Whether its model comes through Podium's gateway, which alone has the real key and counts what is used.

    Empty = yes where one of the four keys below is set; and for a confined program of a known provider whose key is
    in the environment.
    """
    provider: str = ""
    """Whose models it asks: anthropic, openai, gemini, or another name with an `upstream`; empty = that of a known program."""
    upstream: str = ""
    """The provider's base address, as its clients are configured with it; empty = its own."""
    key_env: str = ""
    """The variable that holds the real key; empty = the provider's usual one. No process of the agent gets it."""
    models: tuple[str, ...] = ()
    """Names or patterns (`claude-*`) of the models it may ask; empty = any."""

    def table(self) -> dict[str, Any]:
        """What was set and nothing else, as plain data."""
        values = ((each.name, getattr(self, each.name)) for each in fields(self))
        return {name: list(v) if isinstance(v, tuple) else v for name, v in values if v not in {"", (), None, False}}


@dataclass(frozen=True)
class RoleSettings:
    """`[roles.<name>]`: who plays a role."""

    agent: str = ""
    """Agent for this role; empty = the default agent."""
    definition: str = ""
    """File with the role's definition, from the project root; empty = the workflow's own."""


@dataclass(frozen=True)
class Commands:
    """`[commands]`: what the engine itself runs as evidence, with a shell, at the project root."""

    build: str = ""
    """Builds the project; empty = nothing to build."""
    test: str = ""
    """Runs its tests."""
    lint: str = ""
    """Checks its style."""


@dataclass(frozen=True)
class Budget:
    """`[budget]`: caps on a run, on each step of it (`step_…`) and on a day (`day_…`). Empty = no cap.

    What was used is kept across resumes. A step counts with all its attempts; one that a person
    resumes starts over. A day counts all runs of the project, from midnight to midnight UTC.
    """

    dispatches: int | None = None
    """How often an agent may be started."""
    tokens: int | None = None
    """Tokens in and out together: counted where models come through the gateway, which refuses the call after the cap;
    else as far as agents report them."""
    cost_usd: float | None = None
    """Cost in US dollars: through the gateway by `[prices]`, and then no model without a price is asked; else as far as
    agents report it."""
    wall_clock_s: float | None = None
    """Seconds that the run was driven, pauses left out."""
    estimate_usd: float | None = None
    """What a dispatch counts whose agent does not say what it cost. Without it a cap on cost stops such a run."""
    step_dispatches: int | None = None
    """How often an agent may be started for one step."""
    step_tokens: int | None = None
    """Tokens of one step."""
    step_cost_usd: float | None = None
    """Cost of one step."""
    step_wall_clock_s: float | None = None
    """Seconds that the agents of one step may work, before another one is started; `step_timeout_s` ends one at work."""
    day_dispatches: int | None = None
    """How often agents may be started on one day."""
    day_tokens: int | None = None
    """Tokens of one day."""
    day_cost_usd: float | None = None
    """Cost of one day."""
    day_wall_clock_s: float | None = None
    """Seconds that runs may be driven on one day, those side by side added up."""


@dataclass(frozen=True)
class Price:
    """`[prices."<model>"]`: what a model costs, by its name or a pattern (`claude-*`), in US dollars for a million tokens."""

    input: float | None = None
    """Of the prompt."""
    output: float | None = None
    """Of what it answers, thoughts included."""
    cached_input: float | None = None
    """Of the part of the prompt that the provider's cache held; empty = as `input`."""


@dataclass(frozen=True)
class Gateway:
    """`[gateway]`: a record of all that passes through the model gateway."""

    record: str = ""
    """File to which every exchange is appended, secrets cut out; from the project root."""
    replay: str = ""
    """Such a file, from which requests are answered instead of by a provider; what is not in it is refused."""


@dataclass(frozen=True)
class Isolation:
    """`[isolation]`: how firmly contracts must be held."""

    minimum: str = field(default="", metadata={"choices": ASSURANCE})
    """The least assurance a dispatch may have: asked, mediated, audited or confined. Empty = what there is.

    `mediated` and `confined` need a machine that can confine programs, and agents that are programs or people.
    """
    confine: str = field(default="auto", metadata={"choices": ("auto", "bubblewrap", "landlock", "off")})
    """What agents that are programs are held with: the best that works here, one of the two, or nothing but the audit."""
    network: str = field(default="", metadata={"choices": ("model", "open", "none")})
    """What a confined agent reaches: the model through the gateway, any address, or none.

    Empty = `model` for agents whose model comes through the gateway, `open` for the others.
    """
    readable: tuple[str, ...] = ()
    """Further paths that confined agents may read: tools and caches; from the project root, or with `~`."""
    writable: tuple[str, ...] = ()
    """Further folders that confined agents may write: caches, an agent's own login; from the project root, or with `~`."""


@dataclass(frozen=True)
class Store:
    """`[store]`: where files of a run are kept."""

    views: str = ""
    """Folder for agents' working folders, outside the project; empty = `podium/views` in the user's state folder,
    and memory for those that hold documents only."""


@dataclass(frozen=True)
class Fleet:
    """`[fleet]`: runs on many machines (docs/fleet.md). Without a database there is none."""

    database: str = ""
    """PostgreSQL that holds the journal, as `postgresql://user:password@host/name`; best in your own file or in
    `PODIUM_FLEET__DATABASE`, because it has a password."""
    engine: str = field(default="none", metadata={"choices": ("none", "procrastinate", "temporal")})
    """What tells workers of work: nothing (they look at the database), procrastinate in the same database, or Temporal."""
    temporal: str = "127.0.0.1:7233"
    """Temporal's address."""
    namespace: str = "default"
    """Temporal's namespace."""
    remote: str = ""
    """The git remote over which code moves: its address, or its name here; empty = `origin`."""
    beat_s: float = field(default=30.0, metadata={"kind": "seconds"})
    """A worker says twice in this time that it lives; a run is taken over when one and a half of it passed in silence."""
    work: str = ""
    """A worker's folder for checkouts; empty = `podium/fleet` in the user's state folder."""
    steps: int = 0
    """After so many steps a worker puts a run back into the line, so that others get their turn; 0 = when it rests."""
    stay_s: float = 5.0
    """For so long other workers leave a run to the one that had it last, if that lives; 0 = they need not."""
    limits: Mapping[str, Mapping[str, int]] = field(default_factory=dict, metadata={"kind": "table"})
    """Most runs under way on all workers together, by name: `[fleet.limits]` with `agents.claude = 3`,
    `providers.anthropic = 5`, `users.anna = 4`; `default` is for every name that is not there."""
    store: str = ""
    """Where large and ignored files of runs are kept: a folder that all machines see, or `s3://bucket/prefix`; empty = git
    carries them. Keys of S3 are found in the environment (`AWS_ACCESS_KEY_ID` and so on), never in settings."""
    store_endpoint: str = ""
    """Address of a server that speaks like S3, such as `https://minio.example:9000`; empty = Amazon's."""
    store_above_mb: float = 5.0
    """Files of more megabytes than this go to the store, if there is one."""


@dataclass(frozen=True)
class Ui:
    """`[ui]`: how the terminal looks."""

    live: bool = True
    """Draw a live view on a terminal; off = plain lines, as in a pipe."""
    color: bool = True
    """Use colour on a terminal. `NO_COLOR` and `--no-color` win."""
    ask: bool = True
    """Ask at the terminal when a gate opens in `run`, `resume` or `watch`; off = the command ends there with exit code 10."""


@dataclass(frozen=True)
class Notify:
    """`[notify]`: who is told of gates, stops and ends, beside the run. Nothing of it can delay or fail a run."""

    events: tuple[str, ...] = field(default=(), metadata={"choices": TOLD})
    """What is told: gate, blocked, budget, sleep, complete, cancelled. Empty = all of them."""
    desktop: str = field(default="auto", metadata={"choices": ("auto", "on", "off")})
    """A notice on the desktop (notify-send, or osascript on a Mac); `auto` = where there is a desktop."""
    webhook: str = ""
    """Address that each event is posted to as JSON; `PODIUM_NOTIFY__WEBHOOK` keeps it out of files."""
    webhook_secret_env: str = ""
    """The variable that holds the secret by which the webhook is signed. Without its value nothing is sent."""
    command: tuple[str, ...] = field(default=(), metadata={"kind": "command"})
    """Program started for each event, with the same JSON on its standard input and a bare environment."""
    timeout_s: float = field(default=10.0, metadata={"kind": "seconds"})
    """How long one try may take; then the program is ended, the connection closed."""
    link: str = ""
    """Address for people that is sent along; `{run}` and `{gate}` are filled in."""


@dataclass(frozen=True)
class Mcp:
    """`[mcp]`: what a chat agent may do through `podium mcp`. Looking is always allowed."""

    start: bool = True
    """Whether it may start and resume runs."""
    decide: str = field(default="false", metadata={"kind": "choice", "choices": ("false", "true", "all")})
    """Whether it may approve, reject and answer in your name: `false`; `true`, but not high-risk gates and drifted files;
    `"all"`.

    Under one of Podium's own agents it never may.
    """


@dataclass(frozen=True)
class Telemetry:
    """`[telemetry]`: OpenTelemetry traces and metrics of runs, while they are driven."""

    endpoint: str = ""
    """A collector's base address for OTLP over HTTP, as `http://127.0.0.1:4318`; empty = nothing is sent."""
    protocol: str = field(default="", metadata={"choices": ("http/protobuf", "http/json")})
    """Empty = `http/protobuf` where the extra `otel` is installed, else `http/json`."""
    headers_env: str = ""
    """The variable that holds headers to send along, `name=value,name=value`: a key of the collector's."""
    content: bool = False
    """Whether texts of agents and people go along: reasons, questions of gates, notes and names."""
    timeout_s: float = field(default=10.0, metadata={"kind": "seconds"})
    """How long one request may take."""


@dataclass(frozen=True)
class Issues:
    """`[issues]`: how `--issue` gets at issues of trackers."""

    jira: tuple[str, ...] = field(default=("jira", "issue", "view", "{key}", "--raw"), metadata={"kind": "command"})
    """Program that prints an issue of Jira as the JSON of its REST interface; `{key}` is filled in."""
    timeout_s: float = field(default=60.0, metadata={"kind": "seconds"})
    """How long `gh` or that program may take."""


@dataclass(frozen=True)
class Settings:
    """Everything that is set, all layers laid over each other."""

    agent: str = ""
    """The default agent for all roles."""
    agents: Mapping[str, AgentSettings] = field(default_factory=dict)
    """Agents by name."""
    roles: Mapping[str, RoleSettings] = field(default_factory=dict)
    """Roles by name."""
    commands: Commands = Commands()
    """Build, test and lint commands."""
    policy: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Policy values that were set, by workflow; `policy_of` adds the built-in ones."""
    budget: Budget = Budget()
    """Caps on a run, a step and a day."""
    prices: Mapping[str, Price] = field(default_factory=dict)
    """What models cost, by name or pattern."""
    gateway: Gateway = Gateway()
    """What is kept of the calls to models."""
    isolation: Isolation = Isolation()
    """The least assurance."""
    store: Store = Store()
    """Where files are kept."""
    fleet: Fleet = Fleet()
    """Runs on many machines."""
    ui: Ui = Ui()
    """How the terminal looks."""
    notify: Notify = Notify()
    """Who is told."""
    mcp: Mcp = Mcp()
    """What a chat agent may do."""
    telemetry: Telemetry = Telemetry()
    """Where traces and metrics go."""
    issues: Issues = Issues()
    """How issues are got."""
    sources: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    """Where each value came from: `commands.test` to a file or a variable. What is not here is built in."""

    def policy_of(self, workflow: str, overrides: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The policy a run starts with: built-in < set < given on the command line."""
        return over(over(defaults(workflow), self.policy.get(workflow, {})), overrides or {})

    def agent_tables(self) -> dict[str, dict[str, Any]]:
        """Configured agents as the registry takes them."""
        return {name: each.table() for name, each in self.agents.items()}

    def agent_for(self, role: str) -> str:
        """The agent set for a role, else the default; empty where none is set."""
        chosen = self.roles.get(role)
        return (chosen.agent if chosen else "") or self.agent

    def told_agent(self, role: str) -> str:
        """The same, where the environment says it: it is gone with the shell, unlike what a file says."""
        chosen = self.roles.get(role)
        named = f"roles.{role}.agent" if chosen and chosen.agent else "agent"
        return self.agent_for(role) if self.sources.get(named, "").startswith("PODIUM_") else ""
