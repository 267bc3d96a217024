from __future__ import annotations

import pytest

from podium.workflows.ticket.tasks.task import Commands, Policy, Task
from podium.workflows.ticket.tasks.validation import GroupCommands, commands_for, drift, outside, rejection

POLICY = Policy(
    baseline_allowlist=("package-lock.json", "gen/**"),
    commands=Commands(build_command="make", working_directory="./api/"),
    groups={"B": Commands(test_command="make e2e", working_directory="web")},
)


def test_a_groups_own_commands_win_over_the_plans_and_those_over_the_detected():
    assert commands_for(POLICY, "A", build="npm run build", test="npm test") == GroupCommands(
        "api", "make", "npm test",
        ("working_directory from validation_policy", "build_command from validation_policy", "test_command from detected"),
    )  # fmt: skip
    assert commands_for(POLICY, "B", build="npm run build", test="npm test") == GroupCommands(
        "web", "make", "make e2e",
        ("working_directory from group B", "build_command from validation_policy", "test_command from group B"),
    )  # fmt: skip
    assert commands_for(Policy(), "A", build="", test="t").why == ("test_command from detected",)


@pytest.mark.parametrize(
    ("changed", "strays"),
    [
        (["src/a.py"], ()),
        (["tests/deep/test_a.py"], ()),
        (["gen/x", "package-lock.json", "own.lock"], ()),
        (["src/b.py", "README.md", "src/a.py"], ("README.md", "src/b.py")),
        (["src/a.pyx"], ("src/a.pyx",)),
    ],
)
def test_a_task_changes_only_what_it_lists(changed: list[str], strays: tuple[str, ...]):
    task = Task(id="T1", files_to_modify=("src/a.py",), test_files=("tests/**",), baseline_allowlist=("own.lock",))
    assert outside(changed, task, POLICY) == strays
    assert bool(rejection(strays, task)) is bool(strays)


def test_the_rejection_lists_the_strays():
    assert rejection(["b", "a"], Task(id="T1")) == "T1 changed files that it does not list: a, b"


def test_documents_that_had_changed_before_count_only_where_asked():
    before = ["docs/a.md", "gen/x", "src/a.py"]
    assert drift(before, POLICY) == ("src/a.py",)
    assert drift(before, Policy(baseline_scope="all")) == ("docs/a.md", "gen/x", "src/a.py")
