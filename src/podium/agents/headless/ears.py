"""From a program's bytes to what was heard: a vendor's stream, or plain text."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Protocol

from podium.agents.activity import Activity
from podium.agents.headless.claude_stream import ClaudeStream
from podium.agents.headless.codex_stream import CodexStream
from podium.agents.headless.copilot_stream import CopilotStream
from podium.agents.headless.gemini_stream import GeminiStream
from podium.agents.headless.heard import Base, Heard
from podium.agents.headless.kimi_stream import KimiStream
from podium.agents.headless.lines import JsonLines
from podium.agents.headless.opencode_stream import OpencodeStream
from podium.agents.profiles.profile import Profile, Stream
from podium.agents.protocol import Failure

KEPT_BYTES = 10 * 1024 * 1024
"""Of plain text; its end is what counts."""
_LINE = 4000


class Ears(Protocol):
    @property
    def heard(self) -> Heard: ...

    def feed(self, data: bytes) -> None: ...

    def end(self) -> None: ...

    @property
    def noise(self) -> str:
        """A short description of what could not be understood; empty if everything was."""
        ...


_STREAMS: Mapping[Stream, type[Base]] = {
    "claude": ClaudeStream,
    "codex": CodexStream,
    "gemini": GeminiStream,
    "opencode": OpencodeStream,
    "copilot": CopilotStream,
    "kimi": KimiStream,
}


def ears_for(profile: Profile, activity: Activity, now: Callable[[], datetime]) -> Ears:
    if profile.stream == "text":
        activity.started("headless")
        return TextEars(activity)
    return JsonEars(_STREAMS[profile.stream](activity, now, _hint(profile)))


def _hint(profile: Profile) -> str:
    ways = [f"set {' or '.join(profile.secrets[:2])}"] if profile.secrets else []
    if profile.login:
        ways.append(
            f'log in ({profile.login_hint}) and set home = "user" in [agents.{profile.name}]'
        )
    return "; or ".join(ways)


class JsonEars:
    """Reads a stream of JSON lines, and ignores what comes after its end."""

    def __init__(self, reader: Base) -> None:
        self._reader = reader
        self._lines = JsonLines()

    @property
    def heard(self) -> Heard:
        return self._reader.heard

    def feed(self, data: bytes) -> None:
        for message in self._lines.feed(data):
            if not self.heard.over:
                self._reader.read(message)

    def end(self) -> None:
        for message in self._lines.end():
            if not self.heard.over:
                self._reader.read(message)

    @property
    def noise(self) -> str:
        return (
            f"{self._lines.strange} lines that are not JSON, the last: {self._lines.last!r}"
            if self._lines.strange
            else ""
        )


class TextEars:
    """Reads plain text; all of it is the message."""

    def __init__(self, activity: Activity) -> None:
        self._heard = Heard()
        self._activity = activity
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._open = ""

    @property
    def heard(self) -> Heard:
        return self._heard

    def feed(self, data: bytes) -> None:
        self.heard.messages += 1
        words = self._decoder.decode(data)
        self.heard.text = (self.heard.text + words)[-KEPT_BYTES:]
        *lines, self._open = (self._open + words).split("\n")
        if len(self._open) > _LINE:
            lines, self._open = [*lines, self._open], ""
        for line in lines:
            self._activity.text(line)

    def end(self) -> None:
        self._activity.text(self._open)
        if "\0" in self.heard.text:
            self.heard.failure = Failure(
                "garbage", f"the answer contains NUL bytes: {self.heard.text[:40]!r}"
            )

    @property
    def noise(self) -> str:
        return ""
