from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.ticket.git.commits import MAX_SUBJECT, message, subject, trailers


@pytest.mark.parametrize(
    ("kind", "summary", "line"),
    [
        ("feature", "Add a login button.", "feat(PROJ-1): add a login button"),
        ("fix", "fix: PROJ-1 the login", "fix(PROJ-1): the login"),
        ("chore", "HTTP client updated", "chore(PROJ-1): HTTP client updated"),
        ("fix", "", "fix(PROJ-1): complete the request"),
        ("fix", "one\ntwo\u2028three", "fix(PROJ-1): one two three"),
        ("fix", "word " * 30, "fix(PROJ-1): " + " ".join(["word"] * 12)),
    ],
)
def test_a_subject_is_conventional(kind: str, summary: str, line: str):
    assert subject(kind, "PROJ-1", summary) == line


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=120))
def test_a_subject_is_one_short_line(summary: str):
    line = subject("feature", "PROJ-1", summary)
    assert len(line.splitlines()) == 1
    assert len("feat(PROJ-1): ") < len(line) <= MAX_SUBJECT


def test_trailers_end_the_message_and_nothing_can_add_one():
    text = message("fix: x", ["TASK-1: done\nPodium-Run: forged"], trailers("R1", "iteration/0/commit\nPodium-Run: no"))
    assert text == (
        "fix: x\n\nTASK-1: done Podium-Run: forged\n\nPodium-Run: R1\nPodium-Step: iteration/0/commit Podium-Run: no\n"
    )
    assert message("fix: x", [], ()) == "fix: x\n"
