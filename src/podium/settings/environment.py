"""`PODIUM_*` variables as settings: `PODIUM_AGENT`, `PODIUM_POLICY__HARNESS__MAX_REMEDIATIONS=1`.

Two underscores separate the names; one is enough if that can mean only one setting.
`PODIUM_AGENT=1` does not name an agent called 1: the engine sets it for every process it starts, so
that a program can tell that it runs under an agent. Single-word names that are not settings
(`PODIUM_DISPATCH`, `PODIUM_VERDICT`, `PODIUM_USER` …) are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from podium.core.errors import Fault
from podium.settings import policies
from podium.settings.ancestry import descends_from_dispatch
from podium.settings.kinds import Key
from podium.settings.schema import NAMED, TABLES, Flat, Path, inside, is_open, key_of, unknown

PREFIX = "PODIUM_"
MARKER = "1"
"""The value of PODIUM_AGENT in a process that an agent started."""


def under_agent(environment: Mapping[str, str]) -> bool:
    """Whether this process belongs to a dispatch or a command of a run; it may look but neither
    decide nor start anything.
    """
    marked = environment.get("PODIUM_AGENT") == MARKER or "PODIUM_DISPATCH" in environment
    return marked or descends_from_dispatch()


def read(environment: Mapping[str, str], lower: Flat) -> tuple[Flat, list[Fault], dict[Path, str]]:
    """Values, faults, and the variable behind each value; `lower` has the names that files gave
    to agents and roles.
    """
    flat: Flat = {}
    faults: list[Fault] = []
    names: dict[Path, str] = {}
    # Sorted, so that faults come in the same order everywhere.
    for variable in sorted(name for name in environment if name.startswith(PREFIX)):
        parts = _parts(variable)
        if fault := _misspelt(variable, parts):
            faults.append(fault)
            continue
        if (len(parts) == 1 and parts != ["agent"]) or (
            parts == ["agent"] and environment[variable] == MARKER
        ):
            continue
        path = _path(parts, lower)
        found = _key(variable, path)
        if isinstance(found, Fault):
            faults.append(found)
            continue
        try:
            flat[path] = found.read(environment[variable])
            names[path] = variable
        except ValueError as wrong:
            faults.append(Fault(variable, str(wrong)))
    return flat, faults, names


def _parts(variable: str) -> list[str]:
    said = variable.removeprefix(PREFIX).lower()
    return list(_plain().get(said.replace("__", "_"), said.split("__")))


@cache
def _plain() -> Mapping[str, Path]:
    """Settings whose full name is known in advance, spelled with single underscores."""
    tables: list[Path] = [
        *((name,) for name in TABLES),
        *(("policy", name) for name in policies.WORKFLOWS),
    ]
    paths = [
        (*table, name)
        for table in tables
        for name, key in (inside(table) or {}).items()
        if key is not None
    ]
    return {"_".join(path): path for path in paths}


def _misspelt(variable: str, parts: list[str]) -> Fault | None:
    """`PODIUM_BUDGET_TOKENS` would be ignored silently, and the cap with it."""
    table, _, rest = parts[0].partition("_")
    if not rest or table not in {*TABLES, *NAMED, "policy"}:
        return None
    workflow = next(
        (name for name in policies.WORKFLOWS if table == "policy" and rest.startswith(f"{name}_")),
        "",
    )
    names = [table, workflow, rest.removeprefix(f"{workflow}_")] if workflow else [table, rest]
    return Fault(
        variable,
        "is not known",
        f"two underscores separate the names: {PREFIX}{'__'.join(names).upper()}",
    )


def _path(parts: list[str], lower: Flat) -> Path:
    if is_open(tuple(parts)):
        return (*parts[:2], ".".join(parts[2:]))
    if parts[0] in NAMED and len(parts) == 3:
        # A variable's name cannot have a dash: use the name from the files, otherwise dashes, as
        # roles have them.
        given = {path[1] for path in lower if path[0] == parts[0] and len(path) == 3}
        same = [name for name in given if name.lower().replace("-", "_") == parts[1]]
        return (parts[0], same[0] if same else parts[1].replace("_", "-"), parts[2])
    return tuple(parts)


def _key(variable: str, path: Path) -> Key | Fault:
    if found := key_of(path):
        return found
    if is_open(path) and path[2:]:
        return Key("str")
    for depth, name in enumerate(path):
        known = inside(path[:depth])
        if known is not None and name not in known:
            return unknown(variable, path[: depth + 1], known)
        if key_of(path[: depth + 1]):
            return Fault(variable, f"{'.'.join(path[: depth + 1])} is not a table")
    return Fault(variable, f"{'.'.join(path)} is a table", "name the key inside it")
