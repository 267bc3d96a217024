"""An agent inherits what is named and nothing else, and is found again by its mark."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.agents.jobs import until

from podium.agents.environment import agent_environment, end, leftovers

OURS = {
    "PATH": "/bin",
    "HOME": "/h",
    "LC_ALL": "C",
    "AWS_SECRET": "s",
    "MY_KEY": "k",
    "TERM": "xterm",
    "TZ": "UTC",
}


def test_only_listed_names_pass_and_the_terminal_is_dumb() -> None:
    found = agent_environment(["MY_KEY"], OURS, {"X": "1"}, dispatch="r1/build/2")
    assert found == {
        "PATH": "/bin",
        "HOME": "/h",
        "LC_ALL": "C",
        "TZ": "UTC",
        "MY_KEY": "k",
        "X": "1",
        "TERM": "dumb",
        "PODIUM_AGENT": "1",
        "PODIUM_DISPATCH": "r1/build/2",
    }


def test_a_mark_of_ours_cannot_be_overlaid_and_an_outer_one_is_not_inherited() -> None:
    found = agent_environment([], {"PODIUM_DISPATCH": "outer/x"}, {"PODIUM_AGENT": "0"})
    assert found["PODIUM_AGENT"] == "1"
    assert "PODIUM_DISPATCH" not in found
    assert found["PATH"]


def test_leftovers_are_found_by_the_whole_mark_and_ended(tmp_path: Path) -> None:
    mark = f"{tmp_path}/build/2"
    sleepers = [
        subprocess.Popen(["sleep", "60"], env={"PATH": "/bin:/usr/bin", "PODIUM_DISPATCH": each})
        for each in (mark, mark + "0")
    ]
    assert until(lambda: leftovers(mark) == [sleepers[0].pid])
    assert end(leftovers(mark)) == []
    assert leftovers(mark) == []
    assert sleepers[1].poll() is None
    for each in sleepers:
        each.kill()
        each.wait()


def test_without_proc_there_are_none() -> None:
    assert leftovers("r/x", proc="/no/such/folder") == []


def test_ending_what_is_gone_is_no_fault() -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    assert end([process.pid]) == []
