"""What a gate and the end of a run say about the code: every file with its status, its lines and
what it is, and what the end is called.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.fakes.project import Project
from tests.fakes.repository import git

from podium.proof.delivery import as_text, delivery_of
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


def test_a_file_that_only_moved_is_one_line_and_one_that_was_edited_too_is_two(
    project: Project,
) -> None:
    project.write("src/other.py", "OTHER = 1\nMORE = 2\n")
    git(project.root, "add", "-A")
    git(project.root, "commit", "-qm", "other")
    moves = "mv src/old.py src/moved.py; mv src/other.py lib.py; echo 'X = 1' >> lib.py"
    assert project.through({"build": [{"run": moves, "say": "moved"}]}).exit_code == 0
    assert told(project.event("run.completed")) == [
        ("A", "lib.py", 3, 0, "code"),
        ("R", "src/moved.py", 0, 0, "code"),
        ("D", "src/other.py", 0, 2, "code"),
    ]
    (moved,) = (file for file in files(project) if file["status"] == "R")
    assert moved["was"] == "src/old.py"
    assert "R src/old.py → src/moved.py" in report(project)


def test_names_with_control_characters_are_told_and_hide_nothing(project: Project) -> None:
    odd = "printf x > \"$(printf 'ev\\033[31mil\\nname.py')\""
    assert project.through({"build": [{"run": odd, "say": "built"}]}).exit_code == 0
    assert [file["path"] for file in files(project)] == ["ev\x1b[31mil\nname.py"]
    assert "A ev\\x1b[31mil\\nname.py +1" in report(project).splitlines()


WEAKER: dict[str, Any] = {
    "write": {"tests/test_app.py": "def test_app():\n    pass\n", "src/app.py": "VALUE = 2\n"},
    "say": "built",
}


def test_what_a_person_accepted_of_weakened_tests_is_told_with_its_lines_to_the_end(
    project: Project,
) -> None:
    project.write("tests/test_app.py", "def test_app():\n    assert 1 + 1 == 2\n")
    git(project.root, "add", "-A")
    git(project.root, "commit", "-qm", "a test")
    project.run({"build": [WEAKER]}, policy={"require_approval_before_build": False})
    asked = project.event("gate.opened", key="build/1/weakened-1")
    assert [line_of(record) for record in asked["evidence"]] == ["test: passed"]
    assert "weakened" not in asked["changes"], "nobody has accepted it yet"
    project.approve()
    project.resume()
    gate = project.event("gate.opened", key="approve-completion")
    (weak,) = gate["changes"]["weakened"]
    assert (weak["path"], weak["how"], weak["key"]) == ("tests/test_app.py", "edited", "build/1")
    assert weak["by"]
    assert any("assert 1 + 1 == 2" in line for line in weak["lines"])
    project.approve()
    project.resume()
    assert project.event("run.completed")["changes"]["weakened"] == [weak]
    assert f"weakened tests/test_app.py: edited; accepted by {weak['by']}" in report(project)


def files(project: Project) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = project.event("run.completed")["changes"]["files"]
    return found


def report(project: Project) -> str:
    return "\n".join(as_text(delivery_of(project.event("run.completed"))))


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

NOTES = {"write": {"notes.txt": "It works now.\n"}, "say": "Fixed. All tests pass."}


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
        (True, {"behave": "well", "say": "Fixed. All tests pass."}, "complete", "passed"),
        (True, NOTES, "complete_unproven", "passed"),
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
