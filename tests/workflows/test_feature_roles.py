from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest

from podium.formats.markdown import scan
from podium.workflows.feature.dialects import DIALECTS, dialect_of
from podium.workflows.feature.documents.documents import SHAPES
from podium.workflows.feature.findings.findings import read_object

SYSTEMS = (
    ("package.json", "npm run build", "npm test"),
    ("Makefile", "make", "make test"),
    ("CMakeLists.txt", "cmake -S . -B build && cmake --build build", "ctest --test-dir build"),
    ("*.sln", "dotnet build", "dotnet test"),
    ("pom.xml", "mvn -B compile", "mvn -B test"),
    ("build.gradle", "gradle assemble", "gradle test"),
    ("Cargo.toml", "cargo build", "cargo test"),
    ("pyproject.toml", "python -m compileall -q .", "python -m pytest"),
    ("go.mod", "go build ./...", "go test ./..."),
)
TWO, THREE = {"DONE", "ERROR"}, {"DONE", "NEEDS_REVISION", "ERROR"}
ROLES = {
    "researcher": (TWO, ("research/<focus-area>.md", "analysis.md")),
    "spec": (TWO, ("feature.md",)),
    "designer": (TWO, ("design.md",)),
    "ct-security": (TWO, ("ct-review/ct-security.md",)),
    "ct-scalability": (TWO, ("ct-review/ct-scalability.md",)),
    "ct-maintainability": (TWO, ("ct-review/ct-maintainability.md",)),
    "ct-strategy": (TWO, ("ct-review/ct-strategy.md",)),
    "planner": (TWO, ("plan.md", "tasks/NN-description.md")),
    "implementer": (TWO, ("Code and tests",)),
    "documentation-writer": (TWO, ("The documents that In-scope of your task names",)),
    "v-build": (TWO, ("verification/v-build.md",)),
    "v-tests": (THREE, ("verification/v-tests.md",)),
    "v-tasks": (THREE, ("verification/v-tasks.md",)),
    "v-feature": (THREE, ("verification/v-feature.md",)),
    "r-quality": (THREE, ("review/r-quality.md",)),
    "r-security": (THREE, ("review/r-security.md",)),
    "r-testing": (THREE, ("review/r-testing.md",)),
    "r-knowledge": (
        TWO,
        ("review/r-knowledge.md", "review/knowledge-suggestions.md", "decisions.md"),
    ),
}


def definition(role: str) -> str:
    return (
        files("podium.workflows.feature") / "scaffold" / "roles" / f"{role}-agent.md"
    ).read_text("utf-8")


def told_object(role: str) -> dict[str, object]:
    found = re.search(r"```json\n(.*?)\n```", definition(role), re.DOTALL)
    assert found
    told: dict[str, object] = json.loads(found[1])
    return told


def test_every_role_has_a_definition_and_no_other_is_there() -> None:
    folder = files("podium.workflows.feature") / "scaffold" / "roles"
    assert sorted(each.name for each in folder.iterdir()) == sorted(
        f"{role}-agent.md" for role in ROLES
    )


@pytest.mark.parametrize("role", ROLES)
def test_a_definition_names_its_words_and_no_others(role: str) -> None:
    words, _ = ROLES[role]
    assert set(re.findall(r"`(DONE|NEEDS_REVISION|ERROR): ", definition(role))) == words


@pytest.mark.parametrize("role", ROLES)
def test_a_definition_names_its_outputs_and_answers_last(role: str) -> None:
    text = definition(role)
    titles = [heading.title for heading in scan(text).headings if heading.level == 2]
    assert titles[-1] == "How to report"
    assert all(output in text for output in ROLES[role][1])


@pytest.mark.parametrize("role", ROLES)
def test_a_definition_is_short(role: str) -> None:
    assert 20 <= len(definition(role).splitlines()) <= 60


@pytest.mark.parametrize("role", ROLES)
def test_the_object_of_a_definition_is_one_its_dialect_reads(role: str) -> None:
    told = told_object(role)
    verdict = DIALECTS[dialect_of(role)].read(told)
    assert verdict.word == told["status"]
    reading = read_object(told, role)
    assert not reading.warnings
    said = str(told.get("severity", "None"))
    assert reading.severity == (
        {"High": "FAIL", "None": "PASS"}[said] if role.startswith("v-") else said
    )


@pytest.mark.parametrize("role", [role for role in ROLES if role in SHAPES])
def test_a_definition_names_the_parts_that_are_required(role: str) -> None:
    text = definition(role)
    assert [name for name in SHAPES[role].required if name not in text] == []


@pytest.mark.parametrize(
    ("role", "shape"),
    [("researcher", "research/impact"), ("spec", "feature"), ("researcher", "analysis")],
)
def test_documents_named_otherwise_than_their_role_are_told_as_well(role: str, shape: str) -> None:
    text = " ".join(definition(role).split())
    assert [name for name in SHAPES[shape].required if name not in text] == []


def test_the_build_agent_is_told_the_order_and_the_commands() -> None:
    text = definition("v-build")
    places = [text.index(each) for each, *_ in SYSTEMS]
    assert places == sorted(places)
    assert [each for _, *commands in SYSTEMS for each in commands if f"`{each}`" not in text] == []


def test_the_planner_is_told_its_limits() -> None:
    text = definition("planner")
    assert "at most 3 production files, 2 dependencies, 500 production lines, effort Medium" in text
    assert "`ERROR: circular dependency detected between <ids>`" in text


@pytest.mark.parametrize(
    "role", [role for role in ROLES if role not in {"researcher", "spec", "designer", "planner"}]
)
def test_who_works_in_parallel_is_not_told_to_write_the_memory(role: str) -> None:
    assert "add to `memory.md`" not in definition(role)
    assert "memory.md`" in definition(role)
