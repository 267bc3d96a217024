"""A room held by Landlock: the second choice, where bubblewrap cannot make namespaces.

It holds reads, writes and TCP connections of files and addresses that the room does not name. It does not hide
names, does not hold modes and times of files, UDP or the sockets of other programs in the file system, and folders can
only be given as a whole: what is fixed in a writable folder is left to the audit. The shim ends the processes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from podium.agents.confine.installation import installation, located, own_python
from podium.agents.confine.landlock import COMPLAINT
from podium.agents.confine.room import Enclosed, Room, at_home, furnish, tidy
from podium.agents.confine.system import NAMES, present
from podium.core.dataclass import dataclass

LAUNCHER = Path(__file__).with_name("landlock.py")
_DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty", "fd"))
"""Not `pts`: who may open a terminal of its own there may open the person's, read what is typed and write a gate on it."""


@dataclass(frozen=True)
class Landlock:
    """Encloses programs with the launcher beside this file."""

    room: Room

    def __call__(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], needs: Sequence[Path]
    ) -> Enclosed:
        room = self.room
        furnish(room)
        python, own = own_python()
        found = located(argv[0], env, cwd)
        beside = [*room.readable, *needs, *own, *(installation(found, env) if found else ())]
        names = ("/proc", "/etc/passwd", "/etc/group", *(NAMES if room.network == "open" else ("/etc/hosts",)))
        ports = None if room.network == "open" else [room.port] if room.network == "model" and room.port else []
        spec = {
            # Real paths: a rule is about a place, and a link in a place that may be read leads to no other.
            "read": [*present(), *names, *(str(each.resolve()) for each in (room.folder, *beside))],
            "write": [*_DEVICES, *(str(each.resolve()) for each in (*room.writable, room.scratch))],
            "ports": ports,
        }
        return Enclosed(
            (python, "-I", "-S", str(LAUNCHER), json.dumps(spec), "--", str(found or argv[0]), *argv[1:]),
            cwd,
            # git takes a settings file that it may not read for a fault.
            {"GIT_CONFIG_NOSYSTEM": "1", **at_home(env, room)},
            complaint=COMPLAINT.encode(),
            afterwards=partial(tidy, room),
        )
