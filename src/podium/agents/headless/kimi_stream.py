"""The stream of `kimi -p … --output-format stream-json`: chat messages. It ends only with the
program.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from podium.agents.headless.heard import Base, entries, table, text


class KimiStream(Base):
    def message(self, message: Mapping[str, Any]) -> None:
        match message.get("role"):
            case "assistant":
                self.say(message.get("content"))
                for each in entries(message.get("tool_calls")):
                    what = table(each.get("function"))
                    self.called(each.get("id"), what.get("name"), _arguments(what.get("arguments")))
            case "tool":
                # It does not say whether the tool failed; the tool's output is for the model.
                self.returned(message.get("tool_call_id"), failed=False)
            case "meta":
                self.started(message.get("session_id"))


def _arguments(said: Any) -> Any:
    """They arrive as text, as the model wrote them."""
    try:
        return json.loads(text(said))
    except (ValueError, RecursionError):
        return None
