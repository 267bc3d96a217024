"""`podium workflows`: every workflow that can be run here, and where it comes from."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from podium.cli import context
from podium.cli.terminal import terminal
from podium.workflow_sources import Source, listed


def configure(_parser: ArgumentParser) -> None:
    pass


def run(args: Namespace) -> int:
    sources = list(listed(context.project(args)))
    width = max(len(source.name) for source in sources)
    place = max(len(source.where) for source in sources)
    lines = [
        f"{source.name:<{width}}  {source.where:<{place}}  {_about(source)}" for source in sources
    ]
    terminal(args).answer(
        {"workflows": [asdict(source) for source in sources]},
        "\n".join(line.rstrip() for line in lines),
    )
    return 0


def _about(source: Source) -> str:
    return (
        f"{source.about} (instead of the {source.shadows} one)" if source.shadows else source.about
    )
