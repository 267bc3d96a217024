"""Where the person's checkout stands: looked at only where a command speaks of git."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.repository import git, made

from podium.engine.standing import standing
from podium.engine.workspace import Workspace


def test_branch_and_remote_are_told_where_a_command_speaks_of_git(tmp_path: Path) -> None:
    root = made(tmp_path / "project", {"a.py": "A = 1\n"})
    git(root, "checkout", "-q", "-B", "topic")
    workspace = Workspace.find(root, root / ".podium")
    assert standing(workspace, ["make test"]) == ("", False)
    assert standing(workspace, ["make test", "git commit --amend"]) == ("topic", False)
    git(tmp_path, "init", "-q", "--bare", "shared.git")
    git(root, "remote", "add", "origin", str(tmp_path / "shared.git"))
    git(root, "push", "-q", "origin", "topic")
    assert standing(workspace, ["git push"]) == ("topic", True)


def test_a_folder_without_history_stands_nowhere(tmp_path: Path) -> None:
    root = made(tmp_path / "plain", {"a.py": "A = 1\n"}, "plain")
    assert standing(Workspace.find(root, root / ".podium"), ["git push"]) == ("", False)
