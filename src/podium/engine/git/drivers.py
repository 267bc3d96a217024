"""Programs that git runs because a person's configuration names them, but that belong to the
project.

A filter `clean = ./tools/clean.sh` runs whatever is there: in a view, what an agent wrote; in the
checkout, what an agent's step landed. Git runs it with a person's rights and environment, before
anyone has looked at it. So Podium's own git calls leave such programs out. Programs from outside
the project (git-lfs, git-crypt) run as usual.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from functools import lru_cache

_FILTER = r"filter\..+\.(clean|smudge|process)"
_HELPER = r"credential(\..+)?\.helper"
_STOPPED = (
    r"merge\..+\.driver|core\.(sshcommand|gitproxy|askpass|alternaterefscommand)|"
    r"remote\..+\.(uploadpack|receivepack)|diff\.external"
)
"""Settings that name a program, in the form that both git and Python understand, by what replaces
the program: nothing, no helper, a call that fails.
"""
_INCLUDES = r"include(if\..+)?\.path"
ASKED = f"^({_INCLUDES}|{_FILTER}|{_HELPER}|{_STOPPED})$"
"""What git is asked for."""
_RUNNERS = frozenset(
    {
        "npx",
        "npm",
        "yarn",
        "pnpm",
        "bun",
        "bunx",
        "deno",
        "make",
        "gmake",
        "just",
        "task",
        "rake",
        "bundle",
        "cargo",
        "go",
        "gradle",
        "mvn",
        "poetry",
        "pdm",
        "hatch",
        "tox",
        "nox",
        "pre-commit",
        "uv",
        "uvx",
        "pipenv",
        "composer",
    }
)
"""What these do is defined by files in the folder in which they are called."""
_WRAPPERS = frozenset(
    {"env", "exec", "command", "nice", "nohup", "time", "timeout", "xargs", "sudo"}
)
_INTERPRETERS = re.compile(
    r"(?:ba|da|z|k|fi)?sh|python[\d.]*|pypy[\d.]*|node|ruby|perl|php|lua[\d.]*|tclsh|Rscript|"
    r"source|\."
)
"""Their first word that is not an option is a file that they run."""
_INLINE = re.compile(r"-\w*[ceEm]|--eval(?:=.*)?|-[em].+")
"""Options followed by the program text itself, or by the name of a module."""
_SCRIPT = re.compile(r"[^/]*\.(?:sh|bash|py|rb|pl|js|mjs|cjs|ts|lua|php|awk|sed)")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=(?P<value>.*)", re.DOTALL)
_OPERATORS = frozenset(";|&()<>\n")


@lru_cache(maxsize=64)
def neutral(told: bytes, tops: tuple[str, ...], own: tuple[str, ...]) -> tuple[str, ...]:
    """Settings that disable programs of the project.

    `told`: git's answer to `ASKED`, with the file of each setting; `tops`: folders that agents can
    change, except those in `own`. A file of the project that the configuration includes belongs to
    the project, whatever it runs.
    """
    found: list[str] = []
    for origin, name, value in _rows(told):
        if value and (_includes(origin, tops, own) or of_the_project(value, tops)):
            found += _instead(name)
    return tuple(dict.fromkeys(found))


def may_change(told: bytes, tops: tuple[str, ...]) -> bool:
    """Whether the configuration includes a file that may be the project's: then git must be
    asked each time.
    """
    return any(
        re.fullmatch(_INCLUDES, name) and not _elsewhere(value, tops)
        for _, name, value in _rows(told)
    )


def _rows(told: bytes) -> Iterator[tuple[str, str, str]]:
    """File, name and value of each setting."""
    parts = os.fsdecode(told).split("\0")
    for origin, row in zip(parts[::2], parts[1::2], strict=False):
        name, _, value = row.partition("\n")
        yield origin.removeprefix("file:"), name, value


def _includes(origin: str, tops: tuple[str, ...], own: tuple[str, ...]) -> bool:
    return _below(origin, tops) and not _below(origin, own)


def filters(settings: Sequence[str]) -> frozenset[str]:
    """The names of the filters that these settings disable."""
    ends = ".required=false"
    return frozenset(
        each.removeprefix("filter.").removesuffix(ends) for each in settings if each.endswith(ends)
    )


def _instead(name: str) -> Iterator[str]:
    if re.fullmatch(_FILTER, name):
        each = name.rpartition(".")[0]
        yield from (
            f"{each}.clean=",
            f"{each}.smudge=",
            f"{each}.process=",
            f"{each}.required=false",
        )
    elif re.fullmatch(_HELPER, name):
        yield f"{name}="  # an empty value cancels all earlier ones
    elif re.fullmatch(_STOPPED, name):
        yield f"{name}=false"


def of_the_project(command: str, tops: Sequence[str]) -> bool:
    """Whether a command runs something below one of these folders, or reads it as a program; in
    doubt, yes.
    """
    try:
        words = _words(command.removeprefix("!"))
    except ValueError:
        return True
    nested = (word for word in words if any(sign in word for sign in " \t;|&") and word != command)
    return any(_runs(each, tops) for each in _commands(words)) or any(
        of_the_project(each, tops) for each in nested
    )


def _words(command: str) -> list[str]:
    found = shlex.shlex(command, posix=True, punctuation_chars=True)
    found.whitespace_split = True
    found.commenters = ""
    return list(found)


def _commands(words: Sequence[str]) -> Iterator[list[str]]:
    """The simple commands of a line."""
    here: list[str] = []
    for word in words:
        if set(word) <= _OPERATORS:
            yield here
            here = []
        else:
            here.append(word)
    yield here


def _runs(words: list[str], tops: Sequence[str]) -> bool:
    while words and (
        _ASSIGNED.fullmatch(words[0])
        or os.path.basename(words[0]) in _WRAPPERS
        or words[0].startswith("-")
    ):
        words = words[1:]
    if not words:
        return False
    program, *given = words
    name = os.path.basename(program)
    if name in _RUNNERS or _is_ours(program, tops):
        return True
    if (
        _INTERPRETERS.fullmatch(name)
        and (script := _script(given))
        and not _elsewhere(script, tops)
    ):
        return True
    return any(_names(each.rpartition("=")[2], tops) for each in given)


def _is_ours(program: str, tops: Sequence[str]) -> bool:
    if "/" in program or program.startswith(("~", "$")):
        return not _elsewhere(program, tops)
    found = shutil.which(program)
    return found is not None and (not os.path.isabs(found) or _below(found, tops))


def _script(given: Sequence[str]) -> str:
    """The file that an interpreter is told to run; "" if the program text is in the command
    line.
    """
    for each in given:
        if _INLINE.fullmatch(each):
            return ""
        if not each.startswith("-"):
            return each
    return ""


def _elsewhere(path: str, tops: Sequence[str]) -> bool:
    """Whether it is an absolute path and below none of these folders."""
    whole = os.path.expanduser(path)
    return os.path.isabs(whole) and not _below(whole, tops)


def _names(word: str, tops: Sequence[str]) -> bool:
    """Whether an argument names a file of the project; one that looks like a script need not
    exist yet.
    """
    if not word or word.startswith("-") or "%" in word:
        return False
    whole = os.path.expanduser(word)
    if os.path.isabs(whole):
        return _below(whole, tops)
    program = word.startswith(("./", "../")) or bool(_SCRIPT.fullmatch(os.path.basename(word)))
    return program or ("/" in word and any(os.path.lexists(f"{top}/{word}") for top in tops))


def _below(path: str, tops: Sequence[str]) -> bool:
    places = {os.path.normpath(path), os.path.realpath(path)}
    return any(place == top or place.startswith(f"{top}/") for place in places for top in tops)
