"""The only way out of a room without network: 127.0.0.1:PORT leads to the model's socket. Runs as a
script inside.

    python -I -S forwarder.py PORT SOCKET -- PROGRAM [ARGUMENT…]

It listens, starts the program, copies bytes both ways, and exits with the program's exit code. It
inspects
nothing: the gateway, on the other side of the socket, decides who may ask what. It imports little
on purpose, because it starts once per dispatch.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading

_NOT_FOUND, _NOT_EXECUTABLE = 127, 126
_CHUNK = 65536


def main(argv: list[str]) -> int:
    port, path, program = int(argv[1]), argv[2], argv[4:]
    door = socket.create_server(("127.0.0.1", port))
    pid = os.fork()
    if not pid:
        _become(program)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (
        0,
        1,
        2,
    ):  # only the program keeps the pipes, so that the other end sees when it closes one
        os.dup2(nothing, stream)
    threading.Thread(target=serve, args=(door, path), daemon=True).start()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return code if code >= 0 else 128 - code


def _become(program: list[str]) -> None:
    code = _NOT_FOUND
    try:
        for number in (
            signal.SIGPIPE,
            signal.SIGXFSZ,
        ):  # Python ignores both, and exec keeps them ignored
            signal.signal(number, signal.SIG_DFL)
        # no shell: the arguments are the program's own
        os.execvp(program[0], program)  # noqa: S606
    except OSError as fault:
        code = _NOT_FOUND if isinstance(fault, FileNotFoundError) else _NOT_EXECUTABLE
        os.write(2, f"bwrap: {program[0]}: {fault.strerror}\n".encode(errors="replace"))
    finally:
        os._exit(code)


def serve(door: socket.socket, path: str) -> None:
    while True:
        try:
            caller, _ = door.accept()
        except OSError:
            return
        threading.Thread(target=_connect, args=(caller, path), daemon=True).start()


def _connect(caller: socket.socket, path: str) -> None:
    model = socket.socket(socket.AF_UNIX)
    try:
        model.connect(path)
    except OSError:
        model.close()
        caller.close()
        return
    back = threading.Thread(target=_carry, args=(model, caller), daemon=True)
    back.start()
    _carry(caller, model)
    back.join()
    caller.close()
    model.close()


def _carry(source: socket.socket, target: socket.socket) -> None:
    """Copy until one side stops sending; the other side is told so and may still answer."""
    try:
        while data := source.recv(_CHUNK):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        for each in (source, target):
            try:  # noqa: SIM105  # contextlib would be one more import at every start
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


if __name__ == "__main__":
    os._exit(main(sys.argv))
