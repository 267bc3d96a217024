"""Whom a dispatch may talk to: the provider's address and key, the allowed models, and the
variables for its agent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from ipaddress import ip_address
from urllib.parse import urlsplit

from podium.agents.gateway.counting import Price
from podium.core.errors import Fault, InputError


@dataclass(frozen=True)
class Provider:
    upstream: str
    """The base address as the provider's own clients are configured with it."""
    key_env: str
    header: str
    """The header that carries the key; `authorization` takes it as a bearer token."""
    mount: str = ""
    """What its clients expect at the end of a base address."""
    base_names: tuple[str, ...] = ()
    """Variables that give its clients the base address."""
    key_names: tuple[str, ...] = ()
    """Variables that give its clients the key."""
    token_env: str = ""
    """A variable whose value its clients send as a bearer token instead."""
    api: str = ""
    """What other clients also have at the end of a base address."""


PROVIDERS: Mapping[str, Provider] = {
    "anthropic": Provider(
        "https://api.anthropic.com",
        "ANTHROPIC_API_KEY",
        "x-api-key",
        base_names=("ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE"),
        key_names=("ANTHROPIC_API_KEY",),
        token_env="ANTHROPIC_AUTH_TOKEN",  # noqa: S106  # its name
        api="/v1",
    ),
    "openai": Provider(
        "https://api.openai.com/v1",
        "OPENAI_API_KEY",
        "authorization",
        "/v1",
        ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
        ("OPENAI_API_KEY",),
    ),
    "gemini": Provider(
        "https://generativelanguage.googleapis.com",
        "GEMINI_API_KEY",
        "x-goog-api-key",
        base_names=("GOOGLE_GEMINI_BASE_URL",),
        key_names=("GEMINI_API_KEY",),
        api="/v1beta",
    ),
}
OTHER = Provider("", "", "authorization", "/v1", ("OPENAI_BASE_URL",), ("OPENAI_API_KEY",))
"""A provider that is not known here. Its address must be set, and it is assumed to speak
OpenAI's formats.
"""
OF_AGENT: Mapping[str, str] = {
    "claude": "anthropic",
    "codex": "openai",
    "gemini": "gemini",
    "qwen": "openai",
}
"""Known programs that are made for one provider."""


@dataclass(frozen=True)
class Route:
    """Where the calls of one agent go."""

    provider: str
    upstream: str
    key: str = field(default="", repr=False)
    """The real key; empty if none is sent."""
    key_env: str = ""
    models: tuple[str, ...] = ()
    """Names or patterns of the models it may ask; empty means any."""
    prices: Mapping[str, Price] = field(default_factory=dict)

    @property
    def about(self) -> Provider:
        return PROVIDERS.get(self.provider, OTHER)

    @property
    def key_header(self) -> tuple[str, str] | None:
        if not self.key:
            return None
        bearer = self.key_env and self.key_env == self.about.token_env
        name = "authorization" if bearer else self.about.header
        return name, f"Bearer {self.key}" if name == "authorization" else self.key

    def allows(self, model: str) -> bool:
        return not self.models or any(fnmatchcase(model, each) for each in self.models)

    def address(self, path: str) -> str:
        """The upstream address for a path that the agent requested."""
        mount = self.about.mount
        inside = path.removeprefix(mount) if mount and path.startswith(f"{mount}/") else path
        return self.upstream.rstrip("/") + inside


def route(
    name: str,
    provider: str,
    environ: Mapping[str, str],
    *,
    upstream: str = "",
    key_env: str = "",
    models: tuple[str, ...] = (),
    prices: Mapping[str, Price] | None = None,
    keyless: bool = False,
) -> Route:
    """The route of an agent from its settings. Raises InputError if it is unusable; no message
    contains the key.

    `keyless`: no provider will be asked, because answers come from a recording.
    """
    where = f"[agents.{name}]"
    known = PROVIDERS.get(provider, OTHER)
    address = upstream
    if not address and provider in PROVIDERS:
        address = _own_address(where, known, environ) or known.upstream
    if not address:
        raise InputError(
            Fault(
                where,
                f"provider {provider!r} is not one of {', '.join(PROVIDERS)}",
                "set upstream to its base address",
            )
        )
    if not address.startswith(("https://", "http://")):
        raise InputError(Fault(where, f"upstream {address!r} is not an address", "https://…"))
    variable = key_env or _variable(known, environ)
    if bool(upstream) != bool(key_env) and (fault := _of_another(where, address, variable)):
        raise InputError(fault)
    if keyless:
        return Route(provider, address, "", variable, models, prices or {})
    key = environ.get(variable, "").strip() if variable else ""
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise InputError(
            Fault(
                where,
                f"the value of {variable} is not a usable key",
                "one line of printable characters",
            )
        )
    if not key and (key_env or not upstream):
        raise InputError(
            Fault(
                where,
                f"{variable} is not set, and the gateway needs the key in it",
                "set it, or `gateway = false`",
            )
        )
    if key and address.startswith("http://") and not is_loopback(address):
        raise InputError(
            Fault(where, f"upstream {address!r} would send the key unencrypted", "https://…")
        )
    return Route(provider, address, key, variable, models, prices or {})


def _own_address(where: str, provider: Provider, environ: Mapping[str, str]) -> str:
    """Where the person's own clients of this provider go."""
    named = {
        name: value.rstrip("/").removesuffix(provider.api)
        for name in provider.base_names
        if (value := environ.get(name, "").strip())
    }
    if len(set(named.values())) > 1:
        addresses = " and ".join(f"{name} names {value}" for name, value in named.items())
        raise InputError(
            Fault(
                where,
                f"{addresses}, and your key belongs to one of them",
                "let both name the same, or set upstream",
            )
        )
    return next(iter(named.values()), "")


def _variable(provider: Provider, environ: Mapping[str, str]) -> str:
    if provider.token_env and environ.get(provider.token_env, "").strip():
        return provider.key_env if environ.get(provider.key_env, "").strip() else provider.token_env
    return provider.key_env


def _of_another(where: str, address: str, variable: str) -> Fault | None:
    """What is wrong if a known provider would get the key of another."""
    host = urlsplit(address).hostname
    addressed = [name for name, about in PROVIDERS.items() if _host(about) == host]
    owners = [name for name, about in PROVIDERS.items() if variable in _keys(about)]
    if not (addressed and owners) or addressed == owners:
        return None
    return Fault(
        where,
        f"would send {owners[0]}'s key in {variable} to {address}",
        "set both upstream and key_env to what belongs together",
    )


def _host(provider: Provider) -> str | None:
    return urlsplit(provider.upstream).hostname


def _keys(provider: Provider) -> frozenset[str]:
    return frozenset({*provider.key_names, provider.token_env} - {""})


def beside_keys(names: Iterable[str]) -> tuple[str, ...]:
    """The names of variables, and with each key the variables that say where it belongs."""
    allowed = tuple(names)
    addresses = (about.base_names for about in PROVIDERS.values() if _keys(about) & {*allowed})
    return tuple(dict.fromkeys((*allowed, *(name for each in addresses for name in each))))


def is_loopback(address: str) -> bool:
    """Whether an address can only mean this machine."""
    host = urlsplit(address).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:  # a host name
        return False
