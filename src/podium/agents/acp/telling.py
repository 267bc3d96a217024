"""Writes what an agent says and does into the transcript: text joined into lines, tools when
they change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.agents.acp.tool_call import ToolCall
from podium.agents.activity import Activity, Ending, ToolKind, ToolStatus
from podium.agents.protocol import Usage

LONGEST_TEXT = 1024 * 1024
_LINE = 2000
_MOST_KNOWN = 1000
"""How many tools are remembered with their last state, so that each state is shown once."""
_KINDS: Mapping[str, ToolKind] = {
    "read": "read",
    "edit": "edit",
    "delete": "delete",
    "move": "move",
    "search": "search",
    "execute": "execute",
    "fetch": "fetch",
    "think": "think",
}
_STATUSES: Mapping[str, ToolStatus] = {
    "pending": "pending",
    "in_progress": "running",
    "completed": "completed",
    "failed": "failed",
}


class Telling:
    """One dispatch's transcript, and the agent's final message."""

    def __init__(self, activity: Activity) -> None:
        self._activity = activity
        self._open = ""
        self._said: list[str] = [""]
        self._length = 0
        self._shown: dict[str, tuple[Any, ...]] = {}
        self.spoke = False
        """Whether the agent has said anything since it last asked for permission."""

    @property
    def message(self) -> str:
        """What the agent has said since its last tool call; if nothing, what it said before
        that.
        """
        return next((each for each in reversed(self._said) if each.strip()), "")

    @property
    def at_line_start(self) -> bool:
        return not self._open

    def text(self, piece: str) -> None:
        self.spoke = self.spoke or bool(piece.strip())
        if self._length < LONGEST_TEXT:
            self._length += len(piece)
            self._said[-1] += piece
        *lines, rest = (self._open + piece).split("\n")
        if len(rest) > _LINE:
            lines, rest = [*lines, rest], ""
        self._open = rest
        for line in lines:
            self._activity.text(line)

    def aside(self, line: str) -> None:
        """A remark of the program itself: shown, but not part of what its model says."""
        self.flush()
        self._activity.text(line)

    def tool(self, call: ToolCall) -> None:
        """Show a call when something about it has changed."""
        now = (call.title, call.kind, call.paths, call.status, call.command)
        if self._shown.get(call.ident) == now:
            return
        self.flush()
        if len(self._shown) >= _MOST_KNOWN:
            self._shown.clear()
        self._shown[call.ident] = now
        if self._said[-1]:
            self._said = [self._said[-1], ""]
            self._length = len(self._said[0])
        status = _STATUSES.get(call.status, "pending")
        title = call.command or call.title
        self._activity.tool(kind_of(call), status, title=title, paths=call.paths, ident=call.ident)

    def permission(self, call: ToolCall, *, allowed: bool, why: str) -> None:
        self.flush()
        self.spoke = False
        title = call.command or call.title
        self._activity.permission(
            kind_of(call), allowed=allowed, title=title, paths=call.paths, why=why
        )

    def refused(self, method: str) -> None:
        """A call of a method that is not offered."""
        self.flush()
        self._activity.tool("other", "refused", title=method)

    def ended(self, reason: Ending, detail: str, usage: Usage) -> None:
        self.flush()
        if usage != Usage():
            self._activity.usage(usage)
        self._activity.ended(reason, detail)

    def flush(self) -> None:
        rest, self._open = self._open, ""
        self._activity.text(rest)


def kind_of(call: ToolCall) -> ToolKind:
    return _KINDS.get(call.kind, "other")
