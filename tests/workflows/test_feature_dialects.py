"""The verdict words of feature: one line or one object, closed lists, and the worse of two
answers.
"""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.core.verdict import MalformedVerdict
from podium.workflows.feature.dialects import (
    DIALECTS,
    REVIEW,
    SEVERITIES,
    WORK,
    dialect_of,
    tasks_in,
)

OUTCOMES = {"DONE": "ok", "NEEDS_REVISION": "revise", "ERROR": "fail"}


def line(text: str, dialect: Any = REVIEW) -> tuple[str, str] | None:
    said = dialect.line(text)
    return (said.word, said.reason) if said else None


@pytest.mark.parametrize(
    ("text", "word", "reason"),
    [
        ("DONE: security — nothing found", "DONE", "security — nothing found"),
        ("DONE:", "DONE", ""),
        ("DONE - all good", "DONE", "all good"),
        ("DONE — all good", "DONE", "all good"),
        ("DONE–all good", "DONE", "all good"),
        ("DONE -", "DONE", ""),
        ("DONE (with notes): all good", "DONE", "all good"),
        ("**DONE:** all good", "DONE", "all good"),
        ("**DONE**: all good", "DONE", "all good"),
        ("`ERROR`: no tests", "ERROR", "no tests"),
        ("  NEEDS_REVISION: two fail  ", "NEEDS_REVISION", "two fail"),
        ("I looked.\n\nNEEDS_REVISION: two fail\n\n", "NEEDS_REVISION", "two fail"),
        ("ERROR: no tests\n\nThere are none.", "ERROR", "no tests"),
        ("DONE: fine\nmore\nERROR: no", "ERROR", "no"),
        ("ERROR: no\nmore\nDONE: fine", "ERROR", "no"),
        ("DONE: fine\nNEEDS_REVISION: two", "NEEDS_REVISION", "two"),
    ],
)
def test_the_first_or_the_last_line_is_the_verdict_and_the_worse_counts(
    text: str, word: str, reason: str
) -> None:
    assert line(text) == (word, reason)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n ",
        "All done.",
        "done: all good",
        "DONE",
        "DONE all good",
        "DONE-ish: maybe",
        "ERROR-prone code was replaced",
        "UNDONE: x",
        "The result is DONE: all good",
        "> DONE: all good",
        "- DONE: all good",
        "# DONE: all good",
        "before\nDONE: in the middle\nafter",
        "```\nDONE: in code\n```",
        "NEEDS REVISION: two",
    ],
)
def test_anything_else_is_no_verdict(text: str) -> None:
    assert line(text) is None


@pytest.mark.parametrize(
    ("text", "tasks"),
    [
        ("NEEDS_REVISION: 2 tasks failed verification — task IDs: a, b", ["a", "b"]),
        ("NEEDS_REVISION: review — too slow — affects tasks: 01, 03-parse", ["01", "03-parse"]),
        ("NEEDS_REVISION: x — affected tasks: `01` and **03**", ["01", "03"]),
        ("NEEDS_REVISION: x (affects task: 01 03) — y", ["01", "03"]),
        ("NEEDS_REVISION: x — Task ID: 01; 02.", ["01", "02"]),
        ("NEEDS_REVISION: x — task IDs: none", []),
        ("NEEDS_REVISION: x — task IDs: ", []),
        ("NEEDS_REVISION: x — task IDs: all of them", []),
        ("NEEDS_REVISION: x — task IDs: 01 — affects tasks: 02, 01", ["01", "02"]),
        ("NEEDS_REVISION: x — task IDs: ../../etc/passwd, 02", ["02"]),
        ("DONE: 3 tasks created, 2 waves", []),
    ],
)
def test_task_ids_in_the_line_are_read(text: str, tasks: list[str]) -> None:
    said = REVIEW.line(text) if REVIEW.line else None
    assert said is not None
    assert said.data["tasks"] == tasks == list(tasks_in(text))


@pytest.mark.parametrize("status", OUTCOMES)
def test_an_object_says_the_same_in_members(status: str) -> None:
    data = {
        "status": status.lower(),
        "summary": "x",
        "severity": "None",
        "tasks": ["01"],
        "findings": [],
    }
    said = REVIEW.read(data)
    assert (said.outcome, said.word, said.reason, said.data) == (
        OUTCOMES[status],
        status,
        "x",
        data,
    )


def test_an_agent_that_may_not_ask_for_a_revision_fails_when_it_does() -> None:
    reason = "this agent may not answer NEEDS_REVISION, so it counts as ERROR: two"
    said = WORK.read({"status": "NEEDS_REVISION", "summary": "two"})
    assert (said.outcome, said.word, said.reason) == ("fail", "ERROR", reason)
    assert line("NEEDS_REVISION: two", WORK) == ("ERROR", reason)
    assert line("NEEDS_REVISION:", WORK) == ("ERROR", reason.removesuffix(": two"))
    assert line("DONE: fine", WORK) == ("DONE", "fine")


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        ({}, "member 'status' is missing"),
        ({"status": "OK"}, "status is 'OK'; it must be one of DONE, NEEDS_REVISION, ERROR"),
        ({"status": True}, "member 'status' has the wrong type bool"),
        (
            {"status": "DONE", "severty": "Low"},
            "unknown member 'severty'; did you mean 'severity'?",
        ),
        ({"status": "DONE", "severity": None}, "member 'severity' has the wrong type NoneType"),
        ({"status": "DONE", "tasks": "01"}, "member 'tasks' has the wrong type str"),
        (
            {"status": "DONE", "tasks": [1]},
            "tasks: '1' is not a task id; write ids as texts such as '01-parse'",
        ),
        (
            {"status": "DONE", "tasks": ["../x"]},
            "tasks: '../x' is not a task id; write ids as texts such as '01-parse'",
        ),
        ({"status": "DONE", "findings": ["x"]}, "findings[0] must be {severity, where, what}"),
        (
            {"status": "DONE", "findings": [{"severity": "Low"}]},
            "findings[0]: member 'what' is missing",
        ),
        (
            {
                "status": "DONE",
                "findings": [{"severity": "Low", "what": "x"}, {"severity": "Low", "waht": "x"}],
            },
            "findings[1]: unknown member 'waht'; did you mean 'what'?",
        ),
        (
            {"status": "DONE", "findings": [{"severity": 1, "what": "x"}]},
            "findings[0]: member 'severity' has the wrong type int",
        ),
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=list(DIALECTS))
def test_anything_else_of_an_object_is_refused(
    dialect: Any, data: dict[str, Any], fault: str
) -> None:
    with pytest.raises(MalformedVerdict) as refused:
        dialect.read(data)
    assert str(refused.value) == fault


def test_a_severity_that_nobody_defined_is_left_to_the_clusters() -> None:
    data = {
        "status": "DONE",
        "severity": "Catastrophic",
        "findings": [{"severity": "Awful", "what": "x"}, {"what": "y"}],
    }
    assert REVIEW.read(data).data == data


@pytest.mark.parametrize("name", ["feature", "feature-review"])
def test_the_good_answer_of_each_dialect_is_a_success_and_an_answer_is_required(name: str) -> None:
    dialect = DIALECTS[name]
    assert dialect.name == name
    assert dialect.required
    assert dialect.read(dialect.good).outcome == "ok"


def test_the_words_that_an_agent_is_told_are_the_words_that_are_read() -> None:
    told = "\n".join(REVIEW.told)
    for word in (*OUTCOMES, *SEVERITIES):
        assert word in told
    assert "NEEDS_REVISION counts as ERROR" in "\n".join(WORK.told)


@pytest.mark.parametrize(
    ("role", "name"),
    [
        *[
            (role, "feature")
            for role in (
                "researcher",
                "spec",
                "designer",
                "planner",
                "implementer",
                "documentation-writer",
            )
        ],
        *[
            (role, "feature")
            for role in ("ct-security", "ct-scalability", "ct-maintainability", "ct-strategy")
        ],
        *[(role, "feature") for role in ("v-build", "r-knowledge")],
        *[(role, "feature-review") for role in ("v-tests", "v-tasks", "v-feature")],
        *[(role, "feature-review") for role in ("r-quality", "r-security", "r-testing")],
    ],
)
def test_each_role_speaks_its_dialect(role: str, name: str) -> None:
    assert dialect_of(role) == name


@given(st.text(alphabet=st.sampled_from("DONE:ERROR—- \n*`()NEEDS_REVISIONx"), max_size=80))
def test_of_all_lines_only_the_first_and_the_last_are_ever_read(text: str) -> None:
    filled = [each for each in text.splitlines() if each.strip()]
    ends = "\n".join((filled[0], filled[-1])) if filled else ""
    assert line(text) == line(ends)


@given(
    st.lists(st.from_regex(r"[0-9]{2}(-[a-z]{1,6})?", fullmatch=True), unique=True, max_size=5),
    st.sampled_from(list(OUTCOMES)),
)
def test_a_line_says_the_ids_it_was_written_with(ids: list[str], word: str) -> None:
    said = REVIEW.line(f"{word}: x — task IDs: {', '.join(ids)}") if REVIEW.line else None
    assert said is not None
    assert (said.word, said.data["tasks"]) == (word, ids)


@pytest.mark.parametrize(
    "text",
    [
        "DONE (" * 100_000,
        "DONE" + " " * 400_000 + "x",
        "*" * 400_000,
        "DONE: " + "task id: " * 50_000,
    ],
)
def test_hostile_lines_take_linear_time(text: str) -> None:
    before = time.process_time()
    line(text)
    assert time.process_time() - before < 3


def test_a_long_summary_is_cut() -> None:
    said = REVIEW.line("DONE: " + "x" * 10_000) if REVIEW.line else None
    assert said is not None
    assert len(said.reason) == 500
