"""The room of the project's own commands: the machine as it is, to be read, but no folder of the
person's other than the project and what tools need.

Tests are code that an agent may have written, so they get no more than an agent: they see no
secret, no run, no other project, and write nowhere but into the view, a HOME of their own and the
caches that the person named.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from podium.agents.confine.installation import own_python
from podium.agents.confine.landlock import COMPLAINT
from podium.agents.confine.room import Enclosed, Network

LAUNCHER = Path(__file__).with_name("landlock.py")
_HIDDEN = ("/home", "/root", "/run", "/var/run", "/mnt", "/media")
"""Where people keep what is theirs, and where services listen."""
_EMPTY = ("/tmp", "/var/tmp")  # noqa: S108
_NAMES = "/etc/resolv.conf"
_NAMESPACES = (
    *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--new-session", "--cap-drop", "ALL"),
)
_AS_ROOT = ("CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_CHOWN", "CAP_FSETID")
"""What tests of somebody who works as root rely on; each holds only for files of their own."""


@dataclass(frozen=True)
class CommandRoom:
    """What one command may read, write and reach."""

    top: Path
    """The view's top level, writable."""
    home: Path
    """The person's HOME; the command finds `private` in its place."""
    private: Path
    """A folder of ours for HOME and temporary files."""
    tools: tuple[Path, ...] = ()
    """Folders of toolchains and caches; each is a private layer, or may only be read."""
    writable: tuple[Path, ...] = ()
    """Folders and sockets that the person named."""
    readable: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    """Further folders that it must not see."""
    network: Network = "open"
    layered: bool = False
    """Whether tools are private layers, and so may be written."""


@dataclass(frozen=True)
class CommandBubblewrap:
    """Encloses commands with the given `bwrap`."""

    program: str
    room: CommandRoom

    def __call__(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], needs: Sequence[Path]
    ) -> Enclosed:
        del needs
        room = self.room
        for folder in ("home", "tmp"):
            os.makedirs(room.private / folder, exist_ok=True)
        powers = [part for power in _AS_ROOT for part in ("--cap-add", power)]
        inside = [
            *(self.program, *_NAMESPACES),
            *(powers if os.geteuid() == 0 else ()),
            *(() if room.network == "open" else ("--unshare-net",)),
            *("--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"),
            *_emptied(room),
            *_places(room),
            *("--chdir", str(cwd), "--"),
        ]
        return Enclosed(
            (*inside, *argv),
            cwd,
            _environment(env, room, Path("/tmp")),  # noqa: S108
            complaints=(b"bwrap: ",),
        )


def _emptied(room: CommandRoom) -> Iterator[str]:
    folders = {*_HIDDEN, *_EMPTY, *map(os.fspath, (room.home, *room.hidden))}
    # Outer folders first: a later mount covers an earlier one.
    for folder in sorted(folders):
        if os.path.isdir(folder) and not os.path.islink(folder):
            yield from ("--tmpfs", folder)
    target = os.path.realpath(_NAMES)
    if target != _NAMES and os.path.exists(target):
        yield from ("--ro-bind", target, target)
    yield from ("--bind", f"{room.private}/tmp", "/tmp")  # noqa: S108
    yield from ("--bind", f"{room.private}/home", str(room.home))


def _places(room: CommandRoom) -> Iterator[str]:
    for path in sorted(room.readable):
        yield from ("--ro-bind-try", str(path), str(path))
    for path in sorted(room.tools):
        yield from ("--bind" if room.layered else "--ro-bind", str(path), str(path))
    yield from ("--bind", str(room.top), str(room.top))
    for path in sorted(room.writable):
        yield from ("--bind-try", str(path), str(path))


@dataclass(frozen=True)
class CommandLandlock:
    """The second choice: what is not named cannot be written; everything can be read but the
    person's folders.
    """

    room: CommandRoom

    def __call__(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], needs: Sequence[Path]
    ) -> Enclosed:
        del needs
        room = self.room
        for folder in ("home", "tmp"):
            os.makedirs(room.private / folder, exist_ok=True)
        python, own = own_python()
        hidden = {*_HIDDEN, *_EMPTY, os.fspath(room.home), *map(os.fspath, room.hidden), "/dev"}
        read = [
            entry.path
            for entry in os.scandir("/")
            if entry.path not in hidden and not any(path.startswith(entry.path) for path in hidden)
        ]
        names = ("/var/lib", "/var/cache", *map(str, (*own, *room.readable, *room.tools)))
        write = (
            *(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "fd")),
            "/dev/shm",  # noqa: S108
            *map(str, (room.top, room.private, *room.writable)),
            *(map(str, room.tools) if room.layered else ()),
        )
        spec = {
            "read": [*read, *filter(os.path.lexists, names)],
            "write": list(filter(os.path.lexists, write)),
            "ports": None if room.network == "open" else [],
        }
        launcher = (python, "-I", "-S", str(LAUNCHER), json.dumps(spec), "--")
        env = {"GIT_CONFIG_NOSYSTEM": "1", **_environment(env, room, room.private / "tmp")}
        env["HOME"] = str(room.private / "home")
        return Enclosed((*launcher, *argv), cwd, env, complaints=(COMPLAINT.encode(),))


def _environment(env: Mapping[str, str], room: CommandRoom, temporary: Path) -> dict[str, str]:
    return {**env, "HOME": str(room.home), "TMPDIR": str(temporary)}
