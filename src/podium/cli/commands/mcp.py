"""`podium mcp`: an MCP server on standard input and output, for a person's own chat agent."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from podium.cli import context, people


def configure(parser: ArgumentParser) -> None:
    """It has no options of its own: `[mcp]` says what is allowed."""


def run(args: Namespace) -> int:
    from podium.agents.reporting.server import serve  # noqa: PLC0415 - only this command speaks MCP
    from podium.mcp.server import McpServer  # noqa: PLC0415
    from podium.mcp.starting import Starter  # noqa: PLC0415

    project = context.project(args)
    server = McpServer(
        lambda: context.app(args), Starter(project, os.environ), lambda: people.person(project)
    )
    # Nothing else that is printed may come between two messages.
    answers = os.dup(1)
    os.dup2(2, 1)
    try:
        serve(server, 0, answers)
    finally:
        os.dup2(answers, 1)
        os.close(answers)
    return 0
