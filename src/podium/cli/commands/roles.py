"""`podium roles`: every role, where its definition comes from, and who plays it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from podium.cli import catalog, context
from podium.cli.terminal import terminal
from podium.settings import Settings


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "workflow", metavar="WORKFLOW", nargs="?", default="", help="only the roles of this one"
    )


def run(args: Namespace) -> int:
    project, settings = context.project(args), context.settings(args)
    workflows = [catalog.checked(args.workflow)] if args.workflow else list(catalog.names())
    told = [
        _role(name, role, file, project, settings)
        for name in workflows
        for role, file in catalog.workflow(name, project).roles().items()
    ]
    terminal(args).answer({"roles": told}, _text(told))
    return 0


def _role(workflow: str, role: str, file: str, project: Path, settings: Settings) -> dict[str, Any]:
    chosen = settings.roles.get(role)
    definition = (chosen.definition if chosen else "") or file
    return {
        "workflow": workflow,
        "role": role,
        "definition": definition,
        "from": "project" if definition and (project / definition).is_file() else "built-in",
        "agent": settings.agent_for(role) or None,
    }


def _text(told: list[dict[str, Any]]) -> str:
    rows = [
        (each["workflow"], each["role"], each["agent"] or "no agent", each["from"], each["definition"])
        for each in told
    ]
    widths = [max((len(row[at]) for row in rows), default=0) for at in range(5)]
    return "\n".join(
        "  ".join(f"{word:<{width}}" for word, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
