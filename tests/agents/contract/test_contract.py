"""The study's list, for every agent and transport: the same typed end whatever the agent, with
what was really held.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.agents.contract.casting import EACH_TRY, TWO_STARTS
from tests.agents.contract.scripts import SCRIPTS
from tests.agents.contract.worlds import AMBIENT, SECRET, WHISPER, Outcome, World, world

from podium.agents.conformance.checks import is_agent
from podium.agents.scripted_model.script import Run, Script, Step

pytestmark = pytest.mark.timeout(240)
Make = Callable[..., World]
ATTACKS = Step(acts=tuple(act for step in SCRIPTS["attack"].steps[1:] for act in step.acts))
PAUSE = Step(acts=(Run("true"),))
"""Before what must not be left out: half of a turn that was cut off counts as one where a
program keeps it in its history.
"""
ALL_IN_ONE = Script(
    (
        *SCRIPTS["killed"].steps[:-1],
        *SCRIPTS["work"].steps[:2],
        PAUSE,
        ATTACKS,
        *SCRIPTS["work"].steps[2:],
    )
)
"""Killed, resumed, faults on the way, every attack in one turn, then the report."""


@pytest.fixture(params=EACH_TRY)
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    with ExitStack() as stack:
        yield lambda *, confined=True: stack.enter_context(
            world(tmp_path, request.param, SCRIPTS, confined=confined)
        )


@pytest.fixture(params=TWO_STARTS)
def twice(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    with world(tmp_path, request.param, {"all-in-one": ALL_IN_ONE}, confined=True) as found:
        yield found


def test_it_works_through_an_overloaded_service_a_cut_stream_and_a_refused_report(
    made: Make,
) -> None:
    here = made()
    worked_through(here, here.play("work"))


def worked_through(here: World, found: Outcome) -> None:
    assert found.kind == ""
    assert found.ending == "end_turn"
    assert (here.folder / "hello.txt").read_text() == "hello from a scripted model\n"
    assert found.told("started")
    if here.driver.tools:
        assert found.answer.verdict == {"status": "done", "summary": "written"}
        assert found.answer.text.strip() == "All is written."
        assert found.told("verdict") == [{"source": "tool"}]
    assert found.assurance["write"] == "confined"
    # Files of the folder do not speak to it.
    assert {each for each in AMBIENT if here.seen_by_model(f"{WHISPER} {each}")} <= set(
        here.driver.always
    )


def test_in_a_room_it_reads_writes_and_reaches_nothing_else_and_leaves_nobody_behind(
    made: Make,
) -> None:
    here = made()
    stayed_in_its_room(here, here.play("attack"))


def stayed_in_its_room(here: World, found: Outcome) -> None:
    assert found.kind == ""
    assert (here.folder / "hello.txt").exists()
    assert not here.seen_by_model(SECRET)
    assert not list(here.root.glob("escaped*"))
    assert not (here.folder / "rogue.txt").exists()
    assert not here.reached()
    assert here.alive() == []
    assert found.told("tool")
    assert dict(found.assurance) == {
        "read": "confined",
        "write": "confined",
        "network": "model",
        "by": "bubblewrap",
    }


def test_outside_a_room_nothing_is_claimed_but_the_audit_and_still_nobody_is_left(
    made: Make,
) -> None:
    here = made(confined=False)
    found = here.play("attack")
    assert found.kind in {"", "parked"}
    assert dict(found.assurance) == {"read": "asked", "write": "audited"}
    assert here.alive() == []


def test_one_that_waits_for_its_model_is_cancelled_with_all_it_started(made: Make) -> None:
    here = made()
    found = here.meanwhile(
        "slow", lambda task: task.cancel() and None, lambda: bool(here.model.calls)
    )
    assert found is None
    assert here.alive() == []


def test_one_without_an_end_is_ended_at_its_limit_of_turns(made: Make) -> None:
    here = made()
    found = here.play("loop", agent={"turns": 3}, timeout_s=25.0)
    assert found.kind == "timeout"
    assert found.ending in {"limit", "timeout"}
    assert here.alive() == []


def test_words_that_are_no_verdict_are_none_whatever_the_exit_code(made: Make) -> None:
    here = made()
    report = "schema" if here.driver.schema else "file"
    found = here.play("badjson", agent={"report": report})
    assert found.kind == ""
    assert found.answer.verdict is None
    assert found.answer.text


def test_a_usage_limit_is_told_with_the_time_it_ends_and_not_waited_for(made: Make) -> None:
    here = made()
    found = here.play("limited")
    assert found.kind == "rate_limit"
    assert found.answer.failure is not None
    assert found.answer.failure.retry_after == 3600.0
    assert found.seconds < 60


def test_a_key_that_is_not_taken_is_a_persons_business(made: Make) -> None:
    here = made()
    found = here.play("locked")
    assert found.kind == "not_dispatchable"
    assert here.alive() == []


def killed(here: World, script: str) -> Outcome:
    """What came of a dispatch whose agent was killed while it ran its first command."""

    def kill(_: object) -> None:
        for pid in here.alive():
            if is_agent(pid, here.driver.program):
                os.kill(pid, signal.SIGKILL)

    found = here.meanwhile(script, kill, (here.folder / "begun").exists)
    assert found is not None
    return found


def went_on(here: World, found: Outcome) -> None:
    assert found.kind == ""
    assert (here.folder / "hello.txt").exists()
    history = str(here.model.calls[-1].body)
    assert "The first words of the task." in history
    assert "interrupted" in history


def test_one_that_is_killed_goes_on_with_its_session_or_says_that_it_died(made: Make) -> None:
    here = made()
    found = killed(here, "killed")
    if here.driver.resumes:
        went_on(here, found)
    else:
        assert found.kind == "crash"


def test_killed_in_its_work_it_goes_on_in_its_room_through_faults_and_attacks_to_a_report(
    twice: World,
) -> None:
    """The tries above that depend most on the program, in two starts of it."""
    found = killed(twice, "all-in-one")
    if twice.driver.resumes:
        went_on(twice, found)
    else:
        assert found.kind == "crash"
        twice.said.clear()
        found = twice.play("all-in-one")
    worked_through(twice, found)
    stayed_in_its_room(twice, found)
    assert [each.step for each in twice.model.calls if len(each.called) == len(ATTACKS.acts)] == [
        ALL_IN_ONE.steps.index(ATTACKS)
    ]
    assert twice.model.calls[-1].step > ALL_IN_ONE.steps.index(ATTACKS)
