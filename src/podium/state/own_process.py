"""A command of Podium in a process of its own, which outlives the one that started it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path


def start(
    project: Path, words: Sequence[str], environ: Mapping[str, str], log: Path
) -> subprocess.Popen[bytes]:
    """`words`: the command and its arguments. What it prints is appended to `log`, which is no
    link and for its owner alone.
    """
    # The command is complete: the same installation as this one, and no shell in between.
    argv = [sys.executable, "-m", "podium", words[0], f"--project={project}", *words[1:]]
    said = os.open(
        log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
    )
    try:
        return subprocess.Popen(
            argv,
            cwd=project,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
    finally:
        os.close(said)
