"""The JSON stream: every event as in the journal, one per line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TextIO

from podium.core.digest import canonical


class StreamView:
    """An observer for programs. It is a context manager only so that it can replace the others."""

    concluded = False

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._gone = False

    def event(self, event: Mapping[str, Any]) -> None:
        if self._gone:
            return
        line = canonical(event) + "\n"
        try:
            # The journal's own bytes, whatever the terminal's encoding is.
            if (raw := getattr(self._stream, "buffer", None)) is not None:
                self._stream.flush()
                raw.write(line.encode())
                raw.flush()
            else:
                self._stream.write(line)
                self._stream.flush()
        except BrokenPipeError:
            self._gone = True

    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None:
        """Not journalled, so not streamed."""

    def name(self, title: str) -> None:
        """The first event says what the run is about."""

    def conclude(self, advice: Sequence[str]) -> None:
        """Programs need no advice."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None
