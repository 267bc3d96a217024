"""The stream of `codex exec --json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.agents.activity import ToolKind, ToolStatus
from podium.agents.headless.heard import Base, entries, table, text, total
from podium.agents.headless.troubles import trouble
from podium.agents.protocol import Usage

_KINDS: Mapping[str, ToolKind] = {
    "command_execution": "execute",
    "file_change": "edit",
    "mcp_tool_call": "other",
    "web_search": "fetch",
    "todo_list": "think",
}
_STATUSES: Mapping[str, ToolStatus] = {
    "in_progress": "running",
    "completed": "completed",
    "failed": "failed",
    "declined": "refused",
}


class CodexStream(Base):
    def message(self, message: Mapping[str, Any]) -> None:
        match message.get("type"):
            case "thread.started":
                self.started(message.get("thread_id"))
            case "item.started" | "item.completed" as kind:
                self._item(table(message.get("item")), done=kind == "item.completed")
            case "error":
                self._hopeless(text(message.get("message")))
            case "turn.completed":
                self.heard.usage = _usage(table(message.get("usage")))
                self.heard.over = True
            case "turn.failed":
                self.complain(text(table(message.get("error")).get("message")))
                self.heard.over = True

    def _item(self, item: Mapping[str, Any], *, done: bool) -> None:
        kind = text(item.get("type"))
        if kind == "agent_message" and done:
            self.say(item.get("text"))
        if kind not in _KINDS:
            return
        status: ToolStatus = _STATUSES.get(
            text(item.get("status")), "completed" if done else "running"
        )
        self.heard.calls += done
        title = (
            text(item.get("command")) or text(item.get("tool")) or text(item.get("query")) or kind
        )
        paths = tuple(text(each.get("path")) for each in entries(item.get("changes")))
        self.activity.tool(
            _KINDS[kind], status, title=title, paths=paths, ident=text(item.get("id"))
        )
        if status == "refused":
            self.heard.refused.append(title)

    def _hopeless(self, words: str) -> None:
        """It reconnects after most errors; for a rejected key that does not help."""
        found = trouble(words, self.now(), self.hint)
        if found is not None and found.kind == "not_dispatchable":
            self.fail(found)
            self.heard.over = True
        else:
            self.activity.retry(" ".join(words.split()))


def _usage(used: Mapping[str, Any]) -> Usage:
    """Cached tokens are already part of the input."""
    return Usage(total(used.get("input_tokens")), total(used.get("output_tokens")))
