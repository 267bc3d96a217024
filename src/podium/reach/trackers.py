"""Issues through the person's own programs: `gh:12`, `gh:owner/repo#12`, `jira:PROJ-12`; or
`file:PATH`.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from podium.core.errors import Fault, InputError, UsageError
from podium.formats.issue_files import LARGEST
from podium.settings.values import Issues

FIELDS = "number,title,body,labels,comments,url"
_GITHUB = re.compile(
    r"(?:(?P<repo>[A-Za-z0-9][\w.-]*/[A-Za-z0-9_.][\w.-]*)?#)?(?P<number>\d{1,9})", re.ASCII
)
_JIRA = re.compile(r"[A-Za-z][A-Za-z0-9_]*-\d{1,9}", re.ASCII)
_HOW = "gh:12, gh:owner/repo#12, jira:PROJ-12 or file:issue.json"
_SIGNED_OUT = (
    "gh auth login",
    "401",
    "unauthorized",
    "jira init",
    "authentication",
    "not logged in",
    "api token",
)
_NOT_FOUND = (
    "could not resolve to an issue",
    "404",
    "not found",
    "does not exist",
    "could not resolve to a repository",
)


@dataclass(frozen=True)
class Fetched:
    """An issue as its source gave it."""

    text: str
    where: str
    """Names the source in faults."""


def fetch(
    spec: str, project: Path, cwd: Path, settings: Issues, environ: Mapping[str, str]
) -> Fetched:
    """The issue that `--issue` names. InputError or UsageError says what is wrong and what to
    do.
    """
    tracker, colon, name = spec.partition(":")
    if tracker == "file" and name:
        return _file(cwd / name, name)
    if tracker == "gh" and (found := _GITHUB.fullmatch(name)):
        argv = ["gh", "issue", "view", found["number"], "--json", FIELDS]
        argv += ["--repo", found["repo"]] if found["repo"] else []
        return Fetched(_asked(argv, spec, "gh auth login", project, settings, environ), spec)
    if tracker == "jira" and _JIRA.fullmatch(name):
        argv = [each.replace("{key}", name.upper()) for each in settings.jira]
        return Fetched(_asked(argv, spec, "jira init", project, settings, environ), spec)
    known = colon and tracker in {"gh", "jira", "file"}
    raise InputError(
        Fault(
            "--issue", f"{spec[:100]!r} names no issue" + (f" of {tracker}" if known else ""), _HOW
        )
    )


def _file(path: Path, name: str) -> Fetched:
    try:
        with path.open("rb") as file:
            data = file.read(4 * LARGEST + 1)
    except OSError as fault:
        raise InputError(Fault(name, f"cannot be read: {fault.strerror}")) from None
    if len(data) > 4 * LARGEST:
        raise InputError(Fault(name, f"is larger than {4 * LARGEST:,} bytes"))
    try:
        return Fetched(data.decode("utf-8-sig"), name)
    except UnicodeDecodeError:
        raise InputError(Fault(name, "is not UTF-8 text")) from None


def _asked(
    argv: Sequence[str],
    spec: str,
    sign_in: str,
    project: Path,
    settings: Issues,
    environ: Mapping[str, str],
) -> str:
    """What the program prints. It runs with the person's own environment, which contains their
    login.
    """
    quiet = {"GH_PROMPT_DISABLED": "1", "GH_PAGER": "cat", "PAGER": "cat", "NO_COLOR": "1"}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        try:
            started = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=errors,
                cwd=project,
                env={**environ, **quiet},
                start_new_session=True,
            )
        except FileNotFoundError:
            raise UsageError(
                f"--issue {spec}: {argv[0]} is not on PATH. Install it, or export the issue "
                "and use --issue file:PATH"
            ) from None
        except OSError as fault:
            raise UsageError(
                f"--issue {spec}: {argv[0]} cannot be started: {fault.strerror}"
            ) from None
        try:
            code = started.wait(settings.timeout_s)
        except subprocess.TimeoutExpired:
            raise UsageError(
                f"--issue {spec}: {argv[0]} did not answer within {settings.timeout_s:g} s "
                "([issues] timeout_s)"
            ) from None
        finally:
            _end(started)
        said = _read(errors, 4000).decode(errors="replace").strip()
        if code:
            raise UsageError(f"--issue {spec}: {_why(argv[0], code, said, sign_in)}")
        data = _read(out, 4 * LARGEST + 1)
    if len(data) > 4 * LARGEST:
        raise UsageError(f"--issue {spec}: {argv[0]} printed more than {4 * LARGEST:,} bytes")
    return data.decode(errors="replace")


def _why(program: str, code: int, said: str, sign_in: str) -> str:
    line = " ".join(said.split())[:300]
    low = said.lower()
    if code == 4 or any(each in low for each in _SIGNED_OUT):
        return f"{program} is not signed in; `{sign_in}` does that. It said: {line}"
    if any(each in low for each in _NOT_FOUND):
        return f"there is no such issue, or you may not see it. {program} said: {line}"
    return f"{program} ended with {code}: {line or 'it said nothing'}"


def _read(file: IO[bytes], most: int) -> bytes:
    file.seek(0)
    return file.read(most)


def _end(started: subprocess.Popen[bytes]) -> None:
    """End the program and everything it left behind: nothing of a program that only reads should
    go on.
    """
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(started.pid, signal.SIGKILL)
    started.wait()
