"""What an agent sent and what it gets back, independent of the wire format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from podium.agents.scripted_model.script import Tokens

Who = Literal["user", "model", "tool"]


@dataclass(frozen=True)
class Turn:
    who: Who
    text: str = ""


@dataclass(frozen=True)
class Declared:
    """A tool that the agent offers to the model."""

    name: str
    schema: Mapping[str, Any] = field(default_factory=dict)
    freeform: bool = False
    """Whether it takes a text instead of an object."""
    namespace: str = ""

    @property
    def properties(self) -> Mapping[str, Any]:
        found = self.schema.get("properties")
        return found if isinstance(found, Mapping) else {}


@dataclass(frozen=True)
class Conversation:
    """One request, after reading."""

    model: str
    stream: bool
    turns: tuple[Turn, ...]
    tools: Mapping[str, Declared]
    told: str = ""
    """The system part of the prompt."""
    wants_json: bool = False
    """Whether the answer must be JSON; then a check or a router is asking, not the work itself."""


@dataclass(frozen=True)
class ToolCall:
    name: str
    arguments: Mapping[str, Any] | str
    """A text for a tool that does not take an object."""
    namespace: str = ""


@dataclass(frozen=True)
class Reply:
    """One turn of the model, ready for any wire format."""

    id: str
    """Equal for the same turn of the same conversation, so that a second run sends the same
    bytes.
    """
    model: str
    text: str
    calls: tuple[ToolCall, ...]
    tokens: Tokens


@dataclass(frozen=True)
class Event:
    """One part of a streamed answer."""

    data: Any
    name: str = ""
    said: Tokens | None = None
    """The usage reported by the parts up to this one; None if nothing yet."""


def merged(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Merge consecutive turns of the model: some formats send one of its answers as several
    items.
    """
    return tuple(
        each
        for at, each in enumerate(turns)
        if each.who != "model" or at == 0 or turns[at - 1].who != "model"
    )


def text_of(content: Any) -> str:
    """The texts of a message's content, which is a text or a list of blocks."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    found = [each.get("text") for each in blocks if isinstance(each, Mapping)]
    return "\n".join(each for each in found if isinstance(each, str))


def items(value: Any) -> list[Mapping[str, Any]]:
    """The objects in a list from the wire; anything else is left out."""
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def declared(name: Any, schema: Any) -> Declared:
    return Declared(str(name), schema if isinstance(schema, Mapping) else {})
