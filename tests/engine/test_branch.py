"""A run's branch: where this process left it is only a guess, and git has the last word."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fakes.repository import git as by_hand

from podium.engine.git import branch
from podium.engine.git.branch import put_on_top, tip_of
from podium.engine.git.git import Git, GitFailed
from podium.engine.git.snapshot import Checkpoint

REF = "refs/heads/podium/r-1"
DATE = "2026-03-01T12:00:00+00:00"


@pytest.fixture
def git(tmp_path: Path) -> Git:
    by_hand(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "a").write_text("a\n")
    by_hand(tmp_path, "add", "-A")
    by_hand(tmp_path, "commit", "-q", "-m", "first")
    return Git(tmp_path / ".git", tmp_path)


def base(git: Git) -> Checkpoint:
    return Checkpoint(*git.word("rev-parse", "HEAD", "HEAD^{tree}").splitlines())


def tree(git: Git, text: str) -> str:
    (git.work_tree / "a").write_text(text)
    by_hand(git.work_tree, "add", "a")
    made = git.word("write-tree")
    by_hand(git.work_tree, "reset", "-q", "--hard")
    return made


def put(git: Git, text: str) -> str:
    return put_on_top(
        git, REF, tree(git, text), base(git), f"build: {text}\n\nPodium-Run: r-1", "meanwhile", DATE
    )


def parents(git: Git, commit: str) -> list[str]:
    return git.word("rev-parse", f"{commit}^@").splitlines()


def test_work_of_an_earlier_process_is_found_and_gone_on_from(
    git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = put(git, "one\n")
    monkeypatch.setattr(branch, "_LAST", {})
    assert put(git, "one\n") == first
    monkeypatch.setattr(branch, "_LAST", {})
    second = put(git, "two\n")
    assert first in git.word("rev-list", second).splitlines()
    assert (found := tip_of(git, REF)) is not None
    assert (found.commit, found.text.strip()) == (second, "build: two\n\n\nPodium-Run: r-1")


def test_a_branch_that_somebody_moved_or_removed_is_taken_as_it_is(git: Git) -> None:
    first, second = put(git, "one\n"), put(git, "two\n")
    by_hand(git.work_tree, "branch", "-f", "podium/r-1", first)
    third = put(git, "three\n")
    assert parents(git, parents(git, third)[0])[0] == first != second
    by_hand(git.work_tree, "branch", "-D", "podium/r-1")
    assert parents(git, put(git, "three\n")) == [base(git).commit]


def test_the_same_work_again_is_looked_for_on_the_branch_itself(git: Git) -> None:
    first = put(git, "one\n")
    assert put(git, "one\n") == first
    by_hand(git.work_tree, "branch", "-D", "podium/r-1")
    assert put(git, "one\n") == first
    assert git.word("rev-parse", REF) == first


def test_a_branch_below_the_runs_own_name_is_not_it(git: Git) -> None:
    by_hand(git.work_tree, "branch", "podium/r-1/below")
    assert tip_of(git, REF) is None
    with pytest.raises(GitFailed):
        put(git, "one\n")
