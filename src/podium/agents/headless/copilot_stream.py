"""The stream of `copilot -p … --output-format json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.agents.headless.heard import Base, table, text

_REFUSED = frozenset({"denied", "rejected"})
"""How a call ends that nobody was there to allow."""


class CopilotStream(Base):
    fault = ""
    """The last error it reported, unless its model said something afterwards."""

    def message(self, message: Mapping[str, Any]) -> None:
        data = table(message.get("data"))
        match message.get("type"):
            case "assistant.message":
                # What an agent's subagents say is meant for it, not for us.
                if not text(data.get("parentToolCallId")):
                    self.fault = ""
                    self.say(data.get("content"))
            case "tool.execution_start":
                self.called(data.get("toolCallId"), data.get("toolName"), data.get("arguments"))
            case "tool.execution_complete":
                self._returned(data)
            case "session.error":
                self._error(data)
            case "result":
                self._result(message)

    def _returned(self, data: Mapping[str, Any]) -> None:
        fault = table(data.get("error"))
        if text(fault.get("code")) in _REFUSED:
            self.denied(data.get("toolCallId"), "", text(fault.get("message")))
        self.returned(data.get("toolCallId"), failed=data.get("success") is not True)

    def _error(self, data: Mapping[str, Any]) -> None:
        status = data.get("statusCode")
        said = " ".join((text(data.get("errorType")).replace("_", " "), text(data.get("message"))))
        self.fault = f"{said} (status {status})" if isinstance(status, int) else said

    def _result(self, message: Mapping[str, Any]) -> None:
        """Its last line, with the name of its session. It reports no tokens."""
        self.started(message.get("sessionId"))
        self.heard.over = True
        code = message.get("exitCode")
        if code != 0:
            self.complain(self.fault or f"it says that it failed, with exit code {str(code)[:20]}")
