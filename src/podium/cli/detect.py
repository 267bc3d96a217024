"""Build, test and lint commands of a project, each with the reason; looks at files, starts
nothing.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from podium.project.programs import programs
from podium.workflows import ecosystems

Name = Literal["build", "test", "lint"]
MOST_FILES = 20_000
"""A larger tree is examined only in part: what reveals the commands is near its top."""
LINTS: Mapping[str, tuple[str, str]] = {
    "rust": ("cargo clippy", "Cargo.toml; clippy may have to be installed"),
    "go": ("go vet ./...", "go.mod"),
}


@dataclass(frozen=True)
class Guess:
    """A command that would probably work."""

    name: Name
    command: str
    why: str
    sure: bool = True
    """False: written as a comment, for the user to decide."""


def commands(project: Path) -> list[Guess]:
    """What the rules of all workflows find for the project itself, or else for the first project
    inside it.
    """
    files = _files(project)
    known = ecosystems.detect(
        files, {path: _text(project / path) for path in ecosystems.wanted(files)}
    )
    # The root of a monorepo often has no commands, and its packages have.
    found = [each for each in known if each.test] or [each for each in known if each.build]
    if not found:
        return []
    first, *others = found
    why = "; ".join(
        [
            *first.why,
            *([f"also here: {', '.join(each.directory for each in others)}"] if others else ()),
        ]
    )
    # Where there are several projects a person says which is meant.
    sure = not first.directory
    pairs: tuple[tuple[Name, str], ...] = (("build", first.build), ("test", first.test))
    guesses = [
        Guess(name, _inside(first.directory, command), why, sure)
        for name, command in pairs
        if command
    ]
    lint = [] if first.directory else list(_lint(project, files, first))
    return [_installed(project, guess) for guess in (*guesses, *lint)]


def _installed(project: Path, guess: Guess) -> Guess:
    """Files often name programs that nobody installed here; a linter can do without."""
    missing = [
        each.name
        for each in programs(guess.command)
        if not (os.access(project / each.path, os.X_OK) if each.path else shutil.which(each.name))
    ]
    if not missing:
        return guess
    why = f"{guess.why}; {missing[0]} is not installed here"
    return replace(guess, why=why, sure=guess.sure and guess.name != "lint")


def _inside(directory: str, command: str) -> str:
    return f"cd {directory} && {command}" if directory else command


def _lint(project: Path, files: list[str], first: ecosystems.Detected) -> Iterator[Guess]:
    runner = next(
        (f"{tool} run " for tool in ("uv", "poetry", "pdm") if f"{tool} run" in first.test), ""
    )
    if first.ecosystem == "python" and re.search(
        r"(?m)^[^#\n]*\bruff\b", _text(project / "pyproject.toml")
    ):
        home = next((f for f in files if f.endswith("/bin/ruff") and f.count("/") == 2), "ruff")
        program = f"{runner}ruff" if runner else home
        yield Guess("lint", f"{program} check", "pyproject.toml mentions ruff")
    elif first.ecosystem == "python" and ".flake8" in files:
        yield Guess("lint", f"{runner}flake8", ".flake8")
    elif first.ecosystem == "node" and re.search(
        r'"lint"\s*:\s*"', _text(project / "package.json")
    ):
        tool = (first.test or first.build or "npm run").partition(" ")[0]
        yield Guess("lint", f"{tool} run lint", 'package.json: script "lint"')
    elif first.ecosystem in LINTS:
        command, why = LINTS[first.ecosystem]
        yield Guess("lint", command, why, sure=first.ecosystem != "rust")
    elif first.ecosystem == "make" and re.search(
        r"(?m)^lint\s*:(?!=)", _text(project / "Makefile")
    ):
        yield Guess("lint", "make lint", "Makefile: target lint")


def _files(project: Path) -> list[str]:
    """Paths of the project's own files, nearest to its top first, so that the limit cuts where
    it matters least.
    """
    found: list[str] = []
    level = [""]
    while level and len(found) < MOST_FILES:
        below: list[str] = []
        for folder in level:
            try:
                entries = sorted(os.scandir(project / folder), key=lambda each: each.name)
            except OSError:
                continue
            for each in entries:
                path = f"{folder}/{each.name}" if folder else each.name
                if each.is_dir(follow_symlinks=False):
                    below += (
                        [path]
                        if each.name not in ecosystems.SKIPPED and not each.name.startswith(".")
                        else []
                    )
                else:
                    found.append(path)
            places = (f"{folder}/{name}" if folder else name for name in ecosystems.PROGRAMS)
            found += [path for path in places if os.access(project / path, os.X_OK)]
        level = below
    return found[:MOST_FILES]


def _text(path: Path) -> str:
    """The text of a file; one that cannot be read says nothing about the project."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
