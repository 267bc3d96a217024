"""What is wrong with a document, at a path inside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

Path = tuple[str | int, ...]
"""Names and indexes from the outermost value inward."""

_SHOWN = 60


class Issue(NamedTuple):
    """One thing wrong, at a path inside the document."""

    path: Path
    what: str
    """The fact, with the name of the value and what stands there."""
    remedy: str = ""
    """What to write instead."""
    needs: Sequence[Path] = ()
    """Other paths it follows from: where they are faulty, nobody can say so."""


def spelled(path: Path) -> str:
    """A path as people write it: `tasks[0].id`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text or "the document"


def shown(value: Any) -> str:
    """A value in a few words."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    if value is None or value == "":
        return "empty"
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
