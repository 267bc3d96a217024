"""Where a role's definition comes from: project, then user, then built in; the first there is
counts.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from podium.core.digest import digest
from podium.core.errors import InputError
from podium.engine.services import Definition
from podium.roles import RoleFinder, find_role, places, survey
from podium.settings.policies import defaults
from podium.wiring import scaffold_text
from podium.workflows.catalog import entry


@dataclass(frozen=True)
class Configured:
    definition: str = ""


ORDER = (
    "chosen.md",
    "harness/roles/qa-agent.md",
    ".podium/roles/harness/qa.md",
    ".podium/roles/qa.md",
    ".github/agents/qa.agent.md",
    ".github/agents/qa.md",
    ".claude/agents/qa.md",
)
HEAD = "---\nname: qa\ndescription: looks\n---\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    (tmp_path / "home").mkdir()
    return tmp_path / "project"


def write(where: Path, text: str) -> None:
    where.parent.mkdir(parents=True, exist_ok=True)
    where.write_text(text, encoding="utf-8")


def find(
    project: Path,
    role: str = "qa",
    path: str = ORDER[1],
    configured: Mapping[str, Configured] | None = None,
    **environ: str,
) -> Definition:
    known = {"HOME": str(project.parent / "home"), **environ}
    return find_role(role, path, project, configured or {}, known, "harness")


@pytest.mark.parametrize("at", range(len(ORDER)))
def test_each_place_wins_over_all_later_ones(project: Path, at: int) -> None:
    for name in ORDER[at:]:
        write(project / name, f"{HEAD}from {name}")
    found = find(project, configured={"qa": Configured("" if at else "chosen.md")})
    assert found == Definition(f"from {ORDER[at]}", ORDER[at], digest(f"{HEAD}from {ORDER[at]}"))


def test_the_users_own_definition_wins_over_the_built_in_one(project: Path) -> None:
    where = project.parent / "home/.config/podium/roles/qa.md"
    write(where, "mine")
    assert find(project) == Definition("mine", str(where), digest("mine"))


def test_the_users_folder_is_where_the_system_says(project: Path) -> None:
    write(project.parent / "xdg/podium/roles/qa.md", "mine")
    assert find(project, XDG_CONFIG_HOME=str(project.parent / "xdg")).text == "mine"


@pytest.mark.parametrize("role", ["po-spec", "feature-design", "tech-lead", "build", "qa"])
def test_every_role_of_the_workflow_has_a_built_in_definition(project: Path, role: str) -> None:
    found = find(project, role, "")
    assert found.source == "built-in"
    assert found.text.strip()


def test_a_role_nobody_defined_is_named_and_no_more(project: Path) -> None:
    found = find(project, "gardener", "")
    assert (found.text, found.source) == ("You are the gardener agent.", "none")


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
    write(project / "chosen.md", "x")
    found = [
        name
        for name, _ in places(
            "qa", ORDER[1], project, {"qa": Configured("chosen.md")}, {"HOME": "/h"}, "harness"
        )
    ]
    assert found == [*ORDER, "/h/.config/podium/roles/qa.md"]


def test_without_a_path_of_the_workflow_there_is_one_place_less(project: Path) -> None:
    assert next(places("qa", "", project, {}, {"HOME": "/h"}))[0] == ".podium/roles/qa.md"


def test_the_head_of_a_file_is_no_part_of_the_definition_but_of_its_digest(project: Path) -> None:
    write(project / ".claude/agents/qa.md", f"{HEAD}\n# QA\n")
    found = find(project)
    assert found.text == "# QA\n"
    assert found.digest == digest(f"{HEAD}\n# QA\n")


def test_what_claude_code_takes_is_taken_with_a_warning_and_what_copilot_refuses_is_refused(
    project: Path,
) -> None:
    odd = "---\nname: qa\ndescription: Use when: done\n---\n# QA\n"
    write(project / ".claude/agents/qa.md", odd)
    found = find(project)
    assert found.text == "# QA\n"
    assert [each.where for each in found.warnings] == [".claude/agents/qa.md:3"]
    write(project / ".github/agents/qa.agent.md", odd)
    with pytest.raises(InputError, match=r"\.github/agents/qa\.agent\.md:3: is not YAML"):
        find(project)


def test_a_file_without_a_definition_in_it_is_refused(project: Path) -> None:
    write(project / ORDER[1], HEAD)
    with pytest.raises(InputError, match="holds no definition"):
        find(project)


def test_a_definition_that_settings_name_and_nobody_wrote_is_refused(project: Path) -> None:
    with pytest.raises(InputError, match=r"\[roles\.qa\] definition: there is no file gone\.md"):
        find(project, configured={"qa": Configured("gone.md")})


def test_a_definition_that_may_not_be_read_is_refused(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project / ORDER[1], "x")
    monkeypatch.setattr("podium.roles.open", _denied, raising=False)
    with pytest.raises(InputError, match=r"qa-agent\.md: cannot be read: Permission denied"):
        find(project)


def _denied(*_: object, **__: object) -> None:
    raise PermissionError(13, "Permission denied")


def test_of_a_workflow_every_bad_definition_is_told_at_once(project: Path) -> None:
    for role in ("qa", "build"):
        write(project / f"harness/roles/{role}-agent.md", "---\na: b: c\n---\nx")
    workflow = entry("harness").sample(
        defaults("harness"), lambda _: None, lambda path: scaffold_text("harness", path)
    )
    found, faults = survey(workflow, "harness", project, {}, {"HOME": str(project)})
    assert sorted(found) == ["feature-design", "po-spec", "tech-lead"]
    assert [each.where for each in faults] == [
        "harness/roles/build-agent.md:2",
        "harness/roles/qa-agent.md:2",
    ]


def finder(project: Path, configured: Mapping[str, Configured] | None = None) -> RoleFinder:
    return RoleFinder(project, configured or {}, {"HOME": str(project.parent / "home")}, "harness")


def test_a_run_finds_each_role_as_it_is_at_the_moment(project: Path) -> None:
    found = finder(project)
    built_in = found("qa", ORDER[1])
    assert built_in.source == "built-in"
    for at in reversed(range(1, len(ORDER))):  # each comes before the one that was found until now
        write(project / ORDER[at], f"from {ORDER[at]}")
        assert found("qa", ORDER[1]).text == f"from {ORDER[at]}"
    write(project / ORDER[1], "another text")
    assert found("qa", ORDER[1]).text == "another text"
    for at in range(1, len(ORDER)):
        os.unlink(project / ORDER[at])
    assert found("qa", ORDER[1]) == built_in


def test_a_run_reads_the_file_of_a_role_once_while_it_stays_the_same(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project / ORDER[1], "mine")
    found = finder(project)
    first = found("qa", ORDER[1])
    monkeypatch.setattr("podium.roles.find_role", lambda *_: pytest.fail("it was read again"))
    assert found("qa", ORDER[1]) is first


def test_a_definition_that_vanishes_during_a_run_is_a_fault_with_its_name(project: Path) -> None:
    write(project / "chosen.md", "mine")
    found = finder(project, {"qa": Configured("chosen.md")})
    assert found("qa", "").text == "mine"
    os.unlink(project / "chosen.md")
    with pytest.raises(InputError, match=r"there is no file chosen\.md"):
        found("qa", "")


def test_a_folder_at_a_better_place_hides_no_change_of_the_file_behind_it(project: Path) -> None:
    (project / ORDER[1]).mkdir(parents=True)
    write(project / ORDER[2], "first")
    found = finder(project)
    assert found("qa", ORDER[1]).text == "first"
    write(project / ORDER[2], "second, and longer")
    assert found("qa", ORDER[1]).text == "second, and longer"
