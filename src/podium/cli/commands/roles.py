"""`podium roles`: every role, where its definition comes from, and who plays it."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from typing import Any

from podium.cli import catalog, context
from podium.cli.terminal import terminal
from podium.core.errors import Fault
from podium.engine.services import Definition
from podium.roles import survey
from podium.settings.values import Settings
from podium.workflows.catalog import entry


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "workflow", metavar="WORKFLOW", nargs="?", default="", help="only the roles of this one"
    )


def run(args: Namespace) -> int:
    project, settings = context.project(args), context.settings(args)
    workflows = [catalog.checked(args.workflow)] if args.workflow else list(catalog.names())
    told: list[dict[str, Any]] = []
    faults: list[Fault] = []
    remarks: list[Fault] = []
    for name in workflows:
        for known in (*entry(name).also(), catalog.workflow(name, project)):
            found, bad = survey(known, name, project, settings.roles, os.environ)
            told += [_role(name, role, found.get(role), settings) for role in known.roles()]
            faults += bad
            remarks += [each for definition in found.values() for each in definition.warnings]
    faults, remarks = list(dict.fromkeys(faults)), list(dict.fromkeys(remarks))
    lists = {"faults": list(map(str, faults)), "warnings": list(map(str, remarks))}
    terminal(args).answer({"roles": told, **lists}, _text(told, faults, remarks))
    return 0


def _role(
    workflow: str, role: str, definition: Definition | None, settings: Settings
) -> dict[str, Any]:
    source = definition.source if definition else ""
    place = {"": "unreadable", "built-in": "built-in", "none": "nowhere"}.get(source)
    return {
        "workflow": workflow,
        "role": role,
        "definition": "" if place else source,
        "from": place or ("user" if os.path.isabs(source) else "project"),
        "digest": definition.digest if definition else None,
        "agent": settings.agent_for(role) or None,
    }


def _text(told: list[dict[str, Any]], faults: list[Fault], remarks: list[Fault]) -> str:
    rows = [
        (
            each["workflow"],
            each["role"],
            each["agent"] or "no agent",
            each["from"],
            each["definition"],
        )
        for each in told
    ]
    widths = [max((len(row[at]) for row in rows), default=0) for at in range(5)]
    lines = [
        "  ".join(f"{word:<{width}}" for word, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    lines += [f"FAIL  {each}" for each in faults] + [f"warn  {each}" for each in remarks]
    return "\n".join(lines)
