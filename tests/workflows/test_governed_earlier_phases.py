"""Phases of earlier plans are known from their documents, in the order of the log."""

from __future__ import annotations

from podium.workflows.governed.earlier_phases import done, wanted
from podium.workflows.governed.policy.policy import DEFAULT, read_policy

LOG = "plans/session-outcomes.md"


def document(title: str, *files: str) -> str:
    return f"## Phase 1 Complete: {title}\n\n### Changes\n\n- Files:\n" + "".join(
        f"  - {each}\n" for each in files
    )


def entry(plan: str) -> str:
    return f"## Entry\n\n**Plan ID:** `{plan}`  \n\n---\n"


def path(plan: str, number: int = 1) -> str:
    return f"plans/{plan}-phase-{number}-complete.md"


def test_only_documents_of_phases_and_the_log_are_read() -> None:
    files = [
        LOG,
        path("a-plan"),
        "plans/a-plan.md",
        "plans/a-plan-complete.md",
        "src/plans/b-plan-phase-1-complete.md",
    ]
    assert wanted(DEFAULT)(files) == [LOG, path("a-plan")]
    assert wanted(read_policy(None, {"task_cache.enabled": False}))(files) == []


def test_they_come_in_the_order_of_the_log_and_without_the_tasks_own() -> None:
    texts = {
        path("b-plan"): document("B", "b.py"),
        path("a-plan"): document("A"),
        path("own-plan"): document("Own"),
        path("z-plan"): document("Z"),
        LOG: entry("b-plan") + entry("a-plan"),
    }
    found = done([{"name": "survey", "texts": texts}], "own", DEFAULT)
    assert [(each.plan_id, each.title) for each in found] == [
        ("z-plan", "Z"),
        ("b-plan", "B"),
        ("a-plan", "A"),
    ]
    assert found[1].files == ("b.py",)


def test_what_is_no_document_of_a_phase_counts_for_nothing() -> None:
    assert done([{"name": "survey", "texts": {path("a-plan"): "gone"}}], "own", DEFAULT) == ()
    assert done([], "own", DEFAULT) == ()
