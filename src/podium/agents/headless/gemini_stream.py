"""The stream of Gemini CLI (`-o stream-json`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.agents.headless.heard import LONGEST_TEXT, Base, table, text, total
from podium.agents.protocol import Failure, Usage

_LIMIT = "FatalTurnLimitedError"


class GeminiStream(Base):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._speaking = False

    def message(self, message: Mapping[str, Any]) -> None:
        match message.get("type"):
            case "init":
                self.started(message.get("session_id"), message.get("model"))
            case "message" if message.get("role") == "assistant":
                self._words(text(message.get("content")))
            case "tool_use":
                self._speaking = False
                self.called(
                    message.get("tool_id"), message.get("tool_name"), message.get("parameters")
                )
            case "tool_result":
                self.returned(message.get("tool_id"), failed=message.get("status") != "success")
            case "error" if message.get("severity") != "warning":
                self.complain(text(message.get("message")))
            case "result":
                self._result(message)

    def _words(self, words: str) -> None:
        """Pieces of one message follow each other until a tool is called."""
        if self._speaking:
            self.heard.text = (self.heard.text + words)[:LONGEST_TEXT]
            self.activity.text(words)
        else:
            self.say(words)
            self._speaking = bool(words.strip())

    def _result(self, message: Mapping[str, Any]) -> None:
        stats = table(message.get("stats"))
        self.heard.usage = Usage(
            total(stats.get("input_tokens")), total(stats.get("output_tokens"))
        )
        self.heard.over = True
        if message.get("status") != "success":
            fault = table(message.get("error"))
            if fault.get("type") == _LIMIT:
                self.fail(Failure("timeout", "it reached its turn limit before it was done"))
            self.complain(text(fault.get("message")) or text(message.get("status")))
