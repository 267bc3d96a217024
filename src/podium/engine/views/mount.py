"""Mounts a view and becomes the program that works in it. Run as a script, never imported.

    python -I -S mount.py PLAN

PLAN is a descriptor with marshalled data: `overlays` (at, lower, upper, work), `binds` (at, source,
write), `hold` (a folder), `cwd` and `argv`. It is a process of its own because the kernel refuses
new namespaces to a process with threads, and what it mounts is seen by its descendants only. It
imports little on purpose, because it starts with every program of a view: `_signal` is the C module
behind `signal`, and `json` or `typing` would double its time.

No program outlives the process that started this one: it runs in a process namespace of its own,
whose first process dies with its parent; when the first process dies, the kernel ends all others.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]
import ctypes
import errno
import fcntl
import marshal
import os
import select
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

COMPLAINT = "podium-view: "
"""How this program's own messages begin."""
NOT_FOUND, NOT_EXECUTABLE = 127, 126
FAILED = 1

_NEW_NAMESPACE, _NEW_USERS, _NEW_PROCESSES = 0x00020000, 0x10000000, 0x20000000
_READ_ONLY, _NO_SUID, _NO_DEVICES, _NO_PROGRAMS, _REMOUNT, _BIND = 1, 2, 4, 8, 32, 4096
_NO_ACCESS_TIME, _NO_FOLDER_TIME, _RELATIVE_TIME = 1024, 2048, 1 << 21
_RECURSIVE, _PRIVATE = 1 << 14, 1 << 18
_KEPT_FLAGS = _NO_SUID | _NO_DEVICES | _NO_PROGRAMS | _NO_ACCESS_TIME | _NO_FOLDER_TIME
_DIE_WITH_PARENT = 1
_libc = ctypes.CDLL(None, use_errno=True)


def main() -> NoReturn:
    parent = os.getppid()
    with open(int(sys.argv[1]), "rb") as file:
        # written by our own process a moment ago, into memory that nobody else can reach
        plan = marshal.load(file)  # noqa: S302
    try:
        hold(plan["hold"])
        enter_namespaces()
        mount_all(plan["overlays"], plan["binds"])
        os.chdir(plan["cwd"])
        run(plan["argv"], parent)
    except OSError as fault:
        place = f"{fault.filename}: " if fault.filename else ""
        complain(f"{place}{fault.strerror}")


def complain(text: str) -> NoReturn:
    os.write(2, f"{COMPLAINT}{text}\n".encode(errors="backslashreplace"))
    os._exit(FAILED)


def hold(folder: str) -> None:
    """Take the view: the kernel mounts one upper folder twice without a word, and then anything
    may happen. Released when this process ends, after everything it started.
    """
    if not folder:
        return
    try:
        fcntl.flock(os.open(folder, os.O_RDONLY | os.O_DIRECTORY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OSError(errno.EBUSY, "a program is still at work in this view", folder) from None


def enter_namespaces() -> None:
    """Root needs no user namespace, unless it is the root of a container that may not mount;
    everybody else stays who they are in theirs.
    """
    user, group = os.geteuid(), os.getegid()
    if user != 0 or not may_mount():
        call("unshare", _NEW_USERS | _NEW_NAMESPACE | _NEW_PROCESSES)
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    mount("none", "/", "", _RECURSIVE | _PRIVATE)


def may_mount() -> bool:
    """Enter new namespaces as root; False if this root has no right to."""
    try:
        call("unshare", _NEW_NAMESPACE | _NEW_PROCESSES)
    except PermissionError:
        return False
    return True


def mount_all(overlays: list[dict[str, Any]], binds: list[dict[str, Any]]) -> None:
    """Everything is opened first: a mount covers the paths below it, and other namespaces'
    descriptors are refused.
    """
    layers = [
        (
            overlay["at"],
            [in_use(folder) for folder in overlay["lower"]],
            opened(overlay["upper"]),
            opened(overlay["work"]),
        )
        for overlay in overlays
    ]
    sources = [(bind["at"], opened(bind["source"]), bind["write"]) for bind in binds]
    os.chdir("/proc/self/fd")
    for at, lower, upper, work in layers:
        # By descriptor: no path has to be quoted, and many layers fit into the options.
        names = ":".join(map(str, lower))
        options = f"userxattr,lowerdir={names},upperdir={upper},workdir={work}"
        mount("podium-view", at, "overlay", _NO_SUID | _NO_DEVICES, options)
    for at, source, write in sources:
        mount(f"/proc/self/fd/{source}", at, "", _BIND)
        if not write:
            kept = os.statvfs(at).f_flag & _KEPT_FLAGS  # a namespace may not drop them
            mount("none", at, "", _REMOUNT | _BIND | _READ_ONLY | kept)


def in_use(folder: str) -> int:
    """A layer, opened and locked so that it is not removed as long as this process lives."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    os.stat(folder)  # it may have been removed while we waited
    return descriptor


def run(argv: list[str], parent: int) -> NoReturn:
    """Start the program as a child of the namespace's first process, and end as it ended."""
    die_with_parent()
    if os.getppid() != parent:
        os._exit(FAILED)
    alive, ours = os.pipe()
    first = os.fork()
    if first:
        os.close(alive)
        os.set_inheritable(ours, False)
        let_go_of_streams()
        os._exit(status_of(os.waitpid(first, 0)[1]))
    os.close(ours)
    die_with_parent()
    if select.select([alive], [], [], 0)[0]:  # the end of the pipe: the parent is gone already
        os._exit(FAILED)
    see_own_processes()
    program = os.fork()
    if program == 0:
        execute(argv)
    let_go_of_streams()
    while True:
        ended, status = os.wait()  # orphans come here, too
        if ended == program:
            os._exit(status_of(status))


def execute(argv: list[str]) -> NoReturn:
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    try:
        # no shell: the arguments are the program's own
        os.execvp(argv[0], argv)  # noqa: S606
    except OSError as fault:
        os.write(2, f"{argv[0]}: {fault.strerror}\n".encode(errors="backslashreplace"))
        os._exit(NOT_FOUND if isinstance(fault, FileNotFoundError) else NOT_EXECUTABLE)


def see_own_processes() -> None:
    """Without a /proc of its own a program would take other processes for itself; where the
    machine hides parts of /proc the kernel refuses a new one.
    """
    try:
        mount("proc", "/proc", "proc", _NO_SUID | _NO_DEVICES | _NO_PROGRAMS)
    except OSError:
        return


def die_with_parent() -> None:
    """Asked again after each change of namespace, which makes the kernel forget it."""
    call("prctl", _DIE_WITH_PARENT, int(signal.SIGKILL), 0, 0, 0)


def let_go_of_streams() -> None:
    """Only the program keeps the pipes, so that the other end sees when it closes one."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def status_of(raw: int) -> int:
    code = os.waitstatus_to_exitcode(raw)
    return code if code >= 0 else 128 - code


def opened(path: str) -> int:
    return os.open(path, os.O_PATH)


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    call(
        "mount",
        os.fsencode(source),
        os.fsencode(target),
        kind.encode() or None,
        ctypes.c_ulong(flags),
        options.encode() or None,
        where=target,
    )


def call(name: str, *arguments: Any, where: str = "") -> None:
    if getattr(_libc, name)(*arguments):
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}", where)


if __name__ == "__main__":
    main()
