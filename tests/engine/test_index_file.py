"""Throw-away indexes without git: git reads what we write, and we read what git writes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from podium.engine.git import index_file
from podium.engine.git.git import Git, split
from podium.engine.git.trees import entries, hashed, scratch_index


def repository(folder: Path, *more: str) -> Git:
    subprocess.run(["git", "init", "-q", *more, str(folder)], check=True)
    return Git(folder / ".git", folder)


def committed(git: Git) -> str:
    git.run("add", "-A", "-f")
    return git.word("write-tree")


def odd_files(folder: Path) -> None:
    for name in ("a/b", "a.b", "a-b", 'ä b\n"c', "l" * 200 + "/" + "m" * 200):
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(name)
    (folder / os.fsdecode(b"no text \xff")).write_text("bytes")
    (folder / "program").write_text("#!/bin/sh\n")
    (folder / "program").chmod(0o755)
    (folder / "link").symlink_to("a")


@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_git_finds_in_our_index_what_we_put_there_and_we_find_what_git_does(tmp_path: Path, kind: str) -> None:
    git = repository(tmp_path / "project", f"--object-format={kind}")
    odd_files(git.work_tree)
    known = entries(git, committed(git))
    assert len(known) == 8
    with scratch_index(git, known) as mine:
        rows = (line.partition("\t") for line in split(mine.run("ls-files", "-z", "--stage")))
        assert {path: tuple(head.split(" ")[:2]) for head, _, path in rows} == known
        assert mine.word("write-tree") == git.word("write-tree")
        mine.run("update-index", "--refresh")
        assert mine.index is not None
        assert index_file.read(mine.index) == known


def test_a_name_that_is_longer_than_the_format_counts_is_read_whole(tmp_path: Path) -> None:
    name = "/".join("n" * 250 for _ in range(20))
    known = {name: ("100644", "1" * 40), "z": ("100755", "2" * 40)}
    index_file.write(tmp_path / "index", known)
    assert index_file.read(tmp_path / "index") == known


@pytest.mark.parametrize("told", ["index.version=4", "index.skipHash=true"])
def test_an_index_that_a_person_has_otherwise_is_left_to_git(tmp_path: Path, told: str) -> None:
    git = repository(tmp_path / "project")
    name, _, value = told.partition("=")
    git.run("config", name, value)
    (git.work_tree / "a").write_text("one\n")
    known = entries(git, committed(git))
    assert index_file.read(git.git_dir / "index") in (None, known)
    (git.work_tree / "a").write_text("two\n")
    assert hashed(git, known, ["a"], store=False) == {"a": ("100644", git.word("hash-object", "a"))}
    assert hashed(git, {}, ["a"], store=False) == {"a": ("100644", git.word("hash-object", "a"))}


def test_files_are_looked_at_again_though_their_times_say_nothing_changed(tmp_path: Path) -> None:
    git = repository(tmp_path / "project")
    (git.work_tree / "a").write_text("one\n")
    os.utime(git.work_tree / "a", (0, 0))
    known = entries(git, committed(git))
    (git.work_tree / "a").write_text("two\n")
    os.utime(git.work_tree / "a", (0, 0))
    assert hashed(git, known, ["a"], store=False) != known


def test_attributes_count_that_only_the_index_has(tmp_path: Path) -> None:
    git = repository(tmp_path / "project")
    (git.work_tree / ".gitattributes").write_text("*.txt text eol=crlf\n")
    (git.work_tree / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    known = entries(git, committed(git))
    (git.work_tree / ".gitattributes").unlink()
    assert hashed(git, known, ["a.txt"], store=False) == {"a.txt": known["a.txt"]}
    (git.work_tree / "b.txt").write_bytes(b"one\r\ntwo\r\n")
    assert hashed(git, known, ["b.txt"], store=False) == {"b.txt": known["a.txt"]}
    without = {path: each for path, each in known.items() if path != ".gitattributes"}
    assert hashed(git, without, ["b.txt"], store=False) != {"b.txt": known["a.txt"]}
