"""A verdict is read from structure and fails closed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.core.verdict import (
    NONE,
    Judgement,
    MalformedVerdict,
    Outcome,
    Verdict,
    choice,
    line_reader,
    members,
    worse,
)

WORDS: Mapping[str, Outcome] = {"DONE": "ok", "NEEDS_REVISION": "revise", "ERROR": "fail"}
read = line_reader(WORDS)


@pytest.mark.parametrize(
    ("text", "outcome", "word", "reason"),
    [
        ("DONE: spec written", "ok", "DONE", "spec written"),
        ("**DONE**: spec written", "ok", "DONE", "spec written"),
        ("DONE — spec written", "ok", "DONE", "spec written"),
        ("NEEDS_REVISION (High): two issues", "revise", "NEEDS_REVISION", "two issues"),
        ("I looked at it all.\n\nERROR: no build\n\n", "fail", "ERROR", "no build"),
        ("DONE: early\nand some prose", "ok", "DONE", "early"),
        ("DONE: all good\nbut then\nERROR: it broke", "fail", "ERROR", "it broke"),
        ("ERROR: it broke\nDONE: never mind", "fail", "ERROR", "it broke"),
        ("DONE", "ok", "DONE", ""),
        ("**ERROR**", "fail", "ERROR", ""),
        ("__DONE__.", "ok", "DONE", ""),
        ("I looked.\n\nStatus: NEEDS_REVISION", "revise", "NEEDS_REVISION", ""),
        ("- **Status:** `ERROR` — no build", "fail", "ERROR", "no build"),
        ("## Verdict: ❌ ERROR", "fail", "ERROR", ""),
        ("**DONE:** spec written", "ok", "DONE", "spec written"),
    ],
)
def test_a_verdict_line_stands_first_or_last_and_the_worse_of_two_counts(
    text: str, outcome: str, word: str, reason: str
) -> None:
    assert read(text) == Verdict(outcome, word, reason)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n ",
        "All done!",
        "done: in lower case",
        "prose\nDONE: in the middle\nprose",
        "DONE with it, I think",
        "DONE | ERROR",
        "> DONE: quoted",
        "~~DONE~~",
        "- [ ] DONE",
        "The status: DONE",
        "DONE_ISH",
        "UNDONE: no",
        "DONEISH: no",
    ],
)
def test_what_is_not_exactly_a_verdict_line_is_none(text: str) -> None:
    assert read(text) is None


outcomes = st.sampled_from(get_args(Outcome))


@given(outcomes, outcomes, outcomes)
def test_the_worse_of_answers_does_not_depend_on_how_they_are_paired(
    a: Outcome, b: Outcome, c: Outcome
) -> None:
    one, two, three = (Verdict(each, each) for each in (a, b, c))
    assert worse(one, two) == worse(two, one)
    assert worse(worse(one, two), three) == worse(one, worse(two, three))


@pytest.mark.parametrize(
    ("bad", "good"),
    [("fail", "needs_input"), ("needs_input", "revise"), ("revise", "abstain"), ("abstain", "ok")],
)
def test_outcomes_have_an_order_of_badness(bad: Outcome, good: Outcome) -> None:
    assert worse(Verdict(good, ""), Verdict(bad, "")).outcome == bad


ALLOWED: Mapping[str, type | tuple[type, ...]] = {"status": str, "tasks": list}


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        ({"statsu": "DONE"}, "unknown member 'statsu'; did you mean 'status'?"),
        ({"zzz": 1}, "unknown member 'zzz'"),
        ({"status": 1}, "member 'status' has the wrong type int"),
        ({"tasks": []}, "member 'status' is missing"),
        ({}, "member 'status' is missing"),
    ],
)
def test_a_verdict_object_is_a_closed_list_of_members(data: dict[str, Any], fault: str) -> None:
    with pytest.raises(MalformedVerdict) as found:
        members(data, ALLOWED, ["status"])
    assert str(found.value) == fault


def test_a_good_object_is_given_back() -> None:
    assert members({"status": "DONE"}, ALLOWED, ["status"]) == {"status": "DONE"}


def test_a_word_is_compared_without_case_and_given_back_as_the_dialect_writes_it() -> None:
    assert choice({"status": "done"}, "status", WORDS) == ("DONE", "ok")


@pytest.mark.parametrize("data", [{}, {"status": "FINE"}, {"status": None}, {"status": ["DONE"]}])
def test_a_word_outside_the_list_is_malformed(data: dict[str, Any]) -> None:
    with pytest.raises(MalformedVerdict, match="must be one of DONE, NEEDS_REVISION, ERROR"):
        choice(data, "status", WORDS)


def test_a_step_without_a_dialect_takes_no_verdict() -> None:
    assert NONE.read({}) == Verdict("ok", "")
    with pytest.raises(MalformedVerdict):
        NONE.read({"status": "DONE"})


def test_a_judgement_is_routed_by_its_classification_where_it_has_one() -> None:
    assert Judgement("fail").route == "fail"
    assert Judgement("fail", classification="transient").route == "transient"


def test_a_line_of_nothing_but_spaces_is_read_in_no_time() -> None:
    """A pattern that goes back over the same spaces again and again would take minutes for this."""
    assert line_reader({"DONE": "ok"})("DONE" + " " * 200_000 + "x") is None
