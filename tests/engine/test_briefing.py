"""From a contract and a run to a brief: what is there is named, what went wrong is told short,
nothing is written.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.engine.test_services import PLAN, REPORT, World

from podium.agents.protocol import Answer, Question
from podium.core.contract import Brief, Contract, Input, Output
from podium.core.digest import digest
from podium.core.prompt import render
from podium.core.verdict import Dialect, Verdict
from podium.engine.attempts.briefing import brief
from podium.engine.inputs import absent, read


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.at(tmp_path)


def briefed(world: World, contract: Contract = PLAN, key: str = "plan") -> Brief:
    with world.session() as session:
        return brief(session, key, contract, read(session, contract))


def test_it_says_who_what_and_the_fixed_values(world: World) -> None:
    found = briefed(world)
    assert (found.key, found.role, found.task, found.facts) == (
        "plan",
        "planner",
        "Write well.",
        {"Date": "2026-03-01"},
    )
    assert (found.definition, found.definition_source) == ("You are the planner.", "built-in")


def test_inputs_are_named_with_path_and_digest(world: World) -> None:
    assert briefed(world).inputs == (
        ("task", "task.md", digest("count words")),
        ("style", "style.md", digest("short")),
    )


def test_an_input_that_is_not_there_is_not_named(world: World) -> None:
    world.write("docs/plan.md", "the plan")
    assert [name for name, _, _ in briefed(world, REPORT, "report").inputs] == ["plan"]
    world.write("hint.md", "a hint")
    assert [name for name, _, _ in briefed(world, REPORT, "report").inputs] == ["plan", "hint"]


def test_the_difference_that_a_reviewer_finds_in_its_folder_is_named_among_what_it_may_read(
    world: World,
) -> None:
    reviewer = replace(PLAN, code="read", changes="review/changes.patch")
    assert briefed(world, reviewer).inputs[-1] == (
        "changes: all code that this run has changed, as one difference",
        "review/changes.patch",
        "",
    )
    assert "`review/changes.patch` (changes: all code that this run has changed" in render(
        briefed(world, reviewer)
    )
    assert "changes.patch" not in render(briefed(world, replace(reviewer, code="none")))


def test_the_structure_of_an_output_comes_from_its_template(world: World) -> None:
    world.write("template.md", "A, B")
    output = Output(
        "plan", "docs/plan.md", "template.md", structure=lambda text: (f"sections: {text}",)
    )
    assert briefed(world, replace(PLAN, outputs=(output,))).outputs == (
        ("plan", "docs/plan.md", ("sections: A, B",)),
    )


def test_the_words_of_the_dialect_are_told(world: World) -> None:
    world.changes["dialects"] = {
        "loud": Dialect("loud", lambda _: Verdict("ok", "YES"), told=("Say YES.",))
    }
    assert briefed(world, replace(PLAN, dialect="loud")).vocabulary == ("Say YES.",)
    assert briefed(world, replace(PLAN, dialect="unknown")).vocabulary == ()


@pytest.mark.parametrize(
    ("contract", "said", "unsaid"),
    [
        (PLAN, "Write `docs/plan.md` and no other file.", "code"),
        (Contract("r", code="read"), "you may not change it", "and no other file"),
        (
            Contract("r", code="write"),
            "You may change the project's code and tests.",
            "and no other file",
        ),
        (
            Contract("r", code="write", writable=("src/**",)),
            "code and tests below src/**.",
            "and no other file",
        ),
        (
            Contract("r", protected=("podium.toml", "harness/**")),
            "Never change: `podium.toml`, `harness/**`.",
            "code",
        ),
    ],
)
def test_the_scope_is_told_in_sentences(
    world: World, contract: Contract, said: str, unsaid: str
) -> None:
    scope = "\n".join(briefed(world, contract).scope)
    assert said in scope
    assert unsaid not in scope
    assert "Anything else you change is taken away" in scope


def test_a_first_attempt_has_no_history(world: World) -> None:
    assert briefed(world).history == ()


def test_what_went_wrong_is_told_to_the_next_attempt(world: World) -> None:
    world.agent.acts["plan"] = [lambda _: Answer("I am done")]
    world.go()
    assert world.agent.jobs[0].brief.history == ()
    assert world.agent.jobs[1].brief.history == (
        "Attempt 1 (artifact): docs/plan.md is missing: the file does not exist",
    )


def test_a_long_failure_is_cut_to_its_first_lines(world: World) -> None:
    from podium.core import events  # noqa: PLC0415

    with world.session() as session:
        session.append(events.step_started("plan", "plan", "dispatch", "planner", 1, {}))
        session.append(
            events.retry_scheduled(
                "plan", "validation", 2, 3, 0.0, ("\n".join("123456789"), "other")
            )
        )
        session.append(events.retry_scheduled("plan", "crash", 3, 3, 0.0, ()))
        found = brief(session, "plan", PLAN, read(session, PLAN)).history
    assert found == (
        "Attempt 1 (validation): " + "\n  ".join("12345678") + "; other",
        "Attempt 1 (crash): no detail",
    )


def test_an_answer_of_a_person_is_told_with_its_question(world: World) -> None:
    world.agent.acts["plan"] = [
        lambda _: Answer(question=Question("Which words?", (("all", "all of them"),)))
    ]
    world.go()
    world.decide("all", "please", gate="plan/question-1")
    world.go()
    assert world.agent.jobs[1].brief.notes[0].endswith("Answered by Ada: all\nplease")
    assert "Which words?" in world.agent.jobs[1].brief.notes[0]


def test_an_answer_to_another_step_is_not_told(world: World) -> None:
    world.agent.acts["plan"] = [lambda _: Answer(question=Question("Which words?"))]
    world.go()
    world.decide("answered", gate="plan/question-1")
    world.go()
    world.decide()
    world.go()
    assert world.agent.jobs[-1].brief.key == "report"
    assert world.agent.jobs[-1].brief.notes == ()


def test_nothing_is_written(world: World) -> None:
    world.create()
    before = sorted(world.root.rglob("*"))
    with world.session() as session:
        seq = session.opened.seq
        now = sorted(world.root.rglob("*"))
        brief(session, "plan", PLAN, read(session, PLAN))
        assert session.opened.seq == seq
        assert sorted(world.root.rglob("*")) == now
    assert {each for each in before if "steps" in each.parts} == set()


def test_required_inputs_that_are_not_there_are_named(world: World) -> None:
    inputs = tuple(
        Input(path, path, required=required)
        for path, required in (("a.md", True), ("b.md", True), ("c.md", False))
    )
    contract = replace(PLAN, inputs=inputs)
    for name in ("a.md", "b.md", "c.md"):
        world.write(name, name)
    with world.session() as session:
        assert absent(contract, read(session, contract)) == []
        (world.root / "a.md").unlink()
        (world.root / "a.md").mkdir()
        (world.root / "b.md").unlink()
        (world.root / "c.md").unlink()
        assert absent(contract, read(session, contract)) == ["a.md", "b.md"]
