"""A checkout read over HEAD is the tree that git would write from it, whatever a person left in
it.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes.repository import git as by_hand

from podium.engine.git.git import Git
from podium.engine.git.snapshot import Own, over_head, take

LIMIT = 1000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    other = tmp_path / "other"
    for each in (folder, other):
        each.mkdir()
        by_hand(each, "init", "-q", "-b", "main")
    (other / "o").write_text("o\n")
    by_hand(other, "add", "-A")
    by_hand(other, "commit", "-q", "-m", "one")
    by_hand(other, "commit", "-q", "--allow-empty", "-m", "two")
    files = {
        "a": "a\n",
        "b": "b\n",
        "d/e": "e\n",
        "d/f": "f\n",
        "run": "#!/bin/sh\n",
        "ends.txt": "x\n",
        ".podium/kept": "1\n",
        "ü\n": "u\n",
    }
    for path, text in files.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text)
    (folder / ".gitattributes").write_text("*.txt text eol=crlf\n")
    (folder / ".gitignore").write_text("*.log\n")
    (folder / "link").symlink_to("a")
    by_hand(
        folder, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "sub"
    )
    by_hand(folder, "add", "-A")
    by_hand(folder, "commit", "-q", "-m", "first")
    return folder


def nothing(_: Path) -> None:
    pass


def edits(root: Path) -> None:
    (root / "a").write_text("other\n")
    (root / "b").unlink()
    (root / "run").chmod(0o755)
    (root / "new").write_text("new\n")
    (root / "noise.log").write_text("x")
    (root / os.fsdecode(b"\xff")).write_text("bytes")
    (root / "ends.txt").write_bytes(b"x\r\ny\r\n")
    (root / "ü\n").write_text("v\n")
    (root / "link").unlink()
    (root / "link").symlink_to("b")


def staged(root: Path) -> None:
    (root / "a").write_text("staged\n")
    by_hand(root, "add", "a")
    (root / "a").write_text("and changed\n")
    by_hand(root, "rm", "-q", "--cached", "b")
    by_hand(root, "rm", "-q", "d/e")
    by_hand(root, "update-index", "--chmod=+x", "d/f")
    (root / "meant").write_text("meant\n")
    by_hand(root, "add", "-N", "meant")


def staged_and_gone(root: Path) -> None:
    (root / "short").write_text("short\n")
    by_hand(root, "add", "short")
    (root / "short").unlink()


def a_folder_for_a_file_and_back(root: Path) -> None:
    (root / "a").unlink()
    (root / "a").mkdir()
    (root / "a/inner").write_text("x\n")
    (root / "d/e").unlink()
    (root / "d/f").unlink()
    (root / "d").rmdir()
    (root / "d").symlink_to("a")


def repositories(root: Path) -> None:
    by_hand(root / "sub", "checkout", "-q", "HEAD~1")
    by_hand(root, "add", "sub")
    (root / "sub/o").write_text("dirty\n")
    by_hand(root, "init", "-q", "nested")
    (root / "nested/x").write_text("x\n")


def submodule_moved(root: Path) -> None:
    by_hand(root / "sub", "checkout", "-q", "HEAD~1")


def submodule_broken(root: Path) -> None:
    (root / ".gitmodules").write_text("[broken\n")
    (root / "sub/.git").write_text("gitdir: /nowhere\n")
    (root / "a").write_text("other\n")


def submodule_emptied(root: Path) -> None:
    subprocess.run(["rm", "-rf", str(root / "sub")], check=True)
    (root / "sub").mkdir()


def submodule_for_a_file(root: Path) -> None:
    subprocess.run(["rm", "-rf", str(root / "sub")], check=True)
    (root / "sub").write_text("no folder\n")


def a_conflict(root: Path) -> None:
    by_hand(root, "checkout", "-q", "-b", "side")
    (root / "a").write_text("side\n")
    (root / "b").write_text("side\n")
    by_hand(root, "commit", "-q", "-a", "-m", "side")
    by_hand(root, "checkout", "-q", "main")
    (root / "a").write_text("main\n")
    by_hand(root, "rm", "-q", "b")
    by_hand(root, "commit", "-q", "-a", "-m", "main")
    subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@b", "merge", "-q", "side"],
        cwd=root,
        capture_output=True,
        check=False,
    )


def what_is_not_taken(root: Path) -> None:
    (root / "big").write_bytes(b"x" * (LIMIT + 1))
    os.mkfifo(root / "pipe")
    (root / ".podium/state").write_text("2\n")
    (root / ".podium/kept").write_text("2\n")
    (root / "a").unlink()
    os.mkfifo(root / "a")


def sparse(root: Path) -> None:
    by_hand(root, "update-index", "--skip-worktree", "d/e", "d/f")
    (root / "d/e").unlink()
    (root / "d/f").unlink()
    (root / "d").rmdir()
    (root / "d").write_text("a file in its place\n")


def sparse_and_staged(root: Path) -> None:
    (root / "n").mkdir()
    for each in ("n/x", "m"):
        (root / each).write_text("x\n")
        by_hand(root, "add", each)
        by_hand(root, "update-index", "--skip-worktree", each)
        (root / each).unlink()
    (root / "n").rmdir()
    (root / "n").write_text("a file in its place\n")
    (root / "m").mkdir()
    (root / "m/y").write_text("a folder in its place\n")


def attributes_gone(root: Path) -> None:
    (root / ".gitattributes").unlink()
    (root / "ends.txt").write_bytes(b"x\r\ny\r\n")


def times_only(root: Path) -> None:
    for each in ("a", "b", "d/e"):
        os.utime(root / each, (1, 1))


@pytest.mark.parametrize(
    "left",
    [
        nothing,
        edits,
        staged,
        staged_and_gone,
        a_folder_for_a_file_and_back,
        repositories,
        submodule_moved,
        submodule_broken,
        submodule_emptied,
        submodule_for_a_file,
        a_conflict,
        what_is_not_taken,
        sparse,
        sparse_and_staged,
        attributes_gone,
        times_only,
    ],
)
def test_the_checkout_over_head_is_the_tree_of_its_index_with_its_files(
    root: Path, left: Callable[[Path], None]
) -> None:
    left(root)
    git, own = Git(root / ".git", root), Own(".podium")
    before = (root / ".git/index").read_bytes()
    wanted, left_out = take(git, own, LIMIT, remember=False)
    found = over_head(git, own, LIMIT)
    assert found is not None
    assert (found.head, found.left_out) == (by_hand(root, "rev-parse", "HEAD").strip(), left_out)
    assert by_hand(root, "ls-tree", "-r", found.tree) == by_hand(root, "ls-tree", "-r", wanted)
    assert found.tree == wanted
    assert (root / ".git/index").read_bytes() == before
    assert "missing" not in by_hand(
        root, "fsck", "--no-dangling", "--connectivity-only", found.tree
    )


def test_before_the_first_commit_there_is_nothing_to_go_by(tmp_path: Path) -> None:
    by_hand(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "a").write_text("a\n")
    assert over_head(Git(tmp_path / ".git", tmp_path), Own(""), LIMIT) is None
