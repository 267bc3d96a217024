"""What a scripted model does, turn by turn, as values. Nothing here knows a wire format or an
agent's tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Write:
    """Write a whole file, with whatever tool the agent has for it."""

    path: str
    content: str


@dataclass(frozen=True)
class Read:
    path: str


@dataclass(frozen=True)
class Run:
    """Run a shell command."""

    command: str


@dataclass(frozen=True)
class Json:
    """A structured answer: through the tool for it if one is declared, otherwise as the
    message's text.
    """

    data: Any


@dataclass(frozen=True)
class Tool:
    """Call a tool by name, whether it was declared or not."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Ending:
    """Call the declared tool whose name ends like this: every agent adds its own prefix to an MCP
    tool's name.

    Required members that are not given are filled in from its schema; for a closed list, with the
    first value.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


Act = Write | Read | Run | Json | Tool | Ending


@dataclass(frozen=True)
class Tokens:
    """The usage that a turn reports."""

    tokens_in: int
    tokens_out: int


@dataclass(frozen=True)
class Refusal:
    """An HTTP error instead of an answer."""

    status: int
    times: int = 1
    """This many attempts get it; the next one is answered."""
    retry_after: float | None = 0.0
    """Seconds in the Retry-After header; None for no header."""


@dataclass(frozen=True)
class Step:
    """One turn of the model: its words, its calls, and the faults on the way."""

    say: str = ""
    acts: tuple[Act, ...] = ()
    """The calls of one turn; a turn without calls ends the agent's work."""
    tokens: Tokens | None = None
    """None: 1000 and 50 for the first step, 100 and 1 more for each later one."""
    refuse: Refusal | None = None
    cut: int = 0
    """This many attempts break off in the middle of the answer."""
    delay: float = 0.0
    """Seconds before the answer begins."""
    pace: float = 0.0
    """Seconds between the parts of a streamed answer."""


@dataclass(frozen=True)
class Script:
    steps: tuple[Step, ...]
    loop: bool = False
    """Start again after the last step, for ever."""

    def step(self, number: int) -> Step | None:
        """The step with that number, from 0; None after the end."""
        if self.loop and self.steps:
            return self.steps[number % len(self.steps)]
        return self.steps[number] if 0 <= number < len(self.steps) else None


def usual_tokens(number: int) -> Tokens:
    return Tokens(1000 + 100 * number, 50 + number)


def filled(step: Step, values: Mapping[str, str]) -> Step:
    """The step with `{name}` replaced in all its texts."""
    return replace(
        step,
        say=_filled(step.say, values),
        acts=tuple(_filled_act(each, values) for each in step.acts),
    )


def _filled_act(act: Act, values: Mapping[str, str]) -> Act:
    match act:
        case Write(path, content):
            return Write(_filled(path, values), _filled(content, values))
        case Read(path):
            return Read(_filled(path, values))
        case Run(command):
            return Run(_filled(command, values))
        case Json(data):
            return Json(_filled(data, values))
        case Tool(name, arguments):
            return Tool(name, _filled(dict(arguments), values))
        case Ending(name, arguments):
            return Ending(name, _filled(dict(arguments), values))


def _filled(value: Any, values: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        for name, text in values.items():
            value = value.replace("{" + name + "}", text)
        return value
    if isinstance(value, Mapping):
        return {name: _filled(each, values) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_filled(each, values) for each in value]
    return value
