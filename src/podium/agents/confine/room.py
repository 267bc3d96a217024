"""The room an agent works in: what it may read and write, and whom it may reach. A value; others hold it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol

from podium.core.dataclass import dataclass

Network = Literal["none", "model", "open"]
"""No address at all; the model and nothing else; any address."""


@dataclass(frozen=True)
class Room:
    """What one dispatch may touch."""

    folder: Path
    """The view, readable as a whole; the program starts in it or in a folder below."""
    scratch: Path
    """Writable; holds the private HOME and TMPDIR."""
    writable: tuple[Path, ...] = ()
    """Folders that may be written: the view itself, parts of it, or what the settings name."""
    fixed: tuple[Path, ...] = ()
    """What lies in a writable folder and may be read only."""
    readable: tuple[Path, ...] = ()
    """Beside the folder: what git borrows, and what the settings name."""
    network: Network = "open"
    model: Path | None = None
    """The socket of the model's gateway."""
    port: int = 0
    """The model's port on 127.0.0.1, as the agent is told it."""

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
    """Handed to the program that makes the room, and closed when it has started."""
    complaint: bytes = b""
    """How the maker of the room begins its complaint on standard error where it could not start the program."""
    afterwards: Callable[[], None] = lambda: None
    """Called when all that the program started is dead, and before anybody uses what it left."""


class Enclose(Protocol):
    """Puts a program into its room; `needs` are paths that its own installation must be able to read."""

    def __call__(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], needs: Sequence[Path]
    ) -> Enclosed: ...


def unconfined(argv: Sequence[str], cwd: Path, env: Mapping[str, str], needs: Sequence[Path]) -> Enclosed:
    """No room at all: what the agent did is only audited."""
    del needs
    return Enclosed(tuple(argv), cwd, dict(env))


def furnish(room: Room) -> None:
    """Make the private folders. Refuse what an earlier program of this dispatch replaced: a link leads anywhere."""
    for folder in (room.home, room.temporary):
        os.makedirs(folder, exist_ok=True)
    for base in (room.folder, room.scratch):
        real = base.resolve()
        for each in (*room.writable, *room.fixed, room.home, room.temporary):
            if each.is_relative_to(base) and each.resolve() != real / each.relative_to(base):
                raise OSError(f"{each} was replaced by a link to {each.resolve()}")


def tidy(room: Room) -> None:
    """Remove links, pipes and the like from the scratch folder: the engine writes there, and must not be led out."""
    os.chmod(room.scratch, 0o700)
    with os.scandir(room.scratch) as found:
        odd = [each for each in found if not (each.is_file(follow_symlinks=False) or each.is_dir(follow_symlinks=False))]
    for each in odd:
        os.unlink(each.path)


def at_home(env: Mapping[str, str], room: Room) -> dict[str, str]:
    """The environment with a HOME and a TMPDIR that are there and private, unless they are so already."""
    places = {"HOME": room.home, "TMPDIR": room.temporary}
    held = (room.scratch, *room.writable)
    return dict(env) | {
        name: str(place)
        for name, place in places.items()
        if not env.get(name) or not any(Path(env[name]).is_relative_to(each) for each in held)
    }
