"""What a project needs that git ignores or that lies outside of it, and what nobody may see."""

from __future__ import annotations

import pytest

from podium.project.dependencies import (
    LARGE,
    Ignored,
    Item,
    dependencies,
    looks_secret,
    virtual_environment,
)
from podium.project.libraries import shadows
from podium.project.toolchain import for_commands, is_secret, tool_folders


def item(path: str, **more: object) -> Item:
    (found,) = dependencies([Ignored(path, **more)])  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize(
    ("path", "more", "role", "brought"),
    [
        ("node_modules/", {}, "installed", True),
        ("packages/a/node_modules/", {}, "installed", True),
        (".venv/", {"names": frozenset({"pyvenv.cfg", "bin"})}, "installed", True),
        ("env/", {"names": frozenset({"pyvenv.cfg"})}, "installed", True),
        ("venv/", {"names": frozenset({"notes"})}, "other", True),
        ("vendor/", {}, "installed", True),
        (".tox/", {}, "installed", True),
        ("node_modules", {"target": "/srv/node_modules"}, "installed", True),
        ("target/", {}, "cache", True),
        ("build/", {}, "cache", True),
        ("__pycache__/", {}, "cache", True),
        ("a.o", {}, "cache", True),
        ("a.egg-info/", {}, "generated", True),
        ("src/_version.py", {}, "generated", True),
        ("config.h", {}, "generated", True),
        (".env", {}, "secret", False),
        (".env.local", {}, "secret", False),
        ("id_rsa", {}, "secret", False),
        ("credentials.json", {}, "secret", False),
        (".npmrc", {"text": "//x/:_authToken=abc\n"}, "secret", False),
        (".npmrc", {"text": "save-exact=true\n"}, "generated", True),
        (".env.example", {}, "other", True),
        ("data/", {"size": 10}, "other", True),
        ("data/", {"size": LARGE}, "other", False),
        ("node_modules/", {"size": LARGE}, "installed", True),
    ],
)
def test_what_is_brought_into_a_view(
    path: str, more: dict[str, object], role: str, brought: bool
) -> None:
    found = item(path, **more)
    assert (found.role, found.bring) == (role, brought), found.why
    assert found.why


def test_a_person_names_what_to_bring_and_what_to_leave_and_leaving_wins() -> None:
    ignored = [Ignored(".env"), Ignored("data/", size=LARGE), Ignored("node_modules/")]
    brought = dependencies(ignored, bring=(".env", "data/**"), leave=("node_modules/**",))
    assert {one.path: one.bring for one in brought} == {
        ".env": True,
        "data/": True,
        "node_modules/": False,
    }
    assert not dependencies(ignored[:1], bring=(".env",), leave=(".env",))[0].bring


def test_secrets_in_a_folder_stay_behind() -> None:
    found = item("config-local/", names=frozenset({".env", "a.key", "a.yml"}))
    assert (found.bring, found.without) == (True, (".env", "a.key"))


@pytest.mark.parametrize("name", [".env", "a.pem", "secrets.yml", ".netrc", "terraform.tfstate"])
def test_a_file_that_looks_like_a_secret_is_one(name: str) -> None:
    assert looks_secret(name)
    assert looks_secret(f"folder/{name}")


@pytest.mark.parametrize("name", ["secrets.py", ".env.sample", "credentials.md", "tokens.go", "a"])
def test_code_and_templates_are_no_secrets(name: str) -> None:
    assert not looks_secret(name)


def test_a_file_may_name_the_virtual_environment() -> None:
    assert virtual_environment("/home/ada/env\n") == "/home/ada/env"
    assert virtual_environment("a\nb\n") == ""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("API_KEY", "x"),
        ("GITHUB_TOKEN", "x"),
        ("DB_PASSWORD", "x"),
        ("AWS_SECRET_ACCESS_KEY", "x"),
        ("DATABASE_URL", "postgres://ada:pass@localhost/db"),
        ("STRIPE_THING", "x"),
        ("SENTRY_DSN", "x"),
    ],
)
def test_a_variable_that_looks_like_a_secret_is_kept_back(name: str, value: str) -> None:
    assert is_secret(name, value)
    assert for_commands({name: value, "PATH": "/bin"}) == {"PATH": "/bin"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PATH", "/bin"),
        ("CARGO_HOME", "/home/ada/.cargo"),
        ("DATABASE_URL", "postgres://localhost/db"),
        ("AWS_REGION", "eu"),
        ("MY_SETTING", "1"),
        ("PYTHONHASHSEED", "0"),
        ("KEYBOARD", "de"),
    ],
)
def test_a_project_s_own_variables_reach_its_commands(name: str, value: str) -> None:
    assert for_commands({name: value}) == {name: value}


def test_what_is_podium_s_own_reaches_no_command() -> None:
    assert for_commands({"PODIUM_USER": "Ada"}) == {}


def test_folders_of_toolchains_lie_where_a_variable_puts_them() -> None:
    folders = tool_folders({"CARGO_HOME": "/opt/cargo", "GOPATH": "/a:/b", "JAVA_HOME": "/opt/jdk"})
    placed = {(folder.path, folder.of) for folder in folders}
    assert {("/opt/cargo", "cargo"), ("/a", "go"), ("/b", "go"), ("/opt/jdk", "java")} <= placed
    assert (".cargo", "cargo") not in placed
    assert (".rustup", "rustup") in placed


@pytest.mark.parametrize(
    "path",
    [
        "pytest.py",
        "src/pytest/__init__.py",
        "sitecustomize.py",
        "mock.py",
        "unittest.py",
        "lib/Test/More.pm",
        "node_modules/tape/index.js",
        "vendor/github.com/stretchr/testify/assert/assert.go",
        "org/junit/Assert.java",
    ],
)
def test_a_file_in_the_place_of_a_test_library_is_known(path: str) -> None:
    assert shadows(path)


@pytest.mark.parametrize("path", ["src/mypkg/sub/mock.py", "calc.py", "lib/My/Test.pm", "src/a.js"])
def test_a_file_of_the_project_s_own_name_is_nobody_s_library(path: str) -> None:
    assert not shadows(path)
