"""The programs that a shell command names, without running it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ASSIGNMENT = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*\+?=")
_SEPARATORS = frozenset({"&&", "||", ";", "|", "&", "|&", ";;", "(", ")", "{", "}", "!"})
_WORDS = frozenset({"if", "then", "else", "elif", "fi", "do", "done", "while", "until", "time"})
_WRAPPERS = frozenset(
    {
        "env",
        "exec",
        "command",
        "nice",
        "nohup",
        "time",
        "stdbuf",
        "xvfb-run",
        "timeout",
        "ionice",
        "setsid",
        "chronic",
        "dbus-run-session",
        "cross-env",
    }
)
BUILT_IN = _words(
    """
    . : [ alias bg break cd command continue echo eval exec exit export false fg for case function
    getopts hash if printf pwd read return set shift source test times trap true type ulimit umask
    unset until wait while local esac in
    """
)
_VALUES = frozenset({"-n", "-c", "-k", "-s", "-o", "-i", "-e", "-S", "-u"})
"""Options of wrappers that have their value in the next word."""
_INTERPRETER = re.compile(
    r"^(sh|bash|dash|zsh|ksh|fish|python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|tsx|ts-node|perl|ruby"
    r"|php|lua[\d.]*|Rscript|julia|osascript|pwsh|source|\.)$"
)


@dataclass(frozen=True)
class Program:
    """A program as the command names it, and where it is called."""

    name: str
    folder: str = ""
    """The folder in which it runs, relative to the top; empty = the top."""

    @property
    def path(self) -> str:
        """The file, if it is named as one: relative to the top, or absolute; empty for a name that
        is looked up on PATH.
        """
        if "/" not in self.name or self.name.startswith(("/", "~", "$")):
            return self.name if "/" in self.name else ""
        return _joined(self.folder, self.name)


def programs(command: str) -> tuple[Program, ...]:
    """Every program that a command names, in order, each once; none of those that the shell has
    built in, and nothing for a text that no shell could read.
    """
    return tuple(dict.fromkeys(_programs(command)))


def scripts(command: str) -> tuple[str, ...]:
    """Paths of scripts that a command runs, by themselves or through an interpreter."""
    paths: list[str] = []
    for folder, words in _simple(command):
        if path := Program(words[0], folder).path:
            paths.append(path)
        if _INTERPRETER.match(words[0].rpartition("/")[2]):
            script = next((word for word in words[1:] if not word.startswith("-")), "")
            if script and not {"-m", "-c", "-e", "--test"} & set(words[1 : words.index(script)]):
                paths.append(_joined(folder, script))
    return tuple(dict.fromkeys(paths))


def commands_of(command: str) -> tuple[tuple[str, ...], ...]:
    """The simple commands of a line as words, without assignments and redirections."""
    return tuple(words for _, words in _simple(command))


def _programs(command: str) -> Iterator[Program]:
    for folder, words in _simple(command):
        word = words[0]
        if word not in BUILT_IN and not word.startswith(("$", "`")):
            yield Program(word, folder)


def _simple(command: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each simple command with the folder that it runs in."""
    folders = [""]
    part: list[str] = []
    for word in [*_split(command), ";"]:
        if word not in _SEPARATORS:
            part.append(word)
            continue
        words = _bare(part)
        part = []
        if words and words[0] == "cd" and len(words) > 1:
            folders[-1] = _joined(folders[-1], words[1])
        elif words:
            yield folders[-1], tuple(words)
        if word == "(":
            folders.append(folders[-1])
        elif word == ")" and len(folders) > 1:
            folders.pop()


def _split(command: str) -> list[str]:
    lexer = shlex.shlex(command.replace("\n", " ; "), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:  # an open quote
        return []
    parted: list[str] = []
    for word in words:
        # `);` and `))` come as one word.
        parted += word if set(word) <= set("();") and word not in {";", ";;"} else [word]
    return parted


def _bare(part: Sequence[str]) -> list[str]:
    """Without assignments, redirections, keywords and programs that only start another one."""
    words: list[str] = []
    skip = False
    for word in part:
        if skip or word.startswith((">", "<", "&>", ">&")):
            skip = not skip and word in {">", ">>", "<", "<<", "<<<", "&>", ">&", "<&"}
            if words and not skip and words[-1].isdigit() and word.startswith((">", "<")):
                words.pop()
            continue
        words.append(word)
    while words and (words[0] in _WORDS or _ASSIGNMENT.match(words[0])):
        words.pop(0)
    while words and words[0].rpartition("/")[2] in _WRAPPERS:
        wrapper = words.pop(0).rpartition("/")[2]
        while words and (words[0].startswith("-") or _ASSIGNMENT.match(words[0])):
            option = words.pop(0)
            words[:1] = words[1:1] if option in _VALUES and wrapper != "env" else words[:1]
        words[:1] = words[1:1] if wrapper == "timeout" else words[:1]
    return words


def _joined(folder: str, path: str) -> str:
    """A path below a folder, without `.` and `..`; one that is absolute stays."""
    if path.startswith(("/", "~", "$")):
        return path
    parts: list[str] = []
    for part in [*folder.split("/"), *path.split("/")]:
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)
