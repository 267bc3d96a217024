from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from podium.core.errors import InputError
from podium.documents.markdown_edit import BEGIN, END
from podium.formats.field_lines import field_value, one_line
from podium.workflows import harness
from podium.workflows.harness.run_state import STATUSES, RunState, parse, render, update

PATH = "harness/run-state.md"
STAGES = (
    "Specification",
    "Design",
    "Implementation Planning",
    "Build",
    "QA",
    "Awaiting Approval",
    "Complete",
)
TEMPLATE = """# Run State

## Task

Task ID: {{TASK_ID}}\x20\x20
Task File: {{TASK_FILE}}

---

## Execution State

Current Status: {{CURRENT_STATUS}}\x20\x20
Current Stage: {{CURRENT_STAGE}}\x20\x20
Current Run ID: {{CURRENT_RUN_ID}}

Stop Reason: {{STOP_REASON}}

---

## Completed Stages

{{COMPLETED_STAGES}}

---

## Artifact Paths

Feature Specification: {{FEATURE_SPEC_PATH}}\x20\x20
Design Note: {{DESIGN_NOTE_PATH}}

---

## Approval Mode

Require Approval Before Build: {{REQUIRE_APPROVAL_BEFORE_BUILD}}\x20\x20
Require Approval Before Complete: {{REQUIRE_APPROVAL_BEFORE_COMPLETE}}

---

## Notes

{{NOTES}}
"""
STATE = RunState(
    task_id="T001",
    task_file="harness/tasks/T001-words.md",
    status="Active",
    stage="Specification",
    run_id="RUN-2026-04-20-T001-SPEC",
    artifacts={
        "Feature Specification": "harness/artifacts/specs/T001.md",
        "Design Note": "harness/artifacts/d.md",
    },
    approvals={"Build": True, "Complete": True},
)
LATER = replace(
    STATE,
    status="Awaiting Approval",
    stage="Build",
    run_id="RUN-2026-04-21-T001-BUILD",
    stop_reason="approval required",
    completed=("Specification", "Design"),
    approvals={"Build": True, "Complete": False},
)
VALUES = st.text().map(field_value).filter(lambda value: value and value.casefold() != "none")
WORDS = st.text(alphabet=st.characters(categories=["L", "N"]), min_size=1).filter(
    lambda word: word.casefold() != "none"
)
STATES = st.builds(
    RunState,
    task_id=VALUES,
    task_file=VALUES,
    status=st.sampled_from(STATUSES),
    stage=st.sampled_from(STAGES),
    run_id=VALUES,
    stop_reason=st.one_of(st.just(""), VALUES),
    completed=st.lists(st.sampled_from(STAGES), unique=True).map(tuple),
    artifacts=st.dictionaries(
        st.sampled_from(["Feature Specification", "Design Note", "Review"]), WORDS
    ),
    approvals=st.dictionaries(
        st.sampled_from(["Build", "Complete", "Fix and Deploy"]), st.booleans()
    ),
)
DAMAGED = st.lists(
    st.sampled_from(
        [
            *(
                "## Task",
                "## Execution State",
                "## Completed Stages",
                "## Artifact Paths",
                "## Notes",
                "---",
                "",
            ),
            *(
                "Task ID: T1  ",
                "Current Status: Active <!-- a",
                "-->",
                "- Design",
                "- None",
                "```",
                "> q",
                "  - x: y",
            ),
            *(
                "Design Note: `a`",
                "<!--",
                "words",
                "===",
                BEGIN,
                END,
                "    code",
                "# Top",
                "- Stop Reason: **x**",
            ),
        ]
    ),
    max_size=14,
).map("\n".join)


def faults(text: str) -> list[str]:
    with pytest.raises(InputError) as raised:
        parse(text, PATH, STAGES)
    return [f"{fault.where} {fault.what}" for fault in raised.value.faults]


def test_the_first_version_is_the_template_filled_in() -> None:
    expected = TEMPLATE
    for name, value in {
        "TASK_ID": "T001",
        "TASK_FILE": STATE.task_file,
        "CURRENT_STATUS": "Active",
        "CURRENT_STAGE": "Specification",
        "CURRENT_RUN_ID": STATE.run_id,
        "STOP_REASON": "None",
        "COMPLETED_STAGES": "- None",
        "FEATURE_SPEC_PATH": "harness/artifacts/specs/T001.md",
        "DESIGN_NOTE_PATH": "harness/artifacts/d.md",
        "REQUIRE_APPROVAL_BEFORE_BUILD": "Yes",
        "REQUIRE_APPROVAL_BEFORE_COMPLETE": "Yes",
        "NOTES": f"{BEGIN}\n- Started.\n{END}",
    }.items():
        expected = expected.replace(f"{{{{{name}}}}}", value)
    assert render(STATE, TEMPLATE, ["Started."]) == expected


def test_lines_beyond_the_template_join_their_sections_and_lines_without_a_value_go() -> None:
    state = replace(
        STATE, artifacts={"Code Review": "harness/r.md"}, approvals={"Fix and Deploy": True}
    )
    text = render(state, TEMPLATE)
    assert "## Artifact Paths\n\nCode Review: harness/r.md\n\n---" in text
    assert "## Approval Mode\n\nRequire Approval Before Fix and Deploy: Yes\n\n---" in text


@given(STATES, STATES, st.lists(st.text(), max_size=3))
def test_what_is_written_is_read_back_and_writing_again_changes_nothing(
    first: RunState, second: RunState, notes: list[str]
) -> None:
    text = render(first, TEMPLATE, notes)
    read = parse(text, PATH, STAGES)
    assert (read, list(read.artifacts), list(read.approvals)) == (
        first,
        sorted(first.artifacts, key=list(read.artifacts).index),
        sorted(first.approvals, key=list(read.approvals).index),
    )
    changed = update(text, second, notes)
    assert update(changed, second, notes) == changed
    after = parse(changed, PATH, STAGES)
    assert replace(after, artifacts=second.artifacts, approvals=second.approvals) == second
    assert second.artifacts.items() <= after.artifacts.items()


def test_an_update_keeps_a_persons_words_comments_remarks_and_order() -> None:
    text = render(replace(STATE, completed=("Specification",)), TEMPLATE, ["Old."])
    text = (
        text.replace(
            "- Specification\n", "We like this one:\n\n- Specification — approved by Ada\n"
        )
        .replace("Current Status: Active", "<!-- mine -->\nCurrent Status: active <!-- A or B -->")
        .replace(END, f"{END}\n\nCall Bob first.\n\n```\n## Not a section")
    )
    new = update(text, replace(STATE, completed=("Specification", "Design")), ["New.", "Second."])
    assert new == text.replace("Ada\n", "Ada\n- Design\n").replace("- Old.", "- New.\n- Second.")
    assert parse(new, PATH, STAGES).notes == "Call Bob first.\n\n```\n## Not a section"
    assert parse(new, PATH, STAGES).completed == ("Specification", "Design")


def test_program_notes_cannot_leave_their_block() -> None:
    text = render(STATE, TEMPLATE, ["## Task\n```", END, BEGIN, "<!-- open", "- listed"])
    assert parse(text, PATH, STAGES) == STATE
    assert "\n- \\- listed\n" in text
    assert parse(update(text, STATE), PATH, STAGES).notes == ""


def test_people_may_write_in_notes_without_any_program_block() -> None:
    text = render(replace(STATE, notes="One.\n\nTwo."), TEMPLATE)
    assert parse(text, PATH).notes == "One.\n\nTwo."
    assert parse(update(text, STATE, ["x"]), PATH).notes == "One.\n\nTwo."


@pytest.mark.parametrize(
    "damage",
    [(BEGIN, ""), (END, ""), (BEGIN, f"{BEGIN}\n{BEGIN}"), (END, f"{END}\n{BEGIN}\n{END}")],
)
def test_a_damaged_block_is_mended_once_and_no_words_are_lost(damage: tuple[str, str]) -> None:
    text = render(STATE, TEMPLATE, ["Old."]).replace(*damage) + "\nMine.\n"
    new = update(text, STATE, ["New."])
    assert new.count("- New.") == new.count(BEGIN) == 1
    assert "Mine." in parse(new, PATH).notes
    assert update(new, STATE, ["New."]) == new


def test_fields_right_above_a_rule_are_read() -> None:
    text = render(LATER, TEMPLATE).replace("\n\n---", "\n---")
    assert parse(text, PATH, STAGES) == LATER


def test_in_progress_is_read_as_active_and_case_does_not_matter() -> None:
    text = render(STATE, TEMPLATE).replace("Status: Active", "Status: In Progress")
    assert parse(text, PATH, STAGES).status == "Active"
    assert parse(text.replace("Stage: Specification", "Stage: qa"), PATH, STAGES).stage == "QA"


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("## Completed Stages", "## Stages", f"{PATH}:1 'Completed Stages' is missing"),
        (
            "Task File: harness/tasks/T001-words.md",
            "",
            f"{PATH}:3 'Task File' is missing",
        ),
        ("Task ID: T001", "Task ID:", f"{PATH}:5 Task ID is empty"),
        (
            "Status: Active",
            "Status: Sleeping",
            f"{PATH}:12 Current Status is 'Sleeping'",
        ),
        (
            "Stage: Specification",
            "Stage: Specifcation",
            f"{PATH}:13 Current Stage: 'Specifcation' is not a stage",
        ),
        (
            "Stop Reason: None",
            "Stop Reason: a\nStop Reason: b",
            f"{PATH}:17 'Stop Reason' stands there twice",
        ),
        ("- None", "- Bulid", f"{PATH}:22 Completed Stages: 'Bulid' is not a stage"),
        (
            "Build: Yes",
            "Build: perhaps",
            f"{PATH}:35 approvals.Build is 'perhaps'",
        ),
        (
            "harness/artifacts/d.md",
            "/etc/x",
            f"{PATH}:29 artifacts.Design Note: '/etc/x' is not relative to the project",
        ),
    ],
)
def test_a_fault_names_file_line_and_field(old: str, new: str, fault: str) -> None:
    assert fault in faults(render(STATE, TEMPLATE).replace(old, new))


def test_an_unknown_stage_brings_the_nearest_name() -> None:
    with pytest.raises(InputError, match="did you mean 'Implementation Planning'"):
        parse(render(replace(STATE, stage="Implementation Plan"), TEMPLATE), PATH, STAGES)


@settings(max_examples=500, deadline=None)
@given(st.one_of(st.text(), DAMAGED))
@example("## Completed Stages\n<!-->\n--\n-\n- D")
@example("# Notes\n<!-- podium:begin -->\n<!--\n<!-- podium:begin -->")
@example("# Notes\n<!-- podium:begin -->\n<!--\n\n<!-- podium:begin -->")
def test_any_other_text_is_an_input_error_and_can_still_be_updated(text: str) -> None:
    with pytest.raises(InputError):
        parse(text, PATH, STAGES)
    new = update(text, LATER, ["note"])
    assert update(new, LATER, ["note"]) == new


def test_the_scaffolds_template_makes_a_sound_state() -> None:
    for path in (Path(harness.__file__).parent / "scaffold" / "templates").glob(
        "run-state-template.md"
    ):
        text = render(LATER, path.read_text(encoding="utf-8"), ["Note."])
        assert parse(text, PATH, STAGES) == LATER
        assert "{{" not in text
        assert one_line(text)
