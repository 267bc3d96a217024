from __future__ import annotations

import pytest

from podium.core.errors import InputError
from podium.workflows.ticket.request.mandates import Mandate
from podium.workflows.ticket.tasks.document import entry_text, read, update
from podium.workflows.ticket.tasks.task import Commands, Entry

FILE = """\
# planned on Monday
validation_policy:
  baseline_allowlist: ["package-lock.json"]
  working_directory: services/api
  groups:
    B: {test_command: make e2e}
tasks:
  - id: TASK-1
    description: "Parse the file"
    files_to_modify: [src/a.py]
    success_criteria:
      - it parses
    parallel_group: A
    depends_on: []
    status: PENDING   # not begun
    test_files: [tests/test_a.py]
    hint: mine

  - id: TASK-2
    description: Show it
    files_to_modify: [src/b/]
    success_criteria: it shows
    parallel_group: B
    depends_on: [TASK-1]
    status: PENDING
    attempt: 0
    tool_mandates:
      - {mandate: use ruff, tool: ruff}
      - MUST use chrome
parallel_groups:
  A: [TASK-1]
  B: [TASK-2]
execution_order:
  - {group: A, strategy: parallel, tasks: [TASK-1]}
  - {group: B, strategy: sequential, tasks: [TASK-2]}
strategy: mixed
"""


def told(text: str, *, fresh: bool = False) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(text, fresh=fresh)
    return [str(each) for each in caught.value.faults]


def test_a_whole_document_is_read():
    graph = read(FILE, fresh=True)
    assert [each.id for each in graph.tasks] == ["TASK-1", "TASK-2"]
    assert graph.task("TASK-1").paths == ("src/a.py", "tests/test_a.py")
    assert graph.task("TASK-2").success_criteria == ("it shows",)
    assert graph.task("TASK-2").tool_mandates == (
        Mandate("use ruff", tool="ruff"),
        Mandate("MUST use chrome"),
    )
    assert graph.order == (
        Entry("A", "parallel", ("TASK-1",)),
        Entry("B", "sequential", ("TASK-2",)),
    )
    assert graph.groups == {"A": ("TASK-1",), "B": ("TASK-2",)}
    assert graph.policy.baseline_scope == "code_and_tests_only"
    assert graph.policy.working_directory == "services/api"
    assert graph.policy.groups == {"B": Commands(test_command="make e2e")}


@pytest.mark.parametrize(
    "key", ["validation_policy", "tasks", "parallel_groups", "execution_order", "strategy"]
)
def test_each_top_key_is_required(key: str):
    faults = told(FILE.replace(f"\n{key}:", f"\nx_{key}:"))
    assert [each for each in faults if f"{key} is missing" in each]
    assert len(faults) == 1


@pytest.mark.parametrize(
    "field",
    [
        "description",
        "files_to_modify",
        "success_criteria",
        "parallel_group",
        "depends_on",
        "status",
    ],
)
def test_each_field_of_a_task_is_required(field: str):
    text = FILE.replace(f"\n    {field}:", f"\n    x_{field}:", 1)
    assert any(
        f"tasks[0].{field} is missing" in each and "tasks.yaml:8" in each for each in told(text)
    )


def test_groups_as_a_list_are_invalid():
    text = FILE.replace(
        "parallel_groups:\n  A: [TASK-1]\n  B: [TASK-2]\n",
        "parallel_groups:\n  - [TASK-1]\n  - [TASK-2]\n",
    )
    assert told(text) == [
        (
            "tasks.yaml:31: parallel_groups is a list (expected a table of names like A to "
            "values, each a list, each a text like TASK-1)"
        )
    ]


def test_faults_of_shape_and_graph_are_told_together_each_with_its_line():
    text = FILE.replace("status: PENDING   #", "status: OPEN #").replace(
        "depends_on: [TASK-1]", "depends_on: [TASK-9]"
    )
    assert [each.split(" (")[0] for each in told(text)] == [
        "tasks.yaml:15: tasks[0].status is 'OPEN'",
        "tasks.yaml:19: TASK-2 depends on TASK-9, which is not a task",
    ]


def test_whoever_plans_the_work_cannot_say_that_it_is_done():
    text = FILE.replace("status: PENDING   #", "status: ACCEPTED #").replace(
        "attempt: 0", "attempt: 3"
    )
    assert read(text).task("TASK-1").status == "ACCEPTED"
    assert [each.split(" (")[0] for each in told(text, fresh=True)] == [
        "tasks.yaml:8: TASK-1 has status ACCEPTED",
        "tasks.yaml:19: TASK-2 has attempt 3",
    ]


@pytest.mark.parametrize("folder", ["/etc", "../other", ".git"])
def test_commands_run_inside_the_project(folder: str):
    assert "working_directory" in told(FILE.replace("services/api", folder))[0]


def test_statuses_change_in_place():
    after = update(
        FILE, {"TASK-1": {"status": "ACCEPTED"}, "TASK-2": {"status": "REJECTED", "attempt": 1}}
    )
    assert after == FILE.replace("status: PENDING   #", "status: ACCEPTED   #").replace(
        "status: PENDING\n    attempt: 0", "status: REJECTED\n    attempt: 1"
    )
    assert update(FILE, {}) == FILE
    with pytest.raises(InputError, match="no task TASK-7"):
        update(FILE, {"TASK-7": {"status": "ACCEPTED"}})


def test_a_new_member_stands_at_the_end_of_its_task():
    after = update(FILE, {"TASK-1": {"attempt": 1, "started_at": "2026-04-20T10:00:00Z"}})
    assert after == FILE.replace(
        "hint: mine\n", 'hint: mine\n    attempt: 1\n    started_at: "2026-04-20T10:00:00Z"\n'
    )


def test_a_tasks_own_lines_can_be_shown_alone():
    text = entry_text(FILE, "TASK-1")
    assert text.startswith('id: TASK-1\ndescription: "Parse the file"\n')
    assert text.endswith(
        "status: PENDING   # not begun\ntest_files: [tests/test_a.py]\nhint: mine\n"
    )
    with pytest.raises(InputError):
        entry_text(FILE, "TASK-9")


@pytest.mark.parametrize(
    "text", ["", "[]", "tasks: 5", "tasks: [1, {id: 2}]\nparallel_groups: {A: 1}", "a: *x"]
)
def test_no_document_is_too_broken_to_be_told_about(text: str):
    assert told(text)
