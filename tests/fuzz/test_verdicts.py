"""Verdicts of every dialect, by line and by object: a word of the closed list in its place, or
none at all.
"""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fuzz.texts import DIALECTS, FUZZED, JSON, NOISE, TEXTS, objects

from podium.core.verdict import Dialect, MalformedVerdict, Outcome, Verdict
from podium.workflows.governed.dialects import DIALECTS as GOVERNED
from podium.workflows.harness.qa import READINESS, RESULTS, from_members

ALL = {**DIALECTS, **GOVERNED}
SPOKEN = {name: each for name, each in ALL.items() if each.line is not None}
OUTCOMES = get_args(Outcome)


def explained(refused: Exception) -> None:
    assert str(refused).strip(), "refused without a word"


def taken(dialect: Dialect, data: dict[str, Any]) -> Verdict | None:
    """The verdict, or None where it is refused with a reason."""
    try:
        return dialect.read(data)
    except MalformedVerdict as refused:
        return explained(refused)


@pytest.mark.parametrize("name", ALL)
def test_any_object_is_a_verdict_or_refused_with_its_fault(name: str) -> None:
    @FUZZED
    @given(st.one_of(objects(), st.dictionaries(st.text(max_size=8), JSON, max_size=4)))
    def any_object(data: dict[str, Any]) -> None:
        found = taken(ALL[name], data)
        assert found is None or found.outcome in OUTCOMES
        if found is not None and data:
            assert taken(ALL[name], {**data, "podium-unknown": True}) is None, (
                "a member that nobody defined was taken"
            )

    any_object()


@pytest.mark.parametrize("name", ALL)
def test_the_word_of_a_good_object_counts_and_no_other_does(name: str) -> None:
    good = dict(ALL[name].good)
    member = next((each for each in ("status", "result") if each in good), "")
    assert taken(ALL[name], good) is not None or not good
    for word in ("", "done and dusted", "PASSED?", None, 1, ["DONE"]):
        assert not member or taken(ALL[name], {**good, member: word}) is None, word


@pytest.mark.parametrize("name", SPOKEN)
def test_a_line_counts_only_where_it_opens_or_closes_an_answer(name: str) -> None:
    line = SPOKEN[name].line
    assert line is not None

    @FUZZED
    @given(
        st.one_of(
            TEXTS, NOISE, st.sampled_from(("DONE: a", "ERROR: b", "Pass — fine", "ACCEPTED: c"))
        )
    )
    def any_text(text: str) -> None:
        try:
            found = line(text)
        except MalformedVerdict as refused:
            explained(refused)
            return
        assert found is None or found.outcome in OUTCOMES
        quoted = "\n".join(
            ("An answer.", "```", *text.replace("```", "").splitlines(), "```", "The end.")
        )
        assert (
            SILENT.get(name) or line(quoted) is None or line("An answer.\nThe end.") == line(quoted)
        )

    any_text()


SILENT = {name: True for name in SPOKEN if name.startswith("roadmap")}
"""The roadmap's answers are documents with a table; what stands in code there is tried in their
own tests.
"""


@FUZZED
@given(
    st.one_of(
        objects(),
        st.dictionaries(
            st.sampled_from(("result", "readiness", "criteria", "issues", "notes")), JSON
        ),
    )
)
def test_a_qa_object_has_only_words_of_its_closed_sets(data: dict[str, Any]) -> None:
    try:
        found = from_members(data)
    except ValueError as refused:
        explained(refused)
    else:
        assert found.result in RESULTS
        assert found.readiness in READINESS
