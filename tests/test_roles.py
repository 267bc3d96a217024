"""Where a role's definition comes from: project, then user, then built in; the first there is counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from podium.core.errors import InputError
from podium.engine.services import Definition
from podium.roles import find_role, places


@dataclass(frozen=True)
class Configured:
    definition: str = ""


ORDER = ("chosen.md", "harness/roles/qa-agent.md", ".podium/roles/qa.md", ".github/agents/qa.agent.md", ".claude/agents/qa.md")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    (tmp_path / "home").mkdir()
    return tmp_path / "project"


def write(where: Path, text: str) -> None:
    where.parent.mkdir(parents=True, exist_ok=True)
    where.write_text(text, encoding="utf-8")


def find(project: Path, role: str = "qa", path: str = ORDER[1], configured: Mapping[str, Configured] | None = None, **environ: str) -> Definition:
    known = {"HOME": str(project.parent / "home"), **environ}
    return find_role(role, path, project, configured or {}, known, "harness")


@pytest.mark.parametrize("at", range(len(ORDER)))
def test_each_place_wins_over_all_later_ones(project: Path, at: int) -> None:
    for name in ORDER[at:]:
        write(project / name, f"from {name}")
    found = find(project, configured={"qa": Configured("chosen.md")})
    assert found == Definition(f"from {ORDER[at]}", ORDER[at])


def test_the_users_own_definition_wins_over_the_built_in_one(project: Path) -> None:
    where = project.parent / "home/.config/podium/roles/qa.md"
    write(where, "mine")
    assert find(project) == Definition("mine", str(where))


def test_the_users_folder_is_where_the_system_says(project: Path) -> None:
    write(project.parent / "xdg/podium/roles/qa.md", "mine")
    assert find(project, XDG_CONFIG_HOME=str(project.parent / "xdg")).text == "mine"


@pytest.mark.parametrize("role", ["po-spec", "feature-design", "tech-lead", "build", "qa"])
def test_every_role_of_the_workflow_has_a_built_in_definition(project: Path, role: str) -> None:
    found = find(project, role, "")
    assert found.source == "built-in"
    assert found.text.strip()


def test_a_role_nobody_defined_is_named_and_no_more(project: Path) -> None:
    assert find(project, "gardener", "") == Definition("You are the gardener agent.", "none")


def test_a_folder_of_that_name_is_no_definition(project: Path) -> None:
    (project / ORDER[1]).mkdir(parents=True)
    assert find(project).source == "built-in"


def test_a_definition_that_is_no_utf_8_is_refused_by_name(project: Path) -> None:
    where = project / ORDER[1]
    where.parent.mkdir(parents=True)
    where.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"harness/roles/qa-agent\.md: is not UTF-8"):
        find(project)


def test_the_places_are_told_best_first(project: Path) -> None:
    found = [name for name, _ in places("qa", ORDER[1], project, {"qa": Configured("chosen.md")}, {"HOME": "/h"})]
    assert found == [*ORDER, "/h/.config/podium/roles/qa.md"]


def test_without_a_path_of_the_workflow_there_is_one_place_less(project: Path) -> None:
    assert next(places("qa", "", project, {}, {"HOME": "/h"}))[0] == ".podium/roles/qa.md"
