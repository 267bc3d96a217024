"""Whom a dispatch may talk to: the provider's address and key, the allowed models, and the
variables for its agent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from fnmatch import fnmatchcase
from ipaddress import ip_address
from urllib.parse import urlsplit

from podium.agents.gateway.counting import Price
from podium.core.dataclass import dataclass
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


PROVIDERS: Mapping[str, Provider] = {
    "anthropic": Provider(
        "https://api.anthropic.com",
        "ANTHROPIC_API_KEY",
        "x-api-key",
        base_names=("ANTHROPIC_BASE_URL",),
        key_names=("ANTHROPIC_API_KEY",),
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
        name = self.about.header
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
    address = upstream or known.upstream
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
    variable = key_env or known.key_env
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


def is_loopback(address: str) -> bool:
    """Whether an address can only mean this machine."""
    host = urlsplit(address).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:  # a host name
        return False
