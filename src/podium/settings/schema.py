"""Which names are allowed where, and checking a table against that: all faults at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import Field, fields
from typing import Any, cast

from podium.core.errors import Fault
from podium.core.nearest import nearest
from podium.settings import policies
from podium.settings.kinds import Key, Name
from podium.settings.values import (
    AgentSettings,
    Budget,
    Commands,
    Fleet,
    Gateway,
    Isolation,
    Issues,
    Mcp,
    Notify,
    Price,
    Proof,
    RoleSettings,
    Store,
    Telemetry,
    Ui,
    View,
)

Path = tuple[str, ...]
Flat = dict[Path, Any]
"""Checked values by full name: ("policy", "harness", "max_remediations")."""

NAMED: dict[str, type] = {"agents": AgentSettings, "roles": RoleSettings, "prices": Price}
"""Tables of tables whose names the user chooses."""
TABLES: dict[str, type] = {
    "commands": Commands,
    "proof": Proof,
    "view": View,
    "budget": Budget,
    "gateway": Gateway,
    "isolation": Isolation,
    "store": Store,
    "fleet": Fleet,
    "ui": Ui,
    "notify": Notify,
    "mcp": Mcp,
    "telemetry": Telemetry,
    "issues": Issues,
}
LIMITS = ("fleet", "limits")
LIMITED = ("agents", "providers", "users")
"""Tables in `[fleet.limits]` whose names the user chooses."""
_KINDS: dict[str, Name] = {"tuple[str, ...]": "texts"}


def inside(prefix: Path) -> Mapping[str, Key | None] | None:
    """The names known inside a table: a Key is a value, None a table. None instead of a mapping:
    any name is a table.
    """
    match prefix:
        case ():
            return {"agent": Key("str"), **dict.fromkeys([*NAMED, "policy", *TABLES])}
        case ("policy",):
            return dict.fromkeys(policies.WORKFLOWS)
        case ("policy", workflow):
            return dict(policies.known(workflow))
        case (table, _) if table in NAMED:
            return _keys(NAMED[table])
        case (table,) if table in TABLES:
            return _keys(TABLES[table])
        case ("fleet", "limits"):
            return dict.fromkeys(LIMITED)
        case _:
            return None


def check(table: Mapping[str, Any], where: str, prefix: Path = ()) -> tuple[Flat, list[Fault]]:
    """The table's values as settings store them, and everything that is wrong with it."""
    flat: Flat = {}
    faults: list[Fault] = []
    known = inside(prefix)
    for name, value in table.items():
        path = (*prefix, name)
        if key := key_of(path):
            try:
                flat[path] = key.take(value)
            except ValueError as fault:
                faults.append(Fault(where, f"{spelled(path)} {fault}"))
        elif known is not None and name not in known and not is_open(path):
            faults.append(unknown(where, path, known))
        else:
            taken, wrong = _table(value, where, path)
            flat.update(taken)
            faults.extend(wrong)
    return flat, faults


def is_open(path: Path) -> bool:
    """Whether the keys of this table are known to a workflow alone: any dotted name is taken."""
    return len(path) > 1 and path[0] == "policy" and policies.is_open(path[1])


def key_of(path: Path) -> Key | None:
    """The key with this full name; None for a table and for an unknown name."""
    if len(path) == 3 and path[0] == "policy":
        return policies.key(path[1], path[2])
    if len(path) == 4 and path[:2] == LIMITS and path[2] in LIMITED:
        return Key("int")
    return (inside(path[:-1]) or {}).get(path[-1])


def _table(value: Any, where: str, path: Path) -> tuple[Flat, list[Fault]]:
    if len(path) > 2 and is_open(path):
        return _open(value, path), []
    if not isinstance(value, Mapping):
        return {}, [Fault(where, f"{spelled(path)} must be a table", f"write [{spelled(path)}]")]
    return check(value, where, path)


def _open(value: Any, path: Path) -> Flat:
    """A value whose meaning another policy file defines, under its dotted name."""
    if not isinstance(value, Mapping):
        return {(*path[:2], ".".join(path[2:])): value}
    return {
        (*path[:2], ".".join((*path[2:], name))): each
        for name, each in policies.dotted(value).items()
    }


def unknown(where: str, path: Path, known: Collection[str]) -> Fault:
    return Fault(where, f"{spelled(path)} is not known", suggestion(path[-1], known))


def suggestion(name: str, known: Collection[str]) -> str:
    if match := nearest(name, known):
        return f"did you mean {match}?"
    return f"known here: {', '.join(sorted(known))}"


def spelled(path: Path) -> str:
    return ".".join(path)


def _keys(table: type) -> dict[str, Key | None]:
    """None for a table inside it."""
    return {
        name_of(each): None if each.metadata.get("kind") == "table" else _key(each)
        for each in fields(table)
    }


def name_of(field: Field[Any]) -> str:
    """The key in a file; a few are words that Python reserves."""
    return str(field.metadata.get("key", field.name))


def _key(each: Field[Any]) -> Key:
    annotation = str(each.type).removesuffix(" | None")
    kind = each.metadata.get("kind") or _KINDS.get(annotation, annotation)
    return Key(cast("Name", kind), choices=each.metadata.get("choices", ()))
