"""Ctrl-C for a person who is being asked at this terminal: the current step is theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from podium.engine.outcome import Observer


class Interruptible:
    """Passes everything on, and tells whoever is asked at this terminal that Ctrl-C was pressed."""

    def __init__(self, observer: Observer, pause: Callable[[], None]) -> None:
        self._observer, self._pause = observer, pause

    def event(self, event: Mapping[str, Any]) -> None:
        self._observer.event(event)

    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None:
        self._observer.activity(key, kind, fields)
        if kind == "interrupt":
            self._pause()
