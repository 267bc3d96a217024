"""Build, test, lint: run by the engine itself; only the exit code counts."""

from __future__ import annotations

import re
import shlex
import shutil
import time
from collections.abc import Mapping
from pathlib import Path

from podium.agents.protocol import Supervise
from podium.verify.baseline import Ran

KEPT = 200_000
"""Bytes of a command's output that are kept as evidence."""


_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_BUILT_IN = frozenset(
    {
        "!",
        "(",
        "{",
        "[",
        ".",
        ":",
        "cd",
        "command",
        "eval",
        "exec",
        "exit",
        "export",
        "false",
        "for",
        "if",
        "set",
        "source",
        "test",
        "true",
        "umask",
        "unset",
        "until",
        "while",
    }
)


_PLACES = ("./", "../", "/", "~/")
_FILE = re.compile(r"\w\.\w{1,5}$")


def names_program(line: str, folder: Path, path: str) -> bool:
    """Whether a line can be a command: its first word is a program on the search path, a path, or a
    shell builtin.

    A path that leads nowhere is also a command, one that fails; only words such as `Login/logout
    works` are not.
    """
    try:
        words = shlex.split(line)
    except ValueError:
        words = line.split()
    word = next((each for each in words if not _ASSIGNMENT.match(each)), "").lstrip("(")
    if "/" in word:
        return (
            word.startswith(_PLACES)
            or bool(_FILE.search(word))
            or (folder / word.partition("/")[0]).is_dir()
        )
    return word in _BUILT_IN or bool(word and shutil.which(word, path=path or None))


async def run_command(
    name: str,
    command: str,
    folder: Path,
    environment: Mapping[str, str],
    supervise: Supervise,
    timeout_s: float,
) -> Ran:
    """Run one shell command in a folder; a timeout counts as exit code 124, as with the
    `timeout` program.
    """
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
