"""A room enforced by Landlock: the second choice, where bubblewrap cannot create namespaces.

It stops reads, writes and TCP connections to files and addresses that the room does not name. It
does not hide names, and does not stop changes of file modes and times, UDP, or other programs'
sockets in the file system. Folders can only be given as a whole, so fixed files in a writable
folder are left to the audit. The shim ends the processes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from podium.agents.confine.installation import installation, located, own_python
from podium.agents.confine.landlock import COMPLAINT
from podium.agents.confine.room import Enclosed, Room, at_home, furnish, tidy
from podium.agents.confine.system import NAMES, present

LAUNCHER = Path(__file__).with_name("landlock.py")
_DEVICES = tuple(
    f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty", "fd")
)
"""Without `pts`, where an agent could open the person's terminal, read what is typed and fake a
gate.
"""


@dataclass(frozen=True)
class Landlock:
    """Encloses programs with the launcher next to this file."""

    room: Room

    def __call__(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], needs: Sequence[Path]
    ) -> Enclosed:
        room = self.room
        furnish(room)
        python, own = own_python()
        found = located(argv[0], env, cwd)
        beside = [*room.readable, *needs, *own, *(installation(found, env) if found else ())]
        names = (
            "/proc",
            "/etc/passwd",
            "/etc/group",
            *(NAMES if room.network == "open" else ("/etc/hosts",)),
        )
        ports = (
            None
            if room.network == "open"
            else [room.port]
            if room.network == "model" and room.port
            else []
        )
        spec = {
            # Real paths: a rule applies to a place, and a link inside a readable place does not
            # make its target
            # readable.
            "read": [*present(), *names, *(str(each.resolve()) for each in (room.folder, *beside))],
            "write": [*_DEVICES, *(str(each.resolve()) for each in (*room.writable, room.scratch))],
            "ports": ports,
        }
        return Enclosed(
            (
                python,
                "-I",
                "-S",
                str(LAUNCHER),
                json.dumps(spec),
                "--",
                str(found or argv[0]),
                *argv[1:],
            ),
            cwd,
            # git treats an unreadable settings file as an error.
            {"GIT_CONFIG_NOSYSTEM": "1", **at_home(env, room)},
            complaints=(COMPLAINT.encode(),),
            afterwards=partial(tidy, room),
        )
