"""The stream of Claude Code (`--output-format stream-json`), and of Qwen Code, which prints the
same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.agents.headless.heard import Base, count, entries, money, table, text, total
from podium.agents.headless.troubles import locked, until
from podium.agents.protocol import Failure, Usage

_LIMITS = {"error_max_turns": "its turn limit", "error_max_budget_usd": "its cost limit"}
_BUSY = frozenset({"rate_limit", "overloaded"})
_LOCKED = frozenset({"authentication_failed", "verification_required", "oauth_org_not_allowed"})
_HOPELESS = {
    "billing_error": "the model's provider asks for payment",
    "model_not_found": "there is no such model",
}
_PATIENCE = 2
"""With a rejected key it retries ten times, for minutes; the second attempt tells enough."""


class ClaudeStream(Base):
    def message(self, message: Mapping[str, Any]) -> None:
        match message.get("type"):
            case "system":
                self._system(message)
            case "assistant":
                self._assistant(message)
            case "user":
                self._results(message)
            case "rate_limit_event":
                self._limit(table(message.get("rate_limit_info")), "usage limit")
            case "result":
                self._result(message)

    def _system(self, message: Mapping[str, Any]) -> None:
        match message.get("subtype"):
            case "init":
                self.started(
                    message.get("session_id"),
                    message.get("model"),
                    message.get("claude_code_version"),
                )
            case "permission_denied":
                why = text(message.get("decision_reason")) or text(message.get("message"))
                self.denied(message.get("tool_use_id"), message.get("tool_name"), why)
            case "api_retry" if (
                text(message.get("error")) in _LOCKED and message.get("attempt") == _PATIENCE
            ):
                self.fail(locked("the model's service rejected its key", self.hint))
                self.heard.over = True
            case "api_retry":
                self._again(message)

    def _again(self, message: Mapping[str, Any]) -> None:
        tries = (count(message.get("attempt")), count(message.get("max_retries")))
        status, kind = count(message.get("error_status")), text(message.get("error"))
        why = " ".join([*([str(status)] if status else []), kind]).strip() or "no answer"
        self.activity.retry(f"{why} (retry {tries[0]} of {tries[1]})" if all(tries) else why)

    def _assistant(self, message: Mapping[str, Any]) -> None:
        body = table(message.get("message"))
        broken = message.get("is_api_error_message") is True or text(message.get("error"))
        for block in entries(body.get("content")):
            if block.get("type") == "text" and broken:
                self._error(text(message.get("error")), text(block.get("text")), message)
            elif block.get("type") == "text":
                # What an agent's subagents say is meant for it, not for us.
                if message.get("parent_tool_use_id") is None:
                    self.say(block.get("text"))
            elif block.get("type") == "tool_use":
                self.called(block.get("id"), block.get("name"), block.get("input"))

    def _results(self, message: Mapping[str, Any]) -> None:
        for block in entries(table(message.get("message")).get("content")):
            if block.get("type") == "tool_result":
                self.returned(block.get("tool_use_id"), failed=block.get("is_error") is True)

    def _limit(self, info: Mapping[str, Any], words: str) -> None:
        if info.get("status") == "rejected":
            self.fail(Failure("rate_limit", words, until(info.get("resetsAt"), self.now())))

    def _error(self, kind: str, words: str, message: Mapping[str, Any]) -> None:
        """A complaint of the program itself, which it presents as if the model had said it."""
        self._limit(table(table(message.get("api_error_params")).get("rate_limit_info")), words)
        if kind in _LOCKED:
            self.fail(locked(words, self.hint))
        elif kind in _HOPELESS:
            self.fail(Failure("not_dispatchable", f"{_HOPELESS[kind]}: {words[:600]}"))
        elif kind in _BUSY and self.heard.failure is None:
            self.complain(f"rate limit: {words}")
        else:
            self.complain(words)

    def _result(self, message: Mapping[str, Any]) -> None:
        heard, kind = self.heard, text(message.get("subtype"))
        heard.over = True
        heard.usage = _usage(message)
        found = message.get("structured_output", message.get("structured_result"))
        heard.structured = found if isinstance(found, Mapping) else None
        if kind in _LIMITS:
            self.fail(Failure("timeout", f"it reached {_LIMITS[kind]} before it was done"))
        elif message.get("is_error") is True or kind.startswith("error"):
            self.complain(
                text(message.get("result"))
                or text(table(message.get("error")).get("message"))
                or kind
            )
        elif said := text(message.get("result")):
            heard.text = said


def _usage(message: Mapping[str, Any]) -> Usage:
    used = table(message.get("usage"))
    cached = used.get("cache_creation_input_tokens"), used.get("cache_read_input_tokens")
    return Usage(
        total(used.get("input_tokens"), *cached),
        total(used.get("output_tokens")),
        money(message.get("total_cost_usd")),
    )
