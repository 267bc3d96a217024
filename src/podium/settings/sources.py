"""Settings from their layers: the user's file, the project's file, the environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from podium.core.errors import Fault, InputError
from podium.formats import toml_text
from podium.settings import environment as variables
from podium.settings.project import project_file, user_file
from podium.settings.schema import NAMED, TABLES, Flat, check, is_open, name_of, spelled
from podium.settings.text_file import text_of
from podium.settings.values import Settings


def load(project: Path, environment: Mapping[str, str]) -> Settings:
    """All layers merged; InputError lists every fault of every layer."""
    flat: Flat = {}
    sources: dict[str, str] = {}
    faults: list[Fault] = []

    def lay(layer: Flat, wrong: list[Fault], names: Mapping[tuple[str, ...], str] | str) -> None:
        for path in [each for each in flat if _folded(each) in {_folded(other) for other in layer}]:
            del flat[path]
        flat.update(layer)
        faults.extend(wrong)
        sources.update(
            {spelled(path): names if isinstance(names, str) else names[path] for path in layer}
        )

    for path, where, inner in _files(project, environment):
        try:
            lay(*check(read_table(path, where, inner), where), where)
        except InputError as error:
            faults.extend(error.faults)
    lay(*variables.read(environment, flat))
    if faults:
        raise InputError(faults)
    return _built(flat, sources)


def _folded(path: tuple[str, ...]) -> tuple[str, ...]:
    """Keys of a workflow with its own policy file compare without case, as in `policies.over`;
    other names are exact.
    """
    return tuple(name.casefold() for name in path) if is_open(path) else path


def read_table(path: Path, where: str, inner: tuple[str, ...] = ()) -> dict[str, Any]:
    table = toml_text.parse(text_of(path, where), where)
    for name in inner:
        table = table.get(name, {})
        if not isinstance(table, dict):
            raise InputError(Fault(where, f"{spelled(inner)} must be a table"))
    return table


def _files(
    project: Path, environment: Mapping[str, str]
) -> list[tuple[Path, str, tuple[str, ...]]]:
    """(file, its name for people, the table inside it), weakest first."""
    found: list[tuple[Path, str, tuple[str, ...]]] = []
    personal = user_file(environment)
    if personal.is_file():
        found.append((personal, str(personal), ()))
    own = project_file(project)
    if own:
        found.append((own, own.name, ("tool", "podium") if own.name == "pyproject.toml" else ()))
    return found


def _built(flat: Flat, sources: Mapping[str, str]) -> Settings:
    tree: dict[str, Any] = {}
    for path, value in flat.items():
        place = tree
        for name in path[:-1]:
            place = place.setdefault(name, {})
        place[path[-1]] = value
    tables: dict[str, Any] = {
        name: _value(kind, tree.get(name, {})) for name, kind in TABLES.items()
    }
    named: dict[str, Any] = {
        name: {each: _value(kind, values) for each, values in tree.get(name, {}).items()}
        for name, kind in NAMED.items()
    }
    return Settings(
        agent=tree.get("agent", ""),
        policy=tree.get("policy", {}),
        sources=sources,
        **tables,
        **named,
    )


def _value(kind: type, values: Mapping[str, Any]) -> Any:
    names = {name_of(field): field.name for field in fields(kind)}
    return kind(**{names[name]: value for name, value in values.items()})
