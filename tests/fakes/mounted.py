"""A view of the code as a folder in which a test works as a program of the view would."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from podium.engine.views.code_view import CodeView
from podium.engine.views.mounts import command


@contextlib.contextmanager
def at_work(view: CodeView) -> Iterator[Path]:
    """The view's top level while something is at work in it; then all of it has ended."""
    mounts = view.mounts()
    if mounts is None:
        yield view.top
        return
    argv, plan = command(mounts, os.fspath(view.top), ("/bin/sh", "-c", "echo $$; exec cat"))
    try:
        process = subprocess.Popen(
            argv, pass_fds=(plan,), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
    finally:
        os.close(plan)
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline(), "nothing could be mounted"
        try:
            yield Path(f"/proc/{last_child(process.pid)}/root{view.top}")
        finally:
            process.stdin.close()


def last_child(pid: int) -> int:
    """The program itself: the youngest descendant."""
    while children := Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split():
        pid = int(children[-1])
    return pid


def run_in(
    view: CodeView, script: str, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a shell script in the view, as its programs start: in the project's folder."""
    return started_in(view, ("/bin/sh", "-c", script), view.project, env)


def git_in(view: CodeView, *words: str, at: str = "") -> bytes:
    """What git says in the view, at a path from its top level; it must succeed."""
    who = ("-c", "user.name=User", "-c", "user.email=user@example.org")
    env = {"PATH": os.environ["PATH"], "HOME": "/", "GIT_CONFIG_GLOBAL": "/dev/null"}
    done = started_in(view, ("git", *who, *words), view.top / at, env)
    done.check_returncode()
    return done.stdout


def started_in(
    view: CodeView, argv: tuple[str, ...], cwd: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    mounts, plan = view.mounts(), -1
    if mounts is not None:
        argv, plan = command(mounts, os.fspath(cwd), argv)
    try:
        return subprocess.run(
            argv,
            cwd=cwd if mounts is None else None,
            env=env,
            pass_fds=() if plan < 0 else (plan,),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    finally:
        if plan >= 0:
            os.close(plan)
