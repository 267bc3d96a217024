"""`podium show RUN [KEY]`: one step whole; without a key, the steps there are."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from podium.cli import context
from podium.cli.terminal import terminal
from podium.core.errors import UsageError
from podium.core.history import History, StepRecord
from podium.core.keys import names
from podium.settings.schema import nearest
from podium.views.show import read_step, show
from podium.views.style import Style


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="an id, the beginning of one, or @ for the latest")
    parser.add_argument(
        "key", metavar="KEY", nargs="?", default="", help="the step; `qa` means its last round"
    )
    parser.add_argument("--full", action="store_true", help="cut nothing, however long")


def run(args: Namespace) -> int:
    out = terminal(args)
    app = context.app(args)
    run = app.resolve(args.run)
    steps = _steps(app.events(run))
    if not args.key:
        told = [
            {"key": key, "role": each.role, "state": each.state, "verdict": each.verdict}
            for key, each in steps.items()
        ]
        out.answer(
            {"run": run, "steps": told}, "\n".join(_line(each) for each in steps.values()) or "no step yet"
        )
        return 0
    record = _chosen(steps, args.key, run)
    folder = _folder(app.folder(run), record.key)
    told_step = {
        "run": run,
        "key": record.key,
        "step": asdict(record),
        "files": dict(read_step(folder).texts),
    }
    out.answer(told_step, show(record, folder, style=Style(out.color), full=args.full).rstrip("\n"))
    return 0


def _steps(events: Iterable[Mapping[str, Any]]) -> dict[str, StepRecord]:
    """Every step of the run and of its children, in the order they began."""
    journals: dict[str, list[Mapping[str, Any]]] = {}
    for event in events:
        journals.setdefault(event["run"], []).append(event)
    found = {key: each for journal in journals.values() for key, each in History(journal).steps.items()}
    return dict(sorted(found.items(), key=lambda item: (item[1].started, item[0])))


def _chosen(steps: dict[str, StepRecord], spoken: str, run: str) -> StepRecord:
    if spoken in steps:
        return steps[spoken]
    # Without a number the last round is meant: that is the one that counts.
    if fitting := [each for key, each in steps.items() if names(spoken, key)]:
        return fitting[-1]
    match = nearest(spoken, steps)
    hint = f"; did you mean {match}?" if match else f"; `podium show {run}` lists them"
    raise UsageError(f"run {run} has no step {spoken!r}{hint}")


def _folder(run: Path, key: str) -> Path:
    """The step's folder; a child run keeps its own."""
    own = run / "steps" / key
    return own if own.is_dir() else next(iter(sorted(run.glob(f"children/**/steps/{key}"))), own)


def _line(record: StepRecord) -> str:
    return (
        f"{record.key:<28} {record.state:<11} {record.role:<16} {record.verdict or record.outcome}".rstrip()
    )
