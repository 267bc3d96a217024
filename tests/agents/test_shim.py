"""No process of an agent outlives the engine; the inherited lock is free only when all are dead."""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.agents.jobs import size, still_writing, until

from podium.agents.environment import leftovers
from podium.agents.process import SHIM

WRITE = "while :; do echo x >> {file}; sleep 0.02; done"
WAYS = {
    "plain child": "({write}) & {own}",
    "setsid grandchild": "setsid sh -c '{write}' & {own}",
    "double-forked daemon": "(setsid nohup sh -c '({write}) &' >/dev/null 2>&1 &) ; {own}",
    "ignores every polite signal": "(trap '' HUP INT TERM; {write}) & trap '' HUP INT TERM; {own}",
}
ENGINE = """
import asyncio, fcntl, os, sys
from pathlib import Path
from podium.agents.process import Supervisor
lock = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
fcntl.flock(lock, fcntl.LOCK_EX)
env = {"PATH": os.environ["PATH"], "PODIUM_DISPATCH": sys.argv[3]}
asyncio.run(Supervisor([lock])(["sh", "-c", sys.argv[2]], cwd=Path("."), env=env))
"""


def start(tmp_path: Path, script: str, mark: str) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-c", ENGINE, str(tmp_path / "lock"), script, mark]
    return subprocess.Popen(argv, cwd=tmp_path, start_new_session=True)


def wait_for_lock(path: Path) -> None:
    fd = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)  # the test's own timeout is the limit
    finally:
        os.close(fd)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("blow", ["kill -9 of the engine", "kill -9 of the engine's group"])
def test_nothing_is_alive_nor_writes_once_the_lock_is_free(
    tmp_path: Path, way: str, blow: str
) -> None:
    stray, own, mark = tmp_path / "stray", tmp_path / "own", f"{tmp_path}/build"
    script = WAYS[way].format(write=WRITE.format(file=stray), own=WRITE.format(file=own))
    engine = start(tmp_path, script, mark)
    assert until(lambda: size(stray) > 0 and size(own) > 0)
    assert leftovers(mark)
    if blow.endswith("group"):
        os.killpg(engine.pid, signal.SIGKILL)
    else:
        engine.kill()
    engine.wait()
    wait_for_lock(tmp_path / "lock")
    assert leftovers(mark) == []
    assert not still_writing(stray, own)


def test_polite_signals_to_the_engines_group_do_not_reach_the_shim(tmp_path: Path) -> None:
    own, mark = tmp_path / "own", f"{tmp_path}/build"
    engine = start(tmp_path, WRITE.format(file=own), mark)
    assert until(lambda: size(own) > 0)
    before = set(leftovers(mark))
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
        for pid in before:
            if b"shim.py" in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, number)
    time.sleep(0.1)
    assert before & set(leftovers(mark))
    assert still_writing(own)
    engine.kill()
    engine.wait()
    wait_for_lock(tmp_path / "lock")


def test_the_agent_gets_neither_the_lock_nor_the_control_channel(tmp_path: Path) -> None:
    lock = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
    code, said = shimmed(["sh", "-c", "ls -l /proc/self/fd"], keep=[lock])
    os.close(lock)
    assert code == 0
    assert "/lock" not in said
    assert "socket:" not in said


def shimmed(program: list[str], keep: list[int] | None = None) -> tuple[int, str]:
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            kept = keep or []
            argv = [
                sys.executable,
                "-I",
                "-S",
                str(SHIM),
                str(theirs.fileno()),
                ",".join(map(str, kept)),
                *program,
            ]
            process = subprocess.Popen(
                argv, stdout=subprocess.PIPE, pass_fds=[theirs.fileno(), *kept]
            )
        out, _ = process.communicate()
        return process.returncode, out.decode()


@pytest.mark.parametrize(
    ("script", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill $$", 143)]
)
def test_the_agents_exit_code_is_passed_through(script: str, code: int) -> None:
    assert shimmed(["sh", "-c", script])[0] == code


def test_the_agent_leads_its_own_session_and_has_default_signals() -> None:
    probe = (
        "import os, signal; print(os.getsid(0) == os.getpid(),"
        " [signal.getsignal(s) == signal.SIG_DFL for s in (signal.SIGTERM, signal.SIGHUP, "
        "signal.SIGQUIT)])"
    )
    assert shimmed([sys.executable, "-c", probe]) == (0, "True [True, True, True]\n")
    _, ignored = shimmed(["grep", "SigIgn", "/proc/self/status"])
    # Signals 32 and above belong to the C library, which lets nobody set them.
    assert int(ignored.split()[1], 16) & 0x7FFFFFFF == 0


def test_a_chain_of_forks_does_not_run_away(tmp_path: Path) -> None:
    chain = (
        "import os\nif os.fork(): os._exit(0)\nos.setsid()\n"
        f"while True:\n    open({str(tmp_path / 'beat')!r}, 'a').write('x')\n    if "
        "os.fork(): os._exit(0)\n"
    )
    beat = tmp_path / "beat"
    script = f'"$0" -c "$1"; while [ ! -s {beat} ]; do sleep 0.01; done'
    assert shimmed(["sh", "-c", script, sys.executable, chain])[0] == 0
    assert not still_writing(beat)


def test_the_shim_starts_fast() -> None:
    started = time.monotonic()
    for _ in range(5):
        shimmed(["true"])
    assert (time.monotonic() - started) / 5 < 0.5
