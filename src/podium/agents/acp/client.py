"""Our side of the conversation: answers the agent's requests, records what it says, and notices
violations.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.agents.acp.launch import mode_name
from podium.agents.acp.permission import Decision, Scope, Wanted, choose, decide
from podium.agents.acp.telling import Telling
from podium.agents.acp.tool_call import ToolCall, read_tool_call
from podium.agents.acp.wire import METHOD_NOT_FOUND, PERMISSION, UPDATE, Refused
from podium.agents.profiles.profile import Habits
from podium.agents.protocol import Usage

_CANCELLED: Mapping[str, Any] = {"outcome": {"outcome": "cancelled"}}
_INVALID_PARAMS = -32602
MOST_TOOLS = 5000
_LONGEST_COMPLAINT = 500


@dataclass(frozen=True)
class Request:
    """One permission that the agent asked for, in a form that recognises the same request later."""

    kinds: tuple[str, ...]
    paths: tuple[str, ...]
    words: str
    """The tool's command, or its title if there is none."""

    def told(self) -> str:
        kinds = ", ".join(self.kinds) or "an unnamed tool"
        about = f" {', '.join(self.paths)}" if self.paths else ""
        return f"{kinds}{about}: {self.words}" if self.words else f"{kinds}{about}"


@dataclass
class Rules:
    """Everything about the dispatch and the settings that decides what is permitted."""

    folder: str
    """The agent's folder, as a real path."""
    scope: Scope
    forbidden: frozenset[str] = frozenset()
    """Modes in which another model judges, or in which the agent asks nothing."""
    ask: bool = False
    """Whether a person is asked when the contract does not decide."""
    granted: Request | None = None
    """What a person allowed, for one use."""
    most_tools: int | None = None
    """The most tool calls allowed in this dispatch."""
    habits: Habits = field(default_factory=Habits)


class Client:
    """The handler of one dispatch. A second process that resumes the session uses the same one."""

    def __init__(self, rules: Rules, telling: Telling) -> None:
        self.rules = rules
        self.telling = telling
        self.session = ""
        self.mode = ""
        """The mode the agent must stay in; "" until it is known."""
        self.live = False
        """Whether a turn is in progress. Whatever arrives before or after it does not count."""
        self.usage = Usage()
        self.violation = ""
        self.waiting: Request | None = None
        """The request that a person must decide."""
        self.limited = False
        """Whether the agent has used more tools than it may."""
        self.refused: list[str] = []
        """Descriptions of what was refused in this turn."""
        self.complaint = ""
        """The program's own complaint about its model; cleared when the agent says or does
        something afterwards.
        """
        self.attention = asyncio.Event()
        """Set when something happens that ends the turn."""
        self._stopping = asyncio.Event()
        self._tools: dict[str, ToolCall] = {}

    async def handle(self, method: str, params: Any) -> Mapping[str, Any] | None:
        if method == UPDATE:
            self._update(params)
            return None
        if method == PERMISSION:
            return await self._permission(params)
        if method.startswith(("fs/", "terminal/")):
            # Through us, an agent could reach out of its room. Some agents call these methods
            # although we do not offer
            # them.
            self.telling.refused(method[:80])
        raise Refused(
            METHOD_NOT_FOUND, f"there is no method {method[:80]}", {"method": method[:80]}
        )

    def begin(self) -> None:
        self.live = True
        self.refused = []
        self.complaint = ""
        self.telling.spoke = False
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Cancel the turn: requests that are still open are answered "cancelled"."""
        self._stopping.set()

    def end(self) -> None:
        self.live = False
        self.stop()

    # -- what the agent says

    def _update(self, params: Any) -> None:
        update = params.get("update") if isinstance(params, Mapping) else None
        if not isinstance(update, Mapping) or (
            self.session and params.get("sessionId") != self.session
        ):
            return
        kind = update.get("sessionUpdate")
        if kind in ("current_mode_update", "config_option_update"):
            self._mode(update)
        if not self.live or self._stopping.is_set():
            return
        match kind:
            case "agent_message_chunk":
                content = update.get("content")
                text = content.get("text") if isinstance(content, Mapping) else None
                if isinstance(text, str):
                    self._words(text)
            case "tool_call" | "tool_call_update":
                self.complaint = ""  # it has recovered
                self.telling.tool(self._tool(update))
            case "usage_update":
                self._cost(update.get("cost"))

    def _words(self, text: str) -> None:
        """Take text of the model, or a line of the program itself, which arrives whole and
        starts a line.
        """
        line, habits = text.strip(), self.rules.habits
        begins = self.telling.at_line_start
        if begins and habits.notices and re.fullmatch(habits.notices, line):
            self.telling.aside(line)
            return
        # A model can say the same words, so they stay part of its message; the gateway knows
        # whether they are true.
        if begins and habits.complaints and re.fullmatch(habits.complaints, line):
            self.complaint = line[:_LONGEST_COMPLAINT]
        elif line:
            self.complaint = ""
        self.telling.text(text)

    def _tool(self, raw: Any) -> ToolCall:
        ident = raw.get("toolCallId") if isinstance(raw, Mapping) else None
        known = self._tools.get(ident) if isinstance(ident, str) else None
        call = read_tool_call(raw, known, writes_out=self.rules.habits.writes_out)
        if call.ident and (call.ident in self._tools or len(self._tools) < MOST_TOOLS):
            self._tools[call.ident] = call
        if self.rules.most_tools is not None and len(self._tools) > self.rules.most_tools:
            self.limited = True
            self.attention.set()
        return call

    def _mode(self, update: Mapping[str, Any]) -> None:
        """React to a change of mode that we did not request: in the new mode another model
        judges, or nobody does.
        """
        for mode in _modes(update):
            if mode == self.mode or self.violation:
                continue
            if self.live or (self.mode and mode_name(mode) in self.rules.forbidden):
                self.violation = (
                    f"it changed its mode to {mode[:80]!r} by itself; it must stay in "
                    f"{self.mode or 'its own'!r}"
                )
                self.attention.set()

    def _cost(self, cost: Any) -> None:
        amount = (
            cost.get("amount")
            if isinstance(cost, Mapping) and cost.get("currency") == "USD"
            else None
        )
        if isinstance(amount, int | float) and 0 <= amount < 1e6:
            self.usage = Usage(self.usage.tokens_in, self.usage.tokens_out, float(amount))

    def used(self, said: Mapping[str, Any] | None) -> None:
        """Add the tokens that a turn claims to have used."""
        if said is None:
            return
        tokens_in, tokens_out = (
            _sum(now, said.get(name))
            for now, name in (
                (self.usage.tokens_in, "inputTokens"),
                (self.usage.tokens_out, "outputTokens"),
            )
        )
        self.usage = Usage(tokens_in, tokens_out, self.usage.cost_usd)

    # -- what the agent asks

    async def _permission(self, params: Any) -> Mapping[str, Any]:
        if not isinstance(params, Mapping) or params.get("sessionId") != self.session:
            raise Refused(_INVALID_PARAMS, "there is no such session")
        if not self.live or self._stopping.is_set():
            return _CANCELLED
        call = self._tool(params.get("toolCall"))
        asked = Request(tuple(sorted(call.kinds)), call.paths, call.command or call.title)
        decision = self._decide(call, asked)
        self.telling.permission(call, allowed=decision.says == "allow", why=decision.why)
        if decision.says == "ask":
            if self.waiting is None:
                self.waiting = asked
            self.attention.set()
            await self._stopping.wait()
            return _CANCELLED
        if decision.says == "reject":
            self.refused.append(f"{asked.told()} ({decision.why})")
        options = params.get("options")
        chosen = choose(options if isinstance(options, list) else (), decision.says)
        return (
            _CANCELLED
            if chosen is None
            else {"outcome": {"outcome": "selected", "optionId": chosen}}
        )

    def _decide(self, call: ToolCall, asked: Request) -> Decision:
        paths = [relative(self.rules.folder, each) for each in call.paths] + [
            None
        ] * call.unreadable
        wanted = Wanted(call.kinds, tuple(paths), reporting=call.reporting)
        decision = decide(self.rules.scope, wanted)
        if decision.says != "ask":
            return decision
        if asked == self.rules.granted:
            self.rules.granted = None  # valid once
            return Decision("allow", "a person allowed it")
        return decision if self.rules.ask else Decision("reject", decision.why)


def relative(folder: str, said: str) -> str | None:
    """A path relative to the agent's folder, links followed; None if it leads anywhere else."""
    if said.startswith(("~", "$")) or "://" in said:
        return None  # we cannot know how the agent expands it
    try:
        where = os.path.realpath(os.path.join(folder, said))
    except (OSError, ValueError):
        return None
    if where == folder:
        return ""
    return where[len(folder) + 1 :] if where.startswith(folder + os.sep) else None


def _modes(update: Mapping[str, Any]) -> list[str]:
    """The modes that an update names as current."""
    options = update.get("configOptions")
    named = [
        each.get("currentValue")
        for each in (options if isinstance(options, list) else ())
        if isinstance(each, Mapping) and "mode" in (each.get("id"), each.get("category"))
    ]
    return [each for each in (update.get("currentModeId"), *named) if isinstance(each, str)]


def _sum(now: int | None, said: Any) -> int | None:
    if isinstance(said, bool) or not isinstance(said, int) or not 0 <= said < 10**12:
        return now
    return (now or 0) + said
