"""What a turn at a run uses: agents by name, the providers they ask, programs that a machine
must have. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from podium.agents.gateway.providers import OF_AGENT
from podium.agents.profiles.catalog import PROFILES
from podium.settings.values import AgentSettings, Settings

DEFAULT = "default"
"""In a table of limits: everybody not named there."""
Limits = Mapping[str, Mapping[str, int]]
"""`agents`, `providers` and `users`, each by name."""


@dataclass(frozen=True)
class Wants:
    """All agents that the run's roles name; which of them a turn starts is not known in advance."""

    agents: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    """Known programs, by the names of their profiles; other commands may come with the project."""
    unset: bool = False
    """Whether a role gets its agent only from the worker's settings."""

    def settled(self, usual: Wants) -> Wants:
        """The same on a worker where `usual` plays the roles for which nobody was named."""
        if not self.unset:
            return self
        pairs = (
            (self.agents, usual.agents),
            (self.providers, usual.providers),
            (self.programs, usual.programs),
        )
        agents, providers, programs = (tuple(sorted({*one, *other})) for one, other in pairs)
        return Wants(agents, providers, programs)

    def keys(self, user: str) -> tuple[str, ...]:
        """The names of the limits that such a run of this user counts towards."""
        named = (("agents", self.agents), ("providers", self.providers), ("users", (user,)))
        return tuple(f"{kind}.{name}" for kind, names in named for name in names)


NONE = Wants()


def wants_of(specs: Iterable[str], settings: Settings) -> Wants:
    """`specs`: who plays each role, as given; empty if nobody was named."""
    told = sorted(set(specs))
    named = [each for each in told if each]
    programs = {_program(each, settings) for each in named} - {""}
    return Wants(
        tuple(sorted({name_of(each) for each in named})),
        tuple(sorted({provider_of(each, settings) for each in named})),
        tuple(sorted(programs)),
        unset="" in told,
    )


def name_of(spec: str) -> str:
    """The name that limits use: `scripted` and `command` for agents that are written out."""
    kind, colon, _ = spec.partition(":")
    return kind if colon and kind in {"scripted", "command"} else spec


def provider_of(spec: str, settings: Settings) -> str:
    """The provider it asks; its own name if unknown."""
    name = name_of(spec)
    return settings.agents.get(name, AgentSettings()).provider or OF_AGENT.get(
        _backend(name, settings), name
    )


def limit_of(limits: Limits, key: str) -> int | None:
    """The most runs under way that may count towards this key; None if there is no limit."""
    kind, _, name = key.partition(".")
    table = limits.get(kind, {})
    return table.get(name, table.get(DEFAULT))


def limited(limits: Limits, keys: Iterable[str]) -> dict[str, int]:
    found = {key: limit_of(limits, key) for key in keys}
    return {key: limit for key, limit in sorted(found.items()) if limit is not None}


def written(wants: Wants) -> dict[str, Any]:
    """As stored in a run's request."""
    return {
        "agents": list(wants.agents),
        "providers": list(wants.providers),
        "programs": list(wants.programs),
        "unset": wants.unset,
    }


def read(told: Mapping[str, Any]) -> Wants:
    agents, providers, programs = (
        tuple(map(str, told.get(name, ()))) for name in ("agents", "providers", "programs")
    )
    return Wants(agents, providers, programs, bool(told.get("unset")))


def _backend(name: str, settings: Settings) -> str:
    chosen = settings.agents.get(name, AgentSettings())
    return chosen.backend or ("command" if chosen.command else name)


def _program(spec: str, settings: Settings) -> str:
    """The known program; empty for one at a path, for a command, for people and for scenarios."""
    name = name_of(spec)
    backend, chosen = _backend(name, settings), settings.agents.get(name, AgentSettings())
    return (
        backend if backend in PROFILES and not chosen.command and "/" not in chosen.program else ""
    )
