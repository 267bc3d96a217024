from __future__ import annotations

from itertools import pairwise

import pytest

from podium.workflows.feature.build_detection import KNOWN, Detected, detect


@pytest.mark.parametrize(
    ("files", "system", "build", "test"),
    [
        (["package.json"], "npm", "npm run build", "npm test"),
        (["Makefile"], "make", "make", "make test"),
        (["CMakeLists.txt"], "cmake", "cmake -S . -B build && cmake --build build", "ctest --test-dir build"),
        (["App.sln"], "dotnet", "dotnet build", "dotnet test"),
        (["App.csproj"], "dotnet", "dotnet build", "dotnet test"),
        (["pom.xml"], "maven", "mvn -B compile", "mvn -B test"),
        (["pom.xml", "mvnw"], "maven", "./mvnw -B compile", "./mvnw -B test"),
        (["build.gradle"], "gradle", "gradle assemble", "gradle test"),
        (["build.gradle.kts", "gradlew"], "gradle", "./gradlew assemble", "./gradlew test"),
        (["Cargo.toml"], "cargo", "cargo build", "cargo test"),
        (["pyproject.toml"], "python", "python -m compileall -q .", "python -m pytest"),
        (["setup.py"], "python", "python -m compileall -q .", "python -m pytest"),
        (["go.mod"], "go", "go build ./...", "go test ./..."),
    ],
)
def test_each_build_system_is_known_by_its_file(files: list[str], system: str, build: str, test: str) -> None:
    found = detect(files)
    assert found == Detected(system, build, test, files[0])


def test_the_order_is_that_of_the_specification() -> None:
    assert [each.system for each in KNOWN] == [
        *("npm", "make", "cmake", "dotnet", "maven", "gradle", "cargo", "python", "go")
    ]


@pytest.mark.parametrize(("first", "second"), list(pairwise(KNOWN)))
def test_of_two_the_earlier_one_counts(first: object, second: object) -> None:
    names = [each.names[0].replace("*", "App") for each in (second, first)]  # type: ignore[attr-defined]
    found = detect(names)
    assert found is not None
    assert found.system == first.system  # type: ignore[attr-defined]


def test_the_root_counts_before_any_folder() -> None:
    found = detect({"web/package.json", "go.mod"})
    assert found is not None
    assert found.system == "go"


def test_a_folder_counts_where_the_root_has_none() -> None:
    found = detect(["./deep/er/App.csproj", "src/App.csproj", "README.md"])
    assert found is not None
    assert found.marker == "src/App.csproj"


@pytest.mark.parametrize(
    "files",
    [
        [],
        ["README.md"],
        ["node_modules/x/package.json"],
        [".venv/lib/setup.py"],
        ["vendor/go.mod"],
        ["package.json.bak"],
    ],
)
def test_what_others_made_is_no_build_system(files: list[str]) -> None:
    assert detect(files) is None
