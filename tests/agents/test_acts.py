"""The acts of a scenario on files, in this process and as a program where a view is mounted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from podium.agents import acts

ACTS = [
    acts.write("new/a.txt", b"one\n"),
    acts.write("new/a.txt", b"two", append=True),
    acts.add_line("new/a.txt", b"three\n"),
    acts.add_line("folder", b"line\n", in_folder="note.txt"),
    acts.chmod("new/a.txt", 0o755),
    acts.symlink("link", "new/a.txt"),
    acts.symlink("link", "folder"),
    acts.read("new/a.txt"),
    acts.read("folder"),
    acts.read("nowhere/at/all"),
    acts.delete("gone"),
    acts.delete("never"),
    acts.write("name\udcff", b"\0\xff"),
    acts.read("bad\0name"),
    acts.write("../outside.txt", b"x"),
]
RESULTS = [
    {"act": "write", "path": "new/a.txt", "bytes": 4},
    {"act": "append", "path": "new/a.txt", "bytes": 3},
    {"act": "append", "path": "new/a.txt", "bytes": 7},
    {"act": "append", "path": "folder", "bytes": 5},
    {"act": "chmod", "path": "new/a.txt", "mode": "0755"},
    {"act": "symlink", "path": "link", "target": "new/a.txt"},
    {"act": "symlink", "path": "link", "target": "folder"},
    {"act": "read", "path": "new/a.txt", "bytes": 14},
    {"act": "read", "path": "folder", "entries": 2},
    {"act": "read", "path": "nowhere/at/all", "failed": "not there"},
    {"act": "delete", "path": "gone"},
    {"act": "delete", "path": "never", "failed": "No such file or directory"},
    {"act": "write", "path": "name\udcff", "bytes": 2},
    {"act": "read", "path": "bad\0name", "failed": "embedded null byte"},
    {"act": "write", "path": "../outside.txt", "outside": True, "bytes": 1},
]


def in_process(folder: Path) -> list[acts.Result]:
    return acts.perform(ACTS, os.fspath(folder))


def as_program(folder: Path) -> list[acts.Result]:
    command = [sys.executable, "-I", "-S", acts.__file__]
    done = subprocess.run(
        command, cwd=folder, input=json.dumps(ACTS).encode(), stdout=subprocess.PIPE, check=True
    )
    results: list[acts.Result] = json.loads(done.stdout)
    return results


@pytest.mark.parametrize("perform", [in_process, as_program])
def test_each_act_is_done_and_says_what_came_of_it(tmp_path: Path, perform) -> None:
    folder = tmp_path / "view"
    (folder / "folder").mkdir(parents=True)
    (folder / "folder/file").touch()
    (folder / "gone/deep").mkdir(parents=True)
    assert perform(folder) == RESULTS
    assert (folder / "new/a.txt").read_text() == "one\ntwo\nthree\n"
    assert (folder / "folder/note.txt").read_text() == "line\n"
    assert os.readlink(folder / "link") == "folder"
    assert not (folder / "gone").exists()
    assert (tmp_path / "outside.txt").read_text() == "x"
