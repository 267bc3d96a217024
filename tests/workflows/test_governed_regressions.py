from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.governed.payloads.good import good_answer, good_plan
from podium.workflows.governed.plan.reading import read_object
from podium.workflows.governed.plan.words import cells, flat
from podium.workflows.governed.review.regressions import (
    Item,
    Observed,
    audit_findings,
    lineage_fault,
    observed,
    regressed,
    updated,
    write_registry,
)


def audit(*descriptions: str, executable: bool | None = None) -> dict[str, Any]:
    findings = [
        {
            "severity": "MAJOR",
            "category": "scope_gap",
            "description": each,
            "affected_phases": [2, 1],
        }
        for each in descriptions
    ]
    checks = (
        []
        if executable is None
        else [
            {
                "task_id": "Phase1-Step2",
                "checks_passed": 1,
                "total_checks": 1,
                "executable": executable,
            }
        ]
    )
    return {**good_answer("plan-auditor"), "findings": findings, "executability_checklist": checks}


def test_a_task_that_was_executable_and_is_not_any_more_blocks() -> None:
    items = updated((), observed({"plan-auditor": audit(executable=True)}, {}), 1)
    assert [(each.id, each.first, each.last, each.status) for each in items] == [
        ("P1-S2", 1, 1, "VERIFIED")
    ]
    assert regressed(items) == ()
    items = updated(items, observed({"plan-auditor": audit(executable=False)}, {}), 2)
    assert [(each.id, each.last, each.status) for each in items] == [("P1-S2", 1, "REGRESSED")]
    [finding] = regressed(items)
    assert finding.blocks
    assert finding.what.startswith("P1-S2 was sound in round 1 and is not")
    items = updated(items, observed({"plan-auditor": audit(executable=True)}, {}), 3)
    assert [(each.first, each.last, each.status) for each in items] == [(1, 3, "VERIFIED")]


def test_a_finding_that_was_mended_and_comes_back_is_a_regression() -> None:
    earlier = audit_findings(audit("No rollback is planned."))
    items = updated((), observed({"plan-auditor": audit("No rollback is planned.")}, {}), 1)
    assert items == ()
    items = updated(items, observed({"plan-auditor": audit()}, earlier), 2)
    assert [each.status for each in items] == ["VERIFIED"]
    items = updated(items, observed({"plan-auditor": audit("no  rollback is planned")}, earlier), 3)
    assert [each.status for each in items] == ["REGRESSED"]


def test_a_finding_that_was_never_gone_is_no_regression() -> None:
    earlier = audit_findings(audit("Still open, as before."))
    assert (
        updated((), observed({"plan-auditor": audit("Still open, as before.")}, earlier), 2) == ()
    )


def test_a_round_without_an_audit_mends_nothing() -> None:
    earlier = audit_findings(audit("Still open, as before."))
    assert observed({}, earlier).sound == {}


def test_a_claim_that_was_checked_must_stay_true() -> None:
    def checked(verdict: str) -> dict[str, Any]:
        finding = {
            "pattern_id": 1,
            "pattern_name": "phantom_api",
            "classification": "PRESENCE_MIRAGE",
            "severity": "MINOR",
            "claim": "app.run exists",
            "verdict": verdict,
        }
        return {**good_answer("assumption-verifier"), "mirage_findings": [finding]}

    items = updated((), observed({"assumption-verifier": checked("VERIFIED")}, {}), 1)
    assert [each.description for each in items] == ["app.run exists"]
    items = updated(items, observed({"assumption-verifier": checked("MIRAGE")}, {}), 2)
    assert len(regressed(items)) == 1
    silent = {**good_answer("assumption-verifier"), "confidence": 0.3}
    assert updated(items, observed({"assumption-verifier": silent}, {}), 3) == items, (
        "an abstention cures nothing"
    )
    assert updated(items, observed({"plan-auditor": audit()}, {}), 3) == items, (
        "nor does another reviewer"
    )
    [item] = updated(
        items, observed({"assumption-verifier": good_answer("assumption-verifier")}, {}), 3
    )
    assert (item.first, item.last, item.status) == (1, 3, "VERIFIED")


def test_what_one_reviewer_doubts_is_not_sound() -> None:
    rehearsal = good_answer("executability-verifier")
    doubted = {
        **rehearsal["tasks_simulated"][0],
        "task_verdict": "BLOCKED",
        "task_id": "Phase 1, Step 2",
    }
    found = observed(
        {
            "plan-auditor": audit(executable=True),
            "executability-verifier": {"tasks_simulated": [doubted]},
        },
        {},
    )
    assert found.sound == {}
    assert list(found.failing) == ["P1-S2"]


@pytest.mark.parametrize(
    ("revision_of", "fault"),
    [
        ("", False),
        ("plans/a-plan.md", False),
        ("plans/artifacts/a/plan-1.md", False),
        ("plans/b-plan.md", True),
    ],
)
def test_a_revised_plan_can_be_traced_to_the_one_it_replaces(revision_of: str, fault: bool) -> None:
    plan = read_object(good_plan(**({"revision_of": revision_of} if revision_of else {}))).plan
    assert plan is not None
    assert bool(lineage_fault(plan, "plans/a-plan.md", "plans/artifacts/a/plan-1.md")) == fault


def test_an_auditor_may_say_itself_that_an_item_is_back() -> None:
    said = audit("another way to put it")
    said["findings"][0] |= {"regression_iteration": 1, "regression_finding_id": "PA-12345678"}
    seen = observed(
        {"plan-auditor": said}, {"PA-12345678": "the name is unclear", "PA-87654321": "gone"}
    )
    assert seen.failing["PA-12345678"] == "another way to put it"
    assert list(seen.sound) == ["PA-87654321"]


def test_the_registry_shows_which_version_replaced_which() -> None:
    text = write_registry(
        [Item("P1-S1", "x", 1, 2)], ["Version 1", "Version 2, replaced plans/artifacts/a/plan-1.md"]
    )
    assert text.endswith(
        "## Plan Lineage\n\n- Version 1\n- Version 2, replaced plans/artifacts/a/plan-1.md\n"
    )
    assert "\n| P1-S1 | x | 1 | 2 | VERIFIED |\n" in text


ITEMS = st.lists(
    st.builds(
        Item,
        id=st.from_regex(r"P[1-9]-S[1-9]", fullmatch=True),
        description=st.text(min_size=1, max_size=30).map(flat).filter(bool),
        first=st.integers(1, 9),
        last=st.integers(1, 9),
        status=st.sampled_from(["VERIFIED", "REGRESSED"]),
    ),
    max_size=4,
).map(tuple)


@given(ITEMS)
@settings(max_examples=60, deadline=None)
def test_a_registry_has_one_row_for_each_item_whatever_it_says(items: tuple[Item, ...]) -> None:
    rows = [cells(line) for line in write_registry(items).split("\n")[4:] if line]
    assert rows == [
        [each.id, each.description, str(each.first), str(each.last), each.status] for each in items
    ]


@given(
    ITEMS,
    st.dictionaries(st.sampled_from(["P1-S1", "P2-S2"]), st.just("d")),
    st.dictionaries(st.sampled_from(["P1-S1", "P2-S2"]), st.just("d")),
)
@settings(max_examples=60, deadline=None)
def test_nothing_that_fails_counts_as_verified(
    items: tuple[Item, ...], sound: dict[str, str], failing: dict[str, str]
) -> None:
    after = updated(items, Observed(sound, failing), 9)
    assert all(each.status == "REGRESSED" for each in after if each.id in failing)
