"""Every command: its module, its help line, its group. A table, so that help imports none of them."""

from __future__ import annotations

GROUPS: dict[str, dict[str, str]] = {
    "Start": {
        "demo": "see a whole run on a small project, with no model, key or network; demo WORKFLOW for another",
        "init": "set up this project: podium.toml and what a workflow needs",
        "run": "start a run: harness TASKFILE, roadmap [FILE], or feature, ticket or governed and a REQUEST",
        "resume": "continue a paused or interrupted run",
    },
    "Decide": {
        "approve": "approve at an open gate",
        "reject": "reject at an open gate, with a note; --to names where to go back to",
        "answer": "answer a question with --choice or --text",
        "rewind": "go back to a step; it and everything after it run again",
        "cancel": "end a run cleanly",
    },
    "Fleet": {
        "submit": "give a run to the fleet, as `run` would start it here",
        "worker": "take runs from the fleet and drive them on this machine",
        "fleet": "look at workers and queue (status, metrics), start servers to try it (up), tidy the store (clean)",
    },
    "Look": {
        "watch": "follow runs that other processes drive, and decide at their gates",
        "status": "where a run stands and what it waits for",
        "list": "all runs of this project",
        "log": "what happened, from the journal; --all for every event, --follow to keep watching",
        "show": "one step in full: prompt, answer, files, evidence",
        "report": "the run as Markdown or, with --html FILE, as one page",
        "export": "approvals as in-toto statements, or the run as an OpenTelemetry trace",
        "graph": "a workflow as a drawing",
        "ui": "watch runs and decide in a browser",
        "mcp": "an MCP server: your chat agent can look at runs, start them and, if you allow it, decide",
    },
    "Check": {
        "check": "visit every state a workflow can reach and prove its rules",
        "simulate": "thousands of simulated runs: how long they take, what they cost, how they end",
        "doctor": "check the setup, and say how to fix what is wrong",
        "agents": "agents found on this machine",
        "verify-agent": "check that an agent keeps its contract, with a scripted model in place of its own",
        "roles": "roles, their definitions and who plays them",
        "import": "which rules of an agent file or a prose orchestrator Podium enforces",
        "completion": "completion for bash, zsh or fish",
    },
}

COMMANDS: dict[str, str] = {name: line for group in GROUPS.values() for name, line in group.items()}


def module(command: str) -> str:
    # Two of them are Python's own words.
    named = {"list": "listing", "import": "importing"}.get(command, command.replace("-", "_"))
    return f"podium.cli.commands.{named}"


def welcome() -> str:
    """What `podium` alone prints."""
    width = max(map(len, COMMANDS)) + 2
    lines = [
        "Podium takes a task through AI coding agents and enforces the rules itself: what runs next,",
        "what each agent may see and write, what counts as proof, when you are asked.",
        "",
        "  podium demo            watch it work; needs nothing",
        "  podium init harness    set up the project you are in",
    ]
    for group, commands in GROUPS.items():
        lines += ["", group, *(f"  {name:<{width}}{line}" for name, line in commands.items())]
    lines += [
        "",
        "Everywhere: --project DIR, --json, --quiet, --no-color. `podium COMMAND --help` says more.",
        "A RUN is an id, a unique prefix, or @ for the latest.",
    ]
    return "\n".join(lines)
