"""Every setting as a frozen value. The string below a field is its entry in the reference page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from podium.settings.policies import defaults, over

ASSURANCE = ("asked", "mediated", "audited", "confined")
TOLD = ("gate", "blocked", "budget", "sleep", "complete", "cancelled")


@dataclass(frozen=True)
class AgentSettings:
    """`[agents.<name>]`: an agent that `--agent NAME` and roles can name."""

    backend: str = ""
    """How it is driven: command, acp, scripted, human, or a known program (`podium agents` lists
    them).

    Empty = `command` if a command is given, otherwise the table's own name.
    """
    command: tuple[str, ...] = field(default=(), metadata={"kind": "command"})
    """The program and its arguments, as text or as a list; empty = the backend's own.

    `{prompt}`, `{folder}` and `{model}` are filled in.
    """
    transport: str = field(default="", metadata={"choices": ("headless", "acp", "command")})
    """How Podium talks to it: through its command line without a terminal, through the Agent Client
    Protocol, or as a plain program.

    Empty = `command` if a command is given, otherwise `headless`.
    """
    program: str = ""
    """Another name or path for a known program; empty = its usual name, found on PATH."""
    model: str = ""
    """The model to ask for, in the backend's own spelling; empty = the agent's default."""
    home: str = field(default="", metadata={"choices": ("private", "user")})
    """The HOME of a known program: `private` is a new one for each dispatch, `user` one that has
    your login.

    Empty = `private` if it has a key or the gateway for its model, otherwise `user`.
    """
    ambient: bool = False
    """Whether a known program may follow instructions in files of its folder: AGENTS.md,
    CLAUDE.md and the like.
    """
    permissions: str = field(
        default="", metadata={"choices": ("edits", "commands", "all", "policy", "ask")}
    )
    """What a known program's own rules allow it: `edits` to change files, `commands` to run
    commands as well, `all` anything.

    acp: `policy` answers its questions from the step's contract; `ask` passes on to you what the
    contract does not decide. Empty = `policy` for acp; otherwise `all` in a room, which confines
    it, and `edits` outside.
    """
    mode: str = ""
    """acp: the mode to set in a program that Podium has no profile for; empty = the mode it
    starts in.
    """
    report: str = field(default="", metadata={"choices": ("tool", "schema", "file")})
    """How a known program is asked to report: with Podium's tool, with its vendor's schema output,
    or in a file.

    Empty = `tool` if it supports one.
    """
    max_turns: int | None = field(default=None, metadata={"kind": "count"})
    """Most turns of a known program's model in one dispatch; if it cannot count turns, most tool
    calls.
    """
    silence_s: float | None = field(default=None, metadata={"kind": "seconds"})
    """An agent that prints nothing for this long is ended, with everything it started.

    Empty = half an hour for a known program, no limit for any other, which may be silent until it
    is done.
    """
    env: tuple[str, ...] = ()
    """Names of environment variables the agent may see, besides the few it always gets."""
    timeout_s: float | None = field(default=None, metadata={"kind": "seconds"})
    """Time limit for one dispatch to this agent; empty = the workflow's `step_timeout_s`."""
    result_file: str = ""
    """File in which the agent leaves its final message; empty = its standard output."""
    scenario: str = ""
    """scripted: the scenario's file, relative to the project root."""
    gateway: bool | None = None
    """Whether its model is reached through Podium's gateway, which alone has the real key and
    counts usage.

    Empty = yes if one of the four settings below is set, or for a confined program of a known
    provider whose key is in the environment.
    """
    provider: str = ""
    """Whose models it uses: anthropic, openai, gemini, or another name with an `upstream`; empty
    = a known program's own.
    """
    upstream: str = ""
    """The provider's base address, as its clients are configured; empty = its usual one."""
    key_env: str = ""
    """The variable that has the real key; empty = the provider's usual one. No process of the
    agent gets the key.
    """
    models: tuple[str, ...] = ()
    """Names or patterns (`claude-*`) of the models it may use; empty = any."""

    def table(self) -> dict[str, Any]:
        """Only what was set, as plain data."""
        values = ((each.name, getattr(self, each.name), each.default) for each in fields(self))
        return {
            name: list(v) if isinstance(v, tuple) else v
            for name, v, default in values
            if v != default
        }


@dataclass(frozen=True)
class RoleSettings:
    """`[roles.<name>]`: who plays a role."""

    agent: str = ""
    """Agent for this role; empty = the default agent."""
    definition: str = ""
    """File with the role's definition, relative to the project root; empty = the workflow's own."""
    other_than: str = field(default="", metadata={"key": "not"})
    """A role whose vendor this one must not share, such as `build` or `"build's provider"`: a run
    in which both would use models of one vendor is refused at the start.
    """


@dataclass(frozen=True)
class Commands:
    """`[commands]`: what Podium itself runs as proof, in a shell, at the project root."""

    build: str = ""
    """Builds the project; empty = nothing to build."""
    test: str = ""
    """Runs its tests."""
    lint: str = ""
    """Checks its style."""


@dataclass(frozen=True)
class Proof:
    """`[proof]`: what counts as proof that a change works (docs/proof.md)."""

    before: str = field(default="", metadata={"choices": ("ask", "green", "same")})
    """Tests that fail before the run: `ask` a person, they must pass at the end (`green`), or
    exactly these may stay (`same`). Empty = `ask` at a terminal, otherwise `same`.
    """
    tests: tuple[str, ...] = ()
    """Further patterns of files that are tests, such as `spec/**`; those of known ecosystems are
    built in.
    """
    machinery: tuple[str, ...] = ()
    """Further patterns of files that decide how tests run."""
    hidden: tuple[str, ...] = ()
    """Patterns of checks that no agent sees and that count like all other tests."""
    contract: str = field(default="add", metadata={"choices": ("add", "edit", "protect")})
    """What a step may do to the project's own tests without a person being asked: `add` new ones,
    also `edit` those that are there, or `protect`: neither. A stage of `harness` may say
    otherwise (`tests` in stages.toml).
    """
    fewer: str = field(default="show", metadata={"choices": ("show", "block")})
    """Fewer tests than before the run, or more of them skipped: `show` it, or `block` the work
    until a person has approved it.
    """
    mutants: int = 0
    """After the tests pass, break so many of the changed lines, one at a time; if no test
    notices any of them, the gate says so. 0 = off.
    """
    repeat: int = field(default=2, metadata={"kind": "count"})
    """How often a passing command is run on the same code, as long as a run takes less than half
    a minute: a change that passes only sometimes is caught.
    """


@dataclass(frozen=True)
class View:
    """`[view]`: what agents and commands find beside the files that git tracks."""

    bring: tuple[str, ...] = ()
    """Patterns of ignored files to bring although they look like secrets or are very large."""
    leave: tuple[str, ...] = ()
    """Patterns of ignored files not to bring, besides those that look like secrets."""
    kind: str = field(default="auto", metadata={"choices": ("auto", "overlay", "bound", "copy")})
    """`overlay`: layers at the project's own path; `bound`: a copy at the project's own path;
    `copy`: a copy elsewhere. `auto` = the first of them that this machine allows.
    """


@dataclass(frozen=True)
class Budget:
    """`[budget]`: caps on a run, on each step of it (`step_…`) and on a day (`day_…`). Empty = no
    cap.

    Usage is kept across resumes. A step counts with all its attempts; a step that a person
    resumes starts from zero. A day counts all runs of the project, from midnight to midnight UTC.
    """

    dispatches: int | None = None
    """How often an agent may be started."""
    tokens: int | None = None
    """Tokens in and out together. The gateway counts them and refuses the call after the cap;
    without the gateway, only what agents report counts.
    """
    cost_usd: float | None = None
    """Cost in US dollars. The gateway computes it from `[prices]` and then refuses models without a
    price; without the gateway, only what agents report counts.
    """
    wall_clock_s: float | None = None
    """Seconds that the run was driven, without pauses."""
    estimate_usd: float | None = None
    """Cost to assume for a dispatch whose agent does not report one. Without it a cap on cost
    stops such a run.
    """
    step_dispatches: int | None = None
    """How often an agent may be started for one step."""
    step_tokens: int | None = None
    """Tokens of one step."""
    step_cost_usd: float | None = None
    """Cost of one step."""
    step_wall_clock_s: float | None = None
    """Seconds that the agents of one step may work before no further one is started;
    `step_timeout_s` ends one at work.
    """
    day_dispatches: int | None = None
    """How often agents may be started on one day."""
    day_tokens: int | None = None
    """Tokens of one day."""
    day_cost_usd: float | None = None
    """Cost of one day."""
    day_wall_clock_s: float | None = None
    """Seconds that runs may be driven on one day; runs side by side are added up."""


@dataclass(frozen=True)
class Price:
    """`[prices."<model>"]`: what a model costs, by name or pattern (`claude-*`), in US dollars
    per million tokens.
    """

    input: float | None = None
    """For the prompt."""
    output: float | None = None
    """For the answer, including thoughts."""
    cached_input: float | None = None
    """For the part of the prompt that was in the provider's cache; empty = the same as `input`."""


@dataclass(frozen=True)
class Gateway:
    """`[gateway]`: a record of everything that passes through the model gateway."""

    record: str = ""
    """File to which every exchange is appended, without secrets; relative to the project root."""
    replay: str = ""
    """Such a file, which then answers requests instead of a provider; requests that are not in
    it are refused.
    """


@dataclass(frozen=True)
class Isolation:
    """`[isolation]`: how firmly contracts must be enforced."""

    minimum: str = field(default="", metadata={"choices": ASSURANCE})
    """The least assurance a dispatch may have: asked, mediated, audited or confined. Empty =
    whatever is available.

    `mediated` and `confined` need a machine that can confine programs, and agents that are programs
    or people.
    """
    confine: str = field(
        default="auto", metadata={"choices": ("auto", "bubblewrap", "landlock", "off")}
    )
    """What confines agents that are programs: the best that works here, one of the two, or
    nothing but the audit.
    """
    network: str = field(default="", metadata={"choices": ("model", "open", "none")})
    """What a confined agent can reach: only the model through the gateway, any address, or nothing.

    Empty = `model` for agents that use the gateway, `open` for the others.
    """
    readable: tuple[str, ...] = ()
    """Further paths that confined agents may read, such as tools and caches; relative to the
    project root, or with `~`.
    """
    writable: tuple[str, ...] = ()
    """Further folders that confined agents may write, such as caches or an agent's own login;
    relative to the project root, or with `~`.
    """


@dataclass(frozen=True)
class Store:
    """`[store]`: where files of a run are kept."""

    views: str = ""
    """Folder for agents' working folders, outside the project; empty = `podium/views` in the user's
    state folder.
    """


@dataclass(frozen=True)
class Fleet:
    """`[fleet]`: runs on many machines (docs/fleet.md). Without a database there is no fleet."""

    database: str = ""
    """PostgreSQL database with the journal, as `postgresql://user:password@host/name`; best set in
    your own file or in
    `PODIUM_FLEET__DATABASE`, because it contains a password.
    """
    engine: str = field(default="none", metadata={"choices": ("none", "procrastinate", "temporal")})
    """What tells workers about work: nothing (they poll the database), procrastinate in the same
    database, or Temporal.
    """
    temporal: str = "127.0.0.1:7233"
    """Temporal's address."""
    namespace: str = "default"
    """Temporal's namespace."""
    remote: str = ""
    """The git remote that carries code between machines: its address, or its name here; empty =
    `origin`.
    """
    beat_s: float = field(default=30.0, metadata={"kind": "seconds"})
    """A worker reports twice in this time that it is alive; after one and a half times this in
    silence others take its run.
    """
    work: str = ""
    """A worker's folder for checkouts; empty = `podium/fleet` in the user's state folder."""
    steps: int = 0
    """After this many steps a worker puts a run back into the line, so that others get their
    turn; 0 = only when it rests.
    """
    stay_s: float = 5.0
    """For this long other workers leave a run to the one that had it last, if that is alive; 0 =
    not at all.
    """
    limits: Mapping[str, Mapping[str, int]] = field(
        default_factory=dict, metadata={"kind": "table"}
    )
    """Most runs under way on all workers together, by name: `[fleet.limits]` with `agents.claude =
    3`,
    `providers.anthropic = 5`, `users.anna = 4`; `default` applies to every name that is not listed.
    """
    store: str = ""
    """Where large and ignored files of runs are kept: a folder that all machines can see, or
    `s3://bucket/prefix`; empty = in git. S3 keys come from the environment (`AWS_ACCESS_KEY_ID` and
    so on), never from settings.
    """
    store_endpoint: str = ""
    """Address of a server compatible with S3, such as `https://minio.example:9000`; empty =
    Amazon's.
    """
    store_above_mb: float = 5.0
    """Files larger than this many megabytes go to the store, if there is one."""


@dataclass(frozen=True)
class Ui:
    """`[ui]`: how the terminal looks."""

    live: bool = True
    """Draw a live view on a terminal; off = plain lines, as in a pipe."""
    color: bool = True
    """Use colour on a terminal. `NO_COLOR` and `--no-color` win."""
    ask: bool = True
    """Ask at the terminal when a gate opens in `run`, `resume` or `watch`; off = the command
    ends there with exit code 10.
    """


@dataclass(frozen=True)
class Notify:
    """`[notify]`: who is told about gates, stops and ends outside the run. Notifications never
    delay a run or make it fail.
    """

    events: tuple[str, ...] = field(default=(), metadata={"choices": TOLD})
    """Which events to tell: gate, blocked, budget, sleep, complete, cancelled. Empty = all of
    them.
    """
    desktop: str = field(default="auto", metadata={"choices": ("auto", "on", "off")})
    """A notification on the desktop (notify-send, or osascript on a Mac); `auto` = if there is a
    desktop.
    """
    webhook: str = ""
    """Address to which each event is posted as JSON; `PODIUM_NOTIFY__WEBHOOK` keeps it out of
    files.
    """
    webhook_secret_env: str = ""
    """The variable with the secret that signs the webhook. If it has no value, nothing is sent."""
    command: tuple[str, ...] = field(default=(), metadata={"kind": "command"})
    """Program started for each event, with the same JSON on its standard input and a bare
    environment.
    """
    timeout_s: float = field(default=10.0, metadata={"kind": "seconds"})
    """Time limit for one try; then the program is ended or the connection closed."""
    link: str = ""
    """An address for people, sent along; `{run}` and `{gate}` are filled in."""


@dataclass(frozen=True)
class Mcp:
    """`[mcp]`: what a chat agent may do through `podium mcp`. Looking is always allowed."""

    start: bool = True
    """Whether it may start and resume runs."""
    decide: str = field(
        default="false", metadata={"kind": "choice", "choices": ("false", "true", "all")}
    )
    """Whether it may approve, reject and answer in your name: `false`; `true`, except high-risk
    gates and drifted files;
    `"all"`.

    If one of Podium's own agents started it, it never may.
    """


@dataclass(frozen=True)
class Telemetry:
    """`[telemetry]`: OpenTelemetry traces and metrics of runs while they are driven."""

    endpoint: str = ""
    """A collector's base address for OTLP over HTTP, such as `http://127.0.0.1:4318`; empty =
    nothing is sent.
    """
    protocol: str = field(default="", metadata={"choices": ("http/protobuf", "http/json")})
    """Empty = `http/protobuf` if the extra `otel` is installed, otherwise `http/json`."""
    headers_env: str = ""
    """The variable with headers to send along, `name=value,name=value`, such as a key for the
    collector.
    """
    content: bool = False
    """Whether texts of agents and people are sent as well: reasons, questions of gates, notes
    and names.
    """
    timeout_s: float = field(default=10.0, metadata={"kind": "seconds"})
    """Time limit for one request."""


@dataclass(frozen=True)
class Issues:
    """`[issues]`: how `--issue` reads issues from trackers."""

    jira: tuple[str, ...] = field(
        default=("jira", "issue", "view", "{key}", "--raw"), metadata={"kind": "command"}
    )
    """Program that prints a Jira issue as the JSON of Jira's REST interface; `{key}` is filled
    in.
    """
    timeout_s: float = field(default=60.0, metadata={"kind": "seconds"})
    """Time limit for `gh` or that program."""


@dataclass(frozen=True)
class Settings:
    """Everything that is set, all layers merged."""

    agent: str = ""
    """The default agent for all roles."""
    agents: Mapping[str, AgentSettings] = field(default_factory=dict)
    """Agents by name."""
    roles: Mapping[str, RoleSettings] = field(default_factory=dict)
    """Roles by name."""
    commands: Commands = Commands()
    """Build, test and lint commands."""
    proof: Proof = Proof()
    """What counts as proof."""
    view: View = View()
    """What agents and commands find."""
    policy: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Policy values that were set, by workflow; `policy_of` adds the built-in ones."""
    budget: Budget = Budget()
    """Caps on a run, a step and a day."""
    prices: Mapping[str, Price] = field(default_factory=dict)
    """What models cost, by name or pattern."""
    gateway: Gateway = Gateway()
    """What is recorded of calls to models."""
    isolation: Isolation = Isolation()
    """How firmly contracts must be enforced."""
    store: Store = Store()
    """Where files are kept."""
    fleet: Fleet = Fleet()
    """Runs on many machines."""
    ui: Ui = Ui()
    """How the terminal looks."""
    notify: Notify = Notify()
    """Who is notified."""
    mcp: Mcp = Mcp()
    """What a chat agent may do."""
    telemetry: Telemetry = Telemetry()
    """Where traces and metrics go."""
    issues: Issues = Issues()
    """How issues are read."""
    sources: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    """Where each value came from: `commands.test` to a file or a variable. A value that is not
    listed is built in.
    """

    def policy_of(
        self, workflow: str, overrides: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The policy a run starts with: built-in < set < given on the command line."""
        return over(over(defaults(workflow), self.policy.get(workflow, {})), overrides or {})

    def agent_tables(self) -> dict[str, dict[str, Any]]:
        """Configured agents in the form that the registry takes."""
        return {name: each.table() for name, each in self.agents.items()}

    def agent_for(self, role: str) -> str:
        """The agent set for a role, otherwise the default; empty if none is set."""
        chosen = self.roles.get(role)
        return (chosen.agent if chosen else "") or self.agent

    def told_agent(self, role: str) -> str:
        """The same, but only if the environment says so: unlike a file, it is gone with the
        shell.
        """
        chosen = self.roles.get(role)
        named = f"roles.{role}.agent" if chosen and chosen.agent else "agent"
        return self.agent_for(role) if self.sources.get(named, "").startswith("PODIUM_") else ""
