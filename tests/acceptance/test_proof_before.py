"""What is asked when the project's own commands fail before the run."""

from __future__ import annotations

from typing import Any

import pytest
from tests.fakes.project import Project

RED = "grep -q fixed src/app.py || { echo wrong; exit 1; }\n"
FIXES: dict[str, Any] = {
    "build": [{"write": {"src/app.py": "VALUE = 'fixed'\n"}, "say": "It is fixed."}]
}
OTHER: dict[str, Any] = {"build": [{"write": {"src/app.py": "VALUE = 2\n"}, "say": "Done."}]}


@pytest.fixture
def red(project: Project) -> Project:
    """A project whose tests fail and name nothing."""
    project.write("tests.sh", RED)
    return project


def test_a_failure_without_a_name_keeps_no_repair_from_completing(red: Project) -> None:
    ended = red.through(FIXES)
    assert (ended.exit_code, ended.outcome) == (0, "complete")
    assert red.event("run.completed")["proof"] == "passed"


def test_a_failure_without_a_name_is_never_the_same_as_before(red: Project) -> None:
    ended = red.through(OTHER)
    assert (ended.exit_code, ended.stop) == (20, "validation")


def asking(project: Project, *more: str) -> None:
    lines = ['test = "sh tests.sh"', *more]
    project.write("podium.toml", '[proof]\nbefore = "ask"\n[commands]\n' + "\n".join(lines) + "\n")


def test_a_person_who_is_asked_about_it_may_demand_it_or_go_on_without_proof(red: Project) -> None:
    asking(red)
    assert red.run(FIXES).exit_code == 10
    gate = red.event("gate.opened", key="preflight")
    assert gate["choices"] == ["green", "again", "unproven"]
    assert "green: they must pass at the end; again: you have fixed it" in gate["prompt"]


def test_going_on_without_a_command_that_cannot_run_says_nothing_about_one_that_fails(
    red: Project,
) -> None:
    asking(red, 'build = "nosuchprogram"')
    assert red.run(FIXES).exit_code == 10
    red.answer(choice="unproven")
    assert red.resume().exit_code == 10
    first, second = red.events("gate.opened", key="preflight")
    assert (first["choices"], second["choices"]) == (
        ["again", "unproven"],
        ["green", "again", "unproven"],
    )
    (waived,) = red.events("proof.waived")
    assert waived["commands"] == ["build"]


def test_a_file_that_git_does_not_keep_may_be_made_anew_though_it_was_not_before(
    red: Project,
) -> None:
    red.write("tests.sh", f"{RED}cat src/app.py >product\n")
    red.write("product", "of something else\n")
    ended = red.through(FIXES)
    assert (ended.exit_code, ended.outcome) == (0, "complete")
    assert red.path("product").read_text() == "of something else\n"


def test_a_file_that_git_keeps_may_not(red: Project) -> None:
    red.write("tests.sh", f"{RED}cat src/app.py >src/old.py\n")
    ended = red.through(FIXES)
    assert (ended.exit_code, ended.outcome) != (0, "complete")
    assert "changed src/old.py while it ran" in ended.reason


TAP = """\
echo "TAP version 13"
check() { ! grep -q broken src/app.py; }
for file in tests/*.sh; do . "$file"; done
echo "not ok 1 - an old fault"
check && echo "ok 2 - app" || echo "not ok 2 - app"
echo "1..2"
exit 1
"""


def test_tests_from_before_judge_the_code_of_a_project_that_failed_before_too(
    project: Project,
) -> None:
    project.write("tests.sh", TAP)
    project.write("tests/one.sh", "true\n")
    files = {"src/app.py": "VALUE = 'broken'\n", "tests/two.sh": "check() { true; }\n"}
    ended = project.through({"build": [{"write": files, "say": "All tests pass."}]})
    assert ended.exit_code == 10
    prompt = project.event("gate.opened", key="build/1/weakened-1")["prompt"]
    assert "tests/two.sh: old tests fail" in prompt


def test_an_honest_change_of_such_a_project_completes_as_before(project: Project) -> None:
    project.write("tests.sh", TAP)
    project.write("tests/one.sh", "true\n")
    files = {"src/app.py": "VALUE = 2\n", "tests/two.sh": "true\n"}
    ended = project.through({"build": [{"write": files, "say": "VALUE is 2."}]})
    assert (ended.exit_code, ended.outcome) == (0, "complete")
    assert project.event("run.completed")["proof"] == "failed_before"
