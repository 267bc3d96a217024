"""A gate: asked once for one content, decided by a person only, and only for what they were
shown.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.engine.test_services import RUN, Papers, World

from podium.core.digest import digest
from podium.core.effects import Gate
from podium.core.run import Run, Status
from podium.core.verdict import Judgement
from podium.engine import gates
from podium.engine.gates import Rest
from podium.engine.session import Session


def perform(session: Session, **changes: Any) -> Judgement | Rest:
    step = session.workflow.steps["approve"]
    assert isinstance(step.effect, Gate)
    return gates.perform(session, step, replace(step.effect, **changes))


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A run that waits at its gate."""
    made = World.at(tmp_path)
    made.go()
    return made


def test_a_run_that_reaches_a_gate_rests_and_says_what_is_asked(tmp_path: Path) -> None:
    ended = World.at(tmp_path).go()
    assert (ended.status, ended.exit_code, ended.stop, ended.gates) == (
        Status.WAITING,
        10,
        "gate",
        ("approve",),
    )
    assert ended.reason == "Write the report? Waiting for a person."


def test_the_opening_records_the_content_that_is_shown(world: World) -> None:
    (opened,) = world.events("gate.opened")
    assert opened["subject"] == {"docs/plan.md": digest(world.text("docs/plan.md"))}
    assert (opened["key"], opened["kind"], opened["choices"]) == (
        "approve",
        "approval",
        ["approved", "plan"],
    )


def test_a_gate_that_is_open_is_not_opened_again(world: World) -> None:
    world.go()
    with world.session() as session:
        assert isinstance(perform(session), Rest)
    assert len(world.events("gate.opened")) == 1


def test_a_decision_is_taken_from_the_inbox_and_recorded_with_who_and_why(world: World) -> None:
    world.decide(note="well done")
    with world.session() as session:
        found = perform(session)
    assert isinstance(found, Judgement)
    assert (found.route, found.word) == ("approved", "approved")
    (decided,) = world.events("gate.decided")
    assert (decided["decision"], decided["by"], decided["note"]) == ("approved", "Ada", "well done")
    assert decided["subject"] == {"docs/plan.md": digest(world.text("docs/plan.md"))}


def test_a_decision_given_with_its_content_is_about_that_content(world: World) -> None:
    opening = world.events("gate.opened")[0]["seq"]
    world.services.journal.post(
        RUN,
        f"approve@{opening}",
        {"decision": "approved", "by": "Ada", "subject": {"docs/plan.md": "sha256:seen"}},
    )
    with world.session() as session:
        perform(session)
    assert world.events("gate.decided")[0]["subject"] == {"docs/plan.md": "sha256:seen"}


def test_a_rejection_without_a_stage_goes_where_the_gate_says(world: World) -> None:
    world.decide("rejected", "too long")
    with world.session() as session:
        found = perform(session)
    assert isinstance(found, Judgement)
    assert (found.route, found.sets) == ("plan", {"note": "Ada: too long"})


def test_the_note_of_a_rejection_reaches_the_stage_that_runs_again(world: World) -> None:
    world.decide("plan", "too long")
    world.go()
    assert "> Ada: too long" in world.agent.jobs[-1].prompt
    assert world.agent.jobs[-1].brief.key == "plan/2"


def test_after_a_rejection_the_next_gate_is_a_new_one(world: World) -> None:
    world.decide("plan")
    assert world.go().gates == ("approve/2",)
    world.decide(gate="approve/2")
    assert world.go().exit_code == 0


def test_a_decision_for_another_opening_decides_nothing(world: World) -> None:
    world.services.journal.post(
        RUN, "approve@1", {"decision": "approved", "by": "Mallory", "note": ""}
    )
    assert world.go().gates == ("approve",)
    assert world.events("gate.decided") == []


def test_a_decision_that_is_older_than_its_question_is_withdrawn_and_the_gate_stays_open(
    tmp_path: Path,
) -> None:
    """An agent that writes into the inbox beforehand must guess the opening's number; a right
    guess is no decision.
    """
    world = World.at(tmp_path)

    def forge(_: object) -> None:
        for seq in range(1500):
            world.services.journal.post(
                RUN, f"approve@{seq}", {"decision": "approved", "by": "Mallory", "note": ""}
            )

    world.agent.acts["plan"] = [forge]
    ended = world.go()
    assert ended.status is not Status.COMPLETE
    assert not [each for each in world.events("gate.decided") if each["by"] == "Mallory"]
    assert [len(each["paths"]) for each in world.events("contract.violated")] == [2]


def test_a_gate_approved_beforehand_says_who_did_so_and_how(tmp_path: Path) -> None:
    world = World.at(tmp_path, approve_all="Ada")
    assert world.go().exit_code == 0
    assert world.events("gate.decided")[0]["by"] == "Ada (--yes-i-approve-all-gates)"


@pytest.mark.parametrize("kind", ["high_risk", "question", "drift"])
def test_only_an_ordinary_approval_can_be_given_beforehand(tmp_path: Path, kind: str) -> None:
    world = World.at(tmp_path, approve_all="Ada")
    with world.session() as session:
        assert isinstance(perform(session, kind=kind), Rest)


def test_a_gate_that_is_not_required_any_more_asks_nobody(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    with world.session() as session:
        found = perform(session, required=lambda _: False)
    assert isinstance(found, Judgement)
    assert found.route == "approved"
    assert world.events("gate.opened") == []


def test_a_stale_gate_opens_anew_for_the_content_as_it_is_now(world: World) -> None:
    world.decide()
    world.write("docs/plan.md", "another plan")
    with world.session() as session:
        gates.decide(session, session.history.gates["approve"])
    world.write("docs/plan.md", "a third plan")
    assert world.go().gates == ("approve",)
    assert world.events("gate.opened")[-1]["subject"] == {"docs/plan.md": digest("a third plan")}


def test_an_old_approval_does_not_decide_a_gate_that_opened_again(world: World) -> None:
    world.decide()
    with world.session() as session:
        gates.decide(session, session.history.gates["approve"])
    world.write("docs/plan.md", "another plan")
    world.go()
    assert world.go().gates == ("approve",)
    assert [each.brief.key for each in world.agent.jobs] == ["plan"]
    world.decide()
    assert world.go().exit_code == 0


def test_a_decided_gate_is_not_decided_twice(world: World) -> None:
    world.decide()
    with world.session() as session:
        gate = session.history.gates["approve"]
        gates.decide(session, gate)
        gates.decide(session, gate)
    assert len(world.events("gate.decided")) == 1


def test_a_stage_behind_a_gate_never_runs_without_its_approval(tmp_path: Path) -> None:
    """Whoever moves the pointer past the gate comes back to it."""
    world = World.at(tmp_path)
    world.write("docs/plan.md", "a plan of a person")
    world.create()
    with world.session() as session:
        session.commit(Run(step="report", visits={"report": 1}))
    assert world.go().gates == ("approve",)
    assert world.agent.jobs == []


def test_a_gate_names_its_steps_key_also_in_a_later_round(tmp_path: Path) -> None:
    class Again(Papers):
        pass

    world = World.at(tmp_path, Again())
    world.go()
    world.decide("plan")
    world.go()
    assert [each["key"] for each in world.events("gate.opened")] == ["approve", "approve/2"]


def test_choices_may_depend_on_the_run_and_go_into_a_member_of_it(world: World) -> None:
    offered = Gate(
        "Which?", kind="question", choices=("chosen",), offers=lambda _: ["x", "y"], into="note"
    )
    with world.session() as session:
        session.run.visits["approve"] += 1
        assert isinstance(gates.perform(session, session.workflow.steps["approve"], offered), Rest)
        (gate,) = [
            each
            for each in session.history.gates.values()
            if each.open and each.choices == ("x", "y")
        ]
        session.services.journal.post(RUN, gate.message, {"decision": "y", "by": "Ada", "note": ""})
        found = gates.perform(session, session.workflow.steps["approve"], offered)
    assert isinstance(found, Judgement)
    assert (found.route, found.sets) == ("chosen", {"note": "y"})
