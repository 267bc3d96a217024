"""The design review: its verdict is computed, it sends the design back once, and nobody can skip
its second look.
"""

from __future__ import annotations

import pytest
from tests.fakes.feature import CT, ERROR, WELL, FeatureProject, finds

HIGH = finds("High", where="design.md, Interfaces", what="Links never expire")
ROUND = ["ct", "ct_verdict"]


def after_spec(feature: FeatureProject) -> list[str]:
    steps = feature.steps()
    return steps[steps.index("design") :]


def test_a_high_finding_sends_the_design_back_and_the_whole_cluster_looks_again(
    feature: FeatureProject,
) -> None:
    assert feature.feature({"ct-security": [HIGH, WELL]}, until="plan/1").exit_code == 0
    assert after_spec(feature) == ["design", *ROUND, "design", *ROUND, "plan", "schedule"]
    assert [each["key"] for each in feature.events("step.started") if each["role"] in CT] == [
        *(f"ct/1/{each}" for each in CT),
        *(f"ct/2/{each}" for each in CT),
    ]
    assert feature.event("step.finished", key="ct-verdict/1")["verdict"].startswith(
        "NEEDS_REVISION: design review — ct-security DONE with High"
    )
    assert feature.event("step.finished", key="ct-verdict/2")["verdict"].startswith(
        "DONE: design review"
    )
    assert "design_critical_review" in feature.event("step.started", key="design/2")["inputs"]
    assert "settle every Critical and High finding" in feature.prompt("design/2")
    assert "Planning Constraints" not in feature.document("design_critical_review.md")
    assert "design_critical_review" not in feature.event("step.started", key="plan/1")["inputs"]


def test_a_second_objection_goes_on_with_constraints_that_bind_the_planner_and_no_third_round(
    feature: FeatureProject,
) -> None:
    assert feature.feature({"ct-security": HIGH}, until="plan/1").exit_code == 0
    assert after_spec(feature) == ["design", *ROUND, "design", *ROUND, "plan", "schedule"]
    review = feature.document("design_critical_review.md")
    assert "## Planning Constraints" in review
    assert "Links never expire" in review.partition("## Planning Constraints")[2]
    assert "design_critical_review" in feature.event("step.started", key="plan/1")["inputs"]
    assert "constraints in design_critical_review.md bind the plan" in feature.prompt("plan/1")
    assert "its open tensions bind the plan" in feature.warnings()


@pytest.mark.parametrize(("loops", "designs"), [(0, 1), (2, 3)])
def test_the_number_of_loops_is_policy(feature: FeatureProject, loops: int, designs: int) -> None:
    feature.feature({"ct-security": HIGH}, policy={"max_ct_loops": loops}, until="plan/1")
    assert after_spec(feature).count("design") == designs
    assert after_spec(feature).count("ct") == designs


def test_a_critical_finding_in_the_document_counts_although_the_line_says_done(
    feature: FeatureProject,
) -> None:
    text = "# Review\n\n### [Severity: Critical] Everybody is admin\n\nWhat: no check\nWhere: API\n"
    feature.feature(
        {"ct-strategy": [{"write": {"@out": text}, "say": "DONE: strategy — fine"}, WELL]},
        until="plan/1",
    )
    assert after_spec(feature).count("design") == 2


def test_a_severity_that_nobody_defined_is_the_worst_one(feature: FeatureProject) -> None:
    feature.feature({"ct-strategy": [finds("Cosmic"), WELL]}, until="plan/1")
    assert (
        "ct-strategy DONE with Critical"
        in feature.event("step.finished", key="ct-verdict/1")["verdict"]
    )


def test_medium_and_low_findings_are_kept_and_hold_nothing_up(feature: FeatureProject) -> None:
    found = {
        "ct-security": finds("Medium", what="Keys are long"),
        "ct-strategy": finds("Low", what="Names are short"),
    }
    feature.feature(found, until="plan/1")
    assert after_spec(feature) == ["design", *ROUND, "plan", "schedule"]
    assert "Keys are long" in feature.document("design_critical_review.md")
    assert "Names are short" in feature.document("design_critical_review.md")


def test_findings_about_the_same_place_and_thing_become_one_with_every_source(
    feature: FeatureProject,
) -> None:
    found = {"where": "design.md", "what": "No limit"}
    feature.feature(
        {"ct-security": [finds("Medium", **found)], "ct-scalability": [finds("High", **found)]},
        until="ct-verdict/1",
    )
    review = feature.document("design_critical_review.md")
    assert review.count("#### [Severity: High] No limit") == 1
    assert "#### [Severity: Medium]" not in review
    assert "ct-scalability, ct-security" in review


def test_two_of_four_are_enough_and_those_that_failed_are_named(feature: FeatureProject) -> None:
    feature.feature({"ct-security": ERROR, "ct-strategy": ERROR}, until="plan/1")
    assert [feature.asked(f"ct/1/{each}") for each in CT] == [2, 1, 1, 2]
    assert "ct-security gave no result (ERROR)" in feature.warnings()
    assert (
        "ct-strategy" in feature.document("design_critical_review.md").partition("## Coverage")[2]
    )


def test_with_one_of_four_the_run_halts_and_a_person_can_have_the_others_asked_again(
    feature: FeatureProject,
) -> None:
    failing = {f"ct/1/{each}": [ERROR, ERROR, WELL] for each in CT[:3]}
    ended = feature.feature(keys=failing)
    assert (ended.exit_code, ended.step) == (20, "ct")
    assert not feature.has("design_critical_review.md")
    assert feature.resume(because="the service is back", until="plan/1").exit_code == 0
    assert [feature.asked(f"ct/1/{each}") for each in CT] == [3, 3, 3, 1]


def test_the_second_round_is_not_judged_by_documents_of_the_first(feature: FeatureProject) -> None:
    """A member that failed in the second round leaves its first document on disk; nobody reads
    it as new.
    """
    feature.feature({"ct-security": [HIGH, ERROR]}, until="plan/1")
    assert feature.event("step.finished", key="ct-verdict/2")["verdict"].startswith(
        "DONE: design review"
    )
    assert "Links never expire" not in feature.document("design_critical_review.md")
