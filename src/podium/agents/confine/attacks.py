"""Tries every way it knows to get out of its room. Runs as a script inside; the results are judged
outside.

    python -I -S attacks.py TARGETS.json

It stands for an agent whose shell does what a hostile page told it to. It prints whatever it could
read.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

Targets = dict[str, Any]


def read_outside(at: Targets) -> None:
    _show(at, at["secret"])


def read_by_link(at: Targets) -> None:
    link = os.path.join(at["writable"], "link")
    os.symlink(at["secret"], link)
    _show(at, link)


def read_by_engine(at: Targets) -> None:
    _show(at, f"/proc/{at['engine']}/root{at['secret']}")


def read_environment(at: Targets) -> None:
    _show(at, f"/proc/{at['neighbour']}/environ")


def write_outside(at: Targets) -> None:
    _leave(os.path.join(at["elsewhere"], "written"))


def write_by_link(at: Targets) -> None:
    link = os.path.join(at["writable"], "folder")
    os.symlink(at["elsewhere"], link)
    _leave(os.path.join(link, "by-link"))


def write_input(at: Targets) -> None:
    _leave(at["input"])


def write_terminal(at: Targets) -> None:
    """Write to the terminal where a person reads questions and types answers."""
    terminal = os.open(at["terminal"], os.O_RDWR | os.O_NOCTTY)
    os.write(terminal, b"x")
    os.close(terminal)


def change_mode(at: Targets) -> None:
    os.chmod(at["secret"], 0o644)


def reach_tcp(at: Targets) -> None:
    _say(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", at["tcp"]))


def reach_udp(at: Targets) -> None:
    _say(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", at["udp"]))


def reach_abstract(at: Targets) -> None:
    _say(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + at["abstract"])


def reach_socket_file(at: Targets) -> None:
    _say(socket.AF_UNIX, socket.SOCK_STREAM, at["socket"])


def end_neighbour(at: Targets) -> None:
    os.kill(at["neighbour"], signal.SIGKILL)


def stay(at: Targets) -> None:
    """Start a process that sheds everything by which it could be found."""
    beat = os.path.join(at["writable"], "beat")
    again = f"import time\nwhile True:\n    open({beat!r}, 'a').write('x')\n    time.sleep(0.02)"
    subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", again],
        env={},
        cwd="/",
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for _ in range(500):
        if os.path.exists(beat):
            return
        time.sleep(0.01)


def _show(at: Targets, path: str) -> None:
    with open(path, "rb") as file:
        os.write(1, f"{at['attack']}:".encode() + file.read(100_000) + b"\n")


def _leave(path: str) -> None:
    with open(path, "a", encoding="utf-8") as file:
        file.write("x")


def _say(family: int, kind: int, address: Any) -> None:
    with socket.socket(family, kind) as out:
        out.settimeout(2)
        out.connect(address)
        out.send(b"x")


ATTACKS: tuple[Callable[[Targets], None], ...] = (
    read_outside,
    read_by_link,
    read_by_engine,
    read_environment,
    write_outside,
    write_by_link,
    write_input,
    write_terminal,
    change_mode,
    reach_tcp,
    reach_udp,
    reach_abstract,
    reach_socket_file,
    end_neighbour,
    stay,
)


def main(argv: list[str]) -> int:
    with open(argv[1], encoding="utf-8") as file:
        targets = json.load(file)
    for attack in ATTACKS:
        try:
            attack({**targets, "attack": attack.__name__})
        except OSError as refused:
            os.write(2, f"{attack.__name__}: {refused}\n".encode(errors="replace"))
    return 0


if __name__ == "__main__":
    os._exit(main(sys.argv))
