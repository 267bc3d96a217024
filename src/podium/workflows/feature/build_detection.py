"""How a project is built, told from the files it has: the first that fits in a fixed order."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True)
class Detected:
    """A build system and how it is asked to build and to test."""

    system: str
    build: str
    test: str
    marker: str = ""
    """The file that gave it away, by its path in the project."""


@dataclass(frozen=True)
class Known:
    """One row of the order."""

    system: str
    names: tuple[str, ...]
    """File names, `*` allowed, best first."""
    build: str
    test: str
    wrapper: str = ""
    """A script of the project that stands for the first word of both commands, where it is there."""


KNOWN: tuple[Known, ...] = (
    Known("npm", ("package.json",), "npm run build", "npm test"),
    Known("make", ("Makefile", "makefile", "GNUmakefile"), "make", "make test"),
    Known(
        "cmake",
        ("CMakeLists.txt",),
        "cmake -S . -B build && cmake --build build",
        "ctest --test-dir build",
    ),
    Known("dotnet", ("*.sln", "*.csproj"), "dotnet build", "dotnet test"),
    Known("maven", ("pom.xml",), "mvn -B compile", "mvn -B test", wrapper="mvnw"),
    Known(
        "gradle", ("build.gradle", "build.gradle.kts"), "gradle assemble", "gradle test", wrapper="gradlew"
    ),
    Known("cargo", ("Cargo.toml",), "cargo build", "cargo test"),
    Known("python", ("pyproject.toml", "setup.py"), "python -m compileall -q .", "python -m pytest"),
    Known("go", ("go.mod",), "go build ./...", "go test ./..."),
)
"""The order of detection; a project with several is built by the first."""

_FOREIGN = frozenset(
    {"node_modules", "vendor", "target", "dist", "build", "bin", "obj", "venv", "site-packages"}
)
"""Folders that hold what others made."""


def detect(files: Collection[str]) -> Detected | None:
    """The build system of a project with these files; None where no row fits.

    A file at the project's root counts first. Only where the root has none does one in a
    folder count, the highest one of the first row that fits.
    """
    paths = sorted({path.removeprefix("./") for path in files}, key=lambda path: (path.count("/"), path))
    root = [path for path in paths if "/" not in path]
    own = [path for path in paths if "/" in path and not _foreign(path)]
    for group in (root, own):
        for known in KNOWN:
            if marker := _marker(known, group):
                return _detected(known, marker, paths)
    return None


def _foreign(path: str) -> bool:
    folders = path.split("/")[:-1]
    return any(folder in _FOREIGN or folder.startswith(".") for folder in folders)


def _marker(known: Known, paths: Collection[str]) -> str:
    """The first path by depth, then by the order of the names."""
    found = [
        (path.count("/"), rank, path)
        for path in paths
        for rank, name in enumerate(known.names)
        if fnmatchcase(path.rpartition("/")[2], name)
    ]
    return min(found)[2] if found else ""


def _detected(known: Known, marker: str, paths: Collection[str]) -> Detected:
    folder, slash, _ = marker.rpartition("/")
    if not known.wrapper or f"{folder}{slash}{known.wrapper}" not in paths:
        return Detected(known.system, known.build, known.test, marker)
    first = known.build.split()[0]
    build, test = (f"./{known.wrapper}" + each.removeprefix(first) for each in (known.build, known.test))
    return Detected(known.system, build, test, marker)
