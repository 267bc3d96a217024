"""`podium verify-agent NAME`: tests an agent's contract with the installed program. Exit 20 if
it does not hold.
"""

from __future__ import annotations

import os
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from podium.cli import context
from podium.cli.terminal import terminal
from podium.core.errors import UsageError
from podium.settings.project import state_folder

if TYPE_CHECKING:
    from podium.agents.conformance.checks import Row
    from podium.agents.conformance.subject import Subject

BROKEN = 20
TRIES = (
    "hello",
    "attack",
    "retry",
    "cut",
    "slow",
    "loop",
    "badjson",
    "submit",
    "limited",
    "locked",
    "killed",
)


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "name",
        metavar="NAME",
        help="a known program (`podium agents`) or an agent from the settings",
    )
    parser.add_argument(
        "--transport",
        choices=("headless", "acp"),
        help="how to talk to it; default: as the settings say",
    )
    parser.add_argument(
        "--only",
        metavar="TRY",
        action="append",
        choices=TRIES,
        help=f"only this one: {', '.join(TRIES)}",
    )
    parser.add_argument(
        "--real",
        action="store_true",
        help="ask its real model, with your key or login: costs money",
    )
    parser.add_argument(
        "--yes", action="store_true", help="with --real: do not ask for confirmation"
    )


def run(args: Namespace) -> int:
    # loads servers and rooms for this command only
    from podium.agents.conformance.finding import subject  # noqa: PLC0415
    from podium.agents.conformance.world import why_not  # noqa: PLC0415

    project = context.project(args)
    tables = context.settings(args).agent_tables()
    found = subject(
        args.name, tables, project, os.environ, transport=args.transport or "", real=args.real
    )
    if why := why_not(found):
        raise UsageError(f"{args.name} cannot be verified here: {why}")
    if args.real:
        _confirm(args)
    shown = terminal(args)
    rows: list[Row] = []
    for row in _tried(args, found):
        rows.append(row)
        shown.remark(f"  {row.check}: {row.result}")
    good = all(each.good for each in rows)
    told = {
        "agent": found.name,
        "version": found.version,
        "model": "real" if args.real else "scripted",
        "ok": good,
    }
    shown.answer({**told, "checks": [asdict(each) for each in rows]}, _table(told, rows))
    return 0 if good else BROKEN


def _tried(args: Namespace, found: Subject) -> Iterator[Row]:
    from podium.agents.conformance.checks import verify  # noqa: PLC0415
    from podium.agents.conformance.scripts import SCRIPTS  # noqa: PLC0415
    from podium.agents.conformance.world import world  # noqa: PLC0415

    # Not below /tmp: some programs do without their own sandbox there.
    root = state_folder(os.environ) / "verify" / str(os.getpid())
    if args.real:
        from podium.agents.conformance.real import verify_real  # noqa: PLC0415

        yield from verify_real(found, root)
        return
    with tempfile.TemporaryDirectory(prefix="podium-") as short:  # a socket's path must be short
        yield from verify(
            lambda: world(root, Path(short) / "model", found, SCRIPTS), tuple(args.only or ())
        )


def _confirm(args: Namespace) -> None:
    from podium.agents.conformance.real import COST  # noqa: PLC0415

    said = f"{args.name} will ask its real model: {COST}."
    if args.yes:
        return
    if not sys.stdin.isatty():
        raise UsageError(f"{said} Say --yes if that is meant.")
    sys.stderr.write(f"{said} Go on? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise UsageError("nothing was asked")


def _table(told: dict[str, Any], rows: list[Row]) -> str:
    width = max(len(each.check) for each in rows)
    events = max(len(each.event) for each in rows)
    lines = [f"{told['agent']}  {told['version']}".rstrip() + f"  with a {told['model']} model", ""]
    for each in rows:
        held = ", ".join(f"{name} {value}" for name, value in each.assurance.items())
        lines.append(
            f"  {each.check:<{width}}  {each.result:<11}  {each.event:<{events}}  {held}".rstrip()
        )
        lines += [f"  {'':<{width}}  -> {each.detail}"] if each.detail else []
    bad = sum(not each.good for each in rows)
    return "\n".join(
        [*lines, "", "The contract holds." if not bad else f"{bad} of {len(rows)} do not hold."]
    )
