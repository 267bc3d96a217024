"""Shared manifests, Makefiles and lock files: which part of a change is about tests, which about
dependencies, and which about neither.
"""

from __future__ import annotations

import json

import pytest

from podium.project.makefile import changed_targets, read_makefile, targets_of
from podium.project.manifests import manifest_parts
from podium.project.programs import commands_of, programs, scripts
from podium.project.versions import lock_changes, moved

NPM = {
    "name": "a",
    "version": "1.0.0",
    "scripts": {"test": "npm run unit", "unit": "mocha", "build": "tsc", "docs": "doc"},
    "dependencies": {"left": "^1.2.0"},
    "jest": {"bail": False},
}


def npm(**more: object) -> str:
    return json.dumps({**NPM, **more})


def npm_script(**more: str) -> str:
    return npm(scripts={**NPM["scripts"], **more})  # type: ignore[dict-item]


TOML = '[project]\nname = "a"\ndependencies = ["left>=1.2"]\n\n[tool.ruff]\nline-length = 99\n'
CARGO = '[package]\nname = "a"\n\n[dependencies]\nleft = "1.2"\n\n[[test]]\nname = "one"\n'
CFG = """\
[metadata]
name = a

[options]
install_requires =
    left>=1.2

[tool:pytest]
addopts = -q
"""
# (file, before, after, kind and name of each part)
PARTS: dict[str, tuple[str, str, str, list[tuple[str, str]]]] = {
    "a script of tests": (
        "package.json",
        npm(),
        npm_script(unit="true"),
        [("machinery", "scripts.unit")],
    ),
    "a script of documents": ("package.json", npm(), npm_script(docs="true"), []),
    "before the install": (
        "package.json",
        npm(),
        npm_script(postinstall="rm -r test"),
        [("machinery", "scripts.postinstall")],
    ),
    "settings of a runner": (
        "package.json",
        npm(),
        npm(jest={"bail": True}),
        [("machinery", "jest")],
    ),
    "a dependency lowered": (
        "package.json",
        npm(),
        npm(dependencies={"left": "1.0.0"}),
        [("dependency", "dependencies.left")],
    ),
    "a dependency raised": (
        "package.json",
        npm(),
        npm(dependencies={"left": "^2.0.0"}),
        [("update", "dependencies.left")],
    ),
    "a dependency more": (
        "package.json",
        npm(),
        npm(dependencies={"left": "^1.2.0", "right": "1"}),
        [],
    ),
    "a dependency by another way": (
        "package.json",
        npm(),
        npm(overrides={"left": "0.1.0"}),
        [("dependency", "overrides")],
    ),
    "the version": ("package.json", npm(), npm(version="2.0.0"), []),
    "no JSON": ("package.json", npm(), "{", [("machinery", "package.json cannot be read")]),
    "python: settings of a linter": (
        "pyproject.toml",
        TOML,
        TOML.replace("99", "200"),
        [("machinery", "tool.ruff")],
    ),
    "python: a dependency lowered": (
        "pyproject.toml",
        TOML,
        TOML.replace("left>=1.2", "left<1.2"),
        [("dependency", "project.dependencies.left")],
    ),
    "python: a plugin of pytest": (
        "pyproject.toml",
        TOML,
        f'{TOML}\n[project.entry-points.pytest11]\na = "a.plugin"\n',
        [("machinery", "project.entry-points.pytest11")],
    ),
    "python: markers of pytest": (
        "pyproject.toml",
        f'{TOML}\n[tool.pytest.ini_options]\nmarkers = ["a"]\n',
        f'{TOML}\n[tool.pytest.ini_options]\nmarkers = ["a", "b"]\n',
        [],
    ),
    "cargo: a test more": ("Cargo.toml", CARGO, f'{CARGO}\n[[test]]\nname = "two"\n', []),
    "cargo: a test that is no harness": (
        "Cargo.toml",
        CARGO,
        f"{CARGO}harness = false\n",
        [("machinery", "test")],
    ),
    "cargo: a file that is a test already": (
        "Cargo.toml",
        CARGO,
        f'{CARGO}\n[[test]]\nname = "two"\nharness = false\n',
        [("machinery", "test")],
    ),
    "cargo: a benchmark more": (
        "Cargo.toml",
        CARGO,
        f'{CARGO}\n[[bench]]\nname = "two"\nharness = false\n',
        [],
    ),
    "cargo: a patch": (
        "Cargo.toml",
        CARGO,
        f'{CARGO}\n[patch.crates-io]\nleft = {{ path = "fake" }}\n',
        [("dependency", "patch")],
    ),
    "cfg: settings of pytest": (
        "setup.cfg",
        CFG,
        CFG.replace("-q", "-q --deselect a"),
        [("machinery", "tool:pytest")],
    ),
    "cfg: a dependency lowered": (
        "setup.cfg",
        CFG,
        CFG.replace("left>=1.2", "left==1.0"),
        [("dependency", "options.install_requires.left")],
    ),
    "requirements": (
        "requirements.txt",
        "left==1.2\nright==2\n",
        "left==1.1\nright==2\n",
        [("dependency", "left")],
    ),
    "go.mod": (
        "go.mod",
        "module a\n\nrequire example.com/left v1.2.0\n",
        "module a\n\nrequire example.com/left v1.2.0\nreplace example.com/left => ./fake\n",
        [("machinery", "how tests are built and run")],
    ),
    "CMake": (
        "CMakeLists.txt",
        "project(a)\nadd_test(NAME one COMMAND one)\n",
        "project(a)\nadd_test(NAME one COMMAND true)\n",
        [("machinery", "how tests are built and run")],
    ),
    "CMake: a file more": (
        "CMakeLists.txt",
        "project(a)\nadd_library(a a.c)\n",
        "project(a)\nadd_library(a a.c b.c)\n",
        [],
    ),
    "maven: skipped": (
        "pom.xml",
        "<project>\n<version>1</version>\n</project>\n",
        "<project>\n<version>1</version>\n<skipTests>true</skipTests>\n</project>\n",
        [("machinery", "how tests are built and run")],
    ),
    "gradle: failures ignored": (
        "build.gradle",
        "plugins {}\n",
        "plugins {}\ntest { ignoreFailures = true }\n",
        [("machinery", "how tests are built and run")],
    ),
    "composer": (
        "composer.json",
        '{"scripts": {"test": "phpunit"}}',
        '{"scripts": {"test": "true"}}',
        [("machinery", "scripts.test")],
    ),
}


@pytest.mark.parametrize("case", PARTS)
def test_the_part_of_a_manifest_that_changed_is_known(case: str) -> None:
    name, old, new, expected = PARTS[case]
    parts = manifest_parts(name, old, new, ("npm test",))
    assert [("update" if part.update else part.kind, part.name) for part in parts] == expected
    assert all(line[0] in "-+" for part in parts for line in part.lines)
    assert manifest_parts(name, old, old) == ()


MAKE = """\
CC ?= cc
TESTS = a b
-include local.mk

all: prog

check: prog \\
  $(TESTS)
	./run $(TESTS)

prog: a.c
	$(CC) a.c

unit:
	$(MAKE) check

docs:
	doc

a b:
	touch $@
"""


def test_a_makefile_is_read() -> None:
    makefile = read_makefile(MAKE)
    assert makefile.first == "all"
    assert makefile.recipes["check"] == ["./run $(TESTS)"]
    assert makefile.wanted["check"] == ["prog", "$(TESTS)"]
    assert makefile.variables["TESTS"] == ["a b"]
    assert makefile.recipes["b"] == ["touch $@"]
    assert makefile.lines == ["-include local.mk"]


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("./run $(TESTS)", "./run $(TESTS) || true", True),
        ("\t$(CC) a.c", "\ttrue", True),
        ("TESTS = a b", "TESTS = a", True),
        ("TESTS = a b", "TESTS = a b c", False),
        ("check: prog", "check:", True),
        ("\tdoc", "\tdoc --html", False),
        ("touch $@", "true", True),
        ("-include local.mk", "-include other.mk", True),
        ("CC ?= cc", "CC ?= cc\nSHELL = true", True),
        ("CC ?= cc", "CC ?= cc\n.IGNORE:", True),
        ("CC ?= cc", "CC ?= cc\nVERSION = 2", False),
        ("unit:\n\t$(MAKE) check", "unit:\n\techo ok", True),
    ],
)
def test_what_tests_need_of_a_makefile_may_not_change_unseen(
    old: str, new: str, shown: bool
) -> None:
    assert old in MAKE
    assert bool(changed_targets(MAKE, MAKE.replace(old, new), ("make check",))) == shown


def test_the_targets_of_a_command_are_known() -> None:
    assert targets_of(["make -j2 check V=1 && make", "cd x; gmake unit"]) == ("check", "", "unit")


@pytest.mark.parametrize(
    ("command", "names", "paths"),
    [
        ("pytest -q", ["pytest"], []),
        ("PYTHONPATH=. pytest -q", ["pytest"], []),
        ("npm ci && npm test", ["npm"], []),
        ("./run.sh | tee log", ["./run.sh", "tee"], ["run.sh"]),
        ("cd sub && ./run.sh", ["./run.sh"], ["sub/run.sh"]),
        ("(cd sub; sh run.sh) && sh run.sh", ["sh"], ["sub/run.sh", "run.sh"]),
        ("python -m pytest tests", ["python"], []),
        ("python tools/run.py", ["python"], ["tools/run.py"]),
        ("timeout 60 xvfb-run npm test", ["npm"], []),
        ("env A=b nice -n 5 cargo test", ["cargo"], []),
        ("if true; then make check; fi", ["make"], []),
        ("! grep -q x a", ["grep"], []),
        ("bash -c 'exit 0'", ["bash"], []),
        ("exit 0", [], []),
        ("echo 'open", [], []),
        ("$PYTHON run", [], []),
        ("make >log 2>&1", ["make"], []),
    ],
)
def test_the_programs_of_a_command_are_known_without_running_it(
    command: str, names: list[str], paths: list[str]
) -> None:
    assert list(dict.fromkeys(program.name for program in programs(command))) == names
    assert list(scripts(command)) == paths
    assert all(commands_of(command))


@pytest.mark.parametrize(
    ("before", "after", "move"),
    [
        ("1.2", "1.2", None),
        ("1.2", "1.3", "raised"),
        ("^1.9.0", "^1.10.0", "raised"),
        (">=1.2", ">=1.1", "lowered"),
        (">=1.2", "==1.2", "lowered"),
        ("1.2", "", "removed"),
        ("1.2", "git+https://x/y", "replaced"),
        ("*", "1.0", "raised"),
    ],
)
def test_which_of_two_versions_is_lower_is_known(before: str, after: str, move: str | None) -> None:
    change = moved("left", before, after)
    assert (change.move if change else None) == move


CARGO_LOCK = '[[package]]\nname = "left"\nversion = "1.2.0"\nsource = "registry"\nchecksum = "x"\n'
LOCKS: dict[str, tuple[str, str, str]] = {
    "package-lock.json": (
        '{"packages": {"node_modules/left": {"version": "1.2.0"}}}',
        '"1.2.0"',
        '"1.1.0"',
    ),
    "yarn.lock": ('left@^1.0:\n  version "1.2.0"\n  integrity x\n', '"1.2.0"', '"1.1.0"'),
    "pnpm-lock.yaml": (
        "packages:\n\n  left@1.2.0:\n    resolution: {integrity: x}\n",
        "1.2.0",
        "1.1.0",
    ),
    "Cargo.lock": (CARGO_LOCK, "1.2.0", "1.1.0"),
    "poetry.lock": (
        '[[package]]\nname = "left"\nversion = "1.2.0"\noptional = false\n',
        "1.2.0",
        "1.1.0",
    ),
    "uv.lock": (CARGO_LOCK.replace('"registry"', '{ registry = "x" }'), "1.2.0", "1.1.0"),
    "Gemfile.lock": ("GEM\n  specs:\n    left (1.2.0)\n", "1.2.0", "1.1.0"),
    "composer.lock": ('{"packages": [{"name": "left", "version": "1.2.0"}]}', "1.2.0", "1.1.0"),
    "Pipfile.lock": ('{"default": {"left": {"version": "==1.2.0"}}}', "1.2.0", "1.1.0"),
    "mix.lock": ('%{\n  "left": {:hex, :left, "1.2.0", "x"},\n}\n', "1.2.0", "1.1.0"),
}


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_file_tells_what_was_lowered_and_what_only_came_new(name: str) -> None:
    text, old, new = LOCKS[name]
    (change,) = lock_changes(name, text, text.replace(old, new))
    assert change.name.endswith("left")
    assert lock_changes(name, text, text) == ()
    assert lock_changes(name, "", text) == ()
    (raised,) = lock_changes(name, text.replace(old, new), text)
    if name not in {"mix.lock", "Cargo.lock", "uv.lock"}:
        assert (change.move, raised.move) == ("lowered", "raised")
