"""`--policy FILE` and `--set KEY=VALUE`: values that override the project's policy."""

from __future__ import annotations

from argparse import Namespace, _ArgumentGroup
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from podium.core.errors import Fault, InputError
from podium.settings.overrides import parse_setting, policy_file


def add(rules: _ArgumentGroup) -> None:
    rules.add_argument("--policy", metavar="FILE", help="policy values from a TOML or JSON file")
    rules.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="one policy value; may be repeated",
    )


def read(
    file: str | None, given: Sequence[str], workflow: str
) -> tuple[dict[str, Any], list[Fault]]:
    """The values, those of the file first, and every fault at once."""
    found, faults = dict[str, Any](), list[Fault]()
    try:
        found |= policy_file(Path(file), workflow) if file else {}
    except InputError as error:
        faults += error.faults
    for each in given:
        try:
            name, value = parse_setting(each, workflow)
            found[name] = value
        except InputError as error:
            faults += error.faults
    return found, faults


def told(args: Namespace, workflow: str) -> dict[str, Any]:
    """The command line's overrides of this workflow's policy."""
    found, faults = read(args.policy, args.set, workflow)
    if faults:
        raise InputError(faults)
    return found
