from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.ecosystem_rules import CONTENTS, MARKERS, RULES, Place

PYTEST = "[tool.pytest.ini_options]\n"
CMAKE = "cmake -S . -B build && cmake --build build"
MEMBER = {"a/package.json": '{"scripts": {"test": "x"}}'}
WORKSPACES = {"package.json": '{"workspaces": ["a", "b"]}', "b/package.json": "{}", **MEMBER}
SCRIPTS = '{"scripts": {"build": "x", "test": "y"}}'


def place(tree: dict[str, str]) -> Place:
    return Place("", frozenset(tree), tree)


@pytest.mark.parametrize(
    ("name", "tree", "build", "test", "why"),
    [
        ("python", {"pyproject.toml": PYTEST}, "", "python3 -m pytest", "mentions pytest"),
        (
            "python",
            {"pyproject.toml": PYTEST, "uv.lock": ""},
            "",
            "uv run python -m pytest",
            "uv by uv.lock",
        ),
        (
            "python",
            {"pyproject.toml": PYTEST + "[tool.poetry]\n"},
            "",
            "poetry run python -m pytest",
            "[tool.poetry]",
        ),
        (
            "python",
            {"pyproject.toml": PYTEST, "pdm.lock": ""},
            "",
            "pdm run python -m pytest",
            "pdm by pdm.lock",
        ),
        (
            "python",
            {"pyproject.toml": PYTEST + "[tool.hatch.envs.default]\n"},
            "",
            "hatch test",
            "hatch by",
        ),
        (
            "python",
            {"pyproject.toml": '[tool.hatch.envs.default.scripts]\ntest = "x"\n'},
            "",
            "hatch run test",
            "script",
        ),
        (
            "python",
            {"setup.py": "", "tests/test_a.py": ""},
            "",
            "python3 -m unittest discover -s tests",
            "unittest",
        ),
        (
            "python",
            {"setup.py": "", "tests/test_a.py": "", "tests/__init__.py": ""},
            "",
            "python3 -m unittest discover",
            "unittest",
        ),
        (
            "python",
            {"setup.py": "", "test_a.py": "", "tests/test_b.py": ""},
            "",
            "python3 -m unittest discover",
            "unittest",
        ),
        (
            "python",
            {
                "setup.py": "",
                "tests/test_a.py": "import unittest\n\nclass A(unittest.TestCase):\n    def test_a(self): ...\n",  # noqa: E501
            },
            "",
            "python3 -m unittest discover -s tests",
            "unittest",
        ),
        (
            "python",
            {"pyproject.toml": "", "tests/test_a.py": "def test_a():\n    assert True\n"},
            "",
            "python3 -m pytest",
            "tests/test_a.py is written for pytest",
        ),
        (
            "python",
            {"pyproject.toml": "", "uv.lock": "", "a_test.py": "from pytest import raises\n"},
            "",
            "uv run python -m pytest",
            "a_test.py is written for pytest",
        ),
        (
            "python",
            {"pyproject.toml": "", "tests/conftest.py": ""},
            "",
            "python3 -m pytest",
            "tests/conftest.py is written for pytest",
        ),
        (
            "python",
            {"setup.cfg": "[options.extras_require]\ntest = pytest\n"},
            "",
            "python3 -m pytest",
            "setup.cfg",
        ),
        ("python", {"pyproject.toml": "broken ["}, "", "", "no tests found"),
        ("node", {"package.json": SCRIPTS}, "npm run build", "npm run test", "no lock file"),
        (
            "node",
            {"package.json": SCRIPTS, "package-lock.json": ""},
            "npm run build",
            "npm run test",
            "package-lock.json",
        ),
        (
            "node",
            {"package.json": SCRIPTS, "pnpm-lock.yaml": ""},
            "pnpm run build",
            "pnpm run test",
            "pnpm",
        ),
        (
            "node",
            {"package.json": SCRIPTS, "yarn.lock": ""},
            "yarn run build",
            "yarn run test",
            "yarn",
        ),
        (
            "node",
            {"package.json": SCRIPTS, "bun.lockb": ""},
            "bun run build",
            "bun run test",
            "bun",
        ),
        (
            "node",
            {"package.json": '{"packageManager": "yarn@4", "scripts": {"test": "y"}}'},
            "",
            "yarn run test",
            "packageManager",
        ),
        (
            "node",
            {"package.json": '{"scripts": {"test": "echo no test specified"}}'},
            "",
            "",
            "no script",
        ),
        ("node", {"package.json": "[]"}, "", "", "no script"),
        ("deno", {"deno.json": ""}, "", "deno test", "deno.json"),
        ("rust", {"Cargo.toml": ""}, "cargo build", "cargo test", "Cargo.toml"),
        ("go", {"go.mod": ""}, "go build ./...", "go test ./...", "go.mod"),
        ("maven", {"pom.xml": ""}, "mvn -q -DskipTests package", "mvn -q test", "pom.xml"),
        (
            "maven",
            {"pom.xml": "", "mvnw": ""},
            "./mvnw -q -DskipTests package",
            "./mvnw -q test",
            "mvnw",
        ),
        ("gradle", {"build.gradle": ""}, "gradle assemble", "gradle test", "build.gradle"),
        (
            "gradle",
            {"build.gradle.kts": "", "gradlew": ""},
            "./gradlew assemble",
            "./gradlew test",
            "gradlew",
        ),
        (
            "dotnet",
            {"App.sln": "", "App/App.csproj": ""},
            "dotnet build App.sln",
            "dotnet test App.sln",
            "App.sln",
        ),
        (
            "dotnet",
            {"My App.csproj": ""},
            "dotnet build 'My App.csproj'",
            "dotnet test 'My App.csproj'",
            "My App",
        ),
        (
            "cmake",
            {"CMakeLists.txt": "enable_testing()"},
            "cmake -S . -B build && cmake --build build",
            f"{CMAKE} && ctest --test-dir build --output-on-failure",
            "CMakeLists.txt",
        ),
        (
            "cmake",
            {"CMakeLists.txt": ""},
            "cmake -S . -B build && cmake --build build",
            "",
            "without enable_testing",
        ),
        ("elixir", {"mix.exs": ""}, "mix compile", "mix test", "mix.exs"),
        ("swift", {"Package.swift": ""}, "swift build", "swift test", "Package.swift"),
        ("scala", {"build.sbt": ""}, "sbt compile", "sbt test", "build.sbt"),
        ("ruby", {"Gemfile": "", "spec/a_spec.rb": ""}, "", "bundle exec rspec", "specs"),
        ("ruby", {"Gemfile": "", "Rakefile": ""}, "", "bundle exec rake test", "Rakefile"),
        ("php", {"composer.json": '{"scripts": {"test": "x"}}'}, "", "composer test", "script"),
        (
            "php",
            {"composer.json": "{}", "phpunit.xml": ""},
            "",
            "vendor/bin/phpunit",
            "phpunit.xml",
        ),
        ("make", {"Makefile": "all: x\ncheck:\n"}, "make all", "make check", "target check"),
        ("make", {"Makefile": "build  test ::\n"}, "make build", "make test", "target build"),
        ("make", {"Makefile": "test := 1\n"}, "", "", "without a target"),
        (
            "python",
            {"pyproject.toml": PYTEST, ".venv/bin/python": "", ".venv/bin/pytest": ""},
            "",
            ".venv/bin/python -m pytest",
            ".venv is there with pytest in it",
        ),
        (
            "python",
            {"pyproject.toml": PYTEST, "uv.lock": "", "venv/bin/python": "", "venv/bin/pytest": ""},
            "",
            "venv/bin/python -m pytest",
            "venv is there with pytest in it",
        ),
        (
            "python",
            {"setup.py": "", "tests/test_a.py": "", "env/bin/python": ""},
            "",
            "env/bin/python -m unittest discover -s tests",
            "env is there",
        ),
        (
            "python",
            {
                "tox.ini": "[testenv]\ndeps = pytest\n",
                "setup.py": "",
                ".venv/bin/python": "",
                ".venv/bin/tox": "",
            },
            "",
            ".venv/bin/tox -q -e py",
            "tox by tox.ini",
        ),
        (
            "python",
            {"tox.ini": "[testenv]\ndeps = pytest\n", "setup.py": ""},
            "",
            "tox -q -e py",
            "tox by tox.ini",
        ),
        (
            "python",
            {"noxfile.py": "session.install('pytest')\n", "pyproject.toml": ""},
            "",
            "nox",
            "nox by noxfile.py",
        ),
        (
            "python",
            {"requirements.txt": "pytest\n", "tests/test_a.py": "def test_a(): ...\n"},
            "",
            "python3 -m pytest",
            "requirements.txt: mentions pytest",
        ),
        ("node", WORKSPACES, "", "npm run test --workspaces --if-present", '"test": a'),
        (
            "node",
            {"package.json": "{}", "pnpm-workspace.yaml": "", "pnpm-lock.yaml": "", **MEMBER},
            "",
            "pnpm -r run test",
            '"test": a',
        ),
        ("node", {**WORKSPACES, "yarn.lock": ""}, "", "yarn workspaces run test", '"test": a'),
        (
            "node",
            {**WORKSPACES, "yarn.lock": "", ".yarnrc.yml": ""},
            "",
            "yarn workspaces foreach -A run test",
            '"test": a',
        ),
        (
            "autotools",
            {"configure": "", "Makefile.in": ""},
            "./configure && make",
            "./configure && make check",
            "configure and Makefile.in",
        ),
        (
            "autotools",
            {"configure.ac": "", "Makefile.am": ""},
            "autoreconf -i && ./configure && make",
            "autoreconf -i && ./configure && make check",
            "configure.ac and Makefile.am",
        ),
        (
            "autotools",
            {"configure.ac": "", "Makefile.am": "", "autogen.sh": ""},
            "./autogen.sh && ./configure && make",
            "./autogen.sh && ./configure && make check",
            "configure.ac and Makefile.am",
        ),
        ("autotools", {"configure": ""}, "", "", "without a Makefile"),
        ("perl", {"Makefile.PL": "", "t/a.t": ""}, "", "prove -l -r t", "Makefile.PL and tests"),
        (
            "perl",
            {"Build.PL": "", "A.xs": "", "t/a.t": ""},
            "perl Build.PL && ./Build",
            "perl Build.PL && ./Build && ./Build test",
            "parts in C",
        ),
        ("perl", {"cpanfile": ""}, "", "", "no tests in t"),
        ("bats", {"test/a.bats": ""}, "", "bats test", "test/a.bats"),
        ("bats", {"test/a/b.bats": ""}, "", "bats -r test", "test/a/b.bats"),
        ("bats", {"a.bats": ""}, "", "bats .", "a.bats"),
    ],
)
def test_each_ecosystem_is_known_by_its_files_and_says_why(
    name: str, tree: dict, build: str, test: str, why: str
):
    found = RULES[name](place(tree))
    assert found is not None
    assert (found.build, found.test) == (build, test)
    assert any(why in each for each in found.why)


@pytest.mark.parametrize("name", RULES)
def test_an_empty_folder_is_no_project(name: str):
    assert RULES[name](place({"README.md": ""})) is None


def test_what_is_read_makes_a_folder_a_project():
    assert CONTENTS <= MARKERS


def test_a_list_of_dependencies_without_tests_is_no_project():
    assert RULES["python"](place({"docs/x.py": "", "requirements.txt": "sphinx\n"})) is None


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(sorted(CONTENTS)),
        st.text(max_size=20)
        | st.sampled_from(['{"scripts": 3}', "[tool]\npytest=1", "tool=1", "[" * 2000]),
        max_size=3,
    )
)
def test_no_content_breaks_a_rule(tree: dict[str, str]):
    for rule in RULES.values():
        found = rule(place(tree))
        assert found is None or found.why
