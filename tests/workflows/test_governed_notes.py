from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.governed.memory.notes import Notes, notes_faults, write_notes
from podium.workflows.governed.policy.policy import DEFAULT, read_policy


def test_notes_say_what_is_going_on() -> None:
    text = write_notes(Notes("Count words", "Wave 2 of 3", ("no access",), "approve wave 2"), DEFAULT)
    assert text == (
        "# Notes\n\n## Active objective\n\n- Count words\n- Wave 2 of 3\n\n## Blockers\n\n- no access\n\n"
        "## Pending\n\n- approve wave 2\n"
    )
    assert notes_faults(text, DEFAULT) == ()


def test_words_of_reports_are_put_plainly() -> None:
    text = write_notes(Notes("Iteration 3 had a verdict", "plans/x-plan-phase-2-complete.md"), DEFAULT)
    assert "- round 3 had a result" in text
    assert notes_faults(text, DEFAULT) == ()


@given(
    st.text(max_size=300),
    st.text(max_size=300),
    st.lists(st.text(max_size=60), max_size=6),
    st.text(max_size=60),
    st.integers(1, 25),
)
@settings(max_examples=100, deadline=None)
def test_whatever_they_are_made_from_notes_keep_their_limits(
    objective: str, current: str, blockers: list[str], pending: str, most: int
) -> None:
    policy = read_policy(None, {"memory_hygiene.notes_md_max_lines": most})
    text = write_notes(Notes(objective, current, tuple(blockers), pending), policy)
    assert notes_faults(text, policy) == ()
    assert write_notes(Notes(objective, current, tuple(blockers), pending), policy) == text


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("x\n" * 21, "21 lines, 20 at most"),
        ("the third iteration", "line 1 speaks of 'iteration'"),
        ("a\n\nVerdict: good", "line 3 speaks of 'Verdict'"),
        ("see phase-3-complete", "line 1 names a phase's document: 'phase-3-'"),
        ("```\nx\n```", "line 1 is code"),
        ("- a\n- b\n\n- c\n- d", "4 list items in a row, 3 at most"),
    ],
)
def test_what_does_not_belong_there_is_named(text: str, fault: str) -> None:
    assert fault in notes_faults(text, DEFAULT)
