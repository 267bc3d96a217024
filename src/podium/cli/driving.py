"""Drive a run and say where it rests: shared by `run`, `resume`, `demo` and `--go`."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from podium.cli import catalog, context, disk_fault, policy_names, reaching, role_names
from podium.cli.attending import attended
from podium.cli.observers import Heard, View, view
from podium.cli.terminal import Terminal
from podium.core import keys
from podium.core.errors import InputError
from podium.core.nearest import nearest
from podium.core.run import Status
from podium.core.workflow import Workflow
from podium.engine.collector import spare_what_is_loaded
from podium.engine.outcome import Ended
from podium.roles import survey
from podium.views.look import ENDS
from podium.wiring import App
from podium.wiring_values import RunOptions


def start(
    args: Namespace,
    out: Terminal,
    workflow: str,
    inputs: Sequence[str],
    options: RunOptions,
    *,
    asking: bool = True,
) -> int:
    """`asking`: a person at this terminal may decide at gates."""
    title = " ".join([workflow, *inputs])
    known = catalog.workflow(workflow, context.project(args))
    settings = context.settings(args)
    if strange := [
        *role_names.unknown(settings, context.project(args), known.roles()),
        *policy_names.unknown(settings),
    ]:
        raise InputError(strange)
    _remark_roles(args, out, known, workflow)
    _remark_scenario(args, out, known, workflow, options.agent)
    steps = known.steps.values()
    watching = view(
        args, out, title, steps, person=context.app(args).has_person(options, known.roles())
    )
    return _drive(
        args,
        out,
        watching,
        lambda app: app.start(workflow, inputs, options),
        options if asking else None,
    )


def resume(
    args: Namespace, out: Terminal, run: str, options: RunOptions, *, asking: bool = True
) -> int:
    looking = context.app(args)
    summary = looking.summary(run)
    known = looking.workflow(run)
    _remark_roles(args, out, known, summary.workflow)
    steps = known.steps.values()
    # What happened before is part of the picture; a stream has only what happens now.
    past = () if out.json else looking.events(run)
    watching = view(
        args,
        out,
        summary.title,
        steps,
        past,
        person=looking.has_person(options, known.roles(), run),
    )
    with disk_fault.of_a_run(lambda: True):
        return _drive(
            args,
            out,
            watching,
            lambda app: app.resume(run, options),
            options if asking else None,
            past,
        )


def _remark_roles(args: Namespace, out: Terminal, workflow: Workflow, name: str) -> None:
    """Report what is doubtful about the definitions that will be used, each once."""
    found, _ = survey(
        workflow, name, context.project(args), context.settings(args).roles, os.environ
    )
    for each in dict.fromkeys(
        each for definition in found.values() for each in definition.warnings
    ):
        out.remark(f"note: {each}")


def _remark_scenario(
    args: Namespace, out: Terminal, workflow: Workflow, name: str, agent: str
) -> None:
    """Report roles of a scenario that do not exist: behind a typo, the real role just behaves
    well, unnoticed.
    """
    kind, _, file = agent.partition(":")
    if kind != "scripted" or not file:
        return
    from podium.agents.scenario_file import load  # noqa: PLC0415  # only scenarios need its parser

    roles = workflow.roles()
    unknown = [each for each in load(Path.cwd() / file).agents if each not in roles]
    # One scenario may serve several workflows, and `roadmap plan` has a role of its own.
    others = role_names.everywhere(context.project(args)) if unknown else set()
    for role in unknown:
        if role not in others:
            near = nearest(role, roles)
            hint = f"did you mean {near!r}?" if near else f"its roles: {', '.join(roles)}"
            out.remark(f"note: {file}: {name} has no role {role!r}; {hint}")


def _drive(
    args: Namespace,
    out: Terminal,
    watching: View,
    how: Callable[[App], Ended],
    options: RunOptions | None,
    past: Iterable[Mapping[str, Any]] = (),
) -> int:
    """`options`: how the run continues after a decision at this terminal; None if nobody is
    asked there.
    """
    spare_what_is_loaded()
    looking = context.app(args)
    heard = Heard(watching, lambda run: looking.summary(run).title, past)
    told = reaching.reached(args, heard)
    more = (
        RunOptions(until=options.until, approve_all=options.approve_all, by=options.by)
        if options
        else RunOptions()
    )
    try:
        with (
            disk_fault.of_a_run(lambda: heard.anything),
            attended(args, out, watching, asking=options is not None) as person,
            watching,
        ):
            ended = how(context.app(args, told, asking=True))
            again = lambda run: context.app(args, told, asking=True).resume(run, more)  # noqa: E731
            if person.person is not None and not heard.anything:
                heard.catch_up(
                    looking.events(ended.run)
                )  # it rests already, so everything to see is in its past
            ended = person.through(ended, again, lambda run: heard.catch_up(looking.events(run)))
            if out.json and not heard.anything:
                heard.catch_up(_rested(looking.events(ended.run), ended.run))
            watching.conclude(ended.advice)
    finally:
        failed = told.settle()
    if not watching.concluded:
        out.remark(text(ended))
    if out.quiet and ended.status in {Status.BLOCKED, Status.CANCELLED}:
        # an error, which --quiet does not suppress
        print(text(ended), file=sys.stderr)  # noqa: T201
    if ended.closing:
        out.say(ended.closing)
    if (
        options
        and options.until
        and ended.status is Status.COMPLETE
        and not _came(looking.events(ended.run), options.until)
    ):
        out.remark(
            f"note: --until {options.until}: no step of that name was done; `podium show "
            f"{ended.run}` lists them"
        )
    for each in failed:
        out.remark(each)
    return ended.exit_code


_RESTING = frozenset({"run.paused", "run.blocked", "run.completed", "run.cancelled"})


def _rested(events: Iterable[Mapping[str, Any]], run: str) -> list[Mapping[str, Any]]:
    """The event with which a run came to rest: if nothing was done, that is all there is to tell
    a program.
    """
    return [each for each in events if each["type"] in _RESTING and each["run"] == run][-1:]


def _came(events: Iterable[Mapping[str, Any]], until: str) -> bool:
    """Whether a step of that name was done; a misspelt name stops nothing."""
    done = {
        str(each["key"])
        for each in events
        if each["type"] in {"step.finished", "step.reused", "gate.decided"}
    }
    return any(keys.names(until, each) or each.startswith(f"{until}/") for each in done)


_RESTS = {Status.ACTIVE: "stopped", Status.SLEEPING: "asleep"}


def text(ended: Ended) -> str:
    said = (
        "interrupted"
        if ended.interrupted
        else ENDS[ended.outcome][0]
        if ended.outcome in ENDS
        else _RESTS.get(ended.status, ended.status.value)
    )
    until = f" until {ended.until}" if ended.until else ""
    lines = [
        f"{ended.run}: {said}{until}"
        + (f" at {keys.base_of(ended.step)}" if ended.step != "done" else "")
    ]
    lines += [f"  {each}" for each in ended.reason.splitlines()]
    return "\n".join([*lines, *(f"  {each}" for each in ended.advice)])
