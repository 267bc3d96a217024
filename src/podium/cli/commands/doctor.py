"""`podium doctor`: checks that everything is in place, and says how to fix what is not. Exit 2
if something fails.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from podium.cli import checkup, context
from podium.cli.checkup_reach import notify, telemetry
from podium.cli.finding import Finding
from podium.cli.terminal import terminal
from podium.views.figures import plural

CONFIGURATION = 2
MARKS = {"ok": "ok  ", "warn": "warn", "fail": "FAIL"}


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--notify",
        action="store_true",
        help="also send a test notice through every channel of [notify]",
    )


def run(args: Namespace) -> int:
    project = context.project(args)
    found = [*checkup.everything(project), *notify(project, send=args.notify), *telemetry(project)]
    failed = any(each.level == "fail" for each in found)
    text = "\n".join([*map(_line, found), "", _summed(found)])
    terminal(args).explain({"ok": not failed, "checks": [_object(each) for each in found]}, text)
    return CONFIGURATION if failed else 0


def _line(each: Finding) -> str:
    mend = f"\n        -> {each.mend}" if each.mend else ""
    return f"{MARKS[each.level]}  {each.name}: {each.what}{mend}"


def _summed(found: Sequence[Finding]) -> str:
    """The last line, which is in sight when the first have scrolled away."""
    failed, warned = (
        [each.name for each in found if each.level == level] for level in ("fail", "warn")
    )
    if failed:
        return f"{plural(len(failed), 'check')} failed: {', '.join(dict.fromkeys(failed))}"
    if warned:
        return (
            f"Nothing failed; {plural(len(warned), 'warning')}: {', '.join(dict.fromkeys(warned))}"
        )
    return "Everything is in place."


def _object(each: Finding) -> dict[str, Any]:
    tried = [{"attack": attack, "held": held} for attack, held in each.tried]
    return {**asdict(each), "tried": tried}
