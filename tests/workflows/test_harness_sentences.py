"""A team's own sentences in a template say what the run says, from the first version of the file
to the last.
"""

from __future__ import annotations

import pytest

from podium.workflows.harness import sentences

VALUES = (
    ("Task", "Task ID", "T001"),
    ("Execution State", "Current Stage", "Build"),
    ("Execution State", "Stop Reason", "None"),
    ("Artifact Paths", "Feature Specification", "specs/T001.md"),
    ("Approval Mode", "Require Approval Before Build", "Yes"),
)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Task {{TASK_ID}} is at {{CURRENT_STAGE}}.", "Task T001 is at Build."),
        ("# Run of {{TASK_ID}}", "# Run of T001"),
        ("See: {{FEATURE_SPEC_PATH}} ({{COMPLETED_STAGES}})", "See: specs/T001.md (Design, QA)"),
        ("Asked before Build? {{REQUIRE_APPROVAL_BEFORE_BUILD}}", "Asked before Build? Yes"),
        ("Ours: {{OUR_OWN}}!", "Ours: !"),
        ("Task ID: {{TASK_ID}}", "Task ID: {{TASK_ID}}"),
        ("{{NOTES}}", "{{NOTES}}"),
        ("- {{COMPLETED_STAGES}}", "- {{COMPLETED_STAGES}}"),
        ("no placeholder", "no placeholder"),
    ],
)
def test_a_placeholder_among_words_is_filled_and_every_other_left(line: str, said: str) -> None:
    assert sentences.filled(f"{line}  \n", VALUES, ("Design", "QA")) == f"{said}  \n"


def test_a_sentence_is_kept_up_to_date_and_one_that_people_reworded_is_theirs() -> None:
    template = "Task {{TASK_ID}} is at {{CURRENT_STAGE}}.\nIt waits for {{STOP_REASON}}.\n"
    text = "Task T001 is at Design.  \r\nIt waits for nobody, I think\nTask T009 is at QA.\n"
    assert (
        sentences.refreshed(text, template, VALUES)
        == "Task T001 is at Build.  \r\nIt waits for nobody, I think\nTask T009 is at QA.\n"
    )


@pytest.mark.parametrize(
    ("line", "fits"),
    [
        ("a1b2c", True),
        ("abc", True),
        ("ab", False),
        ("acb", False),
        ("xabc", False),
        ("abcx", False),
        ("a b b c", True),
        ("ac", False),
    ],
)
def test_a_sentence_is_known_by_its_words_in_their_order(line: str, fits: bool) -> None:
    changed = sentences.refreshed(line, "a{{TASK_ID}}b{{TASK_ID}}c", VALUES) != line
    assert changed is fits
