"""A small real project, and its workspace with room for views."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from podium.engine.views.code_view import CodeView, Kind
from podium.engine.workspace import Workspace

DATE = "2026-01-02T03:04:05+00:00"
Open = Callable[..., CodeView]


def git(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    done = subprocess.run(
        ["git", *who, *arguments], cwd=folder, env=environment, check=True, capture_output=True
    )
    return os.fsdecode(done.stdout)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Code, hidden documents, an ignored installation and a secret."""
    folder = tmp_path / "project"
    write(
        folder,
        {
            "app.py": "x = 1\n",
            "lib/a.py": "a\n",
            "lib/deep/b.py": "b\n",
            "docs/plan.md": "the plan\n",
            "docs/notes/one.md": "one\n",
            "run.sh": "true\n",
            ".gitignore": "node_modules/\n_version.py\n.env\n*.log\n",
            "node_modules/dep/index.js": "module.exports = 1\n",
            "lib/node_modules/other/index.js": "module.exports = 2\n",
            "_version.py": "v = 1\n",
            ".env": "KEY=secret\n",
        },
    )
    (folder / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("lib/a.py")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "start")
    return folder


@pytest.fixture
def workspace(project: Path, tmp_path: Path) -> Workspace:
    return Workspace.find(project, project / ".podium", tmp_path / "store")


@pytest.fixture
def opened(workspace: Workspace, tmp_path: Path, kind: Kind) -> Open:
    """Opens a view of this kind on the checkout as it is."""
    count = 0

    def open_view(**options: object) -> CodeView:
        nonlocal count
        count += 1
        point = options.pop("point", None) or workspace.checkpoint("test", DATE)
        home = tmp_path / f"view{count}"
        return workspace.open_view(home, point, kind=kind, **options)  # type: ignore[arg-type]

    return open_view
