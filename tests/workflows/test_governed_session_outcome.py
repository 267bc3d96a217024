from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.governed.memory.session_outcome import (
    SessionOutcome,
    appended,
    archive_path,
    archived,
    entries,
    entry_fields,
    followed,
    outcome_status,
    write_entry,
)
from podium.workflows.governed.policy.policy import DEFAULT, read_policy

OUTCOME = SessionOutcome(
    plan_id="word-count-plan",
    date="2026-05-04",
    tier="MEDIUM",
    planned=4,
    completed=3,
    reviews={
        "plan-auditor": ("APPROVED", "Final score: 91%"),
        "code-reviewer": ("APPROVED", "a | b"),
    },
    iterations=2,
    max_iterations=5,
    convergence="Converged",
    status="PARTIAL",
    rejected=1,
    serious=4,
    lessons=("Look twice.", ""),
)


def test_an_entry_has_every_line_of_the_log() -> None:
    found = entry_fields(write_entry(OUTCOME))
    assert found == {
        "Plan ID": "word-count-plan",
        "Date": "2026-05-04",
        "Complexity Tier": "MEDIUM",
        "Total Phases": "4 / 3",
        "Total review iterations": "2 / 5",
        "Convergence": "Converged",
        "Status": "PARTIAL",
        "CodeReviewer false positive rate": "`1 / 4` (`25%`)",
    }
    text = write_entry(OUTCOME)
    assert "| PlanAuditor-subagent | APPROVED | Final score: 91% |" in text
    assert "| ExecutabilityVerifier-subagent | N/A | not in scope |" in text
    assert "a \\| b" in text
    assert "1. Look twice." in text


def test_a_session_without_serious_issues_or_lessons_says_so() -> None:
    text = write_entry(replace(OUTCOME, serious=0, rejected=0, lessons=()))
    assert "`0 / 0` (`N/A`)" in text
    assert "1. None noted." in text


def test_an_entry_is_added_at_the_end_and_only_once() -> None:
    first, second = write_entry(OUTCOME), write_entry(replace(OUTCOME, plan_id="other"))
    log = appended(None, first)
    assert log.startswith("# Session Outcomes Log\n")
    assert appended(log, first) == log
    both = appended(log, second)
    assert [entry_fields(each)["Plan ID"] for each in entries(both)] == ["word-count-plan", "other"]
    assert appended("My own log\n", first).startswith("My own log\n\n## Entry")


@given(st.integers(0, 7), st.integers(1, 6))
@settings(max_examples=30, deadline=None)
def test_the_log_keeps_the_latest_entries_and_loses_none(count: int, most: int) -> None:
    log = "# Log\n"
    for number in range(count):
        log = appended(log, write_entry(replace(OUTCOME, plan_id=f"p{number}")))
    kept, old = archived(
        log, read_policy(None, {"session_telemetry.archive_threshold_entries": most})
    )
    assert len(entries(kept)) == min(count, most)
    assert [*entries(old), *entries(kept)] == list(entries(log))


def test_old_entries_go_beside_the_log() -> None:
    assert archive_path(DEFAULT, "2026") == "plans/session-outcomes-archive-2026.md"
    assert (
        archive_path(read_policy(None, {"session_telemetry.log_file": "log"}), "2026")
        == "log-archive-2026"
    )


@pytest.mark.parametrize(
    ("planned", "completed", "stopped", "status"),
    [
        (3, 3, False, "SUCCESS"),
        (3, 3, True, "PARTIAL"),
        (3, 1, False, "PARTIAL"),
        (3, 0, True, "FAILED"),
    ],
)
def test_a_session_is_a_success_only_if_everything_is_done(
    planned: int, completed: int, stopped: bool, status: str
) -> None:
    assert outcome_status(planned, completed, stopped=stopped) == status


def test_a_projects_own_template_may_ask_for_more() -> None:
    template = "# T\n\n## Entry\n\n**Plan ID:** x\n\n### Outcome\n\n### Residual Risks\n"
    entry = followed(write_entry(OUTCOME), template)
    assert entry.endswith("### Residual Risks\n\nNone noted.\n\n---\n")
    assert entry.count("### Outcome") == 1
    assert entries(entry) == (entry,)
    assert followed(write_entry(OUTCOME), "no entry in here") == write_entry(OUTCOME)
