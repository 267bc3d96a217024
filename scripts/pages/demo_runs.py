"""Real runs for pictures: nothing of the user's environment shows, the clock stands still, and a
watcher records them.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest import mock

from scripts.pages.told import Told

from podium.wiring import App, Parts

MOMENT = datetime(2026, 1, 15, 9, 0, tzinfo=UTC)


class Watcher:
    """Records what the live view would be told."""

    def __init__(self) -> None:
        self.told: list[Told] = []

    def event(self, event: Mapping[str, Any]) -> None:
        self.told.append(("event", (dict(event),)))

    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None:
        self.told.append(("activity", (key, kind, dict(fields))))


@contextmanager
def quiet_place() -> Iterator[Path]:
    """A folder for a run that sees nothing of the user's environment."""
    with tempfile.TemporaryDirectory() as place:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PODIUM_", "GIT_"))
        }
        own = {
            "HOME": place,
            "XDG_STATE_HOME": place,
            "XDG_CONFIG_HOME": place,
            "GIT_CONFIG_GLOBAL": os.devnull,
        }
        with mock.patch.dict(os.environ, {**kept, **own}, clear=True):
            yield Path(place) / "project"


def played(folder: Path) -> tuple[App, Watcher]:
    """A project's facade whose clock stands still and whose ids are always the same."""
    watcher = Watcher()
    parts = Parts({**os.environ}, clock=lambda: MOMENT, token=lambda: "k3f9", cwd=folder)
    return App(folder, watcher, parts), watcher
