from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.ticket.progress.log_lines import EVENTS, line

NOW = datetime(2026, 4, 20, 10, 0, tzinfo=UTC)


def test_a_line_has_every_member_in_its_order():
    assert line(NOW, "orchestrator.start", "begins") == (
        '{"timestamp": "2026-04-20T10:00:00Z", "level": "INFO", "agent": "Orchestrator", '
        '"event": "orchestrator.start", '
        '"iteration": null, "task_id": null, "parallel_group": null, "message": "begins"}\n'
    )
    full = json.loads(
        line(
            NOW,
            "orchestrator.task.max_attempts",
            "x",
            level="ERROR",
            iteration=2,
            task_id="TASK-1",
            parallel_group="A",
        )
    )
    assert (full["level"], full["iteration"], full["task_id"], full["parallel_group"]) == (
        "ERROR",
        2,
        "TASK-1",
        "A",
    )


@pytest.mark.parametrize(
    ("message", "critical"),
    [
        ("ERROR: Planner deferred research — violates NO RESEARCH DEFERRAL rule. STOPPING.", True),
        ("FORBIDDEN: an action", True),
        ("ERROR\nthat violates\nthe rule", True),
        ("ROLE VIOLATION", True),
        ("error: violates the rule", False),
        ("the rule holds", False),
    ],
)
def test_a_broken_rule_raises_the_level_by_itself(message: str, critical: bool):
    data = json.loads(line(NOW, "orchestrator.planner.complete", message))
    assert data["level"] == ("CRITICAL_VIOLATION" if critical else "INFO")
    assert ("role_violation" in data) is critical


def test_an_unknown_event_is_refused_with_the_nearest():
    assert len(EVENTS) == 16
    with pytest.raises(ValueError, match=r"did you mean 'orchestrator\.start'"):
        line(NOW, "orchestrator.strat", "x")


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40))
def test_any_message_is_one_line_and_is_read_back(message: str):
    text = line(NOW, "orchestrator.start", message)
    assert len(text.splitlines()) == 1
    assert json.loads(text)["message"] == message
