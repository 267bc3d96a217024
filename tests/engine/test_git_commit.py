"""A commit on the user's own branch: exactly the paths that are named, and nothing else of
theirs.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from podium.core.errors import Halted
from podium.engine.git import git
from podium.engine.git.git import GitFailed
from podium.engine.git.merge import merged_tree
from podium.engine.workspace import Workspace

TRAILERS = {"Podium-Run": "r1", "Podium-Step": "commit/1"}
DATE = "2026-01-02T03:04:05Z"


class Repository:
    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(exist_ok=True)

    def git(self, *words: str) -> str:
        who = [
            "-c",
            "user.name=Ada",
            "-c",
            "user.email=ada@example.org",
            "-c",
            "commit.gpgsign=false",
        ]
        done = subprocess.run(
            ["git", *who, *words], cwd=self.root, capture_output=True, text=True, check=True
        )
        return done.stdout

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def commit(self, *paths: str, subject: str = "US-1: count") -> str | None:
        workspace = Workspace.find(self.root, self.root / ".podium")
        return workspace.commit_here(paths, subject, TRAILERS, DATE)

    def names(self, what: str = "HEAD") -> list[str]:
        return self.git("show", "--pretty=", "--name-only", what).split()


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "p")
    made.git("init", "-q", "-b", "main")
    made.git("config", "user.name", "Ada")
    made.git("config", "user.email", "ada@example.org")
    made.write("kept.txt", "kept\n")
    made.write("gone.txt", "gone\n")
    made.git("add", "-A")
    made.git("commit", "-qm", "first")
    return made


def test_only_the_named_paths_are_committed(repo: Repository) -> None:
    repo.write("mine.py", "mine\n")
    repo.write("kept.txt", "changed by the user\n")
    assert repo.commit("mine.py")
    assert repo.names() == ["mine.py"]
    assert repo.git("status", "--short") == " M kept.txt\n"


def test_what_the_user_has_staged_stays_staged_and_out_of_it(repo: Repository) -> None:
    repo.write("staged.txt", "staged\n")
    repo.git("add", "staged.txt")
    repo.write("mine.py", "mine\n")
    repo.commit("mine.py")
    assert repo.names() == ["mine.py"]
    assert repo.git("status", "--short") == "A  staged.txt\n"


def test_a_deleted_path_is_deleted_in_the_commit(repo: Repository) -> None:
    (repo.root / "gone.txt").unlink()
    repo.commit("gone.txt")
    assert repo.git("ls-tree", "--name-only", "HEAD").split() == ["kept.txt"]
    assert repo.git("status", "--short") == ""


def test_the_message_has_the_subject_and_the_trailers(repo: Repository) -> None:
    repo.write("mine.py", "mine\n")
    repo.commit("mine.py", subject="US-1: count words")
    assert (
        repo.git("log", "-1", "--pretty=%B").strip()
        == "US-1: count words\n\nPodium-Run: r1\nPodium-Step: commit/1"
    )
    assert repo.git("log", "-1", "--pretty=%an <%ae>").strip() == "Ada <ada@example.org>"


def test_nothing_that_differs_is_no_commit(repo: Repository) -> None:
    assert repo.commit("kept.txt", "never-there.txt") is None
    assert repo.git("rev-list", "--count", "HEAD").strip() == "1"


def test_repeated_after_a_crash_it_finds_its_commit(repo: Repository) -> None:
    repo.write("mine.py", "mine\n")
    first = repo.commit("mine.py")
    assert repo.commit("mine.py") == first
    assert repo.git("rev-list", "--count", "HEAD").strip() == "2"


def test_a_crash_before_the_index_was_brought_up_is_mended_by_the_repetition(
    repo: Repository,
) -> None:
    repo.write("mine.py", "mine\n")
    repo.commit("mine.py")
    repo.git("rm", "--cached", "-q", "mine.py")
    assert "D  mine.py" in repo.git("status", "--short")
    repo.commit("mine.py")
    assert repo.git("status", "--short") == ""


def test_the_first_commit_of_a_repository_can_be_made(tmp_path: Path) -> None:
    made = Repository(tmp_path / "unborn")
    made.git("init", "-q", "-b", "main")
    made.git("config", "user.name", "Ada")
    made.git("config", "user.email", "ada@example.org")
    made.write("mine.py", "mine\n")
    made.write("other.txt", "other\n")
    assert made.commit("mine.py")
    assert made.git("ls-tree", "--name-only", "HEAD").split() == ["mine.py"]
    assert made.git("status", "--short") == "?? other.txt\n"


def test_a_plain_folder_has_no_commits(tmp_path: Path) -> None:
    made = Repository(tmp_path / "plain")
    made.write("mine.py", "mine\n")
    assert made.commit("mine.py") is None


def test_in_the_middle_of_a_merge_nothing_is_committed(repo: Repository) -> None:
    head = repo.git("rev-parse", "HEAD")
    (repo.root / ".git" / "MERGE_HEAD").write_text(head)
    repo.write("mine.py", "mine\n")
    with pytest.raises(Halted, match="a merge is in progress"):
        repo.commit("mine.py")
    assert repo.git("rev-parse", "HEAD") == head


def test_between_two_commits_of_a_cherry_pick_nothing_is_committed(repo: Repository) -> None:
    repo.git("checkout", "-q", "-b", "other")
    for number in (1, 2):
        repo.write("both.py", f"other {number}\n")
        repo.git("add", "-A")
        repo.git("commit", "-q", "-m", f"other {number}")
    repo.git("checkout", "-q", "-")
    repo.write("both.py", "main\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "main")
    with pytest.raises(subprocess.CalledProcessError):
        repo.git("cherry-pick", "other~1", "other")
    repo.git("add", "both.py")
    repo.git("commit", "-q", "-m", "the first of them")
    head = repo.git("rev-parse", "HEAD")
    repo.write("mine.py", "mine\n")
    with pytest.raises(Halted, match="a cherry-pick or revert is in progress"):
        repo.commit("mine.py")
    assert repo.git("rev-parse", "HEAD") == head


def test_a_project_in_a_subfolder_commits_its_own_paths(repo: Repository) -> None:
    repo.write("sub/mine.py", "mine\n")
    workspace = Workspace.find(repo.root / "sub", repo.root / "sub" / ".podium")
    workspace.commit_here(["mine.py"], "x", TRAILERS, DATE)
    assert repo.names() == ["sub/mine.py"]


def test_hooks_are_not_run(repo: Repository) -> None:
    hook = repo.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch hooked\nexit 1\n")
    hook.chmod(0o755)
    repo.write("mine.py", "mine\n")
    assert repo.commit("mine.py")
    assert not (repo.root / "hooked").exists()


# -- merging


def tree(repo: Repository, text: str) -> str:
    repo.write("code.txt", text)
    repo.git("add", "code.txt")
    return repo.git("write-tree").strip()


def test_trees_that_changed_in_different_places_are_merged(repo: Repository) -> None:
    base, ours, theirs = (
        tree(repo, each) for each in ("a\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n")
    )
    found = merged_tree(Workspace.find(repo.root, repo.root / ".podium").git, base, ours, theirs)
    assert found
    assert repo.git("show", f"{found}:code.txt") == "A\nb\nc\nd\nE\n"


def test_trees_that_changed_the_same_line_are_not(repo: Repository) -> None:
    base, ours, theirs = (tree(repo, each) for each in ("a\n", "b\n", "c\n"))
    assert (
        merged_tree(Workspace.find(repo.root, repo.root / ".podium").git, base, ours, theirs)
        is None
    )


def test_a_git_that_fails_at_a_merge_does_not_say_that_they_clash(
    repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, ours, theirs = (tree(repo, each) for each in ("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n"))
    found = Workspace.find(repo.root, repo.root / ".podium").git
    real = git.call

    def killed(args: Sequence[str], **more: Any) -> bytes:
        if "merge-tree" in args:
            raise GitFailed(args, -9, "")
        return real(args, **more)

    monkeypatch.setattr(git, "call", killed)
    with pytest.raises(GitFailed):
        merged_tree(found, base, ours, theirs)


def test_what_the_user_ignores_is_not_committed_unless_it_is_tracked_already(
    repo: Repository,
) -> None:
    repo.write(".gitignore", "*.json\n")
    repo.write("own.json", "{}\n")
    repo.write("known.json", "{}\n")
    repo.git("add", "-f", "known.json", ".gitignore")
    repo.git("commit", "-qm", "one of them")
    repo.write("known.json", "[]\n")
    repo.write("new.txt", "new\n")
    assert repo.commit("own.json", "known.json", "new.txt")
    assert repo.names() == ["known.json", "new.txt"]
    assert repo.git("status", "--short") == ""
    assert repo.commit("own.json", subject="US-2: alone") is None
