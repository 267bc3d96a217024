"""What a state file says about one run: a pointer, a few counters, and why it rests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Any

DONE = "done"
"""The one final step that every workflow shares."""


class Status(StrEnum):
    ACTIVE = "active"  # the engine's move
    WAITING = "waiting"  # a person must decide
    SLEEPING = "sleeping"  # a timer must pass
    BLOCKED = "blocked"  # a person must repair
    COMPLETE = "complete"
    CANCELLED = "cancelled"


RESTING = frozenset(Status) - {Status.ACTIVE}
ENDED = frozenset({Status.COMPLETE, Status.CANCELLED})


WHOLE: Mapping[str, bool] = MappingProxyType({"whole": True})
"""`metadata` of a member that is only replaced, never changed in place: copies of a run share
it.
"""


@dataclass(kw_only=True)
class Run:
    """The durable position of one run. Only `advance` changes it, by returning a changed copy."""

    step: str
    """The step the run stands at: the name of the method or of the stage."""
    status: Status = Status.ACTIVE
    reason: str = ""
    """Why the run rests, for people."""
    stop: str = ""
    """Why the run rests, as one word for programs: gate, question, timer, budget, rule …"""
    note: str = field(default="", compare=False)
    """What a person said last: it goes into the next dispatch and is cleared once that is done."""
    visits: dict[str, int] = field(default_factory=dict, compare=False)
    """How often each step was entered. Not part of the explored state: it only numbers keys."""

    def visit(self) -> int:
        return self.visits.get(self.step, 1)


def copied(run: Run) -> Any:
    """An independent copy. A run is plain data, so this is cheaper than deepcopy; it happens at
    every step.
    """
    twin = object.__new__(type(run))
    members = vars(twin)
    members.update(vars(run))
    # the class is hashable, its objects are not
    for name in _holding(type(run)):  # type: ignore[arg-type]
        value = members[name]
        if isinstance(value, _HOLDERS):
            members[name] = _fresh(value) if value else value.copy()  # most of them are empty
    return twin


@cache
def _holding(kind: type[Run]) -> tuple[str, ...]:
    """The members whose content can change; two of three are a word or a number and need no
    copying.
    """
    return tuple(
        each.name
        for each in fields(kind)
        if each.type not in _PLAIN and not WHOLE.items() <= each.metadata.items()
    )


_HOLDERS = (dict, list)
_PLAIN = frozenset({"str", "int", "float", "bool", str, int, float, bool})
_SCALARS = frozenset({str, int, float, bool, type(None)})


def _is_flat(values: Iterable[Any]) -> bool:
    """Whether no value is a container: then a shallow copy of their container is independent."""
    return _SCALARS.issuperset(map(type, values))


def _fresh(value: Any) -> Any:
    if isinstance(value, dict):
        if _is_flat(value.values()):
            return value.copy()
        return {
            key: _fresh(each) if isinstance(each, _HOLDERS) else each for key, each in value.items()
        }
    return (
        value.copy()
        if _is_flat(value)
        else [_fresh(each) if isinstance(each, _HOLDERS) else each for each in value]
    )


def counters(run: Run) -> dict[str, Any]:
    """Every member of the run except the pointer, as JSON data: enough to rebuild the state."""
    names = _names(type(run))  # type: ignore[arg-type]  # the same
    return {
        name: value if type(value := getattr(run, name)) in _SCALARS else _plain(value)
        for name in names
    }


@cache
def _names(kind: type[Run]) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind) if each.name != "step")


def restored(kind: type[Run], step: str, members: dict[str, Any]) -> Any:
    """The run that `counters` described; an unknown member is an error, a missing one keeps its
    default.
    """
    known = {each.name for each in fields(kind)}
    if unknown := sorted(set(members) - known):
        raise ValueError(f"unknown member {unknown[0]!r} (known: {', '.join(sorted(known))})")
    values = dict(members)
    if "status" in values:
        values["status"] = Status(values["status"])
    return kind(step=step, **values)


def _plain(value: Any) -> Any:
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, dict):
        return (
            value.copy()
            if _is_flat(value.values())
            else {key: _plain(each) for key, each in value.items()}
        )
    if isinstance(value, (list, tuple)):
        return list(value) if _is_flat(value) else [_plain(each) for each in value]
    return value
