"""What agents leave as their report, believed as little as anything else of theirs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.agents.jobs import Stage

from podium.agents.protocol import Question, Usage
from podium.agents.reporting.injection import REPORTED, prepare
from podium.agents.reporting.reading import answered, read_question, read_report
from podium.agents.reporting.server import QUESTION
from podium.agents.verdict_file import NAME, BadFile


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    stage = Stage(tmp_path)
    stage.job()
    return stage


def leave(stage: Stage, name: str, data: Any) -> None:
    (stage.scratch / name).write_text(data if isinstance(data, str) else json.dumps(data))


def test_the_tools_report_wins_over_a_file_the_agent_wrote(stage: Stage) -> None:
    leave(stage, REPORTED, {"status": "failed"})
    leave(stage, NAME, {"status": "done"})
    answer = answered(stage.job(), "DONE: all", Usage(tokens_in=3), schema={"status": "done"})
    assert answer.verdict == {"status": "failed"}
    assert answer.usage.tokens_in == 3
    assert stage.acts("verdict") == [{"source": "tool"}]


@pytest.mark.parametrize("name", [REPORTED, NAME])
@pytest.mark.parametrize("data", ["{", "[]", '{"a": 1, "a": 2}', "x" * 2_000_000])
def test_a_report_that_is_no_object_is_garbage(stage: Stage, name: str, data: str) -> None:
    leave(stage, name, data)
    failure = answered(stage.job(), "DONE: all", schema={"status": "done"}).failure
    assert failure is not None
    assert failure.kind == "garbage"
    assert name in failure.detail


@pytest.mark.parametrize("name", [REPORTED, NAME, QUESTION])
def test_a_link_or_a_pipe_in_place_of_a_report_is_garbage(
    stage: Stage, name: str, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").write_text('{"status": "done"}')
    (stage.scratch / name).symlink_to(tmp_path / "elsewhere")
    assert answered(stage.job(), "x").failure is not None
    (stage.scratch / name).unlink()
    os.mkfifo(stage.scratch / name)
    assert answered(stage.job(), "x").failure is not None


def test_words_alone_are_left_to_the_dialect(stage: Stage) -> None:
    answer = answered(stage.job(), "DONE: all")
    assert (answer.text, answer.verdict, answer.failure) == ("DONE: all", None, None)
    assert stage.acts("verdict") == [{"source": "line"}]


def test_neither_words_nor_a_verdict_is_empty(stage: Stage) -> None:
    failure = answered(stage.job(), " \n").failure
    assert failure is not None
    assert failure.kind == "empty"


def test_a_verdict_without_words_is_an_answer(stage: Stage) -> None:
    leave(stage, REPORTED, {"status": "done"})
    assert answered(stage.job(), "").failure is None


def test_a_question_comes_before_any_verdict(stage: Stage) -> None:
    leave(stage, REPORTED, {"status": "done"})
    leave(
        stage,
        QUESTION,
        {"question": "Which?", "choices": [{"id": "a", "description": "one"}], "recommended": "a"},
    )
    answer = answered(stage.job(), "I asked.")
    assert answer.question == Question("Which?", (("a", "one"),), "a")
    assert answer.verdict is None


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"question": 7},
        {"question": "?", "choices": {"a": "b"}},
        {"question": "?", "choices": [{"id": "../x", "description": ""}]},
        {"question": "?", "choices": [{"id": "a", "description": ""}] * 2},
        {"question": "?", "more": 1},
    ],
)
def test_a_question_file_that_the_tool_did_not_write_is_checked_like_one_that_it_did(
    stage: Stage, data: Any
) -> None:
    leave(stage, QUESTION, data)
    with pytest.raises(BadFile):
        read_question(stage.scratch)


def test_nothing_of_an_earlier_dispatch_is_left(stage: Stage) -> None:
    leave(stage, REPORTED, {"status": "done"})
    leave(stage, NAME, {"status": "done"})
    (stage.scratch / QUESTION).symlink_to("/nowhere")
    prepare(stage.job())
    assert read_question(stage.scratch) is None
    assert read_report(stage.scratch).source == "line"
