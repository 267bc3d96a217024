"""Small real projects of every kind that a workspace knows, and what is said about them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from podium.engine.views.code_view import Kind
from podium.engine.workspace import Change, Checkpoint, CodeView, Workspace, trailers_of

DATE = "2026-01-02T03:04:05+00:00"
RUN = "r-1"
PROJECTS = ("repository", "unborn", "plain", "subfolder")
NASTY = (
    "with space",
    'quo"te',
    "new\nline",
    "ünï",
    os.fsdecode(b"bytes-\xff\xfe"),
    "tab\there",
    "-dash",
    "back\\slash",
    ":(top)x",
)
FILES: dict[str, str | bytes] = {
    "readme.md": "hello\n",
    "src/main.py": "print(1)\n",
    "src/deep/util.py": "x = 1\n",
    "docs/plan.md": "plan\n",
    "bin.dat": b"\0\1\2\xff" * 20,
    ".gitignore": "*.log\nscratch/\n",
}
Make = Callable[[str], Workspace]


def sh(folder: Path, *args: str) -> bytes:
    """What git says in a folder."""
    env = {"PATH": os.environ["PATH"], "HOME": str(folder.anchor), "GIT_CONFIG_GLOBAL": "/dev/null"}
    who = ("user.name=User", "user.email=user@example.org", "protocol.file.allow=always")
    settings = [word for setting in who for word in ("-c", setting)]
    return subprocess.run(
        ["git", *settings, *args], cwd=folder, env=env, check=True, capture_output=True
    ).stdout


def write(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def committed(folder: Path) -> None:
    sh(folder, "init", "-q", "-b", "main")
    sh(folder, "add", "-A")
    sh(folder, "commit", "-q", "-m", "first")


def templates_in(root: Path) -> Path:
    """One project of each kind, to be copied."""
    for name in ("repository", "unborn", "plain"):
        write(root / name, FILES)
        os.symlink("readme.md", root / name / "link")
    committed(root / "repository")
    sh(root / "unborn", "init", "-q", "-b", "main")
    write(root / "subfolder", {f"apps/web/{name}": text for name, text in FILES.items()})
    write(root / "subfolder", {"lib/shared.py": "s = 1\n"})
    os.symlink("readme.md", root / "subfolder/apps/web/link")
    committed(root / "subfolder")
    return root


def view_of(
    space: Workspace, kind: Kind, name: str = "step", point: Checkpoint | None = None, **how: object
) -> CodeView:
    point = point or space.checkpoint("before step", DATE, run_id=RUN)
    home = space.toplevel.parent / "views" / name
    return space.open_view(home, point, kind=kind, **how)  # type: ignore[arg-type]


def kept(space: Workspace, view: CodeView, step: str = "build/1") -> str:
    """All changes of the view as a commit."""
    paths = [change.path for change in space.changes(view)]
    return space.commit(view, RUN, f"{step}: work", trailers_of(RUN, step), DATE, paths)


def by_path(changes: Iterable[Change]) -> dict[str, str]:
    return {change.path: change.status for change in changes}


def files_in(folder: Path) -> dict[str, bytes]:
    """Every file and where every link points, but nothing of git's or Podium's own."""
    files = {}
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in {".git", ".podium"}]
        links = [name for name in folders if os.path.islink(os.path.join(root, name))]
        for name in (*names, *links):
            path = os.path.join(root, name)
            data = (
                os.fsencode(os.readlink(path)) if os.path.islink(path) else Path(path).read_bytes()
            )
            files[os.path.relpath(path, folder)] = data
    return files


def private_state(folder: Path) -> dict[str, bytes]:
    """All that belongs to the user and not to their files."""
    git = folder / ".git"
    refs = sh(folder, "for-each-ref").splitlines()
    return {
        "index": (git / "index").read_bytes() if (git / "index").exists() else b"",
        "head": (git / "HEAD").read_bytes(),
        "config": (git / "config").read_bytes(),
        "refs": b"".join(line + b"\n" for line in refs if b"podium" not in line),
        "stashes": sh(folder, "stash", "list"),
        "worktrees": sh(folder, "worktree", "list"),
        "hooks": b"\n".join(sorted(os.fsencode(name) for name in os.listdir(git / "hooks")))
        if (git / "hooks").exists()
        else b"",
    }
