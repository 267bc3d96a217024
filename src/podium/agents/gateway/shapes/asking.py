"""Reads a request before it may pass: its wire format, the models it names, and any reason to
refuse it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from podium.agents.gateway.shapes.figures import Shape
from podium.formats.strict_json import decode

Kind = Literal["turn", "free", "other"]
"""`turn`: a model answers and it costs; `free`: nothing is generated, no cost; `other`: unknown."""
_FREE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_GEMINI = re.compile(r"/models/(?P<model>[^/:]+):(?P<verb>\w+)$")
_ENDINGS: tuple[tuple[str, Kind, Shape], ...] = (
    ("/messages/count_tokens", "free", "anthropic"),
    ("/messages", "turn", "anthropic"),
    ("/responses/input_tokens", "free", "responses"),
    ("/responses", "turn", "responses"),
    ("/chat/completions", "turn", "chat"),
    ("/completions", "turn", "chat"),
    ("/embeddings", "turn", "chat"),
)
_MORE = ("models", "fallbacks", "tools")
_READ = frozenset({"model", "stream", "stream_options", "background", *_MORE})
"""Fields by which a request is judged. Servers written in Go read `Model` as `model`, and of
both the last one.
"""


class Unreadable(Exception):
    """The body cannot be read in exactly one way; the message says why."""


@dataclass(frozen=True)
class Asked:
    """One request."""

    kind: Kind
    shape: Shape
    models: tuple[str, ...] = ()
    """All models it names; the first is the one it asks."""
    body: Mapping[str, Any] = field(default_factory=dict)
    """Empty if it has none."""

    @property
    def model(self) -> str:
        return self.models[0] if self.models else ""

    @property
    def silent(self) -> bool:
        """Whether the answer would not report its usage: a streamed chat does so only if asked
        to.
        """
        if self.shape != "chat" or self.kind != "turn" or self.body.get("stream") is not True:
            return False
        options = self.body.get("stream_options")
        return not (isinstance(options, Mapping) and options.get("include_usage") is True)


def read(method: str, path: str, body: bytes) -> Asked:
    """Read a request. Raises Unreadable if a request to a model is not one plain JSON object."""
    kind, shape, named = _address(method, path)
    if "%" in named:
        raise Unreadable("the model's name contains characters that hide it")
    if kind == "free":
        return Asked(kind, shape)
    try:
        data = _plain(body)
    except Unreadable:
        if kind == "turn":
            raise
        return Asked(kind, shape)
    models = [named] if named else []
    if isinstance(model := data.get("model"), str) and not named:
        models.append(model)
    return Asked(kind, shape, (*models, *_beside(data)), data)


def _beside(data: Mapping[str, Any]) -> list[str]:
    """Further models that a request names: a router's fallbacks, and those of the provider's own
    tools.
    """
    found: list[str] = []
    for name in _MORE:
        listed = data.get(name)
        for each in listed if isinstance(listed, list) else ():
            model = each.get("model") if isinstance(each, Mapping) else each
            found += [model] if isinstance(model, str) else []
    return found


def shape_of(path: str) -> Shape:
    """The format for a refusal of this path."""
    return _address("POST", path)[1]


def _address(method: str, path: str) -> tuple[Kind, Shape, str]:
    if found := _GEMINI.search(path):
        verb = found["verb"]
        kind: Kind = "turn" if verb in {"generateContent", "streamGenerateContent"} else "other"
        return ("free" if verb == "countTokens" else kind), "gemini", found["model"]
    for ending, known, shape in _ENDINGS:
        if path.endswith(ending):
            return ("free" if method in _FREE_METHODS else known), shape, ""
    return ("free" if method in _FREE_METHODS else "other"), "", ""


def _plain(body: bytes) -> Mapping[str, Any]:
    """One UTF-8 object without duplicate names, so that another parser finds the same model in
    it.
    """
    try:
        data = decode(body.decode())
    except (ValueError, RecursionError) as fault:
        raise Unreadable(f"the body is not plain JSON: {fault}") from None
    if not isinstance(data, dict):
        raise Unreadable("the body is not a JSON object")
    if other := next((name for name in data if name not in _READ and name.casefold() in _READ), ""):
        raise Unreadable(f"{other!r} is {other.casefold()!r} to some readers")
    return data


def telling(asked: Asked) -> bytes:
    """The body of a silent request, with the option that makes the provider report usage."""
    options = asked.body.get("stream_options")
    kept = dict(options) if isinstance(options, Mapping) else {}
    return json.dumps({**asked.body, "stream_options": {**kept, "include_usage": True}}).encode()


def only_cost(block: bytes) -> bool:
    """Whether an event of a streamed chat reports the usage and nothing else."""
    lines = [
        line[5:] for line in block.replace(b"\r", b"\n").split(b"\n") if line.startswith(b"data:")
    ]
    try:
        part = json.loads(b"".join(lines))
    except ValueError:
        return False
    return (
        isinstance(part, dict) and part.get("choices") == [] and isinstance(part.get("usage"), dict)
    )
