"""`--issue`: an issue of a tracker as the request of a run."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from podium.cli import catalog, context
from podium.cli.terminal import Terminal
from podium.core.digest import digest
from podium.core.errors import UsageError
from podium.wiring_values import RunOptions
from podium.workflows.catalog import NAMES, entry

REFUSED = {
    "harness": (
        "harness works on a task file: write the issue into one, from harness/templates, and name "
        "it"
    ),
    "roadmap": (
        'roadmap works on its file: `podium run roadmap plan "…"` lets a planner write items from '
        "words"
    ),
}


def asked(
    args: Namespace, out: Terminal, workflow: str, options: RunOptions
) -> tuple[Sequence[str], RunOptions]:
    """A run's inputs and options, from an issue if one is named; its source and digest go into
    the run's request.
    """
    if not args.issue:
        return args.inputs, options
    how = catalog.found(workflow, context.project(args)).issue
    if how is None:
        able = ", ".join(name for name in NAMES if entry(name).issue is not None)
        raise UsageError(f"--issue is for {able}. {REFUSED.get(workflow, '')}".rstrip())
    if args.state or args.plan or getattr(args, "from"):
        raise UsageError("--issue is the request; it does not go with --from, --plan or --state")
    from podium.formats.issue import request  # noqa: PLC0415 - only for an issue
    from podium.formats.issue_files import read_issue  # noqa: PLC0415
    from podium.reach.trackers import fetch  # noqa: PLC0415

    fetched = fetch(
        args.issue, context.project(args), Path.cwd(), context.settings(args).issues, os.environ
    )
    issue = read_issue(fetched.text, fetched.where)
    quoted = request(issue, args.issue, " ".join(args.inputs), comments=args.issue_comments)
    for each in quoted.remarks:
        out.remark(f"note: {each}")
    inputs, extra = how(issue, quoted.text)
    record = {
        "source": args.issue,
        "key": issue.key,
        "url": issue.url,
        "digest": digest(fetched.text.encode(errors="surrogateescape")),
        "request": digest(quoted.text),
        "comments": bool(args.issue_comments),
        "remarks": list(quoted.remarks),
    }
    given = {name: value for name, value in extra.items() if value}
    return inputs, replace(options, extra={**given, **options.extra, "issue": record})
