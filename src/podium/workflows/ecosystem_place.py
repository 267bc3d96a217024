"""One folder of a project as the rules of ecosystems see it, and what a rule finds there."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Found:
    build: str
    test: str
    why: tuple[str, ...]
    lint: str = ""
    """Filled only where the project itself has a target or script called `lint`."""


@dataclass(frozen=True)
class Place:
    """One folder of the tree, as the rules see it."""

    folder: str
    files: frozenset[str]
    contents: Mapping[str, str]

    def has(self, name: str) -> bool:
        return self.path(name) in self.files

    def path(self, name: str) -> str:
        return f"{self.folder}/{name}" if self.folder else name

    def text(self, name: str) -> str:
        return self.contents.get(self.path(name), "")

    def above(self, name: str) -> str:
        """The path of the nearest file of that name, in this folder or above it; empty if there
        is none.
        """
        folder = self.folder
        while True:
            path = f"{folder}/{name}" if folder else name
            if path in self.files or not folder:
                return path if path in self.files else ""
            folder = folder.rpartition("/")[0]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Paths below this folder, relative to it."""
        start = f"{self.folder}/" if self.folder else ""
        return tuple(
            sorted(path.removeprefix(start) for path in self.files if path.startswith(start))
        )


def word(name: str) -> str:
    """A file's name as one word of a command."""
    return name if re.fullmatch(r"[\w.-]+", name) else "'" + name.replace("'", "'\\''") + "'"


def table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def read_toml(text: str) -> Mapping[str, Any]:
    import tomllib  # noqa: PLC0415  # compiles what it reads with

    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return {}


def read_json(text: str) -> Mapping[str, Any]:
    try:
        return table(json.loads(text.removeprefix("\ufeff")))
    except (ValueError, RecursionError):
        return {}
