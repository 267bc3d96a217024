from __future__ import annotations

import pytest

from podium.workflows.ticket.legacy import MIXED, legacy_files, refusal, warning

FOLDER = "prompts/PROJ-1"


@pytest.mark.parametrize(
    "path",
    [
        "startup_context.yaml",
        "context_compact.yaml",
        "validation_plan.yaml",
        "task_packets/TASK-1.yaml",
        "task_packets/",
        "logs/task_1_summary.yaml",
        "summaries/task_TASK-1_summary.yaml",
        "iteration_0/validation_plan.yaml",
        "iteration_0/logs/task_1_summary.yaml",
    ],
)
def test_each_old_file_stops_a_resume_by_name(path: str):
    found = refusal([f"{FOLDER}/{path}", f"{FOLDER}/progress.yaml"], FOLDER)
    assert found.startswith(MIXED)
    assert path.rstrip("/") in found


def test_the_files_of_this_workflow_and_of_other_tickets_are_no_old_ones():
    own = [
        "progress.yaml",
        "prompt.yaml",
        "log.jsonl",
        "iteration_0/tasks.yaml",
        "logs/other.yaml",
        "tmp/x",
    ]
    paths = [f"{FOLDER}/{each}" for each in own]
    assert (
        legacy_files(
            [*paths, "prompts/PROJ-2/startup_context.yaml", "startup_context.yaml"], FOLDER
        )
        == ()
    )
    assert refusal(paths, FOLDER) == ""
    assert warning(paths, FOLDER) == ()


def test_a_new_run_is_warned_of_old_files_and_not_stopped():
    paths = [f"{FOLDER}/task_packets/TASK-1.yaml", "prompts/PROJ-2/progress.yaml"]
    assert refusal(paths, FOLDER) == ""
    assert warning(paths, FOLDER)[0].endswith("task_packets/TASK-1.yaml")
