"""Build, test and lint commands of a project, each with the reason; looks at files, starts
nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

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
    # With several projects a person must say which is meant; nested, guessed or slow commands are
    # also theirs to
    # decide.
    sure = not first.directory and first.ecosystem != "cmake"
    pairs: tuple[tuple[Name, str], ...] = (("build", first.build), ("test", first.test))
    guesses = [
        Guess(
            name,
            _inside(first.directory, command),
            why,
            sure and not re.search(r"unittest|make (all|check)$", command),
        )
        for name, command in pairs
        if command
    ]
    return [*guesses, *(() if first.directory else _lint(project, files, first))]


def _inside(directory: str, command: str) -> str:
    return f"cd {directory} && {command}" if directory else command


def _lint(project: Path, files: list[str], first: ecosystems.Detected) -> Iterator[Guess]:
    runner = next(
        (f"{tool} run " for tool in ("uv", "poetry", "pdm") if f"{tool} run" in first.test), ""
    )
    if first.ecosystem == "python" and re.search(
        r"(?m)^[^#\n]*\bruff\b", _text(project / "pyproject.toml")
    ):
        yield Guess("lint", f"{runner}ruff check", "pyproject.toml mentions ruff")
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
        level = below
    return found[:MOST_FILES]


def _text(path: Path) -> str:
    """The text of a file; one that cannot be read says nothing about the project."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
