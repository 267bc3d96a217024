from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.governed.memory.notes import Notes, write_notes
from podium.workflows.governed.policy.policy import DEFAULT, read_policy


def within_limits(text: str, most: int = 20) -> bool:
    """As the family has it: few lines, no words of reports, no code, never four list items in a
    row.
    """
    lines = text.splitlines()
    listed = "".join("-" if line.startswith("- ") else " " for line in lines if line)
    return (
        len(lines) <= most
        and not re.search(r"\b(iteration|verdict)s?\b|phase-\d+-|```|~~~", text, re.IGNORECASE)
        and "----" not in listed
    )


def test_notes_say_what_is_going_on() -> None:
    text = write_notes(
        Notes("Count words", "Wave 2 of 3", ("no access",), "approve wave 2"), DEFAULT
    )
    assert text == (
        "# Notes\n\n## Active objective\n\n- Count words\n- Wave 2 of 3\n\n## Blockers\n\n- "
        "no access\n\n"
        "## Pending\n\n- approve wave 2\n"
    )
    assert within_limits(text)


def test_words_of_reports_are_put_plainly() -> None:
    text = write_notes(
        Notes("Iteration 3 had a verdict", "plans/x-plan-phase-2-complete.md"), DEFAULT
    )
    assert "- round 3 had a result" in text
    assert within_limits(text)


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
    assert within_limits(text, most)
    assert write_notes(Notes(objective, current, tuple(blockers), pending), policy) == text
