"""What a gate and the end of a run say about the code: every file with its status, its lines and
what it is, and what the end is called.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.fakes.project import Project
from tests.fakes.repository import git

from podium.proof.sentences import line_of

BUILD: dict[str, Any] = {
    "write": {
        "src/app.py": "VALUE = 2\nNAME = 'x'\n",
        "src/new.py": "A = 1\nB = 2\n",
        "tests/test_new.py": "def test_new():\n    assert True\n",
        "docs/new.md": "# New\n",
    },
    "delete": ["src/old.py"],
    "say": "built",
}
CHANGES = [
    ("A", "docs/new.md", 1, 0, "document"),
    ("M", "src/app.py", 2, 1, "code"),
    ("A", "src/new.py", 2, 0, "code"),
    ("D", "src/old.py", 0, 1, "code"),
    ("A", "tests/test_new.py", 2, 0, "test"),
]


def told(event: Any) -> list[tuple[Any, ...]]:
    names = ("status", "path", "added", "removed", "kind")
    return [tuple(file[name] for name in names) for file in event["changes"]["files"]]


def test_a_gate_and_the_end_list_every_file_of_code_with_its_status_and_lines(
    project: Project,
) -> None:
    project.run({"build": [BUILD]}, policy={"require_approval_before_build": False})
    gate = project.event("gate.opened", key="approve-completion")
    assert told(gate) == CHANGES
    assert gate["changes"]["total"] == len(CHANGES)
    (waits,) = project.app.summary(project.run_id).gates
    assert waits["changes"] == gate["changes"]
    project.approve()
    assert project.resume().exit_code == 0
    assert told(project.event("run.completed")) == CHANGES


def test_before_there_is_code_a_gate_names_none(project: Project) -> None:
    project.run()
    assert "changes" not in project.event("gate.opened", key="approve-build")


def test_only_the_work_of_the_run_is_told_and_the_person_s_own_is_not(project: Project) -> None:
    project.write("mine.txt", "mine\n")
    project.run({"build": [BUILD]})
    project.write("mine.txt", "changed while the run waits\n")
    project.approve()
    project.resume()
    assert told(project.event("gate.opened", key="approve-completion")) == CHANGES


def test_two_builds_are_told_as_one_difference_and_what_they_undid_not_at_all(
    project: Project,
) -> None:
    again = {
        "write": {"src/app.py": "VALUE = 1\n", "src/new.py": "A = 1\n"},
        "say": "fixed",
    }
    review = {"template": "qa", "result": "Issues Found", "readiness": "Back to Build"}
    qa = [{"write": {"@qa": review}}, {"behave": "well"}]
    assert project.through({"build": [BUILD, again], "qa": qa}).exit_code == 0
    assert told(project.event("run.completed")) == [
        ("A", "docs/new.md", 1, 0, "document"),
        ("A", "src/new.py", 1, 0, "code"),
        ("D", "src/old.py", 0, 1, "code"),
        ("A", "tests/test_new.py", 2, 0, "test"),
    ]


def test_what_is_no_text_has_no_lines_and_attributes_change_nothing(project: Project) -> None:
    project.write(".gitattributes", "*.py binary\n*.bin text\n")
    git(project.root, "add", "-A")
    git(project.root, "commit", "-qm", "attributes")
    build = {"run": "printf 'a\\0b' > data.bin; echo 'VALUE = 3' > src/app.py", "say": "built"}
    assert project.through({"build": [build]}).exit_code == 0
    assert told(project.event("run.completed")) == [
        ("A", "data.bin", None, None, "code"),
        ("M", "src/app.py", 1, 1, "code"),
    ]


# -- what it rests on


def words(event: Any, name: str) -> list[str]:
    return [line_of(record) for record in event.get(name, ())]


def test_a_gate_tells_what_is_proven_of_the_code_and_before_there_is_any_what_was_before(
    project: Project,
) -> None:
    project.run({"build": [BUILD]})
    first = project.event("gate.opened", key="approve-build")
    assert (words(first, "baseline"), words(first, "evidence")) == (["test: passed"], [])
    project.approve()
    project.resume()
    second = project.event("gate.opened", key="approve-completion")
    assert (words(second, "baseline"), words(second, "evidence")) == ([], ["test: passed"])
    assert "output" not in second["evidence"][0]
    (waits,) = project.app.summary(project.run_id).gates
    assert waits["evidence"] == tuple(second["evidence"])
    project.approve()
    project.resume()
    assert words(project.event("run.completed"), "evidence") == ["test: passed"]


def test_an_edit_that_a_person_makes_before_a_gate_is_part_of_what_the_gate_tells(
    project: Project,
) -> None:
    project.run({"build": [BUILD]}, policy={"require_approval_before_build": False}, until="qa/1")
    project.write("src/other.py", "VALUE = 'broken'\n")
    project.resume()
    gate = project.event("gate.opened", key="approve-completion")
    assert words(gate, "evidence") == ["test: failed (exit 1)"]


# -- what the end is called


def unproven(project: Project) -> None:
    """A project in which no stage declares proof, and nothing would run."""
    project.write("podium.toml", "")
    project.edit("harness/stages.toml", '\nevidence = ["build", "test"]', "\nevidence = []")


@pytest.mark.parametrize(
    ("commands", "build", "outcome", "proof"),
    [
        (True, BUILD, "complete", "passed"),
        (False, BUILD, "complete_unproven", "none"),
        (False, {"say": "No change needed: it is there."}, "complete_unproven", "none"),
        (True, {"say": "No change needed: it is there."}, "complete_unproven", "passed"),
        (True, {"behave": "well", "say": "Fixed. All tests pass."}, "complete_unproven", "passed"),
    ],
)
def test_code_that_no_command_judged_and_work_without_code_is_complete_and_unproven(
    project: Project, commands: bool, build: dict[str, Any], outcome: str, proof: str
) -> None:
    if not commands:
        unproven(project)
    assert project.through({"build": [build]}).outcome == outcome
    end = project.event("run.completed")
    assert (end["outcome"], end["proof"]) == (outcome, proof)
    summary = project.app.summary(project.run_id)
    assert (summary.status, summary.outcome, summary.proof) == ("complete", outcome, proof)
