from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.ticket.git.commits import MAX_SUBJECT, subject


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
