from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.governed.memory.memory import (
    CHOICES,
    archivable,
    decide_memory,
    entry_faults,
    settled,
    similarity,
)
from podium.workflows.governed.policy.policy import DEFAULT


def entry(**members: Any) -> dict[str, Any]:
    return {
        "subject": "test command",
        "fact": "run make test at the root",
        "citations": ["Makefile:3"],
        "reason": "every task needs it",
        "category": "project",
        **members,
    }


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (entry(), entry(), 1.0),
        (entry(), entry(fact="RUN make_test/at the-root"), 1.0),
        (entry(), entry(subject="x", fact="y"), 0.0),
        (entry(subject="a b", fact="c"), entry(subject="a b", fact="d"), 0.5),
        ({}, {}, 1.0),
    ],
)
def test_entries_are_alike_by_the_words_of_subject_and_fact(
    one: Any, other: Any, alike: float
) -> None:
    assert similarity(one, other) == pytest.approx(alike)


def test_what_looks_known_is_asked_about_from_85_percent_on() -> None:
    words = " ".join(f"w{number}" for number in range(16))
    known = entry(subject="s", fact=words)
    shorter = entry(subject="s", fact=words.rsplit(" ", 2)[0])  # 15 of 17 words
    assert similarity(shorter, known) > 0.85
    found = decide_memory(shorter, [entry(subject="q", fact="z"), known], DEFAULT)
    assert (found.kind, found.like) == ("ask", 1)
    assert "entry 2: s" in found.reason
    other = entry(subject="s", fact=words.rsplit(" ", 3)[0])  # 14 of 17
    assert similarity(other, known) < 0.85
    assert decide_memory(other, [known], DEFAULT).kind == "write"
    assert decide_memory(other, [], DEFAULT).kind == "write"


@pytest.mark.parametrize(
    ("members", "fault"),
    [
        ({"subject": ""}, "subject is missing"),
        ({"citations": []}, "citations is missing"),
        ({"citations": "Makefile"}, "citations must be a list of texts"),
        (
            {"category": "gossip"},
            "category is 'gossip', it must be one of user, feedback, project, reference",
        ),
        ({"task": "x"}, "task is not known"),
    ],
)
def test_an_entry_that_is_not_whole_is_refused(members: dict[str, Any], fault: str) -> None:
    assert fault in entry_faults(entry(**members), DEFAULT)
    assert decide_memory(entry(**members), [], DEFAULT).kind == "refuse"


def test_a_person_skips_merges_or_keeps_both_with_a_reason() -> None:
    known = [entry()]
    new = entry(fact="run make test at the root now", citations=["Makefile:9"])
    decision = decide_memory(new, known, DEFAULT)
    assert decision.kind == "ask"
    assert settled(new, known, decision, "skip") == (known[0],)
    [merged] = settled(new, known, decision, "merge")
    assert (merged["fact"], merged["citations"]) == (new["fact"], ["Makefile:3", "Makefile:9"])
    assert len(settled(new, known, decision, "create", "another folder")) == 2
    with pytest.raises(ValueError, match="only with a reason"):
        settled(new, known, decision, "create")
    with pytest.raises(ValueError, match="is not one of skip, merge, create"):
        settled(new, known, decision, "drop")
    assert CHOICES == ("skip", "merge", "create")


@given(st.text(max_size=40), st.text(max_size=40))
@settings(max_examples=60, deadline=None)
def test_likeness_goes_both_ways_and_stays_between_0_and_1(one: str, other: str) -> None:
    left, right = entry(fact=one), entry(fact=other)
    assert 0 <= similarity(left, right) == similarity(right, left) <= 1
    assert similarity(left, left) == 1


@pytest.mark.parametrize(
    ("status", "age", "may"),
    [("DONE", 14, True), ("DONE", 13.9, False), ("SUPERSEDED", 99, True), ("ACTIVE", 99, False)],
)
def test_finished_plans_go_to_the_archive_after_two_weeks(
    status: str, age: float, may: bool
) -> None:
    assert archivable(status, age, DEFAULT) is may
