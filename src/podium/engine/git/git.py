"""The only module that calls git.

Three rules hold for every call. The repository is always named (`--git-dir`), never discovered: an
agent may have rewritten the `.git` of its view, which must not be believed. The environment is
scrubbed, and settings that would run somebody's program or change the user's files are off. Paths
are passed as bytes, each ending with a NUL, because a name may contain a newline, a quote or
invalid UTF-8.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import signal
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from podium.core.errors import PodiumError
from podium.engine.git import drivers
from podium.state.disk import DISK_FAILURES, StrPath
from podium.state.regular import Signature, signature_of

NAME, MAIL = "Podium", "podium@localhost"
KEPT_REFS = "refs/podium-kept/"
"""Where commits of ours are kept from garbage collection, below it by run."""
TIMEOUT_SECONDS = 600.0
"""Longer than checking out a very large repository takes; a filter that never ends must not
block the run.
"""

_EVERYWHERE = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.safecrlf=false",
    "core.quotePath=false",
    "core.fsyncMethod=batch",
    "gc.auto=0",
    "maintenance.auto=false",
    "commit.gpgSign=false",
    "i18n.commitEncoding=UTF-8",
    "advice.addEmbeddedRepo=false",
)
SETTINGS = (
    *_EVERYWHERE,
    "core.untrackedCache=false",
    "core.splitIndex=false",
    # A view has all files of its tree, even if the user's own checkout is sparse.
    "core.sparseCheckout=false",
    # The synced journal names commits, so they must be as durable as it is. Indexes here are
    # throw-away.
    # Git before 2.36 knows neither this key nor the method above, and ignores both.
    "core.fsync=all,-index",
)
PERSONAL = (*_EVERYWHERE, "core.fsync=all", "submodule.recurse=false", "merge.autoStash=false")
"""For a person's own index and files: their settings about their checkout apply, and nothing is
put aside unasked.
"""

ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_AUTHOR_NAME": NAME,
    "GIT_AUTHOR_EMAIL": MAIL,
    "GIT_COMMITTER_NAME": NAME,
    "GIT_COMMITTER_EMAIL": MAIL,
    "LC_ALL": "C",
    # A filter `python -m nbstripout` must not find a module of that name in a folder that an agent
    # wrote.
    "PYTHONSAFEPATH": "1",
}


_DISK_SAYS = {
    **{os.strerror(each): each for each in sorted(DISK_FAILURES)},
    "Out of diskspace": errno.ENOSPC,  # git's own message for a write that was cut short
}


_GIT_DIR = "--git-dir="
_FATAL = 128
NO_REPOSITORY = "not a git repository"
_UNWRITTEN = "unable to write file"
"""A file could be opened but not written; git does not say why."""
_NO_ROOM = 1 << 20
"""A disk with fewer free bytes than this counts as full: git has already removed what it could
not write completely.
"""


class GitFailed(PodiumError):
    """git ended with an error; the message has the command and what git said was fatal, or else
    its last words.
    """

    exit_code = 20  # a person must act, as after a rule: the program itself is not at fault

    def __init__(self, command: Sequence[str], code: int, errors: str) -> None:
        self.command, self.code, self.errors = tuple(command), code, errors.strip()
        lines = self.errors.splitlines() or ["no message"]
        # What follows the fatal line is advice, and without that line nobody knows about which
        # file.
        said = next((line for line in lines if line.startswith("fatal: ")), lines[-1])
        super().__init__(
            f"git {' '.join(command)} ended with {code}: {said.removeprefix('fatal: ')}"
        )


@dataclass(frozen=True)
class Git:
    """One repository, the folder with its files, and the index in use."""

    git_dir: Path
    work_tree: Path
    index: Path | None = None
    """None: the repository's own, which only reading commands may use."""

    @property
    def common(self) -> Path:
        """Where objects and refs are: elsewhere if the user's checkout is a linked worktree."""
        link = self.git_dir / "commondir"
        text = os.fsdecode(link.read_bytes()).removesuffix("\n") if link.is_file() else "."
        return Path(os.path.normpath(self.git_dir / text))

    def at(self, *, work_tree: Path | None = None, index: Path | None = None) -> Git:
        return replace(self, work_tree=work_tree or self.work_tree, index=index or self.index)

    def run(
        self,
        *args: str,
        paths: Iterable[str] | None = None,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        settings: Sequence[str] = SETTINGS,
        limit_s: float = 0.0,
    ) -> bytes:
        """Standard output of the command, which gets `paths` on its standard input."""
        extra = dict(env or {})
        if self.index is not None:
            extra["GIT_INDEX_FILE"] = str(self.index)
        where = (f"{_GIT_DIR}{self.git_dir}", f"--work-tree={self.work_tree}")
        settings = (*settings, *self.left_out())
        data = stdin if paths is None else joined(paths)
        return call(
            (*where, *args),
            shown=args,
            cwd=self.work_tree,
            stdin=data,
            env=extra,
            settings=settings,
            limit_s=limit_s,
        )

    def left_out(self) -> tuple[str, ...]:
        """Settings that keep git from running programs of the project, if a configuration names
        such.
        """
        common = self.common
        try:
            own = (common / "config").read_bytes()
        except OSError:
            own = b""
        told = _programs(
            self.git_dir,
            own,
            tuple(map(signature_of, (*persons_own(), f"{self.git_dir}/config.worktree"))),
        )
        if not told:
            return ()  # the usual case; this runs before every call of git
        above = (each.parent for each in (self.git_dir, common) if each.name == ".git")
        tops = tuple(dict.fromkeys(map(os.path.realpath, (self.work_tree, *above))))
        if drivers.may_change(told, tops):
            told = _asked(self.git_dir)
        return (
            drivers.neutral(told, tops, (os.path.realpath(self.git_dir), os.path.realpath(common)))
            if told
            else ()
        )

    def word(self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> str:
        """The output of a command that prints one line."""
        return os.fsdecode(self.run(*args, stdin=stdin, env=env)).removesuffix("\n")

    def maybe(self, *args: str) -> str | None:
        """The output of a command that fails if there is nothing to print; None then."""
        try:
            return self.word(*args)
        except GitFailed as failed:
            if failed.code == 1:
                return None
            raise


def persons_own() -> tuple[str, str]:
    """The person's own configuration files; no agent can change those of the machine."""
    home = os.environ.get("HOME", "")
    return (
        f"{home}/.gitconfig",
        f"{os.environ.get('XDG_CONFIG_HOME') or f'{home}/.config'}/git/config",
    )


@lru_cache(maxsize=16)
# parts of the key
def _programs(git_dir: Path, own: bytes, others: tuple[Signature, ...]) -> bytes:  # noqa: ARG001
    return _asked(git_dir)


def _asked(git_dir: Path) -> bytes:
    """What the configuration makes git run, from every file it is kept in."""
    if not git_dir.is_dir():
        return b""
    asked = ("config", "--includes", "--show-origin", "-z", "--get-regexp", drivers.ASKED)
    try:
        return call((f"{_GIT_DIR}{git_dir}", *asked), shown=asked, cwd=git_dir)
    except GitFailed as failed:
        if failed.code == 1:
            return b""  # nothing
        raise


def call(
    args: Sequence[str],
    *,
    cwd: Path,
    shown: Sequence[str] | None = None,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    settings: Sequence[str] = SETTINGS,
    limit_s: float = 0.0,
) -> bytes:
    """Run git; `shown` is the part of the command that messages repeat."""
    told = [part for setting in settings for part in ("-c", setting)]
    shown = args if shown is None else shown
    limit_s = limit_s or TIMEOUT_SECONDS
    try:
        # In a session of its own: Ctrl-C must not interrupt it halfway through somebody's files,
        # and without a
        # terminal nothing that it starts can ask a question there.
        started = _Started(
            ["git", *told, *args],
            cwd=cwd,
            env=environment(env or {}),
            start_new_session=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except FileNotFoundError as missing:
        what = (
            f"the folder {cwd} does not exist"
            if not cwd.is_dir()
            else "git is not installed or not on PATH"
        )
        raise GitFailed(shown, 127, what) from missing
    with started:
        try:
            output, errors = started.communicate(stdin, timeout=limit_s)
        except subprocess.TimeoutExpired as late:
            _end(started)
            raise GitFailed(shown, 124, f"no answer within {limit_s:g} seconds") from late
        except BaseException:
            _end(started)
            raise
    if started.returncode != 0:
        raise failure(
            shown,
            started.returncode,
            errors.decode(errors="replace"),
            full=_full(cwd, *_named(args)),
        )
    return output


class _Started(subprocess.Popen[bytes]):
    """A process whose exit is noticed at once. With a time limit, `Popen.wait` polls and sleeps
    a millisecond or more.
    """

    def wait(self, timeout: float | None = None) -> int:
        if timeout is not None and self.returncode is None and hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):  # the kernel does not have this call
                timeout = None if _ends(os.pidfd_open(self.pid), timeout) else 0.0
        return super().wait(timeout)


def _ends(process: int, within_s: float) -> bool:
    try:
        poll = select.poll()
        poll.register(process, select.POLLIN)
        return bool(poll.poll(max(within_s, 0.0) * 1000))
    finally:
        os.close(process)


def failure(
    command: Sequence[str], code: int, errors: str, *, full: bool = False
) -> GitFailed | OSError:
    """The exception for a failed git. A failing local disk becomes an OSError; a remote's disk
    is left to git's message.
    """
    own = "\n".join(line for line in errors.splitlines() if not line.startswith("remote:"))
    said = [number for words, number in _DISK_SAYS.items() if words in own]
    if not said and (_UNWRITTEN in own or (full and code == _FATAL and NO_REPOSITORY not in own)):
        said = [errno.ENOSPC if full else errno.EIO]
    if said:
        return OSError(said[0], os.strerror(said[0]), f"git {' '.join(command)}")
    return GitFailed(command, code, errors)


def _named(args: Sequence[str]) -> list[str]:
    return [each.removeprefix(_GIT_DIR) for each in args[:1] if each.startswith(_GIT_DIR)]


def _full(*folders: StrPath) -> bool:
    """Whether one of these is on a full disk: git often says that it could not write, but not
    why.
    """
    for each in folders:
        with contextlib.suppress(OSError):
            disk = os.statvfs(each)
            if disk.f_bavail * disk.f_frsize < _NO_ROOM:
                return True
    return False


def _end(started: subprocess.Popen[bytes]) -> None:
    """Kill git and the programs it started, such as ssh."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(started.pid, signal.SIGKILL)
    started.wait()


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    """The caller's environment without GIT_ variables; the user's own git configuration stays
    readable.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | ENVIRONMENT | dict(extra)


def joined(paths: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def split(data: bytes) -> list[str]:
    return [os.fsdecode(part) for part in data.split(b"\0") if part]
