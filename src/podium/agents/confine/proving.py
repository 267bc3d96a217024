"""Whether a level keeps its promises: a program in a real room attacks real targets, which show
what got through.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import select
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from podium.agents.confine.confinement import Confinement
from podium.agents.confine.installation import own_python
from podium.agents.confine.room import Enclose, Room, unconfined
from podium.agents.environment import MARK
from podium.agents.protocol import Finished, Supervise

SCRIPT = Path(__file__).with_name("attacks.py")
WORDS = {
    "read_outside": "reading a file outside",
    "read_by_link": "reading through a link",
    "read_by_engine": "reading through /proc/<engine>/root",
    "read_environment": "reading another process's environment",
    "write_outside": "writing outside",
    "write_by_link": "writing through a link",
    "write_input": "changing an input",
    "write_terminal": "writing on a person's terminal",
    "change_mode": "changing the mode of a file outside",
    "reach_tcp": "a TCP connection",
    "reach_udp": "a UDP packet",
    "reach_abstract": "an abstract socket",
    "reach_socket_file": "another program's socket file",
    "end_neighbour": "killing another process",
    "stay": "a process that stays",
}
_LIMIT_S = 60.0
_PRIVATE = 0o600


@dataclass(frozen=True)
class Proof:
    """One attack, and whether it was stopped."""

    attack: str
    words: str
    held: bool


def promised(confinement: Confinement | None) -> frozenset[str]:
    """What a level must stop. Without a level, the shim still ensures that no process stays."""
    if confinement is None:
        return frozenset({"stay"})
    if confinement.level.name == "bubblewrap":
        return frozenset(WORDS)
    not_held = {"change_mode", "reach_udp", "reach_socket_file"}
    not_held |= {"reach_tcp"} if confinement.level.abi < 4 else set()
    not_held |= {"reach_abstract", "end_neighbour"} if confinement.level.abi < 6 else set()
    return frozenset(WORDS) - not_held


def prove(
    confinement: Confinement | None, place: Path, supervisor: Callable[[Enclose], Supervise]
) -> list[Proof]:
    """Attack a room of this level, made in an empty folder; `supervisor` starts programs in a
    room.
    """
    with _Targets(place) as targets:
        enclose = confinement.enclosure(targets.room) if confinement else unconfined
        python, own = own_python()
        env = {"PATH": os.defpath, MARK: f"proving/{secrets.token_hex(4)}"}
        argv = (python, "-I", "-S", str(SCRIPT), str(targets.written()))

        async def attack() -> Finished:
            supervise = supervisor(enclose)
            return await supervise(
                argv, cwd=targets.room.folder, env=env, needs=(*own, SCRIPT), timeout_s=_LIMIT_S
            )

        ended = asyncio.run(attack())
        if ended.not_started or ended.timed_out or ended.exit_code:
            why = (
                ended.not_started
                or ended.errors.decode(errors="replace").strip()
                or "it did not end"
            )
            raise RuntimeError(f"the attacks could not be tried: {why}")
        came_through = targets.hit(ended.output)
    return [Proof(attack, words, attack not in came_through) for attack, words in WORDS.items()]


class _Targets:
    """The targets: files, a terminal, sockets and a process, all outside the room."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._open = contextlib.ExitStack()
        self._secret = secrets.token_hex(16)
        self._key = secrets.token_hex(16)
        view, self._elsewhere = place / "view", place / "elsewhere"
        self._docs = view / "docs"
        for folder in (self._docs, self._elsewhere, place / "scratch"):
            folder.mkdir(parents=True)
        (place / "secret").write_text(self._secret, encoding="utf-8")
        os.chmod(place / "secret", _PRIVATE)
        (view / "input.md").write_text("as it was", encoding="utf-8")
        self.room = Room(view, place / "scratch", writable=(self._docs,), network="none")

    def __enter__(self) -> Self:
        with self._open as opening:  # if one of them fails, the others are closed again
            self._sockets = dict(self._listeners())
            self._screen, self._terminal = os.openpty()
            for each in (self._screen, self._terminal):
                opening.callback(os.close, each)
            self._neighbour = opening.enter_context(
                subprocess.Popen(
                    (sys.executable, "-I", "-S", "-c", "import signal; signal.pause()"),
                    env={"KEY": self._key},
                )
            )
            self._open = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._neighbour.kill()
        self._open.close()

    def _listeners(self) -> Iterator[tuple[str, socket.socket]]:
        yield "reach_tcp", self._open.enter_context(socket.create_server(("127.0.0.1", 0)))
        udp = self._open.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        yield "reach_udp", udp
        for name, address in (
            ("reach_abstract", f"\0podium-{self._key}"),
            ("reach_socket_file", os.path.join(self._place, "socket")),
        ):
            here = self._open.enter_context(socket.socket(socket.AF_UNIX))
            here.bind(address)
            here.listen()
            yield name, here

    def written(self) -> Path:
        """Write the targets' addresses where the attacker finds them."""
        file = self.room.scratch / "targets.json"
        targets = {
            "secret": str(self._place / "secret"),
            "elsewhere": str(self._elsewhere),
            "writable": str(self._docs),
            "input": str(self.room.folder / "input.md"),
            "terminal": os.ttyname(self._terminal),
            "engine": os.getpid(),
            "neighbour": self._neighbour.pid,
            "tcp": self._sockets["reach_tcp"].getsockname()[1],
            "udp": self._sockets["reach_udp"].getsockname()[1],
            "abstract": f"podium-{self._key}",
            "socket": str(self._place / "socket"),
        }
        file.write_text(json.dumps(targets), encoding="utf-8")
        return file

    def hit(self, said: bytes) -> set[str]:
        """The attacks that got through, as their targets show."""
        found = {name for name, each in self._sockets.items() if _heard(each)}
        found |= {name for name in WORDS if f"{name}:{self._secret}".encode() in said}
        found |= {"read_environment"} if self._key.encode() in said else set()
        found |= {"write_outside"} if (self._elsewhere / "written").exists() else set()
        found |= {"write_by_link"} if (self._elsewhere / "by-link").exists() else set()
        found |= (
            {"write_input"} if (self.room.folder / "input.md").read_text() != "as it was" else set()
        )
        found |= {"write_terminal"} if select.select([self._screen], [], [], 0)[0] else set()
        found |= (
            {"change_mode"}
            if stat.S_IMODE((self._place / "secret").stat().st_mode) != _PRIVATE
            else set()
        )
        found |= {"end_neighbour"} if self._neighbour.poll() is not None else set()
        if not (self._docs / "beat").exists():
            raise RuntimeError("the attacks could not be tried: no process was started to stay")
        return found | ({"stay"} if _grows(self._docs / "beat") else set())


def _heard(listener: socket.socket) -> bool:
    listener.setblocking(False)
    try:
        listener.recv(1) if listener.type == socket.SOCK_DGRAM else listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def _grows(file: Path) -> bool:
    before = file.stat().st_size
    time.sleep(0.2)
    return file.stat().st_size != before
