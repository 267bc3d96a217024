"""Policy values from the command line: `--set KEY=VALUE` and `--policy FILE`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from podium.core.errors import Fault, InputError
from podium.formats import strict_json
from podium.settings import policies
from podium.settings.kinds import Key
from podium.settings.schema import check, suggestion
from podium.settings.text_file import text_of


def parse_setting(text: str, workflow: str) -> tuple[str, Any]:
    """`max_remediations=1` as a checked name and value of the workflow's policy."""
    name, equals, value = text.partition("=")
    name = name.strip().removeprefix(f"policy.{workflow}.")
    if not equals or not name:
        raise InputError(
            Fault("--set", f'"{text}" is not KEY=VALUE', "for example --set step_timeout_s=600")
        )
    known = policies.known(workflow)
    if name not in known and policies.is_open(workflow):
        return name, _guessed(value.strip())
    key = policies.key(workflow, name)
    if key is None:
        raise InputError(
            Fault("--set", f"{name} is not a policy key of {workflow}", suggestion(name, known))
        )
    try:
        return name, key.read(value)
    except ValueError as wrong:
        raise InputError(Fault("--set", f"{name} {wrong}")) from None


def policy_file(path: Path, workflow: str) -> dict[str, Any]:
    """Policy values from a TOML or JSON file: a bare table, or `[policy.<workflow>]` as in
    podium.toml.

    Anything else that podium.toml can contain is refused: it would have no effect, and its author
    relies on it.
    """
    where = str(path)
    table = _read(path, where)
    if isinstance(table.get("policy"), dict):
        others = [each for each in table if each != "policy"]
        if others:
            mend = f"leave only [policy.{workflow}] in it; the rest belongs in podium.toml"
            raise InputError(
                [
                    Fault(
                        where,
                        f"{each} is not a policy, and nothing else is read from a policy file",
                        mend,
                    )
                    for each in others
                ]
            )
        table = table["policy"].get(workflow, {})
    flat, faults = check({workflow: table}, where, ("policy",))
    if faults:
        raise InputError(faults)
    return {name: value for (_, _, name), value in flat.items()}


def _read(path: Path, where: str) -> dict[str, Any]:
    from podium.settings.sources import read_table  # noqa: PLC0415 - tomllib only for a TOML file

    if path.suffix.lower() != ".json":
        return read_table(path, where)
    return strict_json.parse_table(text_of(path, where), where)


def _guessed(value: str) -> Any:
    """A value whose kind is not known here: true, false, a number, otherwise text."""
    for kind in ("int", "float", "bool"):
        try:
            return Key(kind).read(value)
        except ValueError:
            continue
    return value
