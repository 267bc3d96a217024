"""What a person reads in the log of a run's branch: what was done, not which step it was."""

from __future__ import annotations

import pytest

from podium.engine.attempts.subject import LONGEST, subject


@pytest.mark.parametrize(
    ("summary", "line"),
    [
        ("Count words.\n\nMore.", "Count words"),
        ("DONE: count the words of a text", "count the words of a text"),
        (
            "## Summary\n\n- Added `count_words` to src/app.py\n",
            "Added `count_words` to src/app.py",
        ),
        ("**Status:** success\n\nThe counter is mended", "The counter is mended"),
        ("Status: DONE — the counter is mended", "the counter is mended"),
        ("Done!\n\nThe counter is mended.", "The counter is mended"),
        ("I changed these files:\n- src/app.py counts words", "src/app.py counts words"),
        ('```json\n{"status": "done"}\n```\nThe counter is mended', "The counter is mended"),
        ("Fixed the rounding of cents", "Fixed the rounding of cents"),
        ("Complete rewrite of the parser", "Complete rewrite of the parser"),
        ("done", "Work of build/1"),
        ("", "Work of build/1"),
        ("```\n{}\n```", "Work of build/1"),
    ],
)
def test_the_subject_is_the_first_line_that_says_what_was_done(summary: str, line: str) -> None:
    assert subject(summary, "build/1") == line


def test_a_long_line_is_cut_between_words() -> None:
    found = subject("word " * 40, "build/1")
    assert len(found) <= LONGEST
    assert found.endswith("word…")


def test_a_long_word_is_cut_all_the_same() -> None:
    assert len(subject(f"{'x' * 200} y", "build/1")) <= LONGEST
