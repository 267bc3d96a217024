"""The room an agent works in: what it may read and write, and whom it may reach. A value; others hold it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

Network = Literal["none", "model", "open"]
"""No address at all; the model's socket and nothing else; any address."""


@dataclass(frozen=True)
class Room:
    """What one dispatch may touch."""

    folder: Path
    """The view, readable as a whole; the program starts in it or in a folder below."""
    scratch: Path
    """Writable; holds the private HOME and TMPDIR."""
    readable: tuple[Path, ...] = ()
    """Beside the folder: what git borrows, and what the project's settings name."""
    writable: tuple[Path, ...] = ()
    """Folders that may be written, the view itself or parts of it."""
    model: Path | None = None
    """The socket of the model's gateway."""
    port: int = 0
    """Where the model's socket appears on 127.0.0.1 inside; 0 where there is none."""
    network: Network = "open"

    @property
    def home(self) -> Path:
        return self.scratch / "home"

    @property
    def temporary(self) -> Path:
        return self.scratch / "tmp"


@dataclass(frozen=True)
class Enclosed:
    """A program as it is really started: inside its room."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]


class Enclose(Protocol):
    """Puts a program into its room; `needs` are paths that its own installation must be able to read."""

    def __call__(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], needs: Sequence[Path]
    ) -> Enclosed: ...


def unconfined(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str], needs: Sequence[Path]
) -> Enclosed:
    """No room at all: what the agent did is only audited."""
    del needs
    return Enclosed(tuple(argv), cwd, dict(env))
