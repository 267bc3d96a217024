"""What an agent is seen to do, in one vocabulary for all transports. It is shown, and proves
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from podium.agents.protocol import Job, Usage

ToolKind = Literal["read", "edit", "delete", "move", "search", "execute", "fetch", "think", "other"]
"""The words of the Agent Client Protocol."""
ToolStatus = Literal["pending", "running", "completed", "failed", "refused"]
Ending = Literal[
    "end_turn",
    "limit",
    "refusal",
    "cancelled",
    "silence",
    "timeout",
    "rate_limit",
    "auth",
    "parked",
    "crash",
]
"""Why an agent stopped, as far as the transport knows."""

_LONGEST_TEXT = 20_000
_MOST_PATHS = 50
_LONGEST_WORD = 500
MOST = 20_000
"""Entries per dispatch. An agent may go on forever; its transcript must not."""


class Activity:
    """Writes to a job's transcript, and truncates long texts of agents."""

    def __init__(self, job: Job) -> None:
        self._say = job.say
        self._left = MOST

    def started(
        self, transport: str, session: str = "", model: str = "", version: str = ""
    ) -> None:
        known = {"session": session, "model": model, "version": version}
        self._say(
            "started",
            {"transport": transport, **{name: _word(said) for name, said in known.items() if said}},
        )

    def text(self, text: str) -> None:
        if text.strip():
            self._tell("text", {"text": _cut(text, _LONGEST_TEXT)})

    def tool(
        self,
        kind: ToolKind,
        status: ToolStatus,
        *,
        title: str = "",
        paths: Sequence[str] = (),
        ident: str = "",
    ) -> None:
        """A tool call. Later statuses of the same call have the same ident."""
        fields = {"name": _word(title), "paths": _words(paths), "ident": _word(ident)}
        self._tell(
            "tool",
            {
                "tool": kind,
                "status": status,
                **{name: said for name, said in fields.items() if said},
            },
        )

    def permission(
        self,
        kind: ToolKind,
        *,
        allowed: bool,
        title: str = "",
        paths: Sequence[str] = (),
        why: str = "",
    ) -> None:
        """What the agent asked to be allowed, and the answer."""
        fields = {"name": _word(title), "paths": _words(paths), "why": _word(why)}
        decision = "allowed" if allowed else "refused"
        self._tell(
            "permission",
            {
                "tool": kind,
                "decision": decision,
                **{name: said for name, said in fields.items() if said},
            },
        )

    def retry(self, detail: str) -> None:
        """Its model gave no answer, and it asks again by itself."""
        self._tell("retry", {"detail": _word(detail)})

    def usage(self, claimed: Usage) -> None:
        """What the agent claims to have used; the gateway's count is kept elsewhere."""
        self._say(
            "usage", {name: value for name, value in vars(claimed).items() if value is not None}
        )

    def ended(self, reason: Ending, detail: str = "") -> None:
        self._say("ended", {"reason": reason, **({"detail": _word(detail)} if detail else {})})

    def _tell(self, kind: str, fields: Mapping[str, object]) -> None:
        self._left -= 1
        if self._left >= 0:
            self._say(kind, fields)
        elif self._left == -1:
            self._say("text", {"text": f"(more than {MOST} entries: the rest is not kept)"})


def _words(paths: Iterable[str]) -> list[str]:
    found = [_word(each) for each in paths if each]
    return (
        found
        if len(found) <= _MOST_PATHS
        else [*found[:_MOST_PATHS], f"and {len(found) - _MOST_PATHS} more"]
    )


def _word(text: str) -> str:
    return _cut(text, _LONGEST_WORD)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
