from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.governed.phase.commit_message import KINDS, commit_message


@given(st.text(max_size=120), st.text(max_size=120), st.lists(st.text(max_size=60), max_size=3))
@settings(max_examples=100, deadline=None)
def test_whatever_it_is_made_from_a_message_is_one(
    kind: str, subject: str, details: list[str]
) -> None:
    first, *rest = commit_message(kind, subject, details).split("\n")
    assert re.fullmatch(rf"(?:{'|'.join(KINDS)}): .{{1,50}}", first)
    assert not rest or (rest[0] == "" and all(line.startswith("- ") for line in rest[1:]))
    assert not re.search(
        r"\b(?:phase|wave)[\s_#-]*\d+\b|\bplans?/", "\n".join([first, *rest]), re.IGNORECASE
    )


def test_names_of_phases_are_taken_out_and_long_subjects_cut_at_a_word() -> None:
    assert (
        commit_message("feat", "Phase 2 — count words", ["wave 1: tests"])
        == "feat: count words\n\n- tests"
    )
    assert commit_message("fix", "make the very long sentence end before it is cut in a word") == (
        "fix: make the very long sentence end before it is cut…"
    )
    assert commit_message("fix", "phase phase 1 1 is done") == "fix: is done"
    assert commit_message("fix", "count words (phase-3, wave_2)") == "fix: count words (, )"
    assert commit_message("", "") == "chore: work as planned"
