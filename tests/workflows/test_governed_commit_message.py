from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.governed.phase.commit_message import KINDS, commit_message, message_faults


@pytest.mark.parametrize("kind", KINDS)
def test_a_plain_message_is_one(kind: str) -> None:
    assert message_faults(f"{kind}: count words in a text") == ()
    assert message_faults(f"{kind}: count words\n\n- one detail\n") == ()


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ("", "the first line must be one of"),
        ("docs: x", "the first line must be one of"),
        ("feat:x", "the first line must be one of"),
        ("feat: " + "x" * 51, "the subject has 51 characters, 50 at most"),
        ("feat: x\nbody", "the second line must be empty"),
        ("feat: do phase 3", "it names a plan or a phase: 'phase 3'"),
        ("feat: x\n\nsee plans/a.md", "it names a plan or a phase: 'plans/'"),
        ("feat: finish Word-Count", "it names the plan 'word-count'"),
    ],
)
def test_what_is_no_message_says_why(message: str, fault: str) -> None:
    assert any(each.startswith(fault) for each in message_faults(message, ["word-count"]))


@given(st.text(max_size=120), st.text(max_size=120), st.lists(st.text(max_size=60), max_size=3))
@settings(max_examples=100, deadline=None)
def test_whatever_it_is_made_from_a_message_is_one(kind: str, subject: str, details: list[str]) -> None:
    assert message_faults(commit_message(kind, subject, details)) == ()


def test_names_of_phases_are_taken_out_and_long_subjects_cut_at_a_word() -> None:
    assert (
        commit_message("feat", "Phase 2 — count words", ["wave 1: tests"]) == "feat: count words\n\n- tests"
    )
    assert commit_message("fix", "make the very long sentence end before it is cut in a word") == (
        "fix: make the very long sentence end before it is cut…"
    )
    assert commit_message("fix", "phase phase 1 1 is done") == "fix: is done"
    assert commit_message("fix", "count words (phase-3, wave_2)") == "fix: count words (, )"
    assert commit_message("", "") == "chore: work as planned"
