"""`podium graph WORKFLOW`: the workflow as Mermaid text or as a picture."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from podium.cli import catalog, context
from podium.cli.terminal import terminal
from podium.core.diagram import graph, mermaid


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "workflow", metavar="WORKFLOW", help=f"one of: {', '.join(catalog.names())}"
    )
    parser.add_argument(
        "--svg", action="store_true", help="a picture, on stdout, instead of Mermaid text"
    )


def run(args: Namespace) -> int:
    workflow = catalog.workflow(args.workflow, context.project(args))
    if args.svg:
        from podium.views.svg.family import family  # noqa: PLC0415

        text = family(graph(workflow))
    else:
        text = mermaid(workflow)
    if args.json:
        terminal(args).data({"workflow": args.workflow, "svg" if args.svg else "mermaid": text})
    else:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
    return 0
