"""Every command: its module, its help line, its group. A table, so that help imports none of
them.
"""

from __future__ import annotations

GROUPS: dict[str, dict[str, str]] = {
    "Start": {
        "demo": "see a whole run on a small project: no model, no key, no network",
        "init": "set up this project: podium.toml and what a workflow needs",
        "run": "start a run, on a task file, a backlog or a request",
        "resume": "continue a paused or interrupted run",
    },
    "Decide": {
        "approve": "approve at an open gate",
        "reject": "reject at an open gate, with a note; --to says where to go back",
        "answer": "answer a question with --choice or --text",
        "rewind": "go back to a step; it and everything after it run again",
        "cancel": "end a run cleanly",
    },
    "Look": {
        "watch": "follow runs that other processes drive, and decide at gates",
        "status": "where a run stands and what it waits for",
        "list": "all runs of this project",
        "log": "what happened, from the journal; --follow keeps watching",
        "show": "one step in full: prompt, answer, files, evidence",
        "report": "the run as Markdown or, with --html FILE, as one page",
        "export": "approvals as in-toto statements, or an OpenTelemetry trace",
        "graph": "draw a workflow",
        "ui": "watch runs and decide in a browser",
        "mcp": "an MCP server: lets your chat agent look at runs and start them",
    },
    "Check": {
        "check": "visit every state a workflow can reach and prove its rules",
        "simulate": "simulate thousands of runs: how they end, and what they cost",
        "doctor": "check the setup, and say how to fix what is wrong",
        "agents": "agents found on this machine",
        "verify-agent": "test that an agent keeps its contract, against a scripted model",
        "workflows": "workflows that can be run here, and where each comes from",
        "trust": "let a workflow file of yours run, as it is now",
        "roles": "roles, their definitions, and the agent that plays each",
        "import": "see which rules of an agent file or a prompt Podium enforces",
        "completion": "completion for bash, zsh or fish",
    },
    "Fleet": {
        "submit": "give a run to the fleet, as `run` would start it here",
        "worker": "take runs from the fleet and drive them on this machine",
        "fleet": "see workers and queue, start one to try (up), tidy its store",
    },
}

COMMANDS: dict[str, str] = {name: line for group in GROUPS.values() for name, line in group.items()}


def module(command: str) -> str:
    # Two of them are Python's own words.
    named = {"list": "listing", "import": "importing"}.get(command, command.replace("-", "_"))
    return f"podium.cli.commands.{named}"


_WHAT = """\
Podium takes a task through AI coding agents and enforces the rules itself:
what runs next, what each agent may see and write, what counts as proof, and
when you are asked.

  podium demo            watch it work; needs nothing
  podium init harness    set up the project you are in
"""


def welcome() -> str:
    """What `podium` alone prints: it fits on a screen of 24 lines."""
    width = max(map(len, GROUPS)) + 2
    lines = [f"  {group:<{width}}{', '.join(commands)}" for group, commands in GROUPS.items()]
    return "\n".join(
        [
            _WHAT,
            *lines,
            "",
            "`podium help` says what each does, `podium COMMAND --help` how to use it.",
        ]
    )


def overview() -> str:
    """What `podium help` prints."""
    width = max(map(len, COMMANDS)) + 2
    lines = [_WHAT.rstrip()]
    for group, commands in GROUPS.items():
        lines += ["", group, *(f"  {name:<{width}}{line}" for name, line in commands.items())]
    lines += [
        "",
        "Everywhere: --project DIR, --json, --quiet, --no-color.",
        "`podium COMMAND --help` says more.",
        "A RUN is an id, a unique prefix, or @ for the latest.",
    ]
    return "\n".join(lines)
