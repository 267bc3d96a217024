"""`podium report RUN`: the run as Markdown, or as one self-contained HTML page."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from podium.cli import context, output_file
from podium.cli.terminal import terminal

if TYPE_CHECKING:
    from podium.wiring import App
    from podium.wiring_values import Summary


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "run",
        metavar="RUN",
        nargs="?",
        default="@",
        help="an id or a unique prefix; default: the latest",
    )
    parser.add_argument(
        "--html",
        metavar="FILE",
        default="",
        help="write one self-contained HTML page to FILE instead; - is stdout",
    )


def run(args: Namespace) -> int:
    app = context.app(args)
    summary = app.summary(app.resolve(args.run))
    if args.html:
        return _html(args, app, summary)
    from podium.views.report.report import markdown  # noqa: PLC0415

    steps = app.workflow(summary.run).steps.values()
    text = markdown(app.events(summary.run), summary, steps, apart=_apart(app, summary.run))
    terminal(args).answer({"run": summary.run, "markdown": text}, text.rstrip("\n"))
    return 0


def _html(args: Namespace, app: App, summary: Summary) -> int:
    from podium.state.run_folder import RunFolder, load_request  # noqa: PLC0415
    from podium.web.pages.report import html  # noqa: PLC0415 - only for a page

    request = load_request(RunFolder(app.project, summary.run.partition("/")[0]))
    text = html(
        app.events(summary.run),
        summary,
        app.workflow(summary.run),
        request,
        _apart(app, summary.run),
    )
    if args.html == "-":
        terminal(args).answer({"run": summary.run, "html": text}, text.rstrip("\n"))
        return 0
    output_file.write(args.html, text, "--html")
    terminal(args).answer(
        {"run": summary.run, "file": os.path.abspath(args.html), "bytes": len(text.encode())},
        f"{args.html} written",
    )
    return 0


def _apart(app: App, run: str) -> str:
    """The repository with the run's branch, if the project has none."""
    home = app.project / ".podium" / "snapshots.git"
    return ".podium/snapshots.git" if (home / "refs" / "heads" / "podium" / run).is_file() else ""
