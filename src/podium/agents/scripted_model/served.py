"""What the scripted model was asked and what it said, call by call: the truth that other counts
are compared with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.agents.scripted_model.script import Tokens


@dataclass
class Served:
    """One request."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any = field(default=None, repr=False)
    """As JSON; None if it is not."""
    shape: str = ""
    """anthropic, responses, chat, gemini; empty for everything else."""
    model: str = ""
    stream: bool = False
    tools: tuple[str, ...] = ()
    """Names of the tools that the agent declared."""
    script: str = ""
    step: int = -1
    attempt: int = 0
    note: str = ""
    """Why no step of a script was played; empty if one was."""
    called: tuple[str, ...] = ()
    """Names of the tools that the answer calls."""
    status: int = 0
    tokens: Tokens | None = None
    """The usage that the answer reported, as far as it was sent; None if it reported none."""
    cut: bool = False
    """Whether the answer broke off in the middle."""
    left: bool = False
    """Whether the client went away first."""

    @property
    def key(self) -> str:
        """The key that came with it, in whichever header."""
        given = self.headers.get("authorization", "").removeprefix("Bearer ")
        return self.headers.get("x-api-key") or self.headers.get("x-goog-api-key") or given


def total(calls: Iterable[Served]) -> Tokens:
    """The usage that all of them reported."""
    said = [each.tokens for each in calls if each.tokens is not None]
    return Tokens(sum(each.tokens_in for each in said), sum(each.tokens_out for each in said))
