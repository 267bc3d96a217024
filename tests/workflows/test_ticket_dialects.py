from __future__ import annotations

from typing import Any

import pytest

from podium.core.verdict import MalformedVerdict
from podium.workflows.ticket.dialects import (
    DEVELOPER,
    DIALECTS,
    PARALLEL,
    REVIEW,
    SEQUENTIAL,
    STOPS,
    TASK_REVIEW,
    WORK,
)


@pytest.mark.parametrize("name", DIALECTS)
def test_a_good_answer_is_good_and_everybody_is_told_how_to_report(name: str):
    dialect = DIALECTS[name]
    assert dialect.name == name
    assert dialect.read(dialect.good).outcome == "ok"
    assert dialect.told


@pytest.mark.parametrize(
    ("dialect", "data", "outcome", "word"),
    [
        (WORK, {"status": "DONE", "summary": "x"}, "ok", "DONE"),
        (WORK, {"status": "done"}, "ok", "DONE"),
        (WORK, {"status": "ERROR", "summary": "x"}, "fail", "ERROR"),
        (PARALLEL, {"status": "SYNTAX_VALID", "evidence": "x"}, "ok", "SYNTAX_VALID"),
        (PARALLEL, {"status": "SYNTAX_ERROR"}, "fail", "SYNTAX_ERROR"),
        (PARALLEL, {"status": "ERROR"}, "fail", "ERROR"),
        (SEQUENTIAL, {"status": "DONE", "evidence": ["a", "b"]}, "ok", "DONE"),
        (SEQUENTIAL, {"status": "REJECTED"}, "fail", "REJECTED"),
        (REVIEW, {"status": "ACCEPTED", "criteria": {"a": "MET"}}, "ok", "ACCEPTED"),
        (REVIEW, {"status": "REJECTED", "criteria": {"a": "NOT MET"}}, "revise", "REJECTED"),
        (
            REVIEW,
            {"status": "ACCEPTED", "criteria": {"a": "MET", "b": "NOT MET"}},
            "revise",
            "REJECTED",
        ),
    ],
)
def test_each_word_has_one_meaning(dialect: Any, data: dict, outcome: str, word: str):
    said = dialect.read(data)
    assert (said.outcome, said.word) == (outcome, word)
    assert said.data == data


@pytest.mark.parametrize(
    ("dialect", "data"),
    [
        (WORK, {}),
        (WORK, {"status": "OK"}),
        (WORK, {"status": "DONE", "evidence": "x"}),
        (WORK, {"status": 1}),
        (PARALLEL, {"status": "ACCEPTED"}),
        (PARALLEL, {"status": "DONE", "summary": "x"}),
        (PARALLEL, {"status": "DONE", "evidence": [1]}),
        (REVIEW, {"status": "DONE"}),
        (REVIEW, {"status": "ACCEPTED", "criteria": {"a": "PARTLY"}}),
        (REVIEW, {"status": "ACCEPTED", "criteria": {"a": True}}),
        (REVIEW, {"status": "ACCEPTED", "criteria": ["a"]}),
        (REVIEW, {"status": "ACCEPTED", "notes": "x"}),
    ],
)
def test_what_the_table_does_not_know_is_refused(dialect: Any, data: dict):
    with pytest.raises(MalformedVerdict):
        dialect.read(data)


def test_an_unmet_criterion_is_named():
    assert (
        REVIEW.read({"status": "ACCEPTED", "criteria": {"it loads": "NOT MET"}}).reason
        == "not met: it loads"
    )


@pytest.mark.parametrize(
    ("dialect", "text", "word"),
    [
        (WORK, "DONE: written", "DONE"),
        (WORK, "Much was said.\n\n**ERROR**: no", "ERROR"),
        (PARALLEL, "SYNTAX_VALID: it parses", "SYNTAX_VALID"),
        (SEQUENTIAL, "DONE — written", "DONE"),
        (REVIEW, "REJECTED: the export is empty", "REJECTED"),
        (PARALLEL, "I tried.\n\nSYNTAX_ERROR", "SYNTAX_ERROR"),
        (PARALLEL, "**Status:** SYNTAX_VALID", "SYNTAX_VALID"),
        (SEQUENTIAL, "ERROR", "ERROR"),
        (REVIEW, "**ACCEPTED**", "ACCEPTED"),
        (REVIEW, "Decision: ACCEPT", "ACCEPTED"),
        (REVIEW, "REJECT: the export is empty", "REJECTED"),
        (REVIEW, "- it loads: MET\n- it saves: **NOT MET**\n\nACCEPTED: nearly all", "REJECTED"),
        (REVIEW, "| it saves | NOT MET |\n\nACCEPTED", "REJECTED"),
        (REVIEW, "- it saves — NOT MET", "REJECTED"),
        (REVIEW, "> it saves: NOT MET\n\nACCEPTED", "ACCEPTED"),
        (REVIEW, "Nothing is NOT MET\n\nACCEPTED", "ACCEPTED"),
        (REVIEW, "What was NOT MET before is now.\n\nACCEPTED", "ACCEPTED"),
    ],
)
def test_a_line_is_a_verdict(dialect: Any, text: str, word: str):
    assert dialect.line is not None
    said = dialect.line(text)
    assert said is not None
    assert said.word == word


@pytest.mark.parametrize("dialect", [DEVELOPER, PARALLEL, SEQUENTIAL])
@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize(
    "form", ["{}", "**{}**.", "DONE: all of it\n{}", "ERROR: {}", "I looked.\n\n{}: which fields?"]
)
def test_a_developer_who_cannot_go_on_is_believed(dialect: Any, stop: str, form: str):
    for spelt in (stop, stop.replace("—", "-"), stop.upper()):
        said = dialect.line(form.format(spelt))
        assert said is not None
        assert said.word == "ERROR"
        assert said.outcome != "ok"


def test_a_review_of_very_long_lines_is_read_in_no_time():
    assert REVIEW.line is not None
    assert (
        REVIEW.line("a" + " *" * 200_000 + "b\n" + "-" * 200_000 + "\nREJECTED" + "_" * 200_000)
        is not None
    )


def test_a_review_of_one_task_must_say_what_it_found():
    assert TASK_REVIEW.required
    assert TASK_REVIEW.line is not None
    assert TASK_REVIEW.line("Looks good to me.") is None


def test_words_in_passing_are_no_verdict():
    assert WORK.line is not None
    assert WORK.line("I am DONE with this\nand there is more\nthan that") is None
    assert WORK.line("") is None


def test_a_task_that_works_alone_has_not_done_it_by_saying_that_it_parses():
    assert SEQUENTIAL.read({"status": "SYNTAX_VALID", "evidence": "it parses"}).outcome == "fail"
    said = SEQUENTIAL.line("SYNTAX_VALID: it parses") if SEQUENTIAL.line else None
    assert said is not None
    assert (said.outcome, said.word) == ("fail", "SYNTAX_VALID")
    assert not any("SYNTAX_VALID" in each for each in SEQUENTIAL.told)
    assert "SYNTAX_VALID" not in SEQUENTIAL.tool()["properties"]["status"]["enum"]
