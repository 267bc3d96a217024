"""The verdict words of the harness: a closed list, read without case, refused with the exact
fault.
"""

from __future__ import annotations

from typing import Any

import pytest

from podium.core.verdict import MalformedVerdict
from podium.workflows.harness.dialects import DIALECTS, QA, WORK


@pytest.mark.parametrize(
    ("status", "outcome"), [("done", "ok"), ("DONE", "ok"), ("blocked", "fail"), ("failed", "fail")]
)
def test_a_stage_says_done_blocked_or_failed(status: str, outcome: str) -> None:
    said = WORK.read({"status": status, "summary": "all of it"})
    assert (said.outcome, said.word, said.reason) == (outcome, status.lower(), "all of it")


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        ({}, "member 'status' is missing"),
        ({"status": "finished"}, "status is 'finished'; it must be one of done, blocked, failed"),
        ({"status": True}, "member 'status' has the wrong type bool"),
        ({"status": "done", "sumary": "x"}, "unknown member 'sumary'; did you mean 'summary'?"),
        ({"status": "done", "commands": "make"}, "member 'commands' has the wrong type str"),
        ({"status": "done", "commands": ["make"]}, "commands must be a list of {command, exit}"),
        (
            {"status": "done", "commands": [{"command": "make", "code": 0}]},
            "commands must be a list of {command, exit}",
        ),
    ],
)
def test_anything_else_of_a_stage_is_refused(data: dict[str, Any], fault: str) -> None:
    with pytest.raises(MalformedVerdict) as refused:
        WORK.read(data)
    assert str(refused.value) == fault


def test_commands_a_stage_names_are_kept_as_it_sent_them() -> None:
    data = {"status": "done", "commands": [{"command": "make test", "exit": 0}]}
    assert WORK.read(data).data == data


@pytest.mark.parametrize(
    ("data", "outcome", "word"),
    [
        ({"result": "Pass", "readiness": "Awaiting Approval"}, "ok", "Pass"),
        ({"result": "pass with minor issues"}, "ok", "Pass With Minor Issues"),
        ({"result": "Issues Found", "readiness": "Back to Build"}, "revise", "Issues Found"),
        ({"result": "Pass", "readiness": "Back to Build"}, "revise", "Issues Found"),
        ({"result": "Pass", "criteria": {"AC1": "Fail"}}, "revise", "Issues Found"),
        (
            {"result": "Pass", "issues": [{"description": "x", "severity": "Low", "blocks": True}]},
            "revise",
            "Issues Found",
        ),
        ({"result": "Pass", "criteria": {"AC1": "Warn"}}, "ok", "Pass"),
        ({"result": "Blocked"}, "fail", "Blocked"),
        ({"readiness": "Blocked"}, "fail", "Blocked"),
    ],
)
def test_qa_says_what_its_worst_part_says(data: dict[str, Any], outcome: str, word: str) -> None:
    said = QA.read(data)
    assert (said.outcome, said.word) == (outcome, word)
    assert said.data == data


@pytest.mark.parametrize(
    "data",
    [
        {"result": "Perfect"},
        {"readiness": "Ship it"},
        {"verdict": "Pass"},
        {"criteria": {"AC1": "Maybe"}},
        {"issues": ["x"]},
    ],
)
def test_anything_else_of_qa_is_refused_as_malformed(data: dict[str, Any]) -> None:
    with pytest.raises(MalformedVerdict):
        QA.read(data)


@pytest.mark.parametrize("name", ["harness", "harness-qa"])
def test_the_good_answer_of_each_dialect_is_a_success(name: str) -> None:
    dialect = DIALECTS[name]
    assert dialect.name == name
    assert dialect.read(dialect.good).outcome == "ok"


def test_the_words_that_an_agent_is_told_are_the_words_that_are_read() -> None:
    told = "\n".join(QA.told)
    for word in ("Pass", "Pass With Minor Issues", "Issues Found", "Blocked"):
        assert word in told
        QA.read({"result": word})
    for word in ("Awaiting Approval", "Back to Build", "Blocked"):
        assert word in told
        QA.read({"readiness": word})
    for word in ("done", "blocked", "failed"):
        assert f'"{word}"' in "\n".join(WORK.told)


def test_neither_dialect_reads_a_verdict_from_prose() -> None:
    assert WORK.line is None
    assert QA.line is None
