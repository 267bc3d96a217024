from __future__ import annotations

import pytest

from podium.core.globs import matches
from podium.workflows.ticket.tasks.task import Commands, Policy, Task
from podium.workflows.ticket.tasks.validation import GroupCommands, allowed, commands_for

POLICY = Policy(
    baseline_allowlist=("package-lock.json", "gen/**"),
    build_command="make",
    working_directory="./api/",
    groups={"B": Commands(test_command="make e2e", working_directory="web")},
)


def test_a_groups_own_commands_win_over_the_plans_and_those_over_the_detected():
    assert commands_for(POLICY, "A", build="npm run build", test="npm test") == GroupCommands(
        "api",
        "make",
        "npm test",
        (
            "working_directory from validation_policy",
            "build_command from validation_policy",
            "test_command from detected",
        ),
    )
    assert commands_for(POLICY, "B", build="npm run build", test="npm test") == GroupCommands(
        "web",
        "make",
        "make e2e",
        (
            "working_directory from group B",
            "build_command from validation_policy",
            "test_command from group B",
        ),
    )
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
    task = Task(
        id="T1",
        files_to_modify=("src/a.py",),
        test_files=("tests/**",),
        baseline_allowlist=("own.lock",),
    )
    assert (
        tuple(sorted(path for path in changed if not matches(path, allowed(task, POLICY))))
        == strays
    )
