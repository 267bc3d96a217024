"""Which script and step a request belongs to. Found in the history that the agent sends; nothing
is stored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from podium.agents.scripted_model.conversation import Conversation, Turn
from podium.agents.scripted_model.script import Script

_MARK = re.compile(r"\[\[script:([\w.-]+)((?:\s+\w+=[^\s\]]+)*)\s*\]\]")
_FOLDER = re.compile(
    r"(?:(?:working[ _](?:in the )?dir(?:ectory)?|<cwd>|\bcwd\b|current directory|workspace "
    r"(?:path|root))[^/\n]{0,20}"
    # not the middle of a path such as docs/commands
    r"|workspace directories[^/]{0,20})(?<![\w.])(/[^\s<>\"'`,;)]*)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Scene:
    """A script that is being played."""

    name: str
    script: Script
    ident: str
    """Identifies this conversation, and is the same at every step of it."""
    step: int
    values: Mapping[str, str] = field(default_factory=dict)
    """What `{name}` in the script stands for. Paths are relative to `cwd`."""


class Source(Protocol):
    """Where scripts come from."""

    def scene(self, said: Conversation) -> Scene | None:
        """The scene that the request belongs to; None if it is not from this source."""
        ...


def last(turns: Sequence[Turn], holds: re.Pattern[str]) -> tuple[str, int] | None:
    """The last user text that matches the pattern, and how many turns of the model follow it."""
    for at in range(len(turns) - 1, -1, -1):
        if turns[at].who == "user" and holds.search(turns[at].text):
            return turns[at].text, sum(each.who == "model" for each in turns[at:])
    return None


def folder(said: Conversation) -> str:
    """The agent's working folder, as it names it; empty if it does not."""
    for text in (said.told, *(each.text for each in said.turns)):
        if found := _FOLDER.search(text):
            return found[1].rstrip(".")
    return ""


@dataclass(frozen=True)
class Marked:
    """Scripts by name: the prompt chooses one with `[[script:NAME cwd=/folder]]`."""

    scripts: Mapping[str, Script]

    def scene(self, said: Conversation) -> Scene | None:
        found = last(said.turns, _MARK)
        if found is None:
            return None
        *_, mark = _MARK.finditer(found[0])
        script = self.scripts.get(mark[1])
        if script is None:
            return None
        values = dict(pair.split("=", 1) for pair in mark[2].split())
        return Scene(mark[1], script, mark[0], found[1], {"cwd": folder(said), **values})


@dataclass(frozen=True)
class Always:
    """One script for every request, whoever sends it."""

    script: Script

    def scene(self, said: Conversation) -> Scene | None:
        first = next((each.text for each in said.turns if each.who == "user"), "")
        after = sum(each.who == "model" for each in said.turns)
        return Scene("", self.script, first, after, {"cwd": folder(said)})
