"""How a harness run begins: a task file, a stage list, and flags by precedence. Nothing is
guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from podium.core.errors import InputError, UsageError
from podium.wiring import scaffold_text
from podium.workflows.catalog import entry
from podium.workflows.entry import Start
from podium.workflows.harness.entry import ENTRY, STAGES, remake
from podium.workflows.harness.workflow import COMPLETION, Harness

TASK = scaffold_text("harness", "tasks/T001-sample.md")
PATH = "harness/tasks/T001-sample.md"
SHIPPED = scaffold_text("harness", "stages.toml")
POLICY = {
    "max_remediations": 2,
    "require_approval_before_build": True,
    "require_approval_before_complete": True,
}


def start(
    files: Mapping[str, str] | None = None,
    policy: Mapping[str, Any] | None = None,
    *inputs: str,
    **options: Any,
) -> Start:
    known = {PATH: TASK} if files is None else files
    told = {"scaffold": lambda _: SHIPPED, "given": {}, **options}
    return ENTRY.start(inputs or (PATH,), {**POLICY, **(policy or {})}, told, known.get)


def flags(
    *, task: str = "", policy: Mapping[str, Any] | None = None, **given: Any
) -> dict[str, bool]:
    text = TASK.replace("## Approval\n", f"## Approval\n\n{task}\n")
    return dict(start({PATH: text}, policy, given=given).members["approvals"])


def test_it_is_in_the_catalog_under_its_name() -> None:
    assert entry("harness") is ENTRY


@pytest.mark.parametrize("inputs", [(), ("a.md", "b.md")])
def test_it_takes_one_task_file(inputs: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="takes one task file"):
        ENTRY.start(inputs, POLICY, {"scaffold": lambda _: SHIPPED}, lambda _: None)


def test_a_task_file_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match=r"nowhere\.md: there is no such task file"):
        start({}, None, "nowhere.md")


@pytest.mark.parametrize(
    ("path", "there", "said"),
    [
        ("tasks/T01.md", ["tasks/T001-a.md", "tasks/notes.txt"], "did you mean tasks/T001-a.md?"),
        (
            "tasks/T001-ab.md",
            ["tasks/T001-a.md", "tasks/T002-b.md"],
            "did you mean tasks/T001-a.md?",
        ),
        (
            "tasks/x.md",
            ["tasks/T001-a.md"],
            "there is tasks/T001-a.md; `podium init harness` makes a sample",
        ),
        ("nope.md", ["README.md"], "makes a sample"),
        ("tasks/x.md", [], "makes a sample"),
    ],
)
def test_a_wrong_name_is_answered_with_what_is_there(
    path: str, there: list[str], said: str
) -> None:
    with pytest.raises(InputError) as refused:
        ENTRY.start(
            [path],
            POLICY,
            {"scaffold": lambda _: SHIPPED, "beside": lambda _: there},
            lambda _: None,
        )
    assert said in str(refused.value)


@pytest.mark.parametrize("path", ["T001-a.md", "harness/task/T001-a.md", "T001-b.md"])
def test_a_task_file_in_the_wrong_folder_is_looked_for_where_tasks_are(path: str) -> None:
    def beside(other: str) -> list[str]:
        return ["harness/tasks/T001-a.md"] if other.startswith("harness/tasks/") else ["README.md"]

    with pytest.raises(InputError, match=r"did you mean harness/tasks/T001-a\.md\?"):
        ENTRY.start(
            [path], POLICY, {"scaffold": lambda _: SHIPPED, "beside": beside}, lambda _: None
        )


def test_a_run_begins_with_what_the_task_says() -> None:
    begin = start()
    assert begin.members["task_id"] == begin.slug == "T001"
    assert begin.members["title"] == "Add a word counter"
    assert begin.members["criteria"] == ["AC1", "AC2", "AC3", "AC4", "AC5", "AC6"]
    assert begin.members["task_file"] == PATH
    assert begin.members["report"] == "harness/runs/T001-run-report.md"
    assert begin.title == "T001 — Add a word counter"


def test_the_members_make_a_run_at_the_first_stage() -> None:
    begin = start()
    run = begin.workflow.first(**begin.members)
    assert (run.step, run.visits) == ("specification", {"specification": 1})


def test_a_path_that_the_task_names_wins_over_the_stage_lists() -> None:
    begin = start(
        {PATH: TASK.replace("harness/artifacts/qa/T001-qa-review.md", "harness/reviews/T001.md")}
    )
    assert begin.members["artifacts"]["qa"] == "harness/reviews/T001.md"
    assert begin.members["artifacts"]["spec"] == "harness/artifacts/specs/T001-feature-spec.md"


def test_a_path_that_the_task_does_not_name_is_the_stage_lists() -> None:
    begin = start(
        {PATH: "\n".join(line for line in TASK.splitlines() if not line.startswith("Design Note:"))}
    )
    assert begin.members["artifacts"]["design"] == "harness/artifacts/design/T001-design-note.md"


def test_the_projects_own_stage_list_is_used_and_kept() -> None:
    own = SHIPPED.replace('name = "Design"', 'name = "Sketch"').replace(
        'code = "DESIGN"', 'code = "SKETCH"'
    )
    begin = start({PATH: TASK, STAGES: own})
    assert isinstance(begin.workflow, Harness)
    assert begin.workflow.stages[1].name == "Sketch"
    assert begin.definition["stages"][1]["name"] == "Sketch"


def test_a_run_under_way_keeps_the_line_and_the_policy_it_began_with() -> None:
    begin = start(policy={"max_remediations": 1})
    again = remake(begin.definition, {"max_remediations": 1})
    assert isinstance(begin.workflow, Harness)
    assert (again.stages, again.max_remediations) == (
        begin.workflow.stages,
        begin.workflow.max_remediations,
    )
    assert again.steps.keys() == begin.workflow.steps.keys()


def test_both_flags_are_on_by_default() -> None:
    assert flags() == {"approve_build": True, COMPLETION: True}


@pytest.mark.parametrize(
    ("task", "policy", "given", "expected"),
    [
        ("", {"require_approval_before_build": False}, {}, False),
        ("Require Approval Before Build: Yes", {"require_approval_before_build": False}, {}, True),
        ("Require Approval Before Build: No", {"require_approval_before_build": True}, {}, False),
        ("Require Approval Before Build: No", {}, {"require_approval_before_build": True}, True),
        ("Require Approval Before Build: Yes", {}, {"require_approval_before_build": False}, False),
    ],
)
def test_the_command_line_wins_over_the_task_which_wins_over_the_policy(
    task: str, policy: dict[str, bool], given: dict[str, bool], expected: bool
) -> None:
    assert flags(task=task, policy=policy, **given) == {"approve_build": expected, COMPLETION: True}


def test_each_flag_stands_for_itself() -> None:
    assert flags(task="Require Approval Before Complete: No") == {
        "approve_build": True,
        COMPLETION: False,
    }


def test_only_one_live_run_may_have_a_state_file_and_another_may_be_named() -> None:
    assert start().scope == start().members["state_path"] == "harness/run-state.md"
    assert start(state="harness/b.md").scope == "harness/b.md"
    assert start(state="./harness//run-state.md").scope == "harness/run-state.md"


@pytest.mark.parametrize(
    "state",
    [
        "harness",
        "state.txt",
        PATH,
        f"./{PATH}",
        "harness/runs/T001-run-report.md",
        "harness/artifacts/specs/T001-feature-spec.md",
        ".git/state.md",
        ".podium/state.md",
        "harness/roles/state.md",
        "harness/tasks/state.md",
        "/tmp/state.md",
        "../state.md",
    ],
)
def test_a_state_is_kept_in_a_file_that_is_nothing_else(state: str) -> None:
    with pytest.raises(InputError, match="--state"):
        start(state=state)


def test_everything_a_stage_cannot_do_without_is_required_before_anything_is_written() -> None:
    required = list(start().required)
    assert len(required) == len(set(required))
    for path in (
        "harness/templates/run-state-template.md",
        "harness/templates/run-report-template.md",
        "harness/roles/qa-agent.md",
        "harness/templates/qa-review-template.md",
        "harness/standards/coding-standard.md",
        "harness/standards/task-lifecycle.md",
    ):
        assert path in required
    assert not [each for each in required if each.startswith("@") or each.endswith("?")]


def _state(task: str, status: str) -> str:
    return (
        f"# Run State\n\n## Task\n\nTask ID: {task}\n\n## Execution State\n\nCurrent Status: "
        f"{status}\n"
    )


@pytest.mark.parametrize(
    ("task", "status", "done"),
    [("T001", "Complete", True), ("T002", "Complete", False), ("T001", "Active", False)],
)
def test_a_state_file_that_says_this_task_is_complete_is_recognised(
    task: str, status: str, done: bool
) -> None:
    assert start().finished(_state(task, status)) is done


def test_the_retry_limits_are_those_of_the_policy() -> None:
    assert ENTRY.retries({"validation_fixes": 3}) == {"validation": 3, "violation": 1}
