"""Drive a run and say where it rests: what `run`, `resume`, `demo` and `--go` share."""

from __future__ import annotations

import json
import subprocess
from argparse import Namespace
from collections.abc import Callable, Sequence

from podium.cli import catalog, context
from podium.cli.observers import Heard, View, view
from podium.cli.terminal import Terminal
from podium.engine.outcome import Ended
from podium.wiring import App, RunOptions

_NOTIFY_TIMEOUT_S = 30


def start(args: Namespace, out: Terminal, workflow: str, inputs: Sequence[str], options: RunOptions) -> int:
    title = " ".join([workflow, *inputs])
    steps = catalog.workflow(workflow, context.project(args)).steps.values()
    watching = view(args, out, title, steps, person=context.app(args).has_person(options))
    return _drive(args, out, watching, lambda app: app.start(workflow, inputs, options))


def resume(args: Namespace, out: Terminal, run: str, options: RunOptions) -> int:
    looking = context.app(args)
    summary = looking.summary(run)
    steps = looking.workflow(run).steps.values()
    # What happened before is part of the picture; a stream has only what happens now.
    past = () if out.json else looking.events(run)
    watching = view(args, out, summary.title, steps, past, person=looking.has_person(options, run))
    return _drive(args, out, watching, lambda app: app.resume(run, options))


def _drive(args: Namespace, out: Terminal, watching: View, how: Callable[[App], Ended]) -> int:
    looking = context.app(args)
    heard = Heard(watching, lambda run: looking.summary(run).title)
    with watching:
        ended = how(context.app(args, heard, asking=True))
        watching.conclude(ended.advice)
    # The views have said how it ended; a stream has no words, and a view that saw nothing has none either.
    if out.json or not heard.anything:
        out.remark(text(ended))
    if ended.closing and not out.json:
        out.say(ended.closing)
    _notify(args, out, ended)
    return ended.exit_code


def text(ended: Ended) -> str:
    said = "interrupted" if ended.interrupted else ended.status.value
    lines = [f"{ended.run}: {said}" + (f" at {ended.step}" if ended.step != "done" else "")]
    if ended.reason:
        lines.append(f"  {ended.reason}")
    return "\n".join([*lines, *(f"  {each}" for each in ended.advice)])


def _notify(args: Namespace, out: Terminal, ended: Ended) -> None:
    """`[notify] command`: told, never asked. Whatever it does changes nothing about the run."""
    command = context.settings(args).notify.command
    if not command:
        return
    names = ("run", "workflow", "status", "step", "reason", "stop", "gates")
    told = {**{name: getattr(ended, name) for name in names}, "exit_code": ended.exit_code}
    try:
        subprocess.run(
            command,
            input=json.dumps(told).encode(),
            cwd=context.project(args),
            stdout=subprocess.DEVNULL,
            timeout=_NOTIFY_TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as fault:
        out.remark(f"[notify] command failed: {fault}")
