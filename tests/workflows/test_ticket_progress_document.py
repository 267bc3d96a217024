from __future__ import annotations

from dataclasses import replace

import pytest

from podium.core.errors import InputError
from podium.workflows.ticket.progress import document as progress_document
from podium.workflows.ticket.progress.document import (
    Checkpoint,
    ImpactScan,
    Iteration,
    Progress,
    Startup,
)
from podium.workflows.ticket.progress.metrics import Metrics

NOW = "2026-04-20T10:00:00Z"
PROGRESS = Progress(
    jira="PROJ-1",
    type="feature",
    slug="a_b_c",
    branch="feature/PROJ-1_a_b_c",
    build_command="make",
    test_command="make test",
    max_parallel_tasks=4,
    startup=Startup(
        impact_scan=ImpactScan(affected_areas=("src",), likely_files=("src/a.py",)), updated_at=NOW
    ),
    created_at=NOW,
    last_updated=NOW,
    last_checkpoint=Checkpoint(timestamp=NOW),
    iterations=(Iteration(number=0, started_at=NOW),),
)
FRESH = """\
jira: "PROJ-1"
type: "feature"
slug: "a_b_c"
branch: "feature/PROJ-1_a_b_c"
build_command: "make"
test_command: "make test"
max_parallel_tasks: 4
docs_cache_state_path: "docs/docs_cache_state.yaml"
docs_trusted_for_planning: false
trust_status: "unknown"
git_gate_completed: false
cycle_acceleration_mode: "standard"
startup:
  docs_state:
    architecture_exists: false
    code_style_exists: false
    findings_exists: false
    docs_trusted_for_planning: false
    refresh_required: true
  impact_scan:
    affected_areas:
      - "src"
    likely_files:
      - "src/a.py"
  planning_ready: true
  updated_at: "2026-04-20T10:00:00Z"
metrics:
  tasks_total: 0
  tasks_completed: 0
  groups_total: 0
  groups_completed: 0
  percent_complete: 0
  elapsed_minutes_estimate: 0
  remaining_minutes_estimate: null
  eta_confidence: "low"
  first_code_change_at: null
  lead_time_to_first_code_change_minutes: null
  latest_group_cycle_minutes_estimate: null
  latest_iteration_cycle_minutes_estimate: null
iteration_number: 0
current_phase: "INITIALIZED"
current_step: "I2"
current_task_id: null
current_task_attempt: 0
status: "PENDING"
created_at: "2026-04-20T10:00:00Z"
last_updated: "2026-04-20T10:00:00Z"
last_checkpoint:
  timestamp: "2026-04-20T10:00:00Z"
  git_head: ""
  phase: "INITIALIZED"
  step: "I2"
iterations:
  - number: 0
    status: "PENDING"
    started_at: "2026-04-20T10:00:00Z"
    completed_at: null
    tasks_total: 0
    tasks_accepted: 0
"""


def test_a_fresh_document_has_every_field_in_its_order():
    assert progress_document.render(PROGRESS) == FRESH
    assert progress_document.read(FRESH) == PROGRESS


def test_the_folder_that_commands_are_meant_for_is_told_where_it_is_not_the_projects_own():
    inside = replace(PROGRESS, working_directory="services/b")
    text = progress_document.render(inside)
    assert (
        'test_command: "make test"\nworking_directory: "services/b"\nmax_parallel_tasks: 4\n'
        in text
    )
    assert progress_document.read(text) == inside
    assert 'working_directory: "services/b"' in progress_document.update(FRESH, inside)


def test_an_update_changes_only_its_own_bytes():
    text = FRESH.replace(
        'status: "PENDING"\ncreated',
        "# waits for Ada\nstatus: PENDING   # since Monday\nowner: Ada\ncreated",
    )
    after = progress_document.update(
        text,
        replace(
            progress_document.read(text),
            status="PAUSED",
            metrics=Metrics(percent_complete=50, elapsed_minutes_estimate=1.5),
            iterations=(
                Iteration(number=0, started_at=NOW, status="REJECTED", completed_at=NOW),
                Iteration(number=1, started_at=NOW),
            ),
        ),
    )
    assert after == (
        text.replace("status: PENDING   #", "status: PAUSED   #")
        .replace("percent_complete: 0", "percent_complete: 50")
        .replace("elapsed_minutes_estimate: 0", "elapsed_minutes_estimate: 1.5")
        .replace('- number: 0\n    status: "PENDING"', '- number: 0\n    status: "REJECTED"')
        .replace("completed_at: null", f'completed_at: "{NOW}"')
        + (
            f'  - number: 1\n    status: "PENDING"\n    started_at: "{NOW}"\n    completed_at: '
            "null\n    tasks_total: 0\n    tasks_accepted: 0\n"
        )
    )
    assert progress_document.read(after).metrics.percent_complete == 50


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('status: "PENDING"\ncreated', 'status: "OPEN"\ncreated', "status is 'OPEN'"),
        (
            'current_step: "I2"',
            'current_step: "O5"',
            "current_step O5 does not belong to phase INITIALIZED",
        ),
        ('current_step: "I2"', "current_step: 4.5", "current_step is 4.5"),
        ("max_parallel_tasks: 4", "max_parallel_tasks: 0", "max_parallel_tasks is 0"),
        ("percent_complete: 0", "percent_complete: 101", "metrics.percent_complete is 101"),
        ("git_gate_completed: false", "git_gate_completed: no", "git_gate_completed is 'no'"),
        ('branch: "feature/PROJ-1_a_b_c"', "branch: main", "branch is 'main'"),
        ("metrics:\n", "metrix:\n", "metrics is missing"),
        ("  - number: 0\n", "  - number: -1\n", "iterations[0].number is -1"),
    ],
)
def test_an_edit_that_cannot_be_obeyed_is_named_with_its_line(old: str, new: str, words: str):
    assert FRESH.count(old) == 1
    with pytest.raises(InputError) as caught:
        progress_document.read(FRESH.replace(old, new))
    found = [str(each) for each in caught.value.faults if words in str(each)]
    assert found
    assert found[0].startswith("progress.yaml:")


def test_an_iteration_that_stands_twice_is_refused():
    with pytest.raises(InputError, match="twice"):
        progress_document.read(FRESH + FRESH[FRESH.index("  - number") :])


def test_every_fault_is_told_at_once():
    with pytest.raises(InputError) as caught:
        progress_document.read("jira: 5\n")
    assert len(caught.value.faults) == 24
