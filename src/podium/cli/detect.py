"""Build, test and lint commands of a project, each with the reason; looks at files, starts nothing."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Name = Literal["build", "test", "lint"]


@dataclass(frozen=True)
class Guess:
    """One command that would probably do."""

    name: Name
    command: str
    why: str
    sure: bool = True
    """False = written as a comment, for the user to decide."""


def commands(project: Path) -> list[Guess]:
    """The first guess for each name wins; a sure one before an unsure one."""
    found: dict[str, Guess] = {}
    for look in (_python, _node, _rust, _go, _maven, _gradle, _dotnet, _cmake, _make):
        for guess in look(project):
            known = found.get(guess.name)
            if known is None or (guess.sure and not known.sure):
                found[guess.name] = guess
    return [found[name] for name in ("build", "test", "lint") if name in found]


def _python(project: Path) -> Iterator[Guess]:
    table = _toml(project / "pyproject.toml")
    tools = table.get("tool", {})
    if not table and not (project / "setup.py").is_file():
        return
    source = "pyproject.toml" if table else "setup.py"
    runner = next(
        (
            f"{tool} run "
            for lock, tool in (("uv.lock", "uv"), ("poetry.lock", "poetry"))
            if (project / lock).is_file()
        ),
        "",
    )
    if "pytest" in tools or _mentions(table, "pytest") or (project / "pytest.ini").is_file():
        yield Guess(
            "test",
            f"{runner}pytest",
            f"{source} mentions pytest" + (f"; {runner.split()[0]} holds the lock file" if runner else ""),
        )
    elif (project / "tests").is_dir():
        yield Guess(
            "test",
            f"{runner}python -m unittest discover -s tests",
            f"{source} and a tests folder, no pytest",
            sure=False,
        )
    if "ruff" in tools or _mentions(table, "ruff"):
        yield Guess("lint", f"{runner}ruff check", f"{source} mentions ruff")
    elif "flake8" in tools or (project / ".flake8").is_file():
        yield Guess("lint", f"{runner}flake8", ".flake8")


def _node(project: Path) -> Iterator[Guess]:
    scripts = _json(project / "package.json").get("scripts", {})
    if not isinstance(scripts, dict):
        return
    locks = (
        ("pnpm-lock.yaml", "pnpm"),
        ("yarn.lock", "yarn"),
        ("bun.lockb", "bun"),
        ("bun.lock", "bun"),
        ("package-lock.json", "npm"),
    )
    lock, tool = next(((lock, tool) for lock, tool in locks if (project / lock).is_file()), ("", "npm"))
    why = f"; {tool} by {lock}" if lock else "; no lock file, so npm"
    for name in ("build", "test", "lint"):
        script = scripts.get(name)
        if isinstance(script, str) and "no test specified" not in script:
            yield Guess(name, f"{tool} run {name}", f'package.json has a script "{name}"{why}')


def _rust(project: Path) -> Iterator[Guess]:
    if (project / "Cargo.toml").is_file():
        yield Guess("build", "cargo build", "Cargo.toml")
        yield Guess("test", "cargo test", "Cargo.toml")
        yield Guess("lint", "cargo clippy", "Cargo.toml; clippy may have to be installed", sure=False)


def _go(project: Path) -> Iterator[Guess]:
    if (project / "go.mod").is_file():
        yield Guess("build", "go build ./...", "go.mod")
        yield Guess("test", "go test ./...", "go.mod")
        yield Guess("lint", "go vet ./...", "go.mod")


def _maven(project: Path) -> Iterator[Guess]:
    if (project / "pom.xml").is_file():
        tool = "./mvnw" if (project / "mvnw").is_file() else "mvn"
        yield Guess("build", f"{tool} -q -DskipTests package", "pom.xml")
        yield Guess("test", f"{tool} -q test", "pom.xml")


def _gradle(project: Path) -> Iterator[Guess]:
    file = next((name for name in ("build.gradle", "build.gradle.kts") if (project / name).is_file()), "")
    if file:
        tool = "./gradlew" if (project / "gradlew").is_file() else "gradle"
        yield Guess("build", f"{tool} assemble", file)
        yield Guess("test", f"{tool} test", file)


def _dotnet(project: Path) -> Iterator[Guess]:
    # Sorted, so that the reason names the same file everywhere.
    files = sorted(path.name for kind in ("*.sln", "*.csproj") for path in project.glob(kind))
    if files:
        yield Guess("build", "dotnet build", files[0])
        yield Guess("test", "dotnet test", files[0])


def _cmake(project: Path) -> Iterator[Guess]:
    if (project / "CMakeLists.txt").is_file():
        yield Guess("build", "cmake -S . -B build && cmake --build build", "CMakeLists.txt", sure=False)
        yield Guess("test", "ctest --test-dir build", "CMakeLists.txt", sure=False)


def _make(project: Path) -> Iterator[Guess]:
    file = next((name for name in ("Makefile", "makefile", "GNUmakefile") if (project / name).is_file()), "")
    targets = (
        set(re.findall(r"^([A-Za-z0-9_-]+)\s*:(?!=)", _text(project / file), re.MULTILINE)) if file else set()
    )
    for name, words in (("build", ("build", "all")), ("test", ("test", "check")), ("lint", ("lint",))):
        for word in words:
            if word in targets:
                yield Guess(_name(name), f"make {word}", f"{file} has a target {word}", sure=word == name)
                break


def _name(name: str) -> Name:
    return "build" if name == "build" else "test" if name == "test" else "lint"


def _mentions(table: dict[str, Any], tool: str) -> bool:
    """Whether any list of dependencies names the tool."""
    project = table.get("project", {})
    groups = [project.get("dependencies", []), *project.get("optional-dependencies", {}).values()]
    groups += table.get("dependency-groups", {}).values()
    names = [str(each) for group in groups if isinstance(group, list) for each in group]
    return any(re.match(rf"{tool}\b", name) for name in names) or tool in _poetry(table)


def _poetry(table: dict[str, Any]) -> set[str]:
    poetry = table.get("tool", {}).get("poetry", {})
    groups = [
        poetry.get("dev-dependencies", {}),
        *(g.get("dependencies", {}) for g in poetry.get("group", {}).values()),
    ]
    return {name for group in groups for name in group}


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError:
        return {}


def _json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(_text(path) or "{}")
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def _text(path: Path) -> str:
    """A file that cannot be read says nothing about the project."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
