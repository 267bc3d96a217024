"""`podium agents`: which agents there are, on this machine and in the settings."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from typing import Any

from podium.agents.profiles.catalog import PROFILES, discover, untried, version
from podium.cli import context
from podium.cli.terminal import terminal


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--no-versions", action="store_true", help="do not start the programs to ask their version"
    )


def run(args: Namespace) -> int:
    settings = context.settings(args)
    found = {each.name: each.path for each in discover()}
    known = [
        {
            "name": name,
            "path": found.get(name),
            "version": version(found[name], os.environ)
            if name in found and not args.no_versions
            else None,
            "tried": list(each.versions),
            "transports": ["headless", *(["acp"] if each.acp else [])],
            "install": each.install,
            "note": each.note,
            "environment": list(each.keys),
        }
        for name, each in PROFILES.items()
    ]
    told = {
        "default": settings.agent or None,
        "known": known,
        "configured": settings.agent_tables(),
    }
    terminal(args).answer(told, _text(told))
    return 0


def _text(told: dict[str, Any]) -> str:
    width = max(len(each["name"]) for each in told["known"]) + 2
    lines = []
    for each in told["known"]:
        if each["path"]:
            other = untried(PROFILES[each["name"]], each["version"] or "")
            tried = f"(tried with {', '.join(each['tried'])})" if other else ""
            words = [
                each["path"],
                each["version"] or "",
                tried,
                f"({each['note']})" if each["note"] else "",
            ]
            lines.append(f"  {each['name']:<{width}}" + "  ".join(word for word in words if word))
        else:
            lines.append(f"  {each['name']:<{width}}not here: {each['install']}")
    if told["configured"]:
        lines += [
            "",
            "Configured:",
            *(f"  {name}: {table}" for name, table in told["configured"].items()),
        ]
    lines += ["", "Always there: scripted:FILE (a scenario), command:PROGRAM ARGUMENTS, human."]
    default = told["default"] or 'none; set agent = "…" in podium.toml, or say --agent NAME'
    return "\n".join([*lines, f"Default: {default}"])
