"""What was heard from an agent that prints JSON lines, and what all readers share. All of it is
hostile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from podium.agents.activity import Activity, ToolKind
from podium.agents.headless.troubles import broken_line, trouble
from podium.agents.protocol import Failure, Usage

LONGEST_TEXT = 1024 * 1024
_LONGEST_SESSION = 128
_MOST_OPEN = 1000


@dataclass
class Heard:
    """The result of reading one stream."""

    session: str = ""
    text: str = ""
    """Its last message."""
    usage: Usage = field(default_factory=Usage)
    structured: Mapping[str, Any] | None = None
    """The object from its vendor's schema output."""
    over: bool = False
    """Whether the stream's own end came; nothing useful follows."""
    failure: Failure | None = None
    """What it says went wrong."""
    lost: bool = False
    """Whether it gave up because the connection to its model broke."""
    refused: list[str] = field(default_factory=list)
    """Commands it had no permission for, with nobody to ask."""
    calls: int = 0
    """Tool calls so far."""
    messages: int = 0
    """Lines read."""


class Base:
    """What the readers of agents' streams share. A reader accepts any JSON value and never
    raises.
    """

    def __init__(self, activity: Activity, now: Callable[[], datetime], hint: str = "") -> None:
        """`hint`: how a person gives it access to its model."""
        self.heard = Heard()
        self.activity = activity
        self.now = now
        self.hint = hint
        self._tools: dict[str, tuple[ToolKind, str, tuple[str, ...]]] = {}

    def read(self, message: Any) -> None:
        if isinstance(message, Mapping):
            self.heard.messages += 1
            self.message(message)

    def message(self, message: Mapping[str, Any]) -> None:
        """One object of the stream."""

    def started(self, session: Any, model: Any = "", version: Any = "") -> None:
        found = text(session)
        if found and len(found) <= _LONGEST_SESSION and not self.heard.session:
            self.heard.session = found
            self.activity.started("headless", found, text(model), text(version))

    def say(self, words: Any) -> None:
        said = text(words)
        if said.strip():
            self.heard.text = said[:LONGEST_TEXT]
            self.activity.text(said)

    def called(self, ident: Any, name: Any, arguments: Any) -> None:
        """The model calls a tool."""
        self.heard.calls += 1
        words, given = text(name), table(arguments)
        known = kind_of(words), title_of(words, given), paths_of(given)
        if len(self._tools) < _MOST_OPEN:
            self._tools[text(ident)] = known
        self.activity.tool(known[0], "running", title=known[1], paths=known[2], ident=text(ident))

    def returned(self, ident: Any, *, failed: bool) -> None:
        """A tool call has ended."""
        kind, title, paths = self._tools.pop(text(ident), ("other", "", ()))
        self.activity.tool(
            kind, "failed" if failed else "completed", title=title, paths=paths, ident=text(ident)
        )

    def denied(self, ident: Any, name: Any, why: str) -> None:
        """The program refused its model a tool because nobody was there to allow it."""
        kind, title, paths = self._tools.get(text(ident), (kind_of(text(name)), text(name), ()))
        self.activity.permission(kind, allowed=False, title=title, paths=paths, why=why)
        if kind in {"execute", "other"} and len(self.heard.refused) < _MOST_OPEN:
            self.heard.refused.append(title)

    def fail(self, failure: Failure) -> None:
        """The first reason counts: what follows is a consequence."""
        self.heard.failure = self.heard.failure or failure

    def complain(self, words: str) -> None:
        """Record what it says went wrong, judged by the words alone."""
        said = " ".join(words.split())[:600]
        self.heard.lost = self.heard.failure is None and broken_line(words)
        self.fail(
            trouble(words, self.now(), self.hint)
            or Failure("crash", said or "it says that it failed")
        )


def text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def entries(value: Any) -> Iterator[Mapping[str, Any]]:
    """The objects of a list."""
    for each in value if isinstance(value, list) else ():
        if isinstance(each, Mapping):
            yield each


def count(value: Any) -> int | None:
    """A whole number, zero or more; None for anything else."""
    return (
        value
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
        else None
    )


def total(*parts: Any) -> int | None:
    """The sum of the parts that are numbers; None if the first is not one."""
    if count(parts[0]) is None:
        return None
    return sum(count(each) or 0 for each in parts)


def money(value: Any) -> float | None:
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9
    return float(value) if good else None


def together(first: Usage, second: Usage) -> Usage:
    """The usage of two processes that did one piece of work. What one did not report is unknown
    for both.
    """
    parts = zip(vars(first).values(), vars(second).values(), strict=True)
    return Usage(*(None if one is None or other is None else one + other for one, other in parts))


_PATHS = ("file_path", "filePath", "notebook_path", "absolute_path", "path", "filename", "dir_path")
_KINDS: Mapping[str, ToolKind] = {
    "read": "read",
    "readfile": "read",
    "readmanyfiles": "read",
    "view": "read",
    "notebookread": "read",
    "write": "edit",
    "writefile": "edit",
    "edit": "edit",
    "multiedit": "edit",
    "notebookedit": "edit",
    "replace": "edit",
    "patch": "edit",
    "applypatch": "edit",
    "create": "edit",
    "filechange": "edit",
    "bash": "execute",
    "shell": "execute",
    "runshellcommand": "execute",
    "execcommand": "execute",
    "commandexecution": "execute",
    "grep": "search",
    "glob": "search",
    "list": "search",
    "ls": "search",
    "listdirectory": "search",
    "searchfilecontent": "search",
    "toolsearch": "search",
    "grepsearch": "search",
    "webfetch": "fetch",
    "websearch": "fetch",
    "googlewebsearch": "fetch",
    "todowrite": "think",
    "todolist": "think",
    "task": "think",
    "reasoning": "think",
}


def kind_of(name: str) -> ToolKind:
    """A tool's kind, by the names agents give their tools; `other` for an unknown name."""
    return _KINDS.get(name.replace("_", "").lower(), "other")


def paths_of(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(text(arguments[each]) for each in _PATHS if text(arguments.get(each)))


def title_of(name: str, arguments: Mapping[str, Any]) -> str:
    """The command if there is one, otherwise the tool's name."""
    return text(arguments.get("command")) or text(arguments.get("cmd")) or name
