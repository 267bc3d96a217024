"""`podium export RUN`: for other tools: decisions as in-toto statements, the run as an
OpenTelemetry trace.
"""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser, Namespace
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from podium.attest.checking import Checked, check
from podium.attest.journals import journals
from podium.attest.statements import file_name, statements
from podium.cli import context, output_file
from podium.cli.terminal import terminal
from podium.core.errors import Halted, UsageError
from podium.views.figures import plural
from podium.wiring import App

DIFFERS = 20


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "run",
        metavar="RUN",
        nargs="?",
        default="@",
        help="an id or a unique prefix; default: the latest",
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--approvals", action="store_true", help="every decision at a gate as an in-toto statement"
    )
    what.add_argument(
        "--otel",
        action="store_true",
        help="the run as OTLP traces and metrics, to [telemetry] endpoint or --out",
    )
    what.add_argument(
        "--check",
        metavar="FILE",
        nargs="+",
        default=[],
        help="rebuild exported statements and compare them and their files",
    )
    parser.add_argument(
        "--out",
        metavar="PATH",
        default="",
        help="approvals: a folder, one file each; otel: a file of JSON lines",
    )
    parser.add_argument(
        "--endpoint",
        metavar="URL",
        default="",
        help="otel: a collector other than [telemetry] endpoint",
    )


def run(args: Namespace) -> int:
    app = context.app(args)
    if args.check:
        return _check(args, app)
    run = app.resolve(args.run)
    return _approvals(args, app, run) if args.approvals else _otel(args, app, run)


def _approvals(args: Namespace, app: App, run: str) -> int:
    found: list[dict[str, Any]] = []
    for journal in journals(context.home(app, run), run):
        if not journal.intact:
            raise Halted(f"{journal.said()}. Nothing is exported from a journal that was changed.")
        found += statements(journal.events)
    out = terminal(args)
    if not args.out:
        lines = "\n".join(json.dumps(each, ensure_ascii=False, sort_keys=True) for each in found)
        out.answer(
            {"run": run, "statements": found}, lines or f"{run}: nobody has decided anything yet"
        )
        return 0
    folder = Path(args.out)
    with output_file.written_to(folder, "--out"):
        folder.mkdir(parents=True, exist_ok=True)
    written = []
    for each in found:
        path = folder / file_name(each)
        output_file.write(
            path, json.dumps(each, ensure_ascii=False, sort_keys=True, indent=2) + "\n", "--out"
        )
        written.append(str(path))
    out.answer(
        {"run": run, "files": written},
        "\n".join(written) or f"{run}: nobody has decided anything yet",
    )
    return 0


def _check(args: Namespace, app: App) -> int:
    found = [
        check(app.project, Path(each), lambda run: context.home(app, run)) for each in args.check
    ]
    told = [{**asdict(each), "holds": each.holds} for each in found]
    terminal(args).answer({"statements": told}, "\n".join(map(_said, found)))
    return 0 if all(each.holds for each in found) else DIFFERS


def _said(each: Checked) -> str:
    head = f"{each.where}: {each.gate} of {each.run}"
    if each.wrong:
        return f"{head} is not borne out by the journal: {'; '.join(each.wrong)}"
    if each.changed:
        return (
            f"{head} is as the journal has it, but these files are no longer what was decided on: "
            f"{', '.join(each.changed)}"
        )
    return f"{head} is as the journal has it; {plural(len(each.checked), 'file')} as decided on"


def _otel(args: Namespace, app: App, run: str) -> int:
    from podium.reach.channel import Undelivered  # noqa: PLC0415 - only for this export
    from podium.reach.otel import otlp  # noqa: PLC0415
    from podium.reach.otel.collector import Collector  # noqa: PLC0415
    from podium.reach.otel.tracing import spans  # noqa: PLC0415

    settings = context.settings(args).telemetry
    if args.endpoint:
        settings = replace(settings, endpoint=args.endpoint)
    found = spans(app.events(run), content=settings.content)
    told = {"run": run, "trace": found[0].trace, "spans": len(found)}
    if args.out:
        lines = [
            json.dumps(each, sort_keys=True)
            for each in (otlp.traces(found), otlp.metrics(found))
            if each
        ]
        output_file.write(args.out, "\n".join(lines) + "\n", "--out")
        terminal(args).answer(
            {**told, "file": args.out}, f"{run}: {len(found)} spans in {args.out}"
        )
        return 0
    if not settings.endpoint:
        raise UsageError(
            "podium export --otel: name a file with --out, or a collector with [telemetry] "
            "endpoint or --endpoint"
        )
    collector = Collector(settings, os.environ)
    try:
        collector.send(found)
    except Undelivered as fault:
        raise UsageError(f"podium export --otel: {fault}") from None
    said = f"{run}: {len(found)} spans sent as {collector.protocol}; trace {found[0].trace}"
    terminal(args).answer({**told, "protocol": collector.protocol}, said)
    return 0
