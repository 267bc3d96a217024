from __future__ import annotations

from itertools import product

import pytest

from podium.workflows.ticket.progress.phases import PHASES, STATUSES, STEPS, resume_at


def test_the_steps_come_in_the_order_of_an_iteration():
    assert list(STEPS) == ["I2", "O1", "O3", "O4", "O4.5", "O5", "O6", "O7"]
    assert all(step in PHASES[phase] for step, phase in STEPS.items())


@pytest.mark.parametrize(
    ("step", "status", "gate", "goes_on"),
    [
        ("I2", "PENDING", False, "O1"),
        ("O3", "IN_PROGRESS", False, "O3"),
        ("O4", "PAUSED", True, "O4"),
        ("O4.5", "PAUSED", False, "O4.5"),
        ("O5", "PAUSED", True, "O5"),
        ("O5", "PAUSED", False, "O4.5"),
        ("O6", "IN_PROGRESS", False, "O4.5"),
        ("O6", "ACCEPTED", True, "O7"),
        ("O7", "ACCEPTED", True, "O7"),
    ],
)
def test_a_run_goes_on_where_it_was(step: str, status: str, gate: bool, goes_on: str):
    assert resume_at(step, status, git_gate_completed=gate).step == goes_on


def test_no_edit_leads_into_code_before_the_git_gate():
    for step, status in product(STEPS, STATUSES):
        assert resume_at(step, status, git_gate_completed=False).step != "O5"
