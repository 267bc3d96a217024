"""From settings to routes: which agents use the gateway, and where each may go."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from podium.agents.gateway.counting import Price
from podium.agents.gateway.providers import OF_AGENT, PROVIDERS, Route, route
from podium.agents.profiles.addresses import with_addresses
from podium.agents.profiles.catalog import PROFILES
from podium.core.errors import Fault, InputError
from podium.settings.values import AgentSettings, Settings

_OWN = frozenset({"human", "scripted"})
"""Backends that ask no model."""


def routes(
    settings: Settings, environ: Mapping[str, str], project: Path
) -> Callable[[str, bool], Route | None]:
    """Takes an agent's name and whether it is confined, returns its route; None if it finds its
    model itself.

    If the settings ask for the gateway in any way, the agent gets a route or is not dispatched at
    all.
    """
    prices = _prices(settings)
    kept = bool(settings.gateway.record or settings.gateway.replay)

    @cache
    def found(name: str, confined: bool) -> Route | None:
        chosen = settings.agents.get(name, AgentSettings())
        backend = chosen.backend or ("command" if chosen.command else name)
        wanted = _wanted(chosen)
        if chosen.gateway is False or backend in _OWN or not (wanted or confined or kept):
            return None
        provider = chosen.provider or OF_AGENT.get(backend, "")
        own = environ
        if backend in PROFILES and not chosen.upstream:
            own = _as_read(backend, with_addresses(name, PROFILES[backend], environ, project))
        try:
            return _route(
                name, chosen, provider, own, prices, keyless=bool(settings.gateway.replay)
            )
        except InputError:
            if wanted:
                raise
            return None  # it may have a login of its own

    return found


def _as_read(backend: str, environ: Mapping[str, str]) -> Mapping[str, str]:
    """The environment without the addresses that only other programs read, if it has one that this
    one does.
    """
    names = {name for about in PROVIDERS.values() for name in about.base_names}
    others = names - {*PROFILES[backend].keys}
    if not any(environ.get(name) for name in names - others):
        return environ
    return {name: value for name, value in environ.items() if name not in others}


def vendor(settings: Settings, spec: str) -> str:
    """Whose models an agent asks, as far as its name and the settings tell; "" if they do not."""
    chosen = settings.agents.get(spec, AgentSettings())
    backend = chosen.backend or ("command" if chosen.command else spec.partition(":")[0])
    if backend in _OWN:
        return spec
    return chosen.provider or OF_AGENT.get(backend, "") or chosen.model.partition("/")[0]


def _wanted(chosen: AgentSettings) -> bool:
    """Whether the gateway is wanted. A setting that cannot be enforced without it counts as
    asking for it.
    """
    return bool(
        chosen.gateway or chosen.provider or chosen.upstream or chosen.key_env or chosen.models
    )


def _route(
    name: str,
    chosen: AgentSettings,
    provider: str,
    environ: Mapping[str, str],
    prices: Mapping[str, Price],
    *,
    keyless: bool,
) -> Route:
    where = f"[agents.{name}]"
    if not provider:
        raise InputError(
            Fault(
                where,
                "the gateway must know whose models it asks",
                "set provider, and upstream for one that Podium does not know",
            )
        )
    if chosen.home == "user":
        raise InputError(
            Fault(
                where,
                'home = "user" asks models with your login',
                'home = "private", or gateway = false',
            )
        )
    return route(
        name,
        provider,
        environ,
        upstream=chosen.upstream,
        key_env=chosen.key_env,
        models=chosen.models,
        prices=prices,
        keyless=keyless,
    )


def _prices(settings: Settings) -> dict[str, Price]:
    found: dict[str, Price] = {}
    faults: list[Fault] = []
    for name, each in settings.prices.items():
        if each.input is None or each.output is None:
            faults.append(Fault(f'[prices."{name}"]', "needs both input and output"))
        else:
            found[name] = Price(each.input, each.output, each.cached_input)
    if faults:
        raise InputError(faults)
    return found
