from __future__ import annotations

from typing import Any

import pytest

from podium.formats.markdown import scan
from podium.workflows.governed.payloads.good import good_answer, good_plan
from podium.workflows.governed.phase.checklist import Checklist, phase_checklist
from podium.workflows.governed.phase.documents import (
    PhaseRecord,
    phase_done,
    phase_of,
    write_complete,
    write_final_review,
    write_phase,
)
from podium.workflows.governed.phase.reports import read_report
from podium.workflows.governed.plan.plan import Plan
from podium.workflows.governed.plan.reading import read_object
from podium.workflows.governed.review.final_review import planned_and_actual

COMMANDS = {"build": True, "test": True, "lint": True}


def plan_of(*phases: dict[str, Any]) -> Plan:
    plan = read_object(good_plan(phases=list(phases))).plan
    assert plan is not None
    return plan


PLAN = plan_of({"title": "Read"}, {"title": "Write"})


def record(number: int = 1, **members: Any) -> PhaseRecord:
    checklist = phase_checklist(
        read_report(good_answer("core-implementer")), COMMANDS, review=True, todo=True
    )
    told = {
        "summary": "it was read",
        "changed": ("src/a.py", "tests/test_a.py"),
        "review": "APPROVED",
        **members,
    }
    return PhaseRecord(PLAN.phase(number), checklist=checklist, **told)


def titles(text: str) -> list[str]:
    return [each.title for each in scan(text).headings]


def test_a_complete_phase_has_a_document_with_its_evidence() -> None:
    text = write_phase(record(commit="feat: read", advice=("MINOR a.py: a name",)))
    assert titles(text) == [
        "Phase 1 Complete: Read",
        "Changes",
        "Evidence",
        "Review Status",
        "Commit Message",
    ]
    for line in (
        "**TL;DR:** it was read",
        "  - src/a.py",
        "- build: the command passed",
        "APPROVED",
        "    feat: read",
    ):
        assert line in text.splitlines()
    assert phase_of(text) == 1


def test_words_of_agents_cannot_become_headings_of_a_document() -> None:
    text = write_phase(
        record(summary="x\n## Phase 9 Complete: y\n```", review="APPROVED\n# z", advice=("a\n# b",))
    )
    assert phase_of(text) == 1
    assert len(titles(text)) == 5


def test_a_document_that_says_nothing_of_a_phase_proves_none() -> None:
    assert phase_of("# Notes\n\nPhase 1 Complete: x\n") is None
    assert phase_of("```\n## Phase 1 Complete: x\n```") is None


def test_a_complete_plan_has_a_document_of_all_its_phases() -> None:
    text = write_complete(PLAN, [record(1)], ["look at the cache"])
    assert "- ✅ Phase 1 — Read" in text
    assert "- ⬜ Phase 2 — Write" in text
    assert "- src/a.py" in text
    assert "- Phase 1 — Read: the command passed" in text
    assert "- look at the cache" in text
    assert titles(text)[1:] == [
        *("Phases Completed", "All Files Modified", "Key Functions/Components", "Test Coverage"),
        *("Success Criteria", "Recommendations"),
    ]


def test_a_final_review_shows_advice_and_what_was_outside_the_plan() -> None:
    text = write_final_review(
        PLAN, "APPROVED", ["MINOR a.py: a name"], planned_and_actual(PLAN, ["x.py"])
    )
    assert "\n**Status:** APPROVED\n" in text
    assert "- work/piece-1.txt: missing" in text
    assert "- x.py" in text


def test_a_phases_document_can_be_read_back() -> None:
    record = PhaseRecord(
        PLAN.phases[0], "done", ("a.py", "tests/test_a.py"), "APPROVED", Checklist(())
    )
    assert phase_done(write_phase(record)) == (PLAN.phases[0].title, ("a.py", "tests/test_a.py"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "## Phase one Complete: x\n",
        "```\n## Phase 1 Complete: x\n```\n",
        "- Files:\n  - a.py\n",
    ],
)
def test_a_document_that_says_nothing_is_complete_is_none(text: str) -> None:
    assert phase_done(text) is None
