"""Contents that an audit has named go into the repository as git would put them there."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from podium.engine.git import drivers
from podium.engine.git import git as caller
from podium.engine.git.git import Git
from podium.engine.git.index_file import Entry
from podium.engine.git.trees import hashed, stored, untouched


@pytest.fixture
def git(tmp_path: Path) -> Git:
    subprocess.run(["git", "init", "-q", str(tmp_path / "project")], check=True)
    return Git(tmp_path / "project/.git", tmp_path / "project")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands of git, as they are given."""
    real, found = caller.call, list[str]()

    def call(*args: object, **more: object) -> bytes:
        if drivers.ASKED not in more["shown"]:  # type: ignore[operator]  # asked once in a process
            found.append(" ".join(more["shown"]))  # type: ignore[call-overload]
        return real(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(caller, "call", call)
    return found


def audited(git: Git, *paths: str) -> dict[str, Entry]:
    return hashed(git, {}, paths, store=False)


def test_files_that_no_filter_changes_are_stored_without_git(git: Git, asked: list[str]) -> None:
    (git.work_tree / "plain").write_bytes(b"a\nb\r\n\0")
    (git.work_tree / "run").write_text("#!/bin/sh\n")
    (git.work_tree / "run").chmod(0o755)
    found = audited(git, "plain", "run")
    asked.clear()
    assert stored(git, {}, ["plain", "run"], found) == found
    assert asked == []
    assert git.run("cat-file", "blob", found["plain"][1]) == b"a\nb\r\n\0"
    assert found["run"][0] == "100755"


def test_files_that_a_filter_changes_are_stored_as_it_makes_them(git: Git) -> None:
    (git.work_tree / ".gitattributes").write_text("*.txt text eol=crlf\n*.up filter=up\n")
    git.run("config", "filter.up.clean", "tr a-z A-Z")
    (git.work_tree / "a.txt").write_bytes(b"a\r\nb\r\n")
    (git.work_tree / "b.up").write_text("word\n")
    found = audited(git, "a.txt", "b.up")
    assert stored(git, {}, ["a.txt", "b.up"], found) == found
    assert git.run("cat-file", "blob", found["a.txt"][1]) == b"a\nb\n"
    assert git.run("cat-file", "blob", found["b.up"][1]) == b"WORD\n"


def test_links_large_files_and_what_changed_since_are_left_to_git(git: Git, asked: list[str]) -> None:
    (git.work_tree / "link").symlink_to("later")
    (git.work_tree / "large").write_bytes(os.urandom(1 << 21))
    (git.work_tree / "later").write_text("one\n")
    found = audited(git, "link", "large", "later")
    (git.work_tree / "later").write_text("two\n")
    asked.clear()
    now = stored(git, {}, ["link", "large", "later"], found)
    assert len(asked) == 1
    assert (now["link"], now["large"]) == (found["link"], found["large"])
    assert git.run("cat-file", "blob", now["later"][1]) == b"two\n"
    assert git.run("cat-file", "blob", now["link"][1]) == b"later"


def test_a_file_with_the_bytes_that_are_known_of_it_needs_no_git(git: Git, asked: list[str]) -> None:
    for name in ("same", "other", "program", "link", "large"):
        (git.work_tree / name).write_bytes(b"x" * (1 << 21) if name == "large" else name.encode())
    known = audited(git, "same", "other", "program", "link", "large")
    (git.work_tree / "other").write_text("by a person")
    (git.work_tree / "program").chmod(0o755)
    (git.work_tree / "link").unlink()
    (git.work_tree / "link").symlink_to("same")
    asked.clear()
    found = untouched(git, known, ["same", "other", "program", "link", "large", "nowhere", "same/below"])
    assert found == {"same": known["same"], "program": ("100755", known["program"][1])}
    assert asked == []


def test_many_files_are_left_to_git_at_once(git: Git) -> None:
    names = [f"f{number}" for number in range(40)]
    for name in names:
        (git.work_tree / name).write_text(name)
    known = audited(git, *names)
    assert untouched(git, known, names) == {}
    assert stored(git, {}, names, known) == known
    assert git.run("cat-file", "blob", known["f7"][1]) == b"f7"
