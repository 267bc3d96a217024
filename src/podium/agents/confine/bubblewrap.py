"""A room built by bubblewrap: its own namespaces, and nothing mounted that the room does not
name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from podium.agents.confine.installation import installation, located, own_python
from podium.agents.confine.room import Enclosed, Room, at_home, furnish, tidy
from podium.agents.confine.system import NAMES, covered, present

FORWARDER = Path(__file__).with_name("forwarder.py")
_SOCKET = "/run/model.sock"
_NAMESPACES = (
    *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--new-session", "--cap-drop", "ALL"),
)
_UID = 1000
"""The user id inside the room when Podium runs as root: some agents refuse to work as root."""


@dataclass(frozen=True)
class Bubblewrap:
    """Encloses programs with the given `bwrap`."""

    program: str
    room: Room

    def __call__(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], needs: Sequence[Path]
    ) -> Enclosed:
        room = self.room
        furnish(room)
        found = located(argv[0], env, cwd)
        program = str(found) if found else argv[0]
        needed = [*room.readable, *needs, *(installation(found, env) if found else ())]
        forward: list[str] = []
        if room.network == "model" and room.model is not None:
            python, own = own_python()
            needed += [*own, FORWARDER]
            forward = [python, "-I", "-S", str(FORWARDER), str(room.port), _SOCKET, "--"]
        places = list(_places(room, needed))
        accounts, descriptors = _accounts(room)
        inside = [
            *(self.program, *_NAMESPACES),
            *(("--uid", str(_UID), "--gid", str(_UID)) if os.geteuid() == 0 else ()),
            *(() if room.network == "open" else ("--unshare-net",)),
            *_machine(room),
            *accounts,
            *places,
            *(("--bind", str(room.model), _SOCKET) if forward else ()),
            # Last: nothing outside the room's own folders can be written, not even temporarily.
            *("--remount-ro", "/", "--chdir", str(cwd), "--"),
        ]
        return Enclosed(
            (*inside, *forward, program, *argv[1:]),
            cwd,
            at_home(env, room),
            descriptors,
            (b"bwrap: ",),
            partial(tidy, room),
        )


def _machine(room: Room) -> Iterator[str]:
    yield from (
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--tmpfs",
        "/tmp",  # noqa: S108
        "--tmpfs",
        "/var/tmp",  # noqa: S108
        "--dir",
        "/run",
    )
    for path in present():
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        else:
            yield from ("--ro-bind", path, path)
    if room.network == "open":
        for path in NAMES:
            if os.path.exists(path):  # often a link into /run
                yield from ("--ro-bind", os.path.realpath(path), path)


def _accounts(room: Room) -> tuple[list[str], tuple[int, ...]]:
    """The room's own account files: some programs do not start without an entry for their user."""
    uid, gid = (_UID, _UID) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
    texts = {
        "/etc/passwd": f"root:x:0:0:root:/root:/bin/sh\nagent:x:{uid}:{gid}:agent:{room.home}:/bin/sh\n",  # noqa: E501
        "/etc/group": f"root:x:0:\nagent:x:{gid}:\n",
    }
    if room.network != "open":
        texts["/etc/hosts"] = "127.0.0.1 localhost\n::1 localhost\n"
    arguments, descriptors = [], []
    for path, text in texts.items():
        fd = os.memfd_create(os.path.basename(path))
        os.write(fd, text.encode())
        os.lseek(fd, 0, os.SEEK_SET)
        descriptors.append(fd)
        arguments += ["--ro-bind-data", str(fd), path]
    return arguments, tuple(descriptors)


def _places(room: Room, needed: Iterable[Path]) -> Iterator[str]:
    """Read-only mounts, then writable ones, then the fixed files in those; later mounts cover
    earlier ones.
    """
    shown: list[Path] = [room.folder, room.scratch, *room.writable]
    for path in sorted({each for each in needed if not covered(each)}):
        if _within(path, shown):
            continue
        if path.is_symlink() and not path.is_dir():
            yield from ("--symlink", os.readlink(path), str(path))
        elif path.exists():
            yield from ("--ro-bind", str(path.resolve()), str(path))
            shown.append(path)
    yield from ("--ro-bind", str(room.folder.resolve()), str(room.folder))
    for path in (*sorted(room.writable), room.scratch):
        if path.exists():  # paths in settings and profiles need not exist
            yield from ("--bind", str(path.resolve()), str(path))
    for path in room.fixed:
        yield from ("--ro-bind", str(path.resolve()), str(path))


def _within(path: Path, folders: Iterable[Path]) -> bool:
    return any(path.is_relative_to(each) for each in folders)
