"""Build, test, lint: run by the engine itself, with the exit code as the only witness."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from podium.agents.protocol import Supervise
from podium.verify.baseline import Ran

KEPT = 200_000
"""Bytes of a command's output that are kept as evidence."""


async def run_command(
    name: str, command: str, folder: Path, environment: Mapping[str, str], supervise: Supervise, timeout_s: float
) -> Ran:
    """One shell command in a folder; a timeout is exit code 124, as the shell's own tool has it."""
    began = time.monotonic()
    ended = await supervise(
        ["/bin/sh", "-c", command], cwd=folder, env=environment, timeout_s=timeout_s
    )
    text = (ended.output + b"\n" + ended.errors).decode(errors="replace")
    return Ran(
        name=name,
        command=command,
        exit_code=124 if ended.timed_out else ended.exit_code,
        output=text[-KEPT:],
        seconds=time.monotonic() - began,
    )
