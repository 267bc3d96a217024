"""The stream of `opencode run --format json`. It ends only with the program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.agents.headless.heard import Base, money, table, text, total
from podium.agents.protocol import Usage

_REFUSED = "rejected permission"


class OpencodeStream(Base):
    def message(self, message: Mapping[str, Any]) -> None:
        self.started(message.get("sessionID"))
        part = table(message.get("part"))
        match message.get("type"):
            case "text":
                self.say(part.get("text"))
            case "tool_use":
                self._call(part)
            case "step_finish":
                self._finish(part)
            case "error":
                self._error(table(message.get("error")))

    def _call(self, part: Mapping[str, Any]) -> None:
        """It reports a call only when the call is over."""
        ident, name, state = part.get("callID"), part.get("tool"), table(part.get("state"))
        failed, why = state.get("status") == "error", text(state.get("error"))
        self.called(ident, name, state.get("input"))
        if failed and _REFUSED in why:
            self.denied(ident, name, why)
        self.returned(ident, failed=failed)

    def _finish(self, part: Mapping[str, Any]) -> None:
        """Each step reports its own tokens; those spent on the title are missing."""
        tokens, before = table(part.get("tokens")), self.heard.usage
        cache = table(tokens.get("cache"))
        came = total(tokens.get("input"), cache.get("read"), cache.get("write"))
        went = total(tokens.get("output"), tokens.get("reasoning"))
        cost = money(part.get("cost"))
        self.heard.usage = Usage(
            before.tokens_in if came is None else (before.tokens_in or 0) + came,
            before.tokens_out if went is None else (before.tokens_out or 0) + went,
            before.cost_usd if not cost else (before.cost_usd or 0.0) + cost,
        )

    def _error(self, fault: Mapping[str, Any]) -> None:
        data = table(fault.get("data"))
        status = data.get("statusCode")
        said = text(data.get("message")) or text(fault.get("name"))
        self.complain(f"{said} (status {status})" if isinstance(status, int) else said)
