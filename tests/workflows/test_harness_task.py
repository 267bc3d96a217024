from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.core.errors import InputError
from podium.workflows import harness
from podium.workflows.harness.task import TASK, Task, criterion_id, material_text

PATH = "harness/tasks/T001-words.md"
TEXT = """# Task T001 — Count words

Status: Ready\x20\x20
Backlog Item: B013\x20\x20
Created: 2026-04-20
---

## Summary

Count the words
of a text.

## Related Artifacts

Feature Specification: `harness/artifacts/specs/T001-feature-spec.md`\x20\x20
Design Note:\x20\x20
Run Report: harness/runs/T001-run-report.md

## Acceptance Criteria

- AC1: An empty text
  has no words.
- [ ] Spaces do not count
  - not even tabs
3. **AC-07** — Tests pass

## Task Notes

Require Approval Before Build: No

```
Require Approval Before Complete: No
```

## Approval

Reviewer:
Decision: Pending
"""


def parse_task(text: str, path: str) -> Task:
    return TASK.read(text, path).sound()


def faults(text: str) -> list[str]:
    with pytest.raises(InputError) as raised:
        parse_task(text, PATH)
    return [str(fault) for fault in raised.value.faults]


def test_a_task_is_read_as_its_author_wrote_it() -> None:
    task = parse_task(TEXT, PATH)
    assert (task.id, task.title, task.status) == ("T001", "Count words", "Ready")
    assert (task.backlog_item, task.created) == ("B013", "2026-04-20")
    assert task.summary == "Count the words\nof a text."
    assert task.artifacts == {
        "Feature Specification": "harness/artifacts/specs/T001-feature-spec.md",
        "Run Report": "harness/runs/T001-run-report.md",
    }


def test_a_mark_that_an_editor_puts_before_a_file_is_no_part_of_its_title() -> None:
    assert parse_task(f"\ufeff{TEXT}", PATH).title == "Count words"
    assert (
        parse_task(f"\ufeff{TEXT}".replace("\n", "\r\n"), PATH).criteria
        == parse_task(TEXT, PATH).criteria
    )


def test_criteria_may_be_bullets_checkboxes_or_numbered_and_get_ids_where_they_have_none() -> None:
    assert parse_task(TEXT, PATH).criteria == (
        ("AC1", "An empty text has no words."),
        ("AC2", "Spaces do not count - not even tabs"),
        ("AC7", "Tests pass"),
    )


def test_an_approval_is_a_field_line_outside_code() -> None:
    assert parse_task(TEXT, PATH).approvals == {"Build": False}


@pytest.mark.parametrize("mark", ["—", "–", "-", ":"])
def test_the_title_takes_any_dash_or_a_colon(mark: str) -> None:
    task = parse_task(TEXT.replace("T001 —", f"T001 {mark}"), PATH)
    assert (task.id, task.title) == ("T001", "Count words")


def test_every_fault_is_named_at_once_with_its_line_and_the_way_out() -> None:
    assert faults("# Something\n\n## Summary\n\n## Related Artifacts\nQA Review: ../x.md\n") == [
        f"{PATH}:1: id is missing (write '# Task T001 — Title' as the first heading)",
        f"{PATH}:1: 'Status' is missing (add a line 'Status: Ready' under the title)",
        (
            f"{PATH}:1: 'Acceptance Criteria' is missing (add one bullet for each: '- AC1: what "
            "must be true')"
        ),
        f"{PATH}:3: summary is empty (expected a text that is not empty)",
        (
            f"{PATH}:6: artifacts.QA Review: '../x.md' leaves the project (give a path such as "
            "harness/artifacts/specs/T001-feature-spec.md, or leave the line out)"
        ),
    ]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/etc/passwd", "is not relative"),
        ("~/x", "is not relative"),
        ("C:/x", "is not relative"),
        ("harness/../x", "leaves the project"),
        ("src/x.md", "is not a file under harness/"),
        ("harness", "is not a file under harness/"),
        ("harness\\x", "holds a backslash"),
        ("harness/run-state.md", "agents may not write to"),
        ("harness/roles/x.md", "agents may not write to"),
        ("harness/stages.toml", "agents may not write to"),
        ("harness/runs/x.md", "agents may not write to"),
        ("harness/runs/T001-run-report.md", "agents may not write to"),
    ],
)
def test_an_artifact_may_only_stand_where_agents_may_write(path: str, why: str) -> None:
    (fault,) = faults(TEXT.replace("Design Note:", f"Design Note: {path}"))
    assert "Design Note: " in fault
    assert why in fault


def test_an_artifact_may_be_named_without_its_first_folder_and_a_report_may_not() -> None:
    task = parse_task(
        TEXT.replace("Design Note:", "Design Note: `artifacts/design/T001-design-note.md`"), PATH
    )
    assert task.artifacts["Design Note"] == "artifacts/design/T001-design-note.md"
    (fault,) = faults(TEXT.replace("harness/runs/T001-run-report.md", "artifacts/runs/x.md"))
    assert "is not a file under harness/" in fault


def test_two_artifacts_cannot_share_a_path() -> None:
    shared = TEXT.replace(
        "Design Note:", "Design Note: harness/artifacts/specs/T001-feature-spec.md"
    )
    assert "is the path of another artifact" in faults(shared)[0]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("Task T001", "Task 1/../x", "id is '1/../x' (expected a text like T001)"),
        (
            "Build: No",
            "Build: maybe",
            "approvals.Build is 'maybe' (expected true or false (in Markdown Yes or No))",
        ),
        ("- [ ] Spaces", "- AC1: Spaces", "criterion AC1 stands there twice"),
        ("Created:", "Status:", "'Status' stands there twice"),
        ("Status: Ready", "Status:", "status is empty"),
    ],
)
def test_a_wrong_value_is_named(old: str, new: str, fault: str) -> None:
    assert fault in "\n".join(faults(TEXT.replace(old, new)))


def test_filling_in_the_approval_and_the_status_changes_nothing_material() -> None:
    approved = TEXT.replace("Ready", "Done").replace("Pending", "Approved by Ada\n\nFine.")
    assert material_text(approved) == material_text(TEXT)
    assert material_text(TEXT[: TEXT.index("## Approval")]) == material_text(TEXT)
    assert material_text(TEXT.replace("## Approval", "---\n\n\n## Approval")) == material_text(TEXT)
    assert material_text(TEXT.replace("\n", "\r\n")) == material_text(TEXT)
    assert material_text(TEXT.replace("empty text", "long text")) != material_text(TEXT)


def test_one_id_has_one_spelling() -> None:
    for text in ("AC1: x", "ac-01 — x", "**AC1** x", "AC_1. x", "(AC1) x"):
        assert criterion_id(text) == ("AC1", "x")
    assert criterion_id("ACME: x") is None


@given(st.text(alphabet="#AC1 -:*`\n<>TaskSummry[]|."))
def test_any_text_is_a_task_or_an_input_error(text: str) -> None:
    material_text(text)
    with pytest.raises(InputError):
        parse_task(text, PATH)


def test_the_scaffolds_sample_is_a_task() -> None:
    folder = Path(harness.__file__).parent / "scaffold" / "tasks"
    for path in folder.glob("*.md"):
        task = parse_task(path.read_text(encoding="utf-8"), path.name)
        assert task.criteria[0][0] == "AC1"
