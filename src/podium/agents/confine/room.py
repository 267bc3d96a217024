"""The room an agent works in: what it may read, write and reach. Only a value; other modules
enforce it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

Network = Literal["none", "model", "open"]
"""`none`: no address at all; `model`: only the model; `open`: any address."""


@dataclass(frozen=True)
class Room:
    """What one dispatch may access."""

    folder: Path
    """The view, readable as a whole. The program starts in it or in a folder below."""
    scratch: Path
    """Writable; holds the private HOME and TMPDIR."""
    writable: tuple[Path, ...] = ()
    """Folders that may be written: the view itself, parts of it, or what the settings name."""
    fixed: tuple[Path, ...] = ()
    """Read-only files in a writable folder."""
    readable: tuple[Path, ...] = ()
    """Readable paths outside the folder: what git borrows, and what the settings name."""
    network: Network = "open"
    model: Path | None = None
    """The socket of the model's gateway."""
    port: int = 0
    """The model's port on 127.0.0.1, as given to the agent."""

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
    descriptors: tuple[int, ...] = ()
    """Passed to the program that makes the room, and closed once it has started."""
    complaints: tuple[bytes, ...] = ()
    """How the makers of the room start their message on standard error when they cannot start
    the program.
    """
    afterwards: Callable[[], None] = lambda: None
    """Called when everything the program started is dead, and before anybody uses what it left."""


class Enclose(Protocol):
    """Puts a program into its room. `needs` are paths that its own installation must be able to
    read.
    """

    def __call__(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], needs: Sequence[Path]
    ) -> Enclosed: ...


def unconfined(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str], needs: Sequence[Path]
) -> Enclosed:
    """No room at all: the agent's actions are only audited."""
    del needs
    return Enclosed(tuple(argv), cwd, dict(env))


def furnish(room: Room) -> None:
    """Create the private folders. Refuse any that an earlier program of this dispatch replaced
    with a link.
    """
    for folder in (room.home, room.temporary):
        os.makedirs(folder, exist_ok=True)
    for base in (room.folder, room.scratch):
        real = base.resolve()
        for each in (*room.writable, *room.fixed, room.home, room.temporary):
            if each.is_relative_to(base) and each.resolve() != real / each.relative_to(base):
                raise OSError(f"{each} was replaced by a link to {each.resolve()}")


def tidy(room: Room) -> None:
    """Remove links and pipes from the scratch folder, where they could redirect what the engine
    writes.
    """
    os.chmod(room.scratch, 0o700)
    with os.scandir(room.scratch) as found:
        odd = [
            each
            for each in found
            if not (each.is_file(follow_symlinks=False) or each.is_dir(follow_symlinks=False))
        ]
    for each in odd:
        os.unlink(each.path)


def at_home(env: Mapping[str, str], room: Room) -> dict[str, str]:
    """The environment with an existing, private HOME and TMPDIR; those that are private already
    are kept.
    """
    places = {"HOME": room.home, "TMPDIR": room.temporary}
    held = (room.scratch, *room.writable)
    return dict(env) | {
        name: str(place)
        for name, place in places.items()
        if not env.get(name) or not any(Path(env[name]).is_relative_to(each) for each in held)
    }
