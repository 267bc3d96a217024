"""The usage that an answer reports, in each wire format. Only whole numbers count; what is not
reported is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Shape = Literal["anthropic", "responses", "chat", "gemini", ""]
"""Empty: an unknown format."""
_MOST = 2**53
"""A larger number is not a real figure, and no price could be computed from it."""
_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})


@dataclass(frozen=True)
class Figures:
    """Tokens of one call."""

    tokens_in: int | None = None
    """The whole prompt, including what came from a cache."""
    tokens_out: int | None = None
    """Everything generated, including thoughts."""
    cached: int = 0
    """The part of tokens_in that came from a cache."""


class Meter:
    """Collects what the parts of one answer report. Figures only grow, so the larger of two
    counts.
    """

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.ended = False
        """Whether the answer reached its own end."""
        self._said: dict[str, int] = {}

    def take(self, part: Any) -> None:
        """One event, or the whole answer."""
        if not isinstance(part, Mapping):
            return
        usage, ended = _READERS[self.shape](part)
        self.ended = self.ended or ended
        for name, value in _numbers(usage).items():
            self._said[name] = max(value, self._said.get(name, 0))

    @property
    def figures(self) -> Figures:
        said = self._said
        cached = sum(said.get(name, 0) for name in _CACHED)
        # Anthropic counts cached tokens in addition to the input, all others within it.
        beside = sum(
            said.get(name, 0) for name in ("cache_creation_input_tokens", "cache_read_input_tokens")
        )
        given = _sum(
            said, "input_tokens", "prompt_tokens", "promptTokenCount", "toolUsePromptTokenCount"
        )
        made = _sum(
            said, "output_tokens", "completion_tokens", "candidatesTokenCount", "thoughtsTokenCount"
        )
        if made is None and given is not None and self.ended and _total(said) == given:
            made = 0  # an embedding, or a prompt that was refused
        return Figures(None if given is None else given + beside, made, cached)


_CACHED = ("cache_read_input_tokens", "cached_tokens", "cachedContentTokenCount")


def _sum(said: Mapping[str, int], *names: str) -> int | None:
    found = [said[name] for name in names if name in said]
    return sum(found) if found else None


def _total(said: Mapping[str, int]) -> int | None:
    return said.get("total_tokens", said.get("totalTokenCount"))


def _numbers(usage: Any) -> dict[str, int]:
    """The figures at the top of a usage object, and from its details the one about the cache."""
    if not isinstance(usage, Mapping):
        return {}
    found = {
        str(name): value
        for name, value in usage.items()
        if type(value) is int and 0 <= value < _MOST
    }
    for name in ("input_tokens_details", "prompt_tokens_details"):
        details = usage.get(name)
        cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
        if type(cached) is int and 0 <= cached < _MOST:
            found["cached_tokens"] = cached
    return found


def _anthropic(part: Mapping[str, Any]) -> tuple[Any, bool]:
    kind = part.get("type")
    if kind == "message_start":
        message = part.get("message")
        return (message.get("usage") if isinstance(message, Mapping) else None), False
    return part.get("usage"), kind in {"message_stop", "message", "error"}


def _responses(part: Mapping[str, Any]) -> tuple[Any, bool]:
    inner = part.get("response")
    if isinstance(inner, Mapping):
        return inner.get("usage"), str(part.get("type")) in _ENDS
    return part.get("usage"), part.get("object") == "response" or part.get("type") == "error"


def _chat(part: Mapping[str, Any]) -> tuple[Any, bool]:
    """A stream ends with its figures or with `[DONE]`, which is not JSON; a whole answer is
    anything but a chunk.
    """
    usage = part.get("usage")
    return usage, isinstance(usage, Mapping) or (
        "object" in part and part["object"] != "chat.completion.chunk"
    )


def _gemini(part: Mapping[str, Any]) -> tuple[Any, bool]:
    candidates = part.get("candidates")
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    ended = isinstance(first, Mapping) and bool(first.get("finishReason"))
    return part.get("usageMetadata"), ended or "promptFeedback" in part


def _unknown(part: Mapping[str, Any]) -> tuple[Any, bool]:
    """Tries the names that the known formats use."""
    inner = part.get("response")
    usage = part.get("usage") or part.get("usageMetadata")
    return usage or (inner.get("usage") if isinstance(inner, Mapping) else None), False


_READERS = {
    "anthropic": _anthropic,
    "responses": _responses,
    "chat": _chat,
    "gemini": _gemini,
    "": _unknown,
}
