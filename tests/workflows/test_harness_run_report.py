from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from podium.formats.markdown import scan
from podium.formats.markdown_fields import read_field
from podium.workflows import harness
from podium.workflows.harness.run_report import RunReport, check, render, update

TEMPLATE = """# Harness Run Report

## Task

Task ID: {{TASK_ID}}\x20\x20
Task Title: {{TASK_TITLE}}\x20\x20
Task File: {{TASK_FILE}}

## Run

Run Report ID: {{RUN_REPORT_ID}}\x20\x20
Current Stage: {{CURRENT_STAGE}}\x20\x20
Current Run ID: {{CURRENT_RUN_ID}}\x20\x20
Overall Status: {{OVERALL_STATUS}}

## Stage History

{{STAGE_HISTORY}}

## Artifact Paths

Feature Specification: {{FEATURE_SPEC_PATH}}\x20\x20
QA Review: {{QA_REVIEW_PATH}}

## Validation Evidence

{{VALIDATION_EVIDENCE}}

## Stop / Pause State

Stop Reason: {{STOP_REASON}}\x20\x20
Next Expected Action: {{NEXT_EXPECTED_ACTION}}

## Notes

{{NOTES}}
"""
REPORT = RunReport(
    task_id="T001",
    task_title="Count words",
    task_file="harness/tasks/T001.md",
    report_id="T001-run-report",
    stage="QA",
    run_id="RUN-2026-04-20-T001-QA",
    status="Active",
    stage_history=("Specification done", "Design done"),
    artifacts={"Feature Specification": "harness/a.md", "Code Review": "harness/r.md"},
    evidence=("pytest: exit 0",),
    next_action="QA runs",
    program_notes=("Remediation 0 of 2.",),
)


MARKS = st.sampled_from(
    [
        "<?",
        "```",
        "~~~ x",
        "# h",
        "---",
        "===",
        "> q",
        "<!--",
        "-->",
        "<pre>",
        "- - -",
        "1. x",
        "\t# h",
    ]
)


def test_the_first_version_is_the_template_filled_in() -> None:
    assert render(REPORT, TEMPLATE) == (
        "# Harness Run Report\n\n## Task\n\nTask ID: T001  \nTask Title: Count words  \n"
        "Task File: harness/tasks/T001.md\n\n## Run\n\nRun Report ID: T001-run-report  \n"
        "Current Stage: QA  \n"
        "Current Run ID: RUN-2026-04-20-T001-QA  \nOverall Status: Active\n\n"
        "## Stage History\n\n- Specification done\n- Design done\n\n"
        "## Artifact Paths\n\nFeature Specification: harness/a.md  \nCode Review: harness/r.md\n\n"
        "## Validation Evidence\n\n- pytest: exit 0\n\n"
        "## Stop / Pause State\n\nStop Reason: None  \nNext Expected Action: QA runs\n\n"
        "## Notes\n\n<!-- podium:begin -->\n- Remediation 0 of 2.\n<!-- podium:end -->\n"
    )


def test_an_update_keeps_the_words_of_people_in_notes() -> None:
    text = render(REPORT, TEMPLATE) + "\nAsk Ada.\n"
    new = update(
        text, replace(REPORT, stage_history=("One",), evidence=(), program_notes=("Now.",))
    )
    assert "## Stage History\n\n- One\n\n" in new
    assert "## Validation Evidence\n\n- None\n\n" in new
    assert new.endswith("<!-- podium:begin -->\n- Now.\n<!-- podium:end -->\n\nAsk Ada.\n")


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.one_of(st.text(), MARKS), max_size=3).map(tuple),
    st.text(),
    st.one_of(st.text(), MARKS),
)
def test_no_line_can_leave_its_section_and_writing_again_changes_nothing(
    lines: tuple[str, ...], title: str, reason: str
) -> None:
    report = replace(
        REPORT,
        stage_history=lines,
        evidence=lines,
        task_title=f"a{title}a",
        stop_reason=reason,
        program_notes=lines,
    )
    text = render(report, TEMPLATE)
    assert check(text) == ()
    assert len(scan(text).headings) == 8
    assert update(text, report) == text
    assert read_field(text, "Stop / Pause State", "Next Expected Action") == "QA runs"


def test_a_report_that_lost_its_structure_is_found_out_and_mended() -> None:
    text = (
        render(REPORT, TEMPLATE)
        .replace("## Validation Evidence", "## Other")
        .replace("Overall Status: Active", "")
    )
    assert check(text) == (
        "section 'Validation Evidence' is missing",
        "line 'Overall Status:' is missing or empty in section 'Run'",
    )
    assert check(update(text, REPORT)) == ()
    assert check(update("", REPORT)) == ()


def test_the_scaffolds_template_makes_a_sound_report() -> None:
    for path in (Path(harness.__file__).parent / "scaffold" / "templates").glob(
        "run-report-template.md"
    ):
        text = render(REPORT, path.read_text(encoding="utf-8"))
        assert check(text) == ()
        assert "{{" not in text
