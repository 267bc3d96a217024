"""QA decides from its document, sends back a bounded number of times, and cannot be talked into
a pass.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.fakes.project import QA, REPORT, STATE, WELL, Project

LIMIT = "QA remediation retry limit reached"


def review(**members: Any) -> dict[str, Any]:
    """QA that writes a document with these values and sends no verdict beside it."""
    return {"write": {"@qa": {"template": "qa", **members}}, "say": "reviewed"}


def mended(command: str, **members: Any) -> dict[str, Any]:
    """QA whose document a command changes afterwards."""
    return {**review(**members), "run": command}


FAILS = review(result="Issues Found", readiness="Back to Build")


def test_qa_runs_at_most_three_times_and_then_the_run_is_blocked_at_qa(project: Project) -> None:
    ended = project.through({"qa": [FAILS]})
    assert (ended.exit_code, ended.reason, ended.stop) == (20, LIMIT, "qa_limit")
    assert project.started()[3:] == ["build/1", "qa/1", "build/2", "qa/2", "build/3", "qa/3"]
    assert project.event("run.blocked")["reason"] == LIMIT
    assert project.state("Stop Reason") == project.report("Stop Reason") == LIMIT
    assert project.state("Current Stage") == project.report("Current Stage") == "QA"
    assert project.state("Current Status") == project.report("Overall Status") == "Blocked"
    assert project.state("Current Run ID") == "RUN-2026-03-01-T001-QA-3"


def test_the_number_of_remediations_is_policy(project: Project) -> None:
    project.through({"qa": [FAILS]}, policy={"max_remediations": 0})
    assert project.started()[3:] == ["build/1", "qa/1"]
    assert project.state("Stop Reason") == LIMIT


def test_remediation_clears_the_stop_reason_and_says_so_in_the_notes(project: Project) -> None:
    project.through({"qa": [FAILS, WELL]}, until="qa/1")
    assert project.state("Current Stage") == "Build"
    assert project.state("Current Status") == "Active"
    assert project.state("Stop Reason") == "None"
    assert "QA returned the task for remediation 1 of 2 times." in project.text(STATE)
    assert project.state("Current Run ID") == "RUN-2026-03-01-T001-BUILD-2"


def test_a_remediation_that_passes_completes_the_task(project: Project) -> None:
    assert project.through({"qa": [FAILS, FAILS, WELL]}).exit_code == 0
    assert project.event("step.finished", key="qa/3")["outcome"] == "ok"
    assert "Result: Issues Found" not in project.text(QA)


@pytest.mark.parametrize(
    "members",
    [
        {"result": "Issues Found"},
        {"readiness": "Back to Build"},
        {"criteria": {"AC1": "Fail"}},
        {"issues": [{"description": "it loses data", "severity": "Low", "blocks": True}]},
    ],
    ids=["result", "readiness", "criterion", "issue"],
)
def test_each_of_the_four_signs_of_failure_alone_sends_the_task_back(
    project: Project, members: dict[str, Any]
) -> None:
    assert project.through({"qa": [review(**members), WELL]}).exit_code == 0
    assert project.event("step.finished", key="qa/1")["outcome"] == "revise"
    assert "build/2" in project.started()


def test_a_pass_beside_a_failed_criterion_is_a_failure_and_the_contradiction_is_logged(
    project: Project,
) -> None:
    lie = review(
        result="Pass", readiness="Awaiting Approval", criteria={"AC1": "Pass", "AC2": "Fail"}
    )
    project.through({"qa": [lie, WELL]})
    assert project.event("step.finished", key="qa/1")["outcome"] == "revise"
    assert any(
        "AC2" in each for each in project.event("verdict.contradicted", key="qa/1")["detail"]
    )


def test_a_pass_beside_a_blocking_issue_is_a_failure(project: Project) -> None:
    project.through(
        {
            "qa": [
                review(
                    result="Pass",
                    issues=[{"description": "data loss", "severity": "High", "blocks": True}],
                ),
                WELL,
            ]
        }
    )
    assert project.event("step.finished", key="qa/1")["outcome"] == "revise"
    assert project.events("verdict.contradicted", key="qa/1")


@pytest.mark.parametrize("member", ["result", "readiness"])
def test_blocked_blocks_with_the_words_of_qa(project: Project, member: str) -> None:
    words = "the staging database cannot be reached"
    ended = project.through({"qa": [review(**{member: "Blocked", "notes": words})]})
    assert ended.exit_code == 20
    assert words in ended.reason
    assert words in (project.state("Stop Reason") or "")
    assert words in (project.report("Stop Reason") or "")
    assert project.state("Current Stage") == "QA"
    assert project.state("Current Status") == "Blocked"
    assert project.started()[-1] == "qa/1"


def test_a_review_that_blocks_is_kept_where_people_look_for_it(project: Project) -> None:
    project.through({"qa": [review(result="Blocked", readiness="Blocked", notes="no database")]})
    assert "no database" in project.text(QA)


def test_a_review_that_was_only_written_is_kept_as_the_object_it_stands_for(
    project: Project,
) -> None:
    issue = {"description": "totals are rounded", "severity": "High", "blocks": True}
    project.through(
        {
            "qa": [
                review(
                    result="Issues Found",
                    readiness="Back to Build",
                    criteria={"AC1": "Fail"},
                    issues=[issue],
                ),
                WELL,
            ]
        }
    )
    kept = json.loads(project.step("qa/1", "verdict.json").read_text())
    assert kept == {
        "result": "Issues Found",
        "readiness": "Back to Build",
        "criteria": {"AC1": "Fail"},
        "issues": [issue],
    }


def test_a_warning_does_not_block(project: Project) -> None:
    assert project.through({"qa": [review(criteria={"AC1": "Warn", "AC2": "Pass"})]}).exit_code == 0
    assert project.started()[-1] == "qa/1"


@pytest.mark.parametrize(
    "status", ["Deferred to T009", "N/A - no such screen", "Pass (with a remark)", "**Pass**"]
)
def test_other_words_than_fail_do_not_block(project: Project, status: str) -> None:
    change = f"sed -i '0,/^Status: Pass/s//Status: {status}/' {QA}"
    assert project.through({"qa": [mended(change, criteria={"AC1": "Pass"})]}).exit_code == 0
    assert project.started()[-1] == "qa/1"


def test_minor_issues_pass(project: Project) -> None:
    minor = review(
        result="Pass With Minor Issues",
        issues=[{"description": "a typo", "severity": "Low", "blocks": False}],
    )
    assert project.through({"qa": [minor]}).exit_code == 0


@pytest.mark.parametrize(
    ("heading", "value"),
    [("Validation Result", "Pass"), ("Approval Readiness", "Awaiting Approval")],
)
def test_a_missing_value_is_malformed_and_repaired_once(
    project: Project, heading: str, value: str
) -> None:
    gone = mended(f"sed -i '/^## {heading}/,/^## /{{/^{value}/d}}' {QA}")
    ended = project.through({"qa": [gone]})
    assert ended.exit_code == 20
    assert [(each["failure"], each["repair"]) for each in project.events("artifact.rejected")] == [
        ("malformed", 0),
        ("malformed", 1),
    ]
    assert heading in project.events("artifact.rejected")[0]["detail"]
    assert project.state("Current Stage") == "QA"


def test_a_missing_value_that_is_mended_by_the_repair_goes_on(project: Project) -> None:
    gone = mended(f"sed -i '/^Pass$/d' {QA}")
    assert project.through({"qa": [gone, WELL]}).exit_code == 0
    assert project.event("artifact.rejected")["failure"] == "malformed"


def test_a_value_that_is_none_of_the_four_is_malformed(project: Project) -> None:
    ended = project.through({"qa": [mended(f"sed -i 's/^Pass$/Looks good to me/' {QA}")]})
    assert ended.exit_code == 20
    assert {each["failure"] for each in project.events("artifact.rejected")} == {"malformed"}


@pytest.mark.parametrize("line", ["**Pass**", "Pass — all good", "Validation Result: Pass"])
def test_a_result_may_be_bold_inline_or_followed_by_words(project: Project, line: str) -> None:
    assert project.through({"qa": [mended(f"sed -i 's/^Pass$/{line}/' {QA}")]}).exit_code == 0
    assert project.event("step.finished", key="qa/1")["verdict"] == "Pass"


@pytest.mark.parametrize(
    "line",
    [
        "## Validation Result: Pass",
        "Validation Result: Pass",
        "**Validation Result:** Pass — all good",
    ],
)
def test_a_result_may_stand_inline_in_place_of_its_section(project: Project, line: str) -> None:
    change = mended(f"sed -i -z 's/## Validation Result\\n\\nPass\\n/{line}\\n/' {QA}")
    assert project.through({"qa": [change]}).exit_code == 0
    assert line in project.text(QA)
    assert project.event("step.finished", key="qa/1")["verdict"] == "Pass"
    assert not project.events("artifact.rejected")


def test_a_sentence_that_mentions_build_or_quotes_a_verdict_changes_nothing(
    project: Project,
) -> None:
    said = (
        "The first round said Issues Found and went Back to Build; Validation Result: Blocked "
        "would be wrong."
    )
    change = f"sed -i '0,/^Nothing to report/s//{said}/' {QA}"
    assert project.through({"qa": [mended(change)]}).exit_code == 0
    assert project.event("step.finished", key="qa/1")["outcome"] == "ok"


def test_the_counter_starts_anew_when_a_person_sends_the_blocked_run_on(project: Project) -> None:
    project.through({"qa": [FAILS, FAILS, FAILS, FAILS, WELL]})
    ended = project.resume(because="the test data was wrong")
    assert ended.exit_code == 0
    assert project.started()[9:] == ["qa/4", "build/4", "qa/5"]
    assert "the test data was wrong" in project.prompt("qa/4")


def test_the_report_tells_every_round(project: Project) -> None:
    project.through({"qa": [FAILS, WELL]})
    text = project.text(REPORT)
    assert "QA returned (Issues Found) — RUN-2026-03-01-T001-QA" in text
    assert "Build done — RUN-2026-03-01-T001-BUILD-2" in text
    assert "QA done (Pass) — RUN-2026-03-01-T001-QA-2" in text
