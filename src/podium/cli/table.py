"""Every command: its module, its line of help, its group. A table, so that help imports none of them."""

from __future__ import annotations

GROUPS: dict[str, dict[str, str]] = {
    "Start": {
        "demo": "see a whole run on a small project, with no model, key or network; demo WORKFLOW for another",
        "init": "set up this project: podium.toml, and what a workflow needs",
        "run": "start a run: podium run harness TASKFILE, roadmap [FILE], feature REQUEST",
        "resume": "go on with a run that was paused or died",
    },
    "Decide": {
        "approve": "say yes at an open gate",
        "reject": "say no, with a note; --to names where to go back to",
        "answer": "answer a question with --choice or --text",
        "rewind": "go back to a step; it and all that follows run again",
        "cancel": "end a run cleanly",
    },
    "Fleet": {
        "submit": "give a run to the fleet, as `run` would start it here",
        "worker": "take runs of the fleet and drive them on this machine",
        "fleet": "status: workers, queue and waits; metrics; up: servers of one's own, to try it; clean: the store",
    },
    "Look": {
        "watch": "runs that are driven elsewhere, live; decide at their gates",
        "status": "where a run stands and what it waits for",
        "list": "all runs of this project",
        "log": "what happened, from the journal; --follow",
        "show": "one step whole: prompt, answer, files, evidence",
        "report": "the run as Markdown",
        "export": "approvals as in-toto statements, the run as an OpenTelemetry trace; --check",
        "graph": "a workflow as a drawing",
        "ui": "watch runs and decide in a browser",
        "mcp": "an MCP server, so that your chat agent can look, start and, where you allow it, decide",
    },
    "Check": {
        "check": "visit every state a workflow can reach and prove its rules",
        "simulate": "thousands of runs in virtual time: how long, how dear, how they end; or hostile agents",
        "doctor": "is everything in place, and how to mend what is not",
        "agents": "agents found on this machine",
        "verify-agent": "try an agent against its contract, with a scripted model: works, fails and stays in as it must",
        "roles": "roles, their definitions and who plays them",
        "import": "which rules of an agent file or a prose orchestrator the program holds",
        "completion": "completion for bash, zsh or fish",
    },
}

COMMANDS: dict[str, str] = {name: line for group in GROUPS.values() for name, line in group.items()}


def module(command: str) -> str:
    # Two of them are words of Python itself.
    named = {"list": "listing", "import": "importing"}.get(command, command.replace("-", "_"))
    return f"podium.cli.commands.{named}"


def welcome() -> str:
    """What `podium` alone prints."""
    width = max(map(len, COMMANDS)) + 2
    lines = [
        "Podium takes a task through AI coding agents and holds the rules itself: what runs next,",
        "what each agent may see and write, what counts as proof, when you are asked.",
        "",
        "  podium demo            watch it work; needs nothing",
        "  podium init harness    set up the project you are in",
    ]
    for group, commands in GROUPS.items():
        lines += ["", group, *(f"  {name:<{width}}{line}" for name, line in commands.items())]
    lines += [
        "",
        "Everywhere: --project DIR, --json, --quiet, --no-color. `podium COMMAND --help` tells more.",
        "A RUN is an id, the beginning of one, or @ for the latest.",
    ]
    return "\n".join(lines)
