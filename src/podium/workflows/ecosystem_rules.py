"""One rule for each ecosystem: from the files of a folder to its build and test commands."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Found:
    build: str
    test: str
    why: tuple[str, ...]
    lint: str = ""
    """Filled only where the project itself has a target or script called `lint`."""


@dataclass(frozen=True)
class Place:
    """One folder of the tree, as the rules see it."""

    folder: str
    files: frozenset[str]
    contents: Mapping[str, str]

    def has(self, name: str) -> bool:
        return self.path(name) in self.files

    def path(self, name: str) -> str:
        return f"{self.folder}/{name}" if self.folder else name

    def text(self, name: str) -> str:
        return self.contents.get(self.path(name), "")

    def above(self, name: str) -> str:
        """The path of the nearest file of that name, in this folder or above it; empty if there
        is none.
        """
        folder = self.folder
        while True:
            path = f"{folder}/{name}" if folder else name
            if path in self.files or not folder:
                return path if path in self.files else ""
            folder = folder.rpartition("/")[0]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Paths below this folder, relative to it."""
        start = f"{self.folder}/" if self.folder else ""
        return tuple(
            sorted(path.removeprefix(start) for path in self.files if path.startswith(start))
        )


def python(place: Place) -> Found | None:
    source = next(
        (name for name in ("pyproject.toml", "setup.py", "setup.cfg") if place.has(name)), ""
    )
    if not source:
        return None
    table = _toml(place.text("pyproject.toml"))
    tools = _table(table.get("tool"))
    runner, reason = _python_runner(place, tools)
    scripts = _table(_table(_table(tools.get("hatch")).get("envs")).get("default")).get("scripts")
    if runner == "hatch" and "test" in _table(scripts):
        return Found("", "hatch run test", (f'{source}: hatch has a script "test"', _NO_BUILD))
    tests = [name for name in place.names if PYTHON_TEST.search(name)]
    pytest = _pytest(place, tools, tests)
    if not pytest and not tests:
        return Found("", "", (f"{source}: no tests found", _NO_BUILD))
    why = f"{source}: {pytest or 'test files, no pytest, so unittest'}"
    if runner == "hatch":
        return Found("", "hatch test", (why, reason, _NO_BUILD))
    plain = "python3 -m pytest" if pytest else f"python3 -m unittest discover{_start(place, tests)}"
    command = f"{runner} run {plain.replace('python3', 'python')}" if runner else plain
    return Found("", command, tuple(each for each in (why, reason, _NO_BUILD) if each))


_NO_BUILD = "Python needs no build"
PYTHON_TEST = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$")
_FOR_PYTEST = re.compile(r"^(?:async +)?def test|^(?:import|from) +pytest\b", re.MULTILINE)


def _pytest(place: Place, tools: Mapping[str, Any], tests: Sequence[str]) -> str:
    """Why the tests need pytest, empty if they do not. unittest would run none of pytest's tests
    and still succeed.
    """
    if "pytest" in tools or place.has("pytest.ini") or _mentions(place, "pytest"):
        return "mentions pytest"
    own = next(
        (
            name
            for name in tests
            if name.endswith("conftest.py") or _FOR_PYTEST.search(place.text(name))
        ),
        "",
    )
    return own and f"{own} is written for pytest"


def _start(place: Place, tests: Sequence[str]) -> str:
    """The start folder that unittest must be given: it does not look into a folder that is not a
    package.
    """
    tops = {name.partition("/")[0] for name in tests}
    folder = tops.pop() if len(tops) == 1 and all("/" in name for name in tests) else ""
    return f" -s {_word(folder)}" if folder and not place.has(f"{folder}/__init__.py") else ""


def _python_runner(place: Place, tools: Mapping[str, Any]) -> tuple[str, str]:
    for tool in ("uv", "poetry", "pdm"):
        if lock := place.above(f"{tool}.lock"):
            return tool, f"{tool} by {lock}"
        if tool in tools and tool != "pdm":
            return tool, f"{tool} by [tool.{tool}]"
    if "envs" in _table(tools.get("hatch")):
        return "hatch", "hatch by [tool.hatch.envs]"
    return "", ""


def _mentions(place: Place, tool: str) -> bool:
    """Whether a list of dependencies names the tool."""
    lists = [
        place.text(name)
        for name in (
            "pyproject.toml",
            "setup.cfg",
            "setup.py",
            "tox.ini",
            "requirements-dev.txt",
            "requirements.txt",
        )
    ]
    return any(re.search(rf"(?m)^[^#\n]*\b{tool}\b", text) for text in lists)


_LOCKS = (
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lockb", "bun"),
    ("bun.lock", "bun"),
    ("package-lock.json", "npm"),
)


def node(place: Place) -> Found | None:
    if not place.has("package.json"):
        return None
    data = _json(place.text("package.json"))
    scripts = _table(data.get("scripts"))
    lock, tool = next(
        ((path, tool) for name, tool in _LOCKS if (path := place.above(name))), ("", "")
    )
    stated = str(data.get("packageManager") or "").partition("@")[0]
    if not tool and stated in {"npm", "pnpm", "yarn", "bun"}:
        tool, reason = stated, "by packageManager"
    else:
        tool, reason = tool or "npm", f"by {lock}" if lock else "as there is no lock file"
    commands = {
        name: f"{tool} run {name}"
        for name in ("build", "test", "lint")
        if isinstance(scripts.get(name), str) and "no test specified" not in scripts[name]
    }
    told = (
        ", ".join(f'script "{name}"' for name in commands if name != "lint")
        or "no script for build or test"
    )
    why = (f"package.json: {told}", f"{tool} {reason}")
    return Found(commands.get("build", ""), commands.get("test", ""), why, commands.get("lint", ""))


def deno(place: Place) -> Found | None:
    name = next((name for name in ("deno.json", "deno.jsonc") if place.has(name)), "")
    return Found("", "deno test", (name,)) if name else None


def rust(place: Place) -> Found | None:
    return Found("cargo build", "cargo test", ("Cargo.toml",)) if place.has("Cargo.toml") else None


def go(place: Place) -> Found | None:
    return Found("go build ./...", "go test ./...", ("go.mod",)) if place.has("go.mod") else None


def maven(place: Place) -> Found | None:
    if not place.has("pom.xml"):
        return None
    tool = "./mvnw" if place.has("mvnw") else "mvn"
    return Found(
        f"{tool} -q -DskipTests package",
        f"{tool} -q test",
        ("pom.xml", f"{tool} is there" if tool[0] == "." else "no mvnw"),
    )


def gradle(place: Place) -> Found | None:
    names = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
    name = next((name for name in names if place.has(name)), "")
    if not name:
        return None
    tool = "./gradlew" if place.has("gradlew") else "gradle"
    return Found(
        f"{tool} assemble",
        f"{tool} test",
        (name, f"{tool} is there" if tool[0] == "." else "no gradlew"),
    )


def dotnet(place: Place) -> Found | None:
    here = [name for name in place.names if "/" not in name]
    for ending in (".sln", ".slnx", ".csproj", ".fsproj"):
        if found := [name for name in here if name.endswith(ending)]:
            return Found(
                f"dotnet build {_word(found[0])}", f"dotnet test {_word(found[0])}", (found[0],)
            )
    return None


def cmake(place: Place) -> Found | None:
    if not place.has("CMakeLists.txt"):
        return None
    tests = "enable_testing" in place.text("CMakeLists.txt") or "CTest" in place.text(
        "CMakeLists.txt"
    )
    test = "ctest --test-dir build --output-on-failure" if tests else ""
    told = "CMakeLists.txt" + ("" if tests else " without enable_testing")
    return Found("cmake -S . -B build && cmake --build build", test, (told,))


def elixir(place: Place) -> Found | None:
    return Found("mix compile", "mix test", ("mix.exs",)) if place.has("mix.exs") else None


def swift(place: Place) -> Found | None:
    return (
        Found("swift build", "swift test", ("Package.swift",))
        if place.has("Package.swift")
        else None
    )


def scala(place: Place) -> Found | None:
    return Found("sbt compile", "sbt test", ("build.sbt",)) if place.has("build.sbt") else None


def ruby(place: Place) -> Found | None:
    if not place.has("Gemfile"):
        return None
    if place.has(".rspec") or any(name.startswith("spec/") for name in place.names):
        return Found("", "bundle exec rspec", ("Gemfile and specs",))
    return Found(
        "",
        "bundle exec rake test" if place.has("Rakefile") else "",
        ("Gemfile" + (" and Rakefile" if place.has("Rakefile") else ""),),
    )


def php(place: Place) -> Found | None:
    if not place.has("composer.json"):
        return None
    if "test" in _table(_json(place.text("composer.json")).get("scripts")):
        return Found("", "composer test", ('composer.json: script "test"',))
    suite = next((name for name in ("phpunit.xml", "phpunit.xml.dist") if place.has(name)), "")
    return Found(
        "",
        "vendor/bin/phpunit" if suite else "",
        ("composer.json" + (f" and {suite}" if suite else ""),),
    )


def make(place: Place) -> Found | None:
    name = next((name for name in ("Makefile", "makefile", "GNUmakefile") if place.has(name)), "")
    if not name:
        return None
    rules = re.findall(r"(?m)^([A-Za-z0-9_-][A-Za-z0-9_ \t-]*)::?(?!=)", place.text(name))
    targets = {each for rule in rules for each in rule.split()}
    build = next((each for each in ("build", "all") if each in targets), "")
    test = next((each for each in ("test", "check") if each in targets), "")
    told = tuple(f"{name}: target {each}" for each in (build, test) if each)
    lint = "make lint" if "lint" in targets else ""
    return Found(
        f"make {build}" if build else "",
        f"make {test}" if test else "",
        told or (f"{name} without a target for build or test",),
        lint,
    )


RULES: Mapping[str, Callable[[Place], Found | None]] = {
    "python": python,
    "node": node,
    "deno": deno,
    "rust": rust,
    "go": go,
    "maven": maven,
    "gradle": gradle,
    "dotnet": dotnet,
    "elixir": elixir,
    "swift": swift,
    "scala": scala,
    "ruby": ruby,
    "php": php,
    "cmake": cmake,
    "make": make,
}
"""In the order in which they are tried; `make` often only wraps another build, so it comes last."""
AGGREGATES = frozenset({"maven", "gradle", "dotnet", "cmake", "scala", "make"})
"""Ecosystems whose root builds everything below it."""
_CONTENTS_WORDS = """
pyproject.toml setup.py setup.cfg tox.ini requirements.txt requirements-dev.txt package.json
composer.json CMakeLists.txt Makefile makefile GNUmakefile
"""
CONTENTS = frozenset(_CONTENTS_WORDS.split())
"""Files whose contents the rules read."""
_MARKERS_WORDS = """
pyproject.toml setup.py setup.cfg package.json deno.json deno.jsonc Cargo.toml go.mod pom.xml
build.gradle build.gradle.kts settings.gradle settings.gradle.kts CMakeLists.txt mix.exs
Package.swift build.sbt Gemfile composer.json Makefile makefile GNUmakefile
"""
MARKERS = frozenset(_MARKERS_WORDS.split())
"""Files that make a folder a project."""


def _word(name: str) -> str:
    """A file's name as one word of a command."""
    return name if re.fullmatch(r"[\w.-]+", name) else "'" + name.replace("'", "'\\''") + "'"


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _toml(text: str) -> Mapping[str, Any]:
    import tomllib  # noqa: PLC0415  # compiles what it reads with

    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return {}


def _json(text: str) -> Mapping[str, Any]:
    try:
        return _table(json.loads(text.removeprefix("\ufeff")))
    except (ValueError, RecursionError):
        return {}
