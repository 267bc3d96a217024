"""The reference of commands, generated from their parsers."""

from __future__ import annotations

import os
import re
from importlib import import_module
from unittest import mock

from scripts.pages import NOTE
from scripts.pages.tables import code, rows

from podium.cli import table
from podium.cli.parser import Parser


def commands_page() -> str:
    parts = [
        NOTE,
        "# Commands\n",
        (
            "`podium` alone lists them, `podium help COMMAND` tells more. A RUN is an id, the "
            "beginning of one, or `@` "
            "for the latest. Exit codes are in the [README](../../README.md#exit-codes).\n"
        ),
        "## Everywhere\n",
        options(parser_of("status"), {"everywhere"}),
    ]
    for group, names in table.GROUPS.items():
        parts.append(f"## {group}\n")
        for name, line in names.items():
            parser = parser_of(name)
            usage = " ".join(parser.format_usage().removeprefix("usage: ").split())
            usage = re.sub(r"\[(-h|--project DIR|--json|--quiet|--no-color)\] ?", "", usage).strip()
            own = options(
                parser,
                {group.title or "" for group in parser._action_groups} - {"everywhere"},  # noqa: SLF001
            )
            parts += [
                f"### `podium {name}`\n",
                f"{line[:1].upper()}{line[1:]}.\n",
                f"```text\n{usage}\n```\n",
            ]
            parts += [own] if own else []
    return "\n".join(parts)


def parser_of(name: str) -> Parser:
    parser = Parser(name, table.COMMANDS[name])
    with mock.patch.dict(os.environ, {"COLUMNS": "400"}):
        import_module(table.module(name)).configure(parser)
    return parser


def options(parser: Parser, titles: set[str]) -> str:
    body = []
    # argparse has no other list of its arguments
    for group in parser._action_groups:  # noqa: SLF001
        for each in group._group_actions if group.title in titles else ():  # noqa: SLF001
            if "--help" in each.option_strings:
                continue
            value = (
                each.metavar
                if isinstance(each.metavar, str)
                else "|".join(map(str, each.choices or ()))
            )
            spelled = ", ".join(f"{name} {value}".strip() for name in each.option_strings) or value
            body.append((code(spelled), each.help or ""))
    return rows(("Argument", "Meaning"), body) if body else ""
