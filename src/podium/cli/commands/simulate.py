"""`podium simulate WORKFLOW`: thousands of runs in virtual time, or agents that answer anything."""

from __future__ import annotations

import random
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from podium.cli import catalog, context, fleet_simulation, output_file, own_workflow, policy_options
from podium.cli.terminal import Terminal, terminal
from podium.core.errors import Fault, InputError, UsageError
from podium.settings.text_file import text_of

if TYPE_CHECKING:
    from podium.core.workflow import Workflow
    from podium.simulation.figures import Sample
    from podium.simulation.model import Model
    from podium.simulation.trial import Trial

ALL = "all"
HOSTILE_STEPS = 1_000_000
VIOLATED = 20


def configure(parser: ArgumentParser) -> None:
    known = ", ".join(catalog.names())
    parser.add_argument(
        "workflow",
        metavar="WORKFLOW",
        help=f"one of: {known}; your own file, FILE.py[:Class]; `{ALL}` with --hostile",
    )
    parser.add_argument(
        "-n", "--runs", type=int, metavar="N", default=1000, help="how many runs; default: 1000"
    )
    parser.add_argument(
        "--seed",
        type=int,
        metavar="S",
        default=1,
        help="the same seed gives the same bytes; default: 1",
    )
    parser.add_argument("--svg", metavar="FILE", help="draw the plots to FILE")
    model = parser.add_argument_group("assumptions about agents and people")
    model.add_argument("--model", metavar="FILE", help="your own model; default: the workflow's")
    model.add_argument(
        "--from-runs", action="store_true", help="estimate it from this project's finished runs"
    )
    model.add_argument(
        "--write-model",
        metavar="FILE",
        help="write the model to FILE as a start for your own, and simulate nothing",
    )
    rules = parser.add_argument_group("rules")
    policy_options.add(rules)
    against = parser.add_argument_group("compare with another policy or model")
    against.add_argument("--against-policy", metavar="FILE", help="the other policy, from a file")
    against.add_argument(
        "--against-set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="one value of the other policy; may be repeated",
    )
    against.add_argument("--against-model", metavar="FILE", help="the other model")
    hostile = parser.add_argument_group("hostile agents")
    hostile.add_argument(
        "--hostile",
        action="store_true",
        help="agents answer anything, and an onlooker counts skipped stages and bypassed gates",
    )
    hostile.add_argument(
        "--steps",
        type=int,
        metavar="N",
        default=HOSTILE_STEPS,
        help=f"with --hostile: how many steps in all; default: {HOSTILE_STEPS:,}",
    )
    fleet_simulation.configure(parser)


def run(args: Namespace) -> int:
    out = terminal(args)
    if args.hostile:
        return _hostile(args, out)
    if args.workflow == ALL:
        raise UsageError(f"`{ALL}` is for --hostile; name one of {', '.join(catalog.names())}")
    if args.runs < 1:
        raise UsageError(f"-n {args.runs} is not a number of runs; 1 or more")
    mine = _policy(args, args.policy, args.set, {})
    workflow = _workflow(args, mine)
    model = _model(args, workflow, args.model)
    if args.write_model:
        return _write(args, out, model)
    first = _trial(args, workflow, model, mine)
    if args.fleet:
        return fleet_simulation.run(args, out, first)
    if not (args.against_set or args.against_policy or args.against_model):
        return _one(args, out, first)
    theirs = _policy(args, args.against_policy, args.against_set, mine)
    other = _workflow(args, theirs)
    second = _trial(args, other, _model(args, other, args.against_model or args.model), theirs)
    return _two(args, out, first, second)


# -- what is simulated


def _base(args: Namespace) -> str:
    if own_workflow.is_file(args.workflow):
        return own_workflow.family(args.workflow)
    return catalog.found(args.workflow, context.project(args)).name


def _policy(
    args: Namespace, file: str | None, settings: Sequence[str], below: Mapping[str, Any]
) -> dict[str, Any]:
    """Values that override the project's policy; reports every fault at once."""
    found, faults = policy_options.read(file, settings, _base(args))
    if faults:
        raise InputError(faults)
    return {**below, **found}


def _workflow(args: Namespace, overrides: Mapping[str, Any]) -> Workflow:
    if own_workflow.is_file(args.workflow):
        return own_workflow.load(
            args.workflow, context.settings(args).policy_of(_base(args), overrides)
        )
    return catalog.workflow(args.workflow, context.project(args), overrides)


def _model(args: Namespace, workflow: Workflow, file: str | None) -> Model:
    """The shipped model, overridden by this project's runs, overridden by a person's own."""
    from podium.simulation.model import Model  # noqa: PLC0415
    from podium.simulation.model_file import known_of, parse  # noqa: PLC0415

    known, base = known_of(workflow), Model()
    if shipped := _shipped(workflow.name):
        base = parse(shipped, "the shipped model", known, strict=False)
    if args.from_runs:
        base = _from_runs(args, base, known.steps)
    if not file:
        return base
    where = Path(file)
    if not where.is_file():
        raise InputError(
            Fault(file, "there is no such file", "--write-model FILE makes one to begin with")
        )
    return parse(text_of(where, file), file, known, base)


def _shipped(name: str) -> str:
    from importlib.resources import files  # noqa: PLC0415

    where = files("podium.simulation") / "models" / f"{name}.toml"
    return where.read_text(encoding="utf-8") if where.is_file() else ""


def _from_runs(args: Namespace, base: Model, known: Mapping[str, Sequence[str]]) -> Model:
    from podium.simulation.estimating import estimated  # noqa: PLC0415
    from podium.state import run_folder  # noqa: PLC0415

    app = context.app(args)
    own = [
        each.run
        for each in app.list()
        if each.workflow == args.workflow and each.status in {"complete", "blocked", "cancelled"}
    ]
    if not own:
        raise UsageError(f"this project has no finished run of {args.workflow} to learn from")
    family = [child for each in own for child in run_folder.family(context.project(args), each)]
    terminal(args).remark(f"learnt from {len(own)} runs")
    return estimated([app.events(each) for each in family], args.workflow, base, known)


def _trial(
    args: Namespace, workflow: Workflow, model: Model, overrides: Mapping[str, Any]
) -> Trial:
    from podium.cli.bounds import caps, limits  # noqa: PLC0415
    from podium.settings.policies import defaults  # noqa: PLC0415
    from podium.simulation.dispatching import Rules  # noqa: PLC0415
    from podium.simulation.trial import Trial  # noqa: PLC0415

    own = own_workflow.is_file(args.workflow)
    entry = catalog.found("harness" if own else args.workflow, context.project(args))
    settings = context.settings(args)
    policy = {**defaults(entry.name), **settings.policy_of(_base(args), overrides)}
    capped = caps(settings, entry, None if own else workflow, policy).of("")
    python = own and workflow.name != "harness"
    return Trial(
        workflow,
        model,
        Rules(limits(entry, policy), policy["step_timeout_s"], capped),
        {} if python else entry.imagine(workflow, policy),
    )


# -- what is reported


def _write(args: Namespace, out: Terminal, model: Model) -> int:
    from podium.simulation.model_text import written  # noqa: PLC0415

    where = Path(args.write_model)
    if where.exists():
        raise UsageError(f"{where} is there already; name another file, or move it away")
    shipped = "" if args.from_runs or args.model else _shipped(args.workflow)
    output_file.write(
        where, shipped or written(model, f"Assumptions about {args.workflow}."), "--write-model"
    )
    out.answer(
        {"model": str(where)},
        f"written {where}; use it with: podium simulate {args.workflow} --model {where}",
    )
    return 0


def _one(args: Namespace, out: Terminal, trial: Trial) -> int:
    from podium.cli.progress import Bar  # noqa: PLC0415
    from podium.simulation.telling import text  # noqa: PLC0415

    began = monotonic()
    sample = _sampled(args, trial, Bar(args.workflow, shown=not args.quiet))
    out.remark(f"{args.runs:,} runs in {monotonic() - began:.1f} s")
    title = f"{args.workflow}, {args.runs:,} runs in virtual time"
    _draw(args, title, [(_label(args.set, args.policy), sample)])
    told = {
        "workflow": args.workflow,
        "seed": args.seed,
        "policy": _spelled(args.set, args.policy),
        **sample.told(),
    }
    out.answer(told, text(args.workflow, sample))
    return 0


def _two(args: Namespace, out: Terminal, first: Trial, second: Trial) -> int:
    """Both use the same seed: what differs is the policy, not the luck."""
    from podium.cli.progress import Bar  # noqa: PLC0415
    from podium.simulation.telling import comparison  # noqa: PLC0415

    names = (
        _label(args.set, args.policy),
        _label(args.against_set, args.against_policy, args.against_model),
    )
    names = names if names[0] != names[1] else (names[0], f"{names[1]} (the other)")
    mine, theirs = (
        _sampled(args, each, Bar(name, shown=not args.quiet))
        for each, name in zip((first, second), names, strict=True)
    )
    _draw(args, f"{args.workflow}, {args.runs:,} runs each", [(names[0], mine), (names[1], theirs)])
    told = {
        "workflow": args.workflow,
        "seed": args.seed,
        "policy": _spelled(args.set, args.policy),
        **mine.told(),
        "against": {"policy": _spelled(args.against_set, args.against_policy), **theirs.told()},
    }
    out.answer(told, comparison((names[0], mine), (names[1], theirs)))
    return 0


def _sampled(args: Namespace, trial: Trial, bar: Callable[[int, int], None]) -> Sample:
    from podium.core.errors import MISTAKES  # noqa: PLC0415

    try:
        return trial.runs(args.runs, _chances(args.seed), bar)
    except MISTAKES as fault:
        if not own_workflow.is_file(args.workflow):
            raise
        mend = f"podium check {args.workflow} tells where"
        raise InputError(
            Fault(args.workflow, f"cannot be walked: {type(fault).__name__}: {fault}", mend)
        ) from None


def _chances(seed: int) -> Callable[[int], Callable[[], float]]:
    """One random stream per run: a run has the same luck under both policies, as long as both
    take the same path.
    """
    return lambda number: random.Random(seed * 1_000_003 + number).random  # noqa: S311


def _label(settings: Sequence[str], file: str | None, model: str | None = None) -> str:
    return (
        ", ".join(
            [
                *([Path(file).name] if file else []),
                *settings,
                *([Path(model).name] if model else []),
            ]
        )
        or "the project's policy"
    )


def _spelled(settings: Sequence[str], file: str | None) -> dict[str, Any]:
    return {**({"file": file} if file else {}), "set": list(settings)}


def _draw(args: Namespace, title: str, samples: Any) -> None:
    if args.svg:
        from podium.simulation.picture import svg  # noqa: PLC0415

        output_file.write(args.svg, svg(title, samples), "--svg")


# -- hostile agents


def _hostile(args: Namespace, out: Terminal) -> int:
    from podium.cli.progress import Bar  # noqa: PLC0415
    from podium.simulation.hostile import Counted, assault  # noqa: PLC0415
    from podium.simulation.specified import rules_for  # noqa: PLC0415

    names = catalog.names() if args.workflow == ALL else (catalog.checked(args.workflow),)
    if args.steps < len(names):
        raise UsageError(f"--steps {args.steps} is too few; at least one for each workflow")
    whole, each_told = Counted(), {}
    for place, name in enumerate(names):
        steps = args.steps // len(names) + (place < args.steps % len(names))
        workflow = catalog.workflow(name, context.project(args))
        counted = assault(
            workflow,
            rules_for,
            steps,
            random.Random(f"{args.seed}/{name}").random,  # noqa: S311
            Bar(name, shown=not args.quiet),
        )
        each_told[name] = _counts(counted)
        whole.add(counted)
    told = {"seed": args.seed, **_counts(whole), "workflows": each_told, "stories": whole.stories}
    out.answer(told, "\n".join(_hostile_text(told)))
    return 0 if whole.sound else VIOLATED


def _counts(counted: Any) -> dict[str, int]:
    named = ("steps", "runs", "complete", "wrong", "refused", "skipped", "bypassed")
    own = {
        "distinct_steps": len(counted.by_step),
        "rules": len(counted.known),
        "rules_asked": len(counted.asked),
    }
    return {name: getattr(counted, name) for name in named} | own


def _hostile_text(told: Mapping[str, Any]) -> list[str]:
    head = (
        "",
        "steps",
        "runs",
        "complete",
        "wrong answers",
        "refused",
        "skipped stages",
        "bypassed gates",
    )
    rows = [head]
    for name, each in (*told["workflows"].items(), ("together", told)):
        rows.append(
            (
                name,
                *(
                    f"{each[key]:,}"
                    for key in (
                        "steps",
                        "runs",
                        "complete",
                        "wrong",
                        "refused",
                        "skipped",
                        "bypassed",
                    )
                ),
            )
        )
    widths = [max(len(row[place]) for row in rows) for place in range(len(head))]
    lines = [
        "  ".join(
            [
                f"{row[0]:<{widths[0]}}",
                *(f"{cell:>{wide}}" for cell, wide in zip(row[1:], widths[1:], strict=True)),
            ]
        )
        for row in rows
    ]
    held = f"{told['rules_asked']} of {told['rules']} rules had runs to hold to them"
    return [*lines, held, *(f"  BROKEN   {each}" for each in told["stories"])]
