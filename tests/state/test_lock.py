"""One driver: real processes, real kills."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.disk import CrashingDisk, PowerCut, every_cut

from podium.core.errors import Busy, Fenced
from podium.state import lock
from podium.state.disk import Disk

HOLDER = """
import subprocess, sys, time
from podium.state import lock
from podium.state.disk import Disk
held = lock.acquire("r", sys.argv[1], "podium run", "2025-01-02T03:04:05.678Z", Disk())
agent = 0
if sys.argv[2] == "agent":
    agent = subprocess.Popen(["sleep", "60"], pass_fds=(held.fd,)).pid
elif sys.argv[2] == "stranger":
    agent = subprocess.Popen(["sleep", "60"]).pid
print(agent, flush=True)
time.sleep(60)
"""


class Other:
    """Another process that holds the lock, perhaps with a process of its own."""

    def __init__(self, path: Path, starts: str = "") -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(path), starts], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.agent = int(self.process.stdout.readline())

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()

    def kill_agent(self) -> None:
        os.kill(self.agent, signal.SIGKILL)


def acquire(path: Path, disk: Disk | None = None) -> lock.RunLock:
    return lock.acquire("r", str(path), "podium resume", "2025-02-03T04:05:06.789Z", disk or Disk())


def wait_until_free(path: Path) -> lock.RunLock:
    for _ in range(500):
        try:
            return acquire(path)
        except Busy:
            threading.Event().wait(0.01)
    raise AssertionError("still held")


def words(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def test_the_lock_file_says_who_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    held = acquire(path)
    assert words(path) == {
        "epoch": 1,
        "pid": os.getpid(),
        "host": os.uname().nodename,
        "owner": "podium resume",
        "since": "2025-02-03T04:05:06.789Z",
    }
    assert lock.holder(str(path)) == {**words(path), "alive": True}
    held.release()
    assert lock.holder(str(path)) is None


def test_each_holder_raises_the_epoch(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    epochs = []
    for _ in range(12):
        held = acquire(path)
        epochs.append(held.epoch)
        held.release()
    assert epochs == list(range(1, 13))


def test_a_cut_or_torn_description_never_lowers_the_epoch(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    last = 0
    for _ in range(3):
        for _ in every_cut(lambda disk: acquire(path, disk).release()):
            held = acquire(path)
            assert held.epoch > last
            last = held.epoch
            held.release()


def test_a_description_that_is_no_json_still_gives_the_epoch(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    acquire(path).release()
    with pytest.raises(PowerCut):
        acquire(path, CrashingDisk(1, tear=True))
    path.write_bytes(path.read_bytes()[:40])
    held = acquire(path)
    assert held.epoch >= 2
    held.release()


def test_a_second_process_is_told_who_holds_the_run_and_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    other = Other(path)
    with pytest.raises(Busy) as fault:
        acquire(path)
    said = str(fault.value)
    assert (
        f"podium run (process {other.process.pid} on {os.uname().nodename}, since 2025-01-02T"
        in said
    )
    assert "drives run r. Wait until it ends" in said
    holder = lock.holder(str(path))
    assert holder is not None
    assert (holder["pid"], holder["alive"]) == (other.process.pid, True)
    other.kill()


def test_kill_9_frees_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    other = Other(path, "stranger")
    other.kill()
    held = acquire(path)
    assert held.epoch == 2
    held.release()
    other.kill_agent()


def test_an_agent_that_inherited_the_lock_keeps_it_when_its_engine_dies(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    other = Other(path, "agent")
    other.kill()
    with pytest.raises(Busy, match="is gone, but an agent it started still runs"):
        acquire(path)
    holder = lock.holder(str(path))
    assert holder is not None
    assert holder["alive"] is False
    other.kill_agent()
    wait_until_free(path).release()


def test_releasing_does_not_take_the_lock_from_an_agent(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    held = acquire(path)
    agent = subprocess.Popen(["sleep", "60"], pass_fds=(held.fd,))
    held.release()
    with pytest.raises(Busy):
        acquire(path)
    agent.kill()
    agent.wait()
    acquire(path).release()


def test_looking_never_turns_away_a_process_that_starts(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    acquire(path).release()
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            lock.holder(str(path))

    lookers = [threading.Thread(target=look) for _ in range(3)]
    for each in lookers:
        each.start()
    try:
        for _ in range(200):
            acquire(path, _Quick()).release()
    finally:
        stop.set()
        for each in lookers:
            each.join()


class _Quick(Disk):
    def sync(self, fd: int) -> None:
        """Not what is tested here."""


def test_a_lock_that_nobody_ever_took_is_free(tmp_path: Path) -> None:
    assert lock.holder(str(tmp_path / "lock")) is None


def test_a_replaced_lock_file_fences_its_holder(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    held = acquire(path)
    held.check()
    path.unlink()
    with pytest.raises(Fenced, match="removed"):
        held.check()
    newer = acquire(path)
    with pytest.raises(Fenced, match="replaced"):
        held.check()
    newer.check()
    newer.release()
    held.release()


@pytest.mark.parametrize(
    ("content", "said"), [(b"", "another process drives run r"), (b"[]", "fuser")]
)
def test_a_holder_that_left_no_words_is_busy_all_the_same(
    tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / "lock"
    held = acquire(path)
    path.write_bytes(content)
    with pytest.raises(Busy, match=said):
        acquire(path)
    assert lock.holder(str(path)) == {"alive": None}
    held.release()
