"""The outer loop: at most five iterations, counted from 0 on disk and from 1 for people."""

from __future__ import annotations

from dataclasses import dataclass

MAX_ITERATIONS = 5


@dataclass(frozen=True)
class Plan:
    """Iteration `number` is to be planned."""

    number: int


@dataclass(frozen=True)
class Commit:
    """The iteration is accepted: commit, refresh the documentation, end."""

    number: int


@dataclass(frozen=True)
class Stop:
    message: str


def exhausted(limit: int = MAX_ITERATIONS) -> str:
    return f"MAXIMUM ITERATIONS REACHED ({limit}/{limit}). STOPPING."


def after_review(
    number: int, *, accepted: bool, limit: int = MAX_ITERATIONS
) -> Plan | Commit | Stop:
    """What follows from a review's decision."""
    if accepted:
        return Commit(number)
    return Plan(number + 1) if number + 1 < limit else Stop(exhausted(limit))


def spoken(number: int, limit: int = MAX_ITERATIONS) -> str:
    """For people."""
    return f"iteration {number + 1} of {limit}"


def refresh_needed(*, docs_trusted: bool, changed: tuple[str, ...]) -> bool:
    """Whether to refresh the documentation at the end: if it was not trusted, or the layout of
    the code changed.
    """
    return not docs_trusted or any(_layout(path) for path in changed)


_LAYOUT = (
    "package.json",
    "pyproject.toml",
    "Cargo.toml",
    "go.mod",
    "pom.xml",
    "CMakeLists.txt",
    "Makefile",
    "Dockerfile",
)


def _layout(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name in _LAYOUT or name.startswith("build.gradle") or path.endswith((".sln", ".csproj"))
