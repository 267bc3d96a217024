"""`podium simulate WORKFLOW --fleet`: a day of a whole fleet in virtual time."""

from __future__ import annotations

import random
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import fields
from time import monotonic
from typing import TYPE_CHECKING

from podium.cli import output_file
from podium.cli.terminal import Terminal
from podium.core.errors import Fault, InputError
from podium.core.nearest import nearest

if TYPE_CHECKING:
    from podium.simulation.fleet.plan import Costs, Plan, Shape
    from podium.simulation.trial import Trial

SHAPES = 2000
"""How many different runs the fleet's runs are drawn from."""


def configure(parser: ArgumentParser) -> None:
    fleet = parser.add_argument_group("a fleet")
    fleet.add_argument(
        "--fleet",
        action="store_true",
        help="a day of many such runs on many workers: waits, use, and which part is too small",
    )
    fleet.add_argument(
        "--workers",
        type=int,
        metavar="N",
        default=1000,
        help="with --fleet: workers; default: 1000",
    )
    fleet.add_argument(
        "--concurrency",
        type=int,
        metavar="N",
        default=8,
        help="with --fleet: runs at once on one worker; default: 8",
    )
    fleet.add_argument(
        "--runs-a-day",
        type=int,
        metavar="N",
        default=100_000,
        help="with --fleet: runs submitted in a day; default: 100,000",
    )
    fleet.add_argument(
        "--users",
        type=int,
        metavar="N",
        default=500,
        help="with --fleet: people who submit; default: 500",
    )
    fleet.add_argument(
        "--mix",
        metavar="AGENT=N,…",
        default="claude=1",
        help="with --fleet: agents of the runs, with weights",
    )
    fleet.add_argument(
        "--limit",
        metavar="NAME=N",
        action="append",
        default=[],
        help="with --fleet: agents.NAME, agents.default or users.default; may be repeated",
    )
    fleet.add_argument(
        "--worker-lives",
        type=float,
        metavar="HOURS",
        default=720.0,
        help="with --fleet: mean life of a worker; 0 = forever",
    )
    fleet.add_argument(
        "--flat", action="store_true", help="with --fleet: as many runs at night as by day"
    )
    fleet.add_argument(
        "--cost",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help=(
            "with --fleet: what a part takes or can handle; may be repeated "
            "(docs/fleet-capacity.md)"
        ),
    )


def run(args: Namespace, out: Terminal, trial: Trial) -> int:
    from podium.simulation.fleet.day import Day  # noqa: PLC0415
    from podium.simulation.fleet.picture import svg  # noqa: PLC0415
    from podium.simulation.fleet.report import figures, text  # noqa: PLC0415

    plan = planned(args)
    began = monotonic()
    shapes = _shapes(trial, args.seed)
    told = Day(plan, shapes, random.Random(f"{args.seed}/fleet").random).lived()  # noqa: S311
    found = {"workflow": args.workflow, "seed": args.seed, **figures(plan, shapes, told)}
    out.remark(f"{plan.runs * plan.days:,} runs in {monotonic() - began:.1f} s")
    if args.svg:
        title = f"{args.workflow}: {plan.runs:,} runs a day on {plan.workers:,} workers"
        output_file.write(args.svg, svg(title, found), "--svg")
    out.answer(found, text(args.workflow, plan, found))
    return 0


def _shapes(trial: Trial, seed: int) -> list[Shape]:
    from podium.simulation.fleet.plan import shape  # noqa: PLC0415

    return [
        shape(each.tally.rests)
        for each in trial.lives(
            SHAPES,
            lambda number: random.Random(seed * 1_000_003 + number).random,  # noqa: S311
        )
    ]


def planned(args: Namespace) -> Plan:
    """The plan from the options; reports every fault at once."""
    from podium.simulation.fleet.plan import FLAT, OFFICE, Costs, Plan  # noqa: PLC0415

    sizes = {
        name: getattr(args, name) for name in ("workers", "concurrency", "runs_a_day", "users")
    }
    faults = [
        Fault(f"--{name.replace('_', '-')}", f"{size} is too few", "1 or more")
        for name, size in sizes.items()
        if size < 1
    ]
    if args.worker_lives < 0:
        faults.append(
            Fault("--worker-lives", "no time is less than nothing", "hours, or 0 for ever")
        )
    mix = _pairs("--mix", args.mix.split(","), faults, least=0.0)
    if not any(mix.values()):
        faults.append(Fault("--mix", "no agent has a weight", "--mix claude=3,codex=1"))
    limits = _pairs(
        "--limit",
        args.limit,
        faults,
        least=0.0,
        known=("users.default", "agents.default", *(f"agents.{each}" for each in mix)),
    )
    costs = _pairs(
        "--cost", args.cost, faults, least=0.0, known=tuple(each.name for each in fields(Costs))
    )
    faults += [
        Fault(f"--cost {name}", "must be more than 0", "leave it out for the measured value")
        for name in RATES
        if costs.get(name) == 0
    ]
    if faults:
        raise InputError(faults)
    return Plan(
        args.workers,
        args.concurrency,
        args.runs_a_day,
        users=args.users,
        mix=mix,
        limits={name: int(value) for name, value in limits.items()},
        lives_h=args.worker_lives,
        hours=FLAT if args.flat else OFFICE,
        costs=_with(Costs(), costs),
    )


RATES = ("writes_per_s", "pushes_per_s", "beat_s")


def _with(costs: Costs, given: dict[str, float]) -> Costs:
    from dataclasses import replace  # noqa: PLC0415

    return replace(costs, **given)


def _pairs(
    option: str,
    texts: Sequence[str],
    faults: list[Fault],
    *,
    least: float,
    known: Sequence[str] = (),
) -> dict[str, float]:
    found: dict[str, float] = {}
    for each in texts:
        name, _, spelled = each.partition("=")
        try:
            value = float(spelled)
        except ValueError:
            faults.append(
                Fault(
                    f"{option} {each}",
                    "is not NAME=NUMBER",
                    f"{option} {known[0] if known else 'claude'}=1",
                )
            )
            continue
        if known and name not in known:
            near = nearest(name, known)
            faults.append(
                Fault(
                    f"{option} {each}",
                    f"{name} is not known",
                    f"did you mean {near}?" if near else f"one of {', '.join(known)}",
                )
            )
        elif not least <= value < float("inf"):
            faults.append(
                Fault(f"{option} {each}", f"{spelled} is out of range", f"{least:g} or more")
            )
        else:
            found[name] = value
    return found
