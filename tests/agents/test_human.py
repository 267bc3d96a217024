"""A person does the work at a terminal; without one the work is parked with what to do and
where.
"""

from __future__ import annotations

import asyncio
import io
import os
import pty
from dataclasses import replace
from pathlib import Path

import pytest
from tests.agents.jobs import Stage, run

from podium.agents.human import Ask, HumanAgent, terminal
from podium.agents.protocol import Answer


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def typed(line: str | None, shown: list[str] | None = None) -> Ask:
    async def ask(text: str) -> str | None:
        if shown is not None:
            shown.append(text)
        return line

    return ask


def perform(stage: Stage, ask: Ask | None) -> Answer:
    return run(HumanAgent(ask).perform(stage.job()))


def test_enter_means_done(stage: Stage) -> None:
    shown: list[str] = []
    answer = perform(stage, typed("\n", shown))
    assert answer == Answer(text="DONE: specification")
    assert all(
        each in shown[0]
        for each in ("Write the specification.", str(stage.folder), "docs/spec.md", "Enter")
    )


def test_enter_before_the_file_is_there_costs_no_attempt(stage: Stage) -> None:
    shown: list[str] = []
    job = stage.job()

    async def ask(text: str) -> str | None:
        shown.append(text)
        if len(shown) == 2:
            (job.folder / "docs").mkdir(parents=True, exist_ok=True)
            (job.folder / "docs/spec.md").write_text("# Spec\n")
        return "\n"

    assert run(HumanAgent(ask).perform(job)) == Answer(text="DONE: specification")
    assert len(shown) == 2
    assert shown[1].startswith(f"  still missing in {stage.folder}: docs/spec.md, ")
    assert len(shown[1].splitlines()) == 3  # the whole prompt stands above already


def test_what_was_wrong_stands_last_where_a_person_looks(stage: Stage) -> None:
    shown: list[str] = []
    job = stage.job()
    job = replace(
        job, brief=replace(job.brief, history=("Attempt 1 (artifact): docs/spec.md is missing",))
    )
    run(HumanAgent(typed("q\n", shown)).perform(job))
    assert shown[0].splitlines()[-3:-1] == [
        "  Still wrong: docs/spec.md is missing",
        "  Enter: done · text and Enter: your answer in words · q and Enter: pause",
    ]


def test_a_line_of_text_is_the_answer_and_claims_nothing(stage: Stage) -> None:
    assert perform(stage, typed("BLOCKED: no access\n")) == Answer(text="BLOCKED: no access")


def test_a_verdict_file_counts_as_for_any_agent(stage: Stage) -> None:
    stage.job()
    (stage.scratch / "verdict.json").write_text('{"status": "blocked"}')
    assert perform(stage, typed("\n")).verdict == {"status": "blocked"}
    (stage.scratch / "verdict.json").write_text("no")
    failure = perform(stage, typed("\n")).failure
    assert failure is not None
    assert failure.kind == "garbage"


@pytest.mark.parametrize(
    ("ask", "why"), [(None, "no terminal"), (typed("q\n"), "paused"), (typed(None), "was closed")]
)
def test_otherwise_it_is_parked_and_says_what_to_do_and_where(
    stage: Stage, ask: Ask | None, why: str
) -> None:
    failure = perform(stage, ask).failure
    assert failure is not None
    assert failure.kind == "parked"
    assert all(each in failure.detail for each in (why, "docs/spec.md", str(stage.folder), "done"))


def test_a_real_terminal_is_asked_and_can_be_cancelled() -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(os.dup(theirs), "r") as stdin, os.fdopen(theirs, "w") as out:
        ask = terminal(stdin, out)
        assert ask is not None

        async def both() -> str | None:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(ask("first? "), 0.1)
            os.write(ours, b"yes\n")
            return await ask("second? ")

        assert run(both()) == "yes\n"
    shown = b""
    while b"second?" not in shown:  # a terminal hands over what it has, not what belongs together
        shown += os.read(ours, 4096)
    os.close(ours)


def test_ctrl_c_pauses_the_work_of_whoever_is_asked() -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(os.dup(theirs), "r") as stdin, os.fdopen(theirs, "w") as out:
        ask = terminal(stdin, out)
        assert ask is not None
        ask.pause()  # nobody is asked yet: nothing to pause

        async def asked() -> str | None:
            asyncio.get_running_loop().call_later(0.05, ask.pause)
            return await asyncio.wait_for(ask("done? "), 5)

        assert run(asked()) == "q\n"
    os.close(ours)


def test_without_a_terminal_there_is_nobody_to_ask() -> None:
    assert terminal(io.StringIO(), io.StringIO()) is None
