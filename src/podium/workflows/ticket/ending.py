"""What people read when a run ends well."""

from __future__ import annotations

from podium.workflows.ticket.request.naming import Paths


def success(
    *,
    jira: str,
    iteration: int,
    tasks: int,
    branch: str,
    build: str = "PASSED",
    tests: str = "PASSED",
) -> str:
    """Six lines; `iteration` is the number on disk, so the first line shows one more."""
    return "\n".join(
        (
            f"SUCCESS: Development complete in {iteration + 1} iteration(s)",
            f"Tasks: {tasks} completed",
            f"Build: {build}",
            f"Tests: {tests}",
            f"Branch: {branch}",
            f"Report: {Paths(jira).review(iteration)}",
        )
    )
