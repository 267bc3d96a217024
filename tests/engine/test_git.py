"""The one module that calls git: whose environment, whose settings, whose words."""

from __future__ import annotations

import errno
import os
import subprocess
import time
from pathlib import Path

import pytest

from podium.core.errors import PodiumError
from podium.engine.git import git as module
from podium.engine.git.git import Git, GitFailed, call, failure, joined, split


@pytest.fixture
def git(tmp_path: Path) -> Git:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    return Git(tmp_path / ".git", tmp_path)


def test_a_failure_names_the_command_and_the_last_words(git: Git) -> None:
    with pytest.raises(GitFailed) as caught:
        git.run("rev-parse", "--verify", "nothing")
    assert isinstance(caught.value, PodiumError)
    assert caught.value.exit_code == 20
    assert (
        str(caught.value)
        == "git rev-parse --verify nothing ended with 128: Needed a single revision"
    )
    assert git.maybe("rev-parse", "-q", "--verify", "nothing") is None


def test_a_missing_program_or_folder_is_named(
    git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(GitFailed, match="does not exist"):
        call(("version",), cwd=tmp_path / "gone")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitFailed, match="not installed"):
        git.run("version")


def test_git_that_does_not_answer_is_ended(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(git.work_tree / "pipe")
    monkeypatch.setattr(module, "TIMEOUT_SECONDS", 0.2)
    with pytest.raises(GitFailed, match="no answer"):
        git.run("hash-object", "pipe")


def test_git_that_has_said_all_and_does_not_end_is_ended(
    git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TIMEOUT_SECONDS", 0.2)
    with pytest.raises(GitFailed, match="no answer"):
        git.run("-c", "alias.away=!exec sleep 600 <&- >&- 2>&-", "away")


def test_the_end_of_git_is_not_slept_through(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        time,
        "sleep",
        lambda _: pytest.fail("a call of git takes a few milliseconds, a sleep one or two of them"),
    )
    for _ in range(10):
        assert git.run("rev-parse", "--git-dir")


def test_a_key_press_that_ends_the_caller_does_not_reach_git(git: Git) -> None:
    """Half-way through somebody's files is no place to stop."""
    facts = git.word("-c", "alias.facts=!cat /proc/self/stat", "facts").rpartition(")")[2].split()
    assert int(facts[3]) not in {0, os.getsid(0)}


def test_the_callers_git_variables_do_not_count(
    git: Git, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in {
        "GIT_DIR": "/nonexistent",
        "GIT_INDEX_FILE": "/nonexistent",
        "GIT_WORK_TREE": "/",
        "GIT_TRACE": "1",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.bare",
        "GIT_CONFIG_VALUE_0": "true",
        "GIT_AUTHOR_NAME": "Somebody",
        "GIT_OBJECT_DIRECTORY": "/nonexistent",
        "LC_ALL": "de_DE.UTF-8",
    }.items():
        monkeypatch.setenv(name, value)
    assert git.word("rev-parse", "--show-toplevel") == str(git.work_tree)
    assert git.word("var", "GIT_AUTHOR_IDENT").startswith("Podium <podium@localhost>")


def test_the_repositorys_settings_run_nobodys_program(git: Git, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    hooks = tmp_path / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    (hooks / "reference-transaction").symlink_to(program)
    (hooks / "post-index-change").symlink_to(program)
    with open(tmp_path / ".git/config", "a", encoding="utf-8") as file:
        file.write(
            f"[core]\n\tfsmonitor = {program}\n[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = "
            f"{program}\n"
        )
    tree = git.at(index=tmp_path / "mine").word("write-tree")
    commit = git.word("commit-tree", tree, stdin=b"x")
    git.run("update-ref", "refs/heads/x", commit)
    git.at(index=tmp_path / "mine").run("update-index", "--add", "-z", "--stdin", paths=["program"])
    git.run("status", "--porcelain")
    assert not (tmp_path / "ran").exists()


def test_paths_are_bytes_with_a_nul_behind_each() -> None:
    names = ["a b", "new\nline", os.fsdecode(b"\xff\xfe"), "ü"]
    assert split(joined(names)) == names
    assert joined([os.fsdecode(b"\xff")]) == b"\xff\0"
    assert split(b"") == []


def test_the_objects_of_a_linked_worktree_are_the_main_repositorys(
    git: Git, tmp_path: Path
) -> None:
    assert git.common == git.git_dir
    linked = git.git_dir / "worktrees/one"
    linked.mkdir(parents=True)
    (linked / "commondir").write_text("../..\n")
    assert Git(linked, tmp_path).common == git.git_dir


def test_an_index_of_our_own_leaves_the_users_alone(git: Git, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    mine = git.at(index=tmp_path / "mine")
    mine.run("update-index", "--add", "-z", "--stdin", paths=["file"])
    assert mine.word("ls-files") == "file"
    assert not (git.git_dir / "index").exists()


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("fatal: unable to write loose object file: No space left on device", errno.ENOSPC),
        ("fatal: sha1 file '.git/index.lock' write error. Out of diskspace", errno.ENOSPC),
        ("fatal: Unable to create '.git/index.lock': Read-only file system", errno.EROFS),
    ],
)
def test_a_disk_that_fails_under_git_is_told_as_a_disk_that_fails(words: str, number: int) -> None:
    found = failure(("write-tree",), 128, f"warning: something\n{words}\n")
    assert isinstance(found, OSError)
    assert (found.errno, found.filename) == (number, "git write-tree")


@pytest.mark.parametrize(("full", "number"), [(True, errno.ENOSPC), (False, errno.EIO)])
def test_a_file_that_git_could_not_write_is_a_disk_that_fails(full: bool, number: int) -> None:
    found = failure(("checkout-index",), 1, "error: unable to write file src/a.py\n", full=full)
    assert isinstance(found, OSError)
    assert found.errno == number


def test_what_git_advises_does_not_hide_which_file_is_in_its_way() -> None:
    said = (
        "fatal: Unable to create '.git/index.lock': File exists.\n\nAnother git process seems to "
        "be running.\nremove the file manually to continue.\n"
    )
    assert (
        str(failure(("add",), 128, said))
        == "git add ended with 128: Unable to create '.git/index.lock': File exists."
    )


def test_a_git_that_dies_on_a_full_disk_is_not_asked_for_its_words() -> None:
    words = (
        "fatal: update_ref failed for ref 'refs/heads/x': couldn't write '.git/refs/heads/x.lock'"
    )
    assert isinstance(failure(("update-ref",), 128, words, full=True), OSError)
    assert isinstance(failure(("update-ref",), 128, words), GitFailed)
    assert isinstance(failure(("config", "--get", "x"), 1, "", full=True), GitFailed)
    assert isinstance(
        failure(("rev-parse",), 128, "fatal: not a git repository", full=True), GitFailed
    )


def test_the_disk_of_a_remote_is_not_ours() -> None:
    assert isinstance(
        failure(
            ("fetch",),
            128,
            "remote: fatal: write error: No space left on device\nfatal: early EOF\n",
        ),
        GitFailed,
    )
