"""The supervising shim: a small process between the engine and an agent. Run as a script, never
imported by the engine.

    python -I -S shim.py CONTROL KEEP PROGRAM [ARGUMENT…]

CONTROL is the shim's end of a socket pair; end of file means that the engine is gone, and any
byte on it means "kill". KEEP lists, separated by commas, descriptors (the run's lock) that the
shim holds and the agent does not get, because anyone who unlocks a lock releases it for all.
The kernel frees the lock when its last holder is dead, so it is free only when both the engine
and the shim are dead, and the shim outlives every descendant of the agent:

1. It is a subreaper, so whatever detaches itself (setsid, double fork, nohup) becomes the
   shim's own child when its parent dies. No children left means no descendants left.
2. When the agent has ended, the engine is gone or a kill arrives, it kills until none is left.
3. If the shim itself is killed, the kernel kills the agent at once (PDEATHSIG).

Other systems than Linux have no subreaper; there the agent's process group is killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
from collections.abc import Callable

SHRUGGED = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT)
"""Signals meant for the engine; the shim exits when its work is done."""
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_NOT_FOUND, _NOT_EXECUTABLE = 127, 126

Prctl = Callable[[int, int], object]


def main(argv: list[str]) -> int:
    control, program = int(argv[1]), argv[3:]
    for fd in (control, *(int(each) for each in argv[2].split(",") if each)):
        os.set_inheritable(fd, False)
    for number in SHRUGGED:
        signal.signal(number, signal.SIG_IGN)
    if os.getsid(0) != os.getpid():
        os.setsid()
    prctl = _prctl()
    prctl(_PR_SET_CHILD_SUBREAPER, 1)
    wake = _wake_on_child()
    agent = _start(program, control, prctl)
    _let_go_of_streams()
    status = _watch(control, wake, agent)
    return _clear(agent, status, wake)


def _prctl() -> Prctl:
    if sys.platform != "linux":  # no other system has the call
        return lambda _option, _value: None
    call: Prctl = ctypes.CDLL(None).prctl
    return call


def _wake_on_child() -> int:
    """A descriptor that becomes readable when a child ends; created before the first child, so
    none is missed.
    """
    reads, writes = os.pipe()
    os.set_blocking(reads, False)
    os.set_blocking(writes, False)
    signal.set_wakeup_fd(writes, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return reads


def _start(program: list[str], control: int, prctl: Prctl) -> int:
    shim = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    code = _NOT_FOUND
    try:
        os.setsid()
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        # The shim may have died between the fork and the line above; then no signal would come.
        if os.getppid() == shim:
            # Ignored signals stay ignored across exec; Python itself ignores two more.
            for number in (*SHRUGGED, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD):
                signal.signal(number, signal.SIG_DFL)
            # no shell: the arguments are the program's own
            os.execvp(program[0], program)  # noqa: S606
    except OSError as fault:
        code = _NOT_FOUND if isinstance(fault, FileNotFoundError) else _NOT_EXECUTABLE
        os.write(control, f"{program[0]}: {fault.strerror}".encode(errors="replace"))
    finally:
        os._exit(code)


def _let_go_of_streams() -> None:
    """Only the agent keeps the pipes, so that the other end sees when it closes one."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def _watch(control: int, wake: int, agent: int) -> int | None:
    """The agent's exit code, or None if it must be killed."""
    poll = select.poll()
    for fd in (control, wake):
        poll.register(fd, select.POLLIN)
    while True:
        ready = {fd for fd, _ in poll.poll()}
        _, status = _reap(agent, wake)
        if status is not None or control in ready:
            return status


def _reap(agent: int, wake: int) -> tuple[bool, int | None]:
    """Whether children are left, and the agent's exit code if it has ended."""
    with contextlib.suppress(BlockingIOError):
        os.read(wake, 4096)
    status = None
    while True:
        try:
            pid, raw = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False, status
        if pid == 0:
            return True, status
        if pid == agent:
            code = os.waitstatus_to_exitcode(raw)
            status = code if code >= 0 else 128 - code


def _clear(agent: int, status: int | None, wake: int) -> int:
    """Kill until no descendant is left. A process that cannot die keeps the shim alive, and with
    it the lock.
    """
    poll = select.poll()
    poll.register(wake, select.POLLIN)
    pause_ms = 1
    if not os.path.isdir("/proc/self"):
        _kill_all(agent)  # without a subreaper a descendant can be left although no child is
    while True:
        # Reap first: usually nothing is left, and reading the whole of /proc takes longer than
        # this.
        left, found = _reap(agent, wake)
        status = found if found is not None else status
        if not left:
            return 128 + signal.SIGKILL if status is None else status
        _kill_all(agent)
        # The end of a child wakes it at once; the pause only limits how long a new orphan goes
        # unnoticed.
        poll.poll(pause_ms)
        pause_ms = min(pause_ms * 2, 100)


def _kill_all(agent: int) -> None:
    if not os.path.isdir("/proc/self"):
        _signal(os.killpg, agent)
        return
    for pid in _descendants(os.getpid()):
        _signal(os.kill, pid)


def _signal(send: Callable[[int, int], None], pid: int) -> None:
    # already gone, or not ours to kill; in that case it stays our child and we stay with it
    with contextlib.suppress(ProcessLookupError, PermissionError):
        send(pid, signal.SIGKILL)


def _descendants(root: int) -> list[int]:
    """Every process below root, by the parents that /proc names now."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    # The program's name is in parentheses and may itself contain spaces and
                    # parentheses.
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except (OSError, IndexError):
                continue
            children.setdefault(parent, []).append(int(name))
    found = list(children.get(root, ()))
    for pid in found:
        found.extend(children.get(pid, ()))
    return found


if __name__ == "__main__":
    os._exit(main(sys.argv))
