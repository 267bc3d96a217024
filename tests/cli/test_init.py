"""podium init: what is found, what is written, what is kept."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from shutil import which

import pytest
from tests.cli.conftest import Podium

from podium.cli.detect import commands


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n"},
            {"test": "python3 -m pytest", "lint": "ruff check"},
        ),
        (
            {"pyproject.toml": '[dependency-groups]\ndev = ["pytest>=8"]\n', "uv.lock": ""},
            {"test": "uv run python -m pytest"},
        ),
        (
            {"setup.py": "", "tests/test_x.py": ""},
            {"test": "python3 -m unittest discover -s tests"},
        ),
        (
            {"package.json": '{"scripts": {"test": "jest", "build": "tsc"}}', "pnpm-lock.yaml": ""},
            {"build": "pnpm run build", "test": "pnpm run test"},
        ),
        (
            {
                "package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'  # noqa: E501
            },
            {},
        ),
        (
            {"Cargo.toml": ""},
            {"build": "cargo build", "test": "cargo test", "lint": "cargo clippy"},
        ),
        (
            {"go.mod": ""},
            {"build": "go build ./...", "test": "go test ./...", "lint": "go vet ./..."},
        ),
        (
            {"pom.xml": "", "mvnw": ""},
            {"build": "./mvnw -q -DskipTests package", "test": "./mvnw -q test"},
        ),
        ({"build.gradle.kts": ""}, {"build": "gradle assemble", "test": "gradle test"}),
        ({"a.csproj": ""}, {"build": "dotnet build a.csproj", "test": "dotnet test a.csproj"}),
        (
            {"CMakeLists.txt": "enable_testing()"},
            {
                "build": "cmake -S . -B build && cmake --build build",
                "test": (
                    "cmake -S . -B build && cmake --build build"
                    " && ctest --test-dir build --output-on-failure"
                ),
            },
        ),
        (
            {"web/package.json": '{"scripts": {"test": "jest"}}', "api/go.mod": ""},
            {"build": "cd api && go build ./...", "test": "cd api && go test ./..."},
        ),
        (
            {
                "package.json": '{"workspaces": ["packages/*"]}',
                "packages/a/package.json": '{"scripts": {"test": "jest"}}',
            },
            {"test": "npm run test --workspaces --if-present"},
        ),
        (
            {"Makefile": "all: x\ntest:\n\ttrue\nlint := no\n"},
            {"build": "make all", "test": "make test"},
        ),
        ({"package.json": "{broken", "pyproject.toml": "[broken"}, {}),
        ({}, {}),
    ],
)
def test_commands_are_found_from_the_projects_files(
    files: dict[str, str], expected: dict[str, str], tmp_path: Path
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    found = commands(tmp_path)
    assert {guess.name: guess.command for guess in found} == expected
    assert all(guess.why for guess in found)


@pytest.mark.parametrize("home", [".venv", "venv"])
def test_the_virtual_environment_of_the_project_runs_its_tests(tmp_path: Path, home: str) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n[tool.ruff]\n")
    for program in ("python", "pytest", "ruff"):
        (tmp_path / home / "bin").mkdir(parents=True, exist_ok=True)
        (tmp_path / home / "bin" / program).touch(0o755)
    found = {guess.name: guess.command for guess in commands(tmp_path)}
    assert found == {"test": f"{home}/bin/python -m pytest", "lint": f"{home}/bin/ruff check"}


def test_a_linter_that_is_not_installed_is_written_as_a_comment(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n[tool.ruff]\n")
    (tmp_path / "uv.lock").touch()
    (lint,) = [guess for guess in commands(tmp_path) if guess.name == "lint"]
    assert (lint.command, lint.sure) == ("uv run ruff check", bool(which("uv")))
    assert ("uv is not installed here" in lint.why) is not lint.sure


def test_other_ways_to_test_are_named_with_the_one_that_was_chosen(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (tmp_path / "Makefile").write_text("test:\n\ttox\n")
    (test,) = [guess for guess in commands(tmp_path) if guess.name == "test"]
    assert test.command == "python3 -m pytest"
    assert "also found: make test (make)" in test.why


def test_init_writes_settings_that_can_be_read(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "Makefile").write_text("all:\n\ttrue\ntest:\n\t@echo 1..1; echo ok 1 - it works\n")
    assert podium("init") == 0
    text = (project / "podium.toml").read_text()
    assert tomllib.loads(text)["commands"] == {"build": "make all", "test": "make test"}
    assert "# found: Makefile: target all" in text
    assert "# lint =" in text
    assert podium("doctor") == 0


def test_init_harness_scaffolds_everything_and_says_what_comes_next(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("init", "harness") == 0
    said = capsys.readouterr().out
    assert "Next: podium run harness harness/tasks/T001-sample.md" in said
    assert len(said.splitlines()) < 24  # what was found must not scroll away under a list of files
    assert (
        "  written  harness/  27 files, most of them in artifacts, roles, runs, standards, "
        "tasks, templates"
    ) in said
    assert (
        f"First: git init && git add -A && git commit -m start   ({project} is not in a git "
        "repository)"
    ) in said
    assert "Test:    no command found; set test under [commands] in podium.toml" in said
    for path in (
        "stages.toml",
        "roles/qa-agent.md",
        "templates/qa-review-template.md",
        "artifacts/specs/.gitkeep",
        "runs/.gitkeep",
    ):
        assert (project / "harness" / path).is_file()


def test_init_again_changes_nothing(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    podium("init", "harness")
    (project / "harness" / "stages.toml").write_text("# mine\n")
    capsys.readouterr()
    podium("init", "harness", "--json")
    told = json.loads(capsys.readouterr().out)
    assert told["written"] == []
    assert "harness/stages.toml" in told["kept"]
    assert (project / "harness" / "stages.toml").read_text() == "# mine\n"


def test_force_writes_over_what_differs(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    podium("init", "harness")
    (project / "harness" / "stages.toml").write_text("# mine\n")
    capsys.readouterr()
    podium("init", "harness", "--force", "--json")
    assert json.loads(capsys.readouterr().out)["written"] == ["harness/stages.toml"]


def test_an_unknown_workflow_writes_nothing(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("init", "harnes") == 2
    assert "did you mean harness?" in capsys.readouterr().err
    assert not (project / "podium.toml").exists()


def test_a_link_out_of_the_project_is_not_followed(
    podium: Podium, project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (project / "harness").symlink_to(tmp_path / "elsewhere")
    assert podium("init", "harness") == 2
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_settings_in_pyproject_are_enough(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "pyproject.toml").write_text("[tool.podium]\nagent = 'claude'\n")
    podium("init")
    assert not (project / "podium.toml").exists()


def test_what_is_set_already_is_said_and_not_guessed_again(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "tests").mkdir()
    (project / "tests" / "test_a.py").write_text("")
    (project / "pyproject.toml").write_text(
        "[tool.podium]\nagent = 'human'\n[tool.podium.commands]\ntest = 'make test'\n"
    )
    assert podium("init", "harness") == 0
    said = capsys.readouterr().out
    assert "Agent:   human   (set in pyproject.toml)" in said
    assert "Test:    make test   (set in pyproject.toml)" in said
    assert "podium.toml" not in said
    assert "No agent program" not in said
    assert said.endswith("Next: podium run harness harness/tasks/T001-sample.md\n")


def test_a_reason_for_several_commands_is_given_once(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "package.json").write_text('{"scripts": {"test": "jest", "build": "tsc"}}')
    podium("init")
    assert capsys.readouterr().out.count("npm as there is no lock file") == 1


def test_doctor_tells_a_folder_for_views_that_cannot_be_made(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "file").write_text("")
    (project / "podium.toml").write_text('[store]\nviews = "file/x"\n')
    assert podium("doctor") == 2
    assert f"[store] views: {project}/file is not a folder" in capsys.readouterr().out
