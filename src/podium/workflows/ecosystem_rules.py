"""One rule for each ecosystem: from the files of a folder to its build and test commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from podium.workflows.ecosystem_place import Found, Place, read_json, table, word
from podium.workflows.ecosystem_python import python

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
    data = read_json(place.text("package.json"))
    scripts = table(data.get("scripts"))
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
        if _is_script(scripts.get(name))
    }
    told = (
        ", ".join(f'script "{name}"' for name in commands if name != "lint")
        or "no script for build or test"
    )
    why = [f"package.json: {told}", f"{tool} {reason}"]
    if "test" not in commands and (members := _members(place, data)):
        commands["test"] = _in_workspaces(place, tool)
        why.insert(1, f'workspaces with a script "test": {", ".join(members)}')
    return Found(
        commands.get("build", ""), commands.get("test", ""), tuple(why), commands.get("lint", "")
    )


def _members(place: Place, data: Mapping[str, object]) -> list[str]:
    """Folders of workspaces that have tests of their own."""
    if not (data.get("workspaces") or place.has("pnpm-workspace.yaml")):
        return []
    inner = [name for name in place.names if name.endswith("/package.json")]
    scripts = {name: table(read_json(place.text(name)).get("scripts")) for name in inner}
    own = (name for name in inner if _is_script(scripts[name].get("test")))
    return [name.rpartition("/")[0] for name in own]


def _is_script(script: object) -> bool:
    return isinstance(script, str) and "no test specified" not in script


def _in_workspaces(place: Place, tool: str) -> str:
    """How a package manager runs the tests of all workspaces."""
    if tool == "yarn":
        berry = place.has(".yarnrc.yml")
        return f"yarn workspaces {'foreach -A ' if berry else ''}run test"
    known = {"pnpm": "pnpm -r run test", "bun": "bun run --filter '*' test"}
    return known.get(tool, "npm run test --workspaces --if-present")


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
                f"dotnet build {word(found[0])}", f"dotnet test {word(found[0])}", (found[0],)
            )
    return None


def cmake(place: Place) -> Found | None:
    if not place.has("CMakeLists.txt"):
        return None
    text = place.text("CMakeLists.txt")
    tests = "enable_testing" in text or "CTest" in text
    build = "cmake -S . -B build && cmake --build build"
    test = f"{build} && ctest --test-dir build --output-on-failure" if tests else ""
    return Found(build, test, ("CMakeLists.txt" + ("" if tests else " without enable_testing"),))


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
    if "test" in table(read_json(place.text("composer.json")).get("scripts")):
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


_BOOTSTRAPS = ("autogen.sh", "bootstrap", "bootstrap.sh")


def autotools(place: Place) -> Found | None:
    """A project whose Makefile is made by its own configure."""
    sources = ("configure", "configure.ac", "configure.in")
    name = next((name for name in sources if place.has(name)), "")
    if not name:
        return None
    makefile = next((name for name in ("Makefile.am", "Makefile.in") if place.has(name)), "")
    if not makefile:
        return Found("", "", (f"{name} without a Makefile.am or Makefile.in",))
    first = next((f"./{file} && " for file in _BOOTSTRAPS if place.has(file)), "autoreconf -i && ")
    start = "" if name == "configure" else first
    told = (f"{name} and {makefile}", "make check is what autotools call the tests")
    return Found(f"{start}./configure && make", f"{start}./configure && make check", told)


_PERL = ("Makefile.PL", "Build.PL", "cpanfile", "dist.ini")


def perl(place: Place) -> Found | None:
    name = next((name for name in _PERL if place.has(name)), "")
    if not name:
        return None
    tests = any(re.search(r"^t/.*\.t$", file) for file in place.names)
    if not tests:
        return Found("", "", (f"{name}: no tests in t",))
    if any(file.endswith(".xs") for file in place.names) and name in _PERL[:2]:
        built = "make" if name == "Makefile.PL" else "./Build"
        test = f"perl {name} && {built} && {built} test"
        return Found(f"perl {name} && {built}", test, (f"{name}: parts in C have to be built",))
    return Found("", "prove -l -r t", (f"{name} and tests in t",))


def bats(place: Place) -> Found | None:
    tests = [name for name in place.names if name.endswith(".bats")]
    tops = sorted({name.rpartition("/")[0].partition("/")[0] or "." for name in tests})
    if not tests or (place.folder and "." not in tops):
        return None
    folders = " ".join(word(top) for top in tops)
    deep = "-r " if any(name.count("/") > 1 for name in tests) else ""
    return Found("", f"bats {deep}{folders}", (f"{tests[0]} is written for bats",))


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
    "autotools": autotools,
    "perl": perl,
    "bats": bats,
}
"""In the order in which they are tried: `make` often only wraps another build, and what is already
configured need not be configured again.
"""
AGGREGATES = frozenset({"maven", "gradle", "dotnet", "cmake", "scala", "make", "autotools"})
"""Ecosystems whose root builds everything below it."""
_CONTENTS_WORDS = """
pyproject.toml setup.py setup.cfg tox.ini noxfile.py pytest.ini requirements.txt
requirements-dev.txt package.json composer.json CMakeLists.txt Makefile makefile GNUmakefile
"""
CONTENTS = frozenset(_CONTENTS_WORDS.split())
"""Files whose contents the rules read."""
_MARKERS_WORDS = """
pyproject.toml setup.py setup.cfg package.json deno.json deno.jsonc Cargo.toml go.mod pom.xml
build.gradle build.gradle.kts settings.gradle settings.gradle.kts CMakeLists.txt mix.exs
Package.swift build.sbt Gemfile composer.json Makefile makefile GNUmakefile configure configure.ac
configure.in Makefile.PL Build.PL cpanfile dist.ini requirements.txt requirements-dev.txt tox.ini
noxfile.py pytest.ini
"""
MARKERS = frozenset(_MARKERS_WORDS.split())
"""Files that make a folder a project."""
