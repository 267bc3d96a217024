"""Whatever an agent says, the engine can write it down."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.fakes.project import STATE, WELL, Project

from podium.agents.protocol import Answer, Failure, Question, Usage
from podium.engine.attempts.hearing import DEEPEST, LONGEST_WAIT_S, activity, heard


def nested(levels: int) -> Any:
    found: Any = "x"
    for _ in range(levels):
        found = [found]
    return found


def test_half_a_character_is_spelled_by_its_number_wherever_it_stands() -> None:
    said = Answer(
        "a\ud800b",
        {"sum\udc00": ["\ud800", {"x": ("\udfff", 1, None)}]},
        failure=Failure("parked", "\ud800", choices=("\udc01",)),
        question=Question("\ud800?", (("\ud800", "\udc00"),), "\ud800"),
    )
    found = heard(said)
    assert found.text == "a\\ud800b"
    assert found.verdict == {"sum\\udc00": ["\\ud800", {"x": ["\\udfff", 1, None]}]}
    assert found.failure == Failure("parked", "\\ud800", choices=("\\udc01",))
    assert found.question == Question("\\ud800?", (("\\ud800", "\\udc00"),), "\\ud800")


def test_what_can_be_written_down_is_as_it_was() -> None:
    said = Answer("größer 😀", {"a": [1, 2.5, True, None, "ü"]}, Usage(1, 2, 0.5))
    assert heard(said) == said


@pytest.mark.parametrize(
    ("verdict", "why"),
    [
        (json.loads('{"n": 1e999}'), "a number that is none"),
        ({"n": [float("nan")]}, "a number"),
        ({"n": nested(900)}, f"{DEEPEST} levels"),
    ],
)
def test_a_verdict_that_nobody_could_write_down_is_garbage(
    verdict: dict[str, Any], why: str
) -> None:
    found = heard(Answer("done", verdict))
    assert found.verdict is None
    assert found.failure is not None
    assert found.failure.kind == "garbage"
    assert why in found.failure.detail


def test_a_claim_to_have_used_less_than_nothing_is_unknown() -> None:
    assert heard(Answer("done", usage=Usage(-5, 7, float("inf")))).usage == Usage(None, 7, None)


@pytest.mark.parametrize(
    ("said", "waits"),
    [
        (1e15, LONGEST_WAIT_S),
        (float("inf"), LONGEST_WAIT_S),
        (-1.0, 0.0),
        (float("nan"), None),
        (60.0, 60.0),
    ],
)
def test_a_wait_ends_within_a_year(said: float, waits: float | None) -> None:
    failure = heard(Answer(failure=Failure("rate_limit", "later", said))).failure
    assert failure is not None
    assert failure.retry_after == waits


def test_what_an_agent_was_seen_to_do_is_shown_as_far_as_it_can_be() -> None:
    assert activity({"tool": "\ud800", "input": nested(900), "n": 1}) == {
        "tool": "\\ud800",
        "input": f"(not shown: it is nested more than {DEEPEST} levels deep)",
        "n": f"(not shown: it is nested more than {DEEPEST} levels deep)",
    }


# -- whole runs


@pytest.fixture
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project.at(tmp_path_factory.mktemp("project"))


def test_half_a_character_in_a_summary_is_no_way_to_end_the_engine(project: Project) -> None:
    said = {
        "behave": "well",
        "say": "\ud800 counted",
        "verdict": {"status": "done", "summary": "\ud800"},
    }
    assert project.through({"build": [said]}).exit_code == 0


def test_half_a_character_in_a_reason_to_stop_does_not_wedge_the_run(project: Project) -> None:
    ended = project.through(
        {
            "build": [
                {"say": "no", "verdict": {"status": "blocked", "summary": "\ud800 missing"}},
                WELL,
            ]
        }
    )
    assert ended.exit_code == 20
    assert "\\ud800 missing" in project.text(STATE)
    assert project.resume(because="it is there now").exit_code == 0


def test_a_file_whose_name_is_no_text_lands_and_the_documents_are_written(project: Project) -> None:
    assert (
        project.through(
            {"build": [{"behave": "well", "run": r"touch src/$(printf 'a\377').py"}]}
        ).exit_code
        == 0
    )


def test_a_wait_of_millions_of_years_is_a_pause(project: Project) -> None:
    ended = project.through({"po-spec": [{"fail": "rate_limit", "retry_after": 1e15}]})
    assert ended.exit_code not in {0, 1}
