"""Landlock: a process gives up access for itself and everything it starts, and cannot get it back.

Runs as a script in front of the program, using only the standard library:

    python -I -S landlock.py SPEC -- PROGRAM [ARGUMENT…]

SPEC is JSON: `read` and `write` list paths, `ports` lists the TCP ports that may be connected to
(null: any). What an old kernel does not support is left out; the engine has asked beforehand what
its ABI can enforce.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import struct
import sys
from collections.abc import Iterable, Mapping
from typing import Any

_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""These numbers are the same on every architecture."""
_ASK_VERSION = 1
_PATH_BENEATH, _NET_PORT = 1, 2
_CONNECT_TCP = 1 << 1
_SCOPES = (1 << 0) | (1 << 1)
"""Abstract sockets and signals reach only processes in the same room."""
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_FOLDER = 1, 2, 4, 8
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
_READING = _EXECUTE | _READ_FILE | _READ_FOLDER
_OF_A_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_NO_NEW_PRIVILEGES, _DROP_BOUND = 38, 24
_LAST_CAPABILITY = 63
COMPLAINT = "landlock: "


def abi() -> int:
    """The version number of this kernel's Landlock; 0 if there is none."""
    try:
        return int(_system_call(_CREATE, None, 0, _ASK_VERSION))
    except OSError:
        return 0


def rights(version: int) -> int:
    """All rights over files that this version knows."""
    known = 13 if version < 2 else 14 if version < 3 else 15 if version < 5 else 16
    return (1 << known) - 1


def restrict(read: Iterable[str], write: Iterable[str], ports: Iterable[int] | None) -> None:
    """Give up every right except these."""
    version = abi()
    if not version:
        raise OSError("this kernel has no Landlock, or it is switched off")
    every = rights(version)
    network = _CONNECT_TCP if version >= 4 and ports is not None else 0
    size = 8 if version < 4 else 16 if version < 6 else 24
    rules = struct.pack("=QQQ", every, network, _SCOPES if version >= 6 else 0)[:size]
    ruleset = _system_call(_CREATE, ctypes.c_char_p(rules), size, 0)
    for paths, allowed in ((read, _READING), (write, every)):
        for path in paths:
            _allow(ruleset, path, allowed & every)
    for port in ports or () if network else ():
        _add(ruleset, _NET_PORT, struct.pack("=QQ", network, port))
    _without_privileges()
    _system_call(_RESTRICT, ruleset, 0)
    os.close(ruleset)


def _allow(ruleset: int, path: str, allowed: int) -> None:
    try:
        where = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        kept = allowed if os.path.isdir(path) else allowed & _OF_A_FILE
        _add(ruleset, _PATH_BENEATH, struct.pack("=Qi", kept, where))
    finally:
        os.close(where)


def _add(ruleset: int, kind: int, rule: bytes) -> None:
    _system_call(_ADD, ruleset, kind, ctypes.c_char_p(rule), 0)


def _without_privileges() -> None:
    """Root inside has no capabilities: they could undo restrictions that Landlock does not
    cover.
    """
    library = ctypes.CDLL(None, use_errno=True)
    none = ctypes.c_ulong(0)
    for each in range(_LAST_CAPABILITY + 1):
        library.prctl(_DROP_BOUND, ctypes.c_ulong(each), none, none, none)
    header = struct.pack("=Ii", 0x20080522, 0)
    library.capset(ctypes.c_char_p(header), ctypes.c_char_p(bytes(24)))
    if library.prctl(_NO_NEW_PRIVILEGES, ctypes.c_ulong(1), none, none, none):
        raise OSError(ctypes.get_errno(), "privileges cannot be given up")


def _system_call(number: int, *arguments: Any) -> int:
    library = ctypes.CDLL(None, use_errno=True)
    result = int(library.syscall(number, *arguments))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def main(argv: list[str]) -> int:
    spec: Mapping[str, Any] = json.loads(argv[1])
    program = argv[3:]
    try:
        restrict(spec["read"], spec["write"], spec["ports"])
        for number in (
            signal.SIGPIPE,
            signal.SIGXFSZ,
        ):  # Python ignores both, and exec keeps them ignored
            signal.signal(number, signal.SIG_DFL)
        # no shell: the arguments are the program's own
        os.execvp(program[0], program)  # noqa: S606
    except OSError as fault:
        os.write(
            2, f"{COMPLAINT}{program[0]}: {fault.strerror or fault}\n".encode(errors="replace")
        )
    return 126


if __name__ == "__main__":
    os._exit(main(sys.argv))
