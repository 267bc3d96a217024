from __future__ import annotations

from podium.workflows.ticket.ending import success


def test_the_success_block_has_six_lines():
    assert success(jira="PROJ-1", iteration=1, tasks=3, branch="fix/PROJ-1_a_b_c").splitlines() == [
        "SUCCESS: Development complete in 2 iteration(s)",
        "Tasks: 3 completed",
        "Build: PASSED",
        "Tests: PASSED",
        "Branch: fix/PROJ-1_a_b_c",
        "Report: prompts/PROJ-1/iteration_1/review_report.yaml",
    ]


def test_a_build_that_was_not_run_did_not_pass():
    assert "Build: NOT_RUN" in success(
        jira="A-1", iteration=0, tasks=1, branch="b", build="NOT_RUN"
    )
