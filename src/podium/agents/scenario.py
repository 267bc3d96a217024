"""A scenario: what each role does, call by call, as values. scenario_file.py reads one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from podium.agents.protocol import Question, Usage
from podium.core import keys as key_names

FailureWord = Literal[
    "crash",
    "empty",
    "hang",
    "rate_limit",
    "timeout",
    "garbage",
    "parked",
    "violation",
    "not_dispatchable",
]


@dataclass(frozen=True)
class Copy:
    """The bytes of another file."""

    file: str
    """Relative to the scenario's folder."""


@dataclass(frozen=True)
class Template:
    """A well-formed document made from members."""

    name: str
    """Name of the contract's output that composes it."""
    members: Mapping[str, Any]


@dataclass(frozen=True)
class Document:
    """A JSON or YAML document given as data."""

    data: Any


Content = str | Copy | Template | Document


@dataclass(frozen=True)
class Call:
    """What an agent does in one call; the fields are in the order in which it acts."""

    behave_well: bool = False
    """First the shortest good answer, then the rest of this call on top of it."""
    sleep: float = 0.0
    read: tuple[str, ...] = ()
    write: tuple[tuple[str, Content], ...] = ()
    append: tuple[tuple[str, str], ...] = ()
    delete: tuple[str, ...] = ()
    chmod: tuple[tuple[str, int], ...] = ()
    symlink: tuple[tuple[str, str], ...] = ()
    run: tuple[str, ...] = ()
    verdict: Mapping[str, Any] | None = None
    usage: Usage = field(default_factory=Usage)
    say: str | None = None
    ask: Question | None = None
    fail: FailureWord | None = None
    retry_after: float | None = None


@dataclass(frozen=True)
class Scenario:
    agents: Mapping[str, tuple[Call, ...]] = field(default_factory=dict)
    """Calls by role; the last one repeats."""
    keys: Mapping[str, tuple[Call, ...]] = field(default_factory=dict)
    """Calls by key or shell-style pattern, in turn; takes precedence over agents."""
    defaults: Call = Call(behave_well=True)

    def choose(self, role: str, key: str, call: int, turn: int = 1, cut: int = 0) -> Call:
        """The call for this dispatch: by exact key, by the first pattern that matches, by role, or
        the default.

        A key's list counts the dispatches of that key (from 1), including repairs; a role's list
        counts the calls of that role in the run (from 0). A call that hangs lasts until it is
        killed, so each dispatch that died with the engine (`cut`) uses one up. Any other call never
        ended and is played again.
        """
        if found := self._by_key(key):
            return _nth(_left(found, cut), turn - 1)
        if found := self.agents.get(role, ()):
            return _nth(_left(found, cut), call)
        return self.defaults

    def _by_key(self, key: str) -> tuple[Call, ...]:
        for spelling in key_names.spellings(key):
            if spelling in self.keys:
                return self.keys[spelling]
        return next(
            (calls for each, calls in self.keys.items() if key_names.matches(each, key)), ()
        )


def _nth(calls: tuple[Call, ...], index: int) -> Call:
    return calls[min(max(index, 0), len(calls) - 1)]


def _left(calls: tuple[Call, ...], cut: int) -> tuple[Call, ...]:
    """The calls without the first hanging ones. The last call stays, because it repeats."""
    hanging = [number for number, each in enumerate(calls[:-1]) if each.fail == "hang"][:cut]
    return tuple(each for number, each in enumerate(calls) if number not in hanging)
