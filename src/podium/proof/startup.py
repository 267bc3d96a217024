"""Why a command could not begin: a program, a script, a file or a target is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from re import Match, Pattern
from typing import NamedTuple

from podium.proof.output import printable

_LOOKS = 200
"""Lines with one key that are looked at, from each end of the output."""
_SHELL = r"(?:\S*/)?(?:sh|bash|dash|ash|zsh|ksh|env|xargs|nohup|timeout|make(?:\[\d+\])?)"
_AT = r"(?:: line \d+|: ?\d+)?"
_ABSENT = (
    r"(?:(?:command )?not found|No such file or directory|cannot execute: required file not found)"
)


class _Sign(NamedTuple):
    key: str
    """A text that such a line has."""
    line: Pattern[str]
    reason: str
    """With the groups of the line."""


def _sign(key: str, line: str, reason: str) -> _Sign:
    return _Sign(key, re.compile(line), reason)


_SIGNS = (
    _sign("not found", rf"{_SHELL}{_AT}: ‘?([^\s:’]+)’?: {_ABSENT}$", "{0}: not found"),
    _sign("No such file", rf"{_SHELL}{_AT}: ‘?([^\s:’]+)’?: {_ABSENT}$", "{0}: not found"),
    _sign("not found", rf"{_SHELL}{_AT}: command not found: (\S+)$", "{0}: not found"),
    _sign(
        "ermission denied",
        rf"{_SHELL}{_AT}: (\S+): [Pp]ermission denied$",
        "{0}: not allowed to run",
    ),
    _sign(
        "bad interpreter", rf"{_SHELL}{_AT}: (\S+): .*bad interpreter.*$", "{0}: bad interpreter"
    ),
    _sign("cd: ", rf"{_SHELL}{_AT}: cd: (?:can't cd to )?([^\s:]+).*$", "cd: no folder {0}"),
    _sign(
        "yntax error",
        r"(?:\S*/)?(?:sh|bash|dash)(?:: -c)?: (?:line )?\d+: ([Ss]yntax error.*)$",
        "{0}",
    ),
    _sign(
        "issing script",
        r"npm (?:ERR!|error) [Mm]issing script: \"?([^\"]+)\"?$",
        "npm: no script {0}",
    ),
    _sign(
        "npm", r"npm (?:ERR!|error) code (E404|ENOTCACHED|EJSONPARSE|ENOENT|EUSAGE)$", "npm: {0}"
    ),
    _sign(
        "npm", r"npm (?:ERR!|error) could not determine executable to run$", "npx: no such program"
    ),
    _sign("npm", r"npm (?:ERR!|error) (?:npx )?canceled due to (.*)$", "npx: {0}"),
    _sign("ERR_PNPM_", r".*ERR_PNPM_(?:RECURSIVE_RUN_)?NO_SCRIPT\S* +(.*)$", "pnpm: {0}"),
    _sign("ERR_PNPM_", r".*(ERR_PNPM_NO_IMPORTER_MANIFEST_FOUND).*$", "pnpm: {0}"),
    _sign("not found", r"(?:error )?Command \"([^\"]+)\" not found\.?$", "{0}: not found"),
    _sign(
        "find a script", r".*Couldn't find a script named \"([^\"]+)\".*$", "yarn: no script {0}"
    ),
    _sign("ommand not found", r".*\b[Cc]ommand not found: (\S+)$", "{0}: not found"),
    _sign(
        "No module named",
        r"\S*python[\d.]*(?:\.exe)?: No module named ([^\s;]+).*$",
        "python: no module {0}",
    ),
    _sign(
        "can't open file",
        r"\S*python[\d.]*: can't open file '?([^']+)'?: .*$",
        "python: no file {0}",
    ),
    _sign(
        "No such file", r"[\w.{},-]+: Exception running subprocess .*: '(.+)'$", "{0}: not found"
    ),
    _sign(
        "failed with", r"[\w.{},-]+: failed with (could not find python interpreter.*)$", "tox: {0}"
    ),
    _sign(
        "failed with",
        r"[\w.{},-]+: failed with (\S+) .*is not allowed, use allow.*$",
        "tox: {0} is not allowed",
    ),
    _sign("find executable", r".*could not find executable (\S+)$", "{0}: not found"),
    _sign("not found.", r"nox > Program (\S+) not found\.$", "{0}: not found"),
    _sign("not found", r"nox > .* failed: (Python interpreter \S+ not found).*$", "nox: {0}"),
    _sign(
        "No rule to",
        r"make(?:\[\d+\])?: \*\*\* No rule to make target [`']([^',]+)'\.  Stop\.$",
        "make: no target {0}",
    ),
    _sign(
        "no makefile",
        r"make(?:\[\d+\])?: \*\*\* (No targets specified and no makefile found).*$",
        "make: {0}",
    ),
    _sign(
        "contain recipe",
        r"error: [Jj]ustfile does not contain recipe [`']?(\S+?)[`']?\.?$",
        "just: no recipe {0}",
    ),
    _sign("No justfile", r"error: (No justfile found).*$", "just: {0}"),
    _sign(
        "not found in $PATH", r".*\"(\S+)\": executable file not found in \$PATH$", "{0}: not found"
    ),
    _sign("no such command", r"error: no such command: `(.+)`$", "cargo: no command {0}"),
    _sign("could not find `Cargo", r"error: (could not find `Cargo\.toml`).*$", "cargo: {0}"),
    _sign("Could not find '", r"Could not find '(.+)'$", "node: no file {0}"),
    _sign(
        "main module", r".*((?:cannot find main module|does not contain main module).*)$", "go: {0}"
    ),
    _sign("go.mod file not", r"go: (go\.mod file not found).*$", "go: {0}"),
    _sign("Could not open input", r"Could not open input file: (.+)$", "php: no file {0}"),
    _sign(
        "(LoadError)",
        r"ruby: No such file or directory -- (\S+) \(LoadError\)$",
        "ruby: no file {0}",
    ),
    _sign(
        "Could not find",
        r"(Could not find .* in (?:any of the sources|locally installed gems)).*$",
        "bundler: {0}",
    ),
    _sign("Could not locate", r"(Could not locate Gemfile).*$", "bundler: {0}"),
    _sign("No Rakefile", r"(No Rakefile found).*$", "rake: {0}"),
    _sign("open perl script", r"Can't open perl script \"(.+)\": .*$", "perl: no file {0}"),
    _sign("detect source of", r"Cannot detect source of '(.+)'! .*$", "prove: no file {0}"),
    _sign("Failed to spawn", r"error: Failed to spawn: `(.+)`$", "{0}: not found"),
    _sign("could not be found", r".*the command (\S+) could not be found.*$", "{0}: not found"),
    _sign(
        "directory not found", r"ERROR: file or directory not found: (.+)$", "pytest: no file {0}"
    ),
    _sign(
        "unrecognized arg",
        r"\S.*: error: unrecognized arguments: (.+)$",
        "unrecognized arguments: {0}",
    ),
    _sign(
        "working directory",
        r"Failed to change working directory to \"(.+)\" : .*$",
        "ctest: no folder {0}",
    ),
    _sign("no POM in", r".*(there is no POM in this directory).*$", "maven: {0}"),
    _sign("JAVA_HOME", r"(?:ERROR: |The )(JAVA_HOME .*)$", "java: {0}"),
    _sign(
        "GradleWrapperMain",
        r".*Could not find or load main class (\S*GradleWrapperMain).*$",
        "gradle: no {0}",
    ),
)
_NODE = re.compile(r"Error: Cannot find module '([^']+)'$")
_WRAPPED = (
    ("rror 12", re.compile(r"make(?:\[\d+\])?: \*\*\* \[.*\] Error (12[67])$")),
    ("exit code 12", re.compile(r".*\bfailed on line \d+ with exit code (12[67])\.?$")),
    ("exit status 12", re.compile(r"task: Failed to run task .*: exit status (12[67])$")),
)
_SCRIPT = re.compile(rf"\S+: (?:line )?\d+: ([^\s:]+): {_ABSENT}$")


def fault_at_start(text: str, *, tests_ran: bool) -> str:
    """One line such as `mocha: not found`, or nothing. Where tests ran, a line like that may be
    what one of them is about: then only make's own word counts.
    """
    wrapped = any(
        expression.match(line) for key, expression in _WRAPPED for line in _with(text, key)
    )
    if not tests_ran or wrapped:
        for sign in _SIGNS:
            match = _first(text, sign.key, sign.line)
            if match:
                return printable(sign.reason.format(*match.groups()))[:200]
    if wrapped:
        match = _first(text, "not found", _SCRIPT) or _first(text, "No such file", _SCRIPT)
        return f"{printable(match[1])}: not found" if match else "a program was not found"
    if not tests_ran and "requireStack: []" in text:
        match = _first(text, "Cannot find module", _NODE)
        return f"node: no file {printable(match[1])}" if match else ""
    return ""


def _first(text: str, key: str, expression: Pattern[str]) -> Match[str] | None:
    return next((m for m in map(expression.match, _with(text, key)) if m), None)


def _with(text: str, key: str) -> Iterator[str]:
    """Lines that have a text in them, those at the beginning and those at the end of the output."""
    position, seen = text.find(key), 0
    while position >= 0 and seen < _LOOKS:
        start, end = _bounds(text, position)
        yield text[start:end]
        position, seen = text.find(key, end), seen + 1
    if position < 0:
        return
    first = position
    position = text.rfind(key)
    while position > first and seen < 2 * _LOOKS:
        start, end = _bounds(text, position)
        yield text[start:end]
        position, seen = text.rfind(key, first, start), seen + 1


def _bounds(text: str, position: int) -> tuple[int, int]:
    """Where the line around a position begins and ends, at most a thousand characters away."""
    start = text.rfind("\n", max(0, position - 1000), position) + 1
    start = start or max(0, position - 1000)
    end = text.find("\n", position, position + 1000)
    return start, end if end >= 0 else min(len(text), position + 1000)
