"""Whoever descends from a dispatch or a command is known by their parents, whatever they clear."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from podium.agents.process import Supervisor
from podium.settings.ancestry import descends_from_dispatch

ASK = (
    "import sys, time; sys.path[:0] = [{source!r}]; {before}"
    "from podium.settings.ancestry import descends_from_dispatch as d; "
    "open({told!r}, 'w').write(str(d()))"
)
SOURCE = str(Path(__file__).parents[2] / "src")


def answer(tmp_path: Path, line: str, before: str = "") -> str:
    """What a process says that a supervised shell starts in this way."""
    told = tmp_path / "told"
    script = tmp_path / "ask.py"
    script.write_text(ASK.format(source=SOURCE, told=str(told), before=before))
    command = line.format(python=sys.executable, script=script)

    async def run() -> None:
        await Supervisor()(
            ("/bin/sh", "-c", f"{command}; for i in 1 2 3 4 5 6 7 8 9; do sleep 0.3; done"),
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"]},
            timeout_s=60,
        )

    asyncio.run(run())
    return told.read_text()


WAYS = {
    "a child": "{python} {script}",
    "no variables": "env -i {python} {script}",
    "a session of its own": "env -i setsid {python} {script}",
    "in the background": "(env -i setsid {python} {script} &)",
    "nohup": "(env -i nohup {python} {script} >/dev/null 2>&1 &)",
}


@pytest.mark.parametrize("way", WAYS)
def test_who_descends_from_a_dispatch_is_known_however_it_was_started(
    tmp_path: Path, way: str
) -> None:
    assert answer(tmp_path, WAYS[way]) == "True"


def test_who_forks_twice_and_outlives_its_parents_is_known(tmp_path: Path) -> None:
    fork = "import os; os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0); "
    fork += "time.sleep(0.5); "
    assert answer(tmp_path, "env -i {python} {script}", fork) == "True"


def test_a_person_is_nobodys_descendant() -> None:
    assert not descends_from_dispatch()


def test_without_a_list_of_processes_nothing_is_known(tmp_path: Path) -> None:
    assert not descends_from_dispatch(str(tmp_path))


def test_a_program_may_have_any_name(tmp_path: Path) -> None:
    for pid, name, parent in ((5, b"a) R 1 (b", 4), (4, b"x", 1)):
        (tmp_path / str(pid)).mkdir()
        (tmp_path / str(pid) / "stat").write_bytes(b"%d (%b) S %d 0 0" % (pid, name, parent))
    (tmp_path / "4" / "environ").write_bytes(b"A=1\0PODIUM_DISPATCH=x//r/build\0")
    assert descends_from_dispatch(str(tmp_path), 5)
    (tmp_path / "4" / "environ").write_bytes(b"A=1\0NOT_PODIUM_DISPATCH=x\0")
    assert not descends_from_dispatch(str(tmp_path), 5)
