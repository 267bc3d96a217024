"""What approve, reject and answer share: only people decide, and their name is recorded."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from dataclasses import asdict

from podium.cli import context
from podium.cli.people import people_only, person
from podium.cli.terminal import terminal
from podium.proof.delivery import as_text, delivery_of
from podium.wiring import App
from podium.wiring_values import RunOptions, Summary

FILES = 20
"""The most files of the code that are named; the rest are counted."""


def add(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="an id, a unique prefix, or @ for the latest")
    parser.add_argument("--gate", metavar="KEY", default="", help="which gate, if several are open")
    parser.add_argument(
        "--note",
        metavar="TEXT",
        default="",
        help="kept with the decision and passed to the next agent",
    )
    parser.add_argument("--go", action="store_true", help="resume the run at once")


def decide(args: Namespace, how: Callable[[App, str, str], Summary], done: str) -> int:
    """Record a person's decision. `how` gets the facade, the run and the person's name."""
    people_only()
    out = terminal(args)
    app = context.app(args)
    run = app.resolve(args.run)
    who = person(context.project(args))
    decided_on = _delivered(args, app.summary(run))
    summary = how(app, run, who)
    if args.go and not summary.holder and not context.elsewhere(app, run):
        # loads the engine, which a decision alone does not need
        from podium.cli import driving  # noqa: PLC0415

        return driving.resume(args, out, run, RunOptions(by=who))
    said = "\n  ".join([f"{run}: {done}", *_next(summary)])
    out.answer(asdict(summary), "\n".join([*decided_on, said]))
    return 0


def _delivered(args: Namespace, summary: Summary) -> list[str]:
    """What the decision is about: the proof first, then the code."""
    asked = [gate for gate in summary.gates if args.gate in {"", gate["key"]}]
    return as_text(delivery_of(asked[0]), FILES) if len(asked) == 1 else []


def _next(summary: Summary) -> Sequence[str]:
    if summary.holder:
        return [
            f"process {summary.holder.get('pid')} is driving this run and continues it",
            *summary.advice,
        ]
    if summary.gates:
        return [
            f"still open: {', '.join(str(gate['key']) for gate in summary.gates)}",
            *summary.advice,
        ]
    return summary.advice or [f"podium resume {summary.run}"]
