"""Documents: written, read again, checked; laid aside for a new run; and a person's edit taken
back in.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.engine.test_services import Papers, World

from podium.core.advance import entered
from podium.core.digest import digest
from podium.core.errors import Halted, InputError
from podium.core.run import Run, Status, copied
from podium.core.workflow import Projection
from podium.engine import documents
from podium.state.disk import Disk


class Shown(Papers):
    """Shows its step in a document; a person may write a note, or ask for what is not allowed."""

    def __init__(self) -> None:
        self.more: dict[str, Any] = {}

    def projections(self, run: Run, history: object, today: str) -> Sequence[Projection]:
        def render(before: str | None, template: str) -> str:
            kept = [line for line in (before or template).splitlines() if line.startswith("note: ")]
            return "\n".join([f"step: {run.step}", f"status: {run.status}", *kept]) + "\n"

        def read_back(text: str, at: Run) -> tuple[Run, tuple[str, ...]]:
            if "nonsense" in text:
                raise InputError([])
            said = [
                line.removeprefix("note: ")
                for line in text.splitlines()
                if line.startswith("note: ")
            ]
            after: Run = copied(at)
            if not said or said[-1] == at.note:
                return at, ()
            after.note = said[-1]
            if said[-1] == "forbidden":
                after.status, after.stop, after.reason = Status.BLOCKED, "lifecycle", "not allowed"
            return after, (f"note: {said[-1]}",)

        return (
            replace(
                Projection("state.txt", render, "template.txt", read_back=read_back), **self.more
            ),
        )


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.at(tmp_path, Shown())


def test_a_document_shows_the_run_as_it_stands(world: World) -> None:
    with world.session() as session:
        documents.save(session)
    assert world.text("state.txt") == "step: plan\nstatus: active\n"
    world.go()
    assert world.text("state.txt") == "step: approve\nstatus: waiting\n"


def test_the_first_version_is_made_from_the_template(world: World) -> None:
    world.write("template.txt", "note: from the template\nrest\n")
    with world.session() as session:
        documents.save(session)
    assert "note: from the template" in world.text("state.txt")


def test_what_was_written_is_recorded_with_its_digest_once(world: World) -> None:
    with world.session() as session:
        documents.save(session)
        documents.save(session)
        session.append()
        documents.save(session)
        session.append()
    (saved,) = world.events("document.saved")
    assert (saved["path"], saved["digest"]) == ("state.txt", digest(world.text("state.txt")))


def test_a_document_that_is_as_it_should_be_is_not_written_again(world: World) -> None:
    with world.session() as session:
        documents.save(session)
        before = (world.root / "state.txt").stat().st_ino
        documents.save(session)
    assert (world.root / "state.txt").stat().st_ino == before


class Failing(Disk):
    """Writes something else so many times."""

    def __init__(self, times: int) -> None:
        self.times = times

    def save(self, path: Any, data: bytes, *rest: Any, **more: Any) -> None:
        if str(path).endswith("state.txt") and self.times:
            self.times -= 1
            data = b"torn"
        super().save(path, data, *rest, **more)


def test_a_document_that_does_not_read_back_is_written_once_more(world: World) -> None:
    world.changes["disk"] = Failing(1)
    with world.session() as session:
        documents.save(session)
    assert world.text("state.txt").startswith("step: plan")


def test_a_document_that_does_not_read_back_twice_halts_the_run(world: World) -> None:
    world.changes["disk"] = Failing(2)
    with (
        world.session() as session,
        pytest.raises(Halted, match=r"state\.txt: does not read back as written"),
    ):
        documents.save(session)


class Full(Disk):
    def save(self, path: Any, data: bytes, *rest: Any, **more: Any) -> None:
        if str(path).endswith("state.txt"):
            raise OSError(errno.ENOSPC, "No space left on device")
        super().save(path, data, *rest, **more)


def test_a_full_disk_is_no_fault_of_the_document_and_blocks_no_run(world: World) -> None:
    world.changes["disk"] = Full()
    with pytest.raises(OSError, match="No space left"):
        world.go()
    assert not world.events("run.blocked")
    del world.changes["disk"]
    assert world.go().exit_code == 10


def test_a_document_that_its_own_check_refuses_halts_the_run(world: World) -> None:
    assert isinstance(world.workflow, Shown)
    world.workflow.more = {"check": lambda _: ("Current Stage is missing",)}
    with world.session() as session, pytest.raises(Halted, match="Current Stage is missing"):
        documents.save(session)


def test_a_run_whose_document_cannot_be_written_is_blocked_with_the_workflows_words(
    world: World,
) -> None:
    assert isinstance(world.workflow, Shown)
    world.workflow.more = {"check": lambda _: ("broken",)}
    ended = world.go()
    assert (ended.exit_code, ended.stop) == (20, "documents")
    assert "a document of the run is missing" in ended.reason
    assert world.agent.jobs == []


def test_a_run_whose_last_document_could_not_be_written_is_complete_when_it_can(
    world: World,
) -> None:
    assert isinstance(world.workflow, Shown)
    world.go()
    world.decide()
    world.workflow.more = {"check": lambda text: ("broken",) if "status: complete" in text else ()}
    assert world.go().exit_code == 20
    world.workflow.more = {}
    assert world.go(because="mended").exit_code == 0
    assert [each["type"] for each in world.events() if "state" in each][-2:] == [
        "run.resumed",
        "run.completed",
    ]
    assert world.text("state.txt") == "step: done\nstatus: complete\n"


def test_our_own_words_are_no_persons_edit_when_the_run_is_set_back_before_they_are_recorded(
    world: World,
) -> None:
    with world.session() as session:
        session.commit(entered(session.run, "report"))
        documents.save(session)  # the process dies before that is recorded
    with world.session() as session:
        documents.recognise(session)
        session.commit(entered(session.run, "plan"))
    with world.session() as session:
        assert documents.take_back(session) == ""
    assert not world.events("run.edited")


def test_a_missing_or_empty_document_is_found_before_a_dispatch(world: World) -> None:
    with world.session() as session:
        documents.save(session)
        session.append()
        assert documents.missing(session) == []
        assert documents.checkpoint(session, "plan")
        world.write("state.txt", " \n")
        assert not documents.checkpoint(session, "plan")
        assert (session.run.status, session.run.stop) == (Status.BLOCKED, "documents")


def test_the_documents_of_an_earlier_run_are_laid_aside_and_not_lost(world: World) -> None:
    world.write("state.txt", "note: of another run\n")
    world.go()
    assert "another run" not in world.text("state.txt")
    assert (world.root / ".podium/runs/r1/before/state.txt").read_text() == "note: of another run\n"


def test_a_state_document_that_a_person_wrote_for_this_run_is_read_and_not_replaced(
    world: World,
) -> None:
    world.changes["request"] = {"inputs": [], "commands": {}, "adopt": True}
    world.write("state.txt", "note: mine\n")
    world.go()
    assert "note: mine" in world.text("state.txt")


def test_a_persons_edit_is_recorded_obeyed_and_written_again(world: World) -> None:
    world.go()
    world.write("state.txt", world.text("state.txt") + "note: be quick\n")
    with world.session() as session:
        assert documents.take_back(session) == "edited"
        assert session.run.note == "be quick"
        assert documents.take_back(session) == ""
    (edited,) = world.events("run.edited")
    assert (edited["path"], edited["changes"]) == ("state.txt", ["note: be quick"])


def test_a_wish_against_the_rules_blocks(world: World) -> None:
    world.go()
    world.write("state.txt", "note: forbidden\n")
    with world.session() as session:
        assert documents.take_back(session) == "blocked"
    assert world.text("state.txt").startswith("step: approve\nstatus: blocked\n")


def test_the_programs_own_words_are_no_edit(world: World) -> None:
    world.go()
    with world.session() as session:
        assert documents.take_back(session) == ""
    assert world.events("run.edited") == []


def test_own_words_that_were_written_but_not_recorded_are_no_edit(world: World) -> None:
    """A process that died between writing and recording."""
    with world.session() as session:
        documents.save(session)
    with world.session() as session:
        assert documents.take_back(session) == ""
        assert documents._last_written(session, "state.txt") == digest(world.text("state.txt"))


def test_an_edit_that_cannot_be_read_changes_nothing(world: World) -> None:
    world.go()
    world.write("state.txt", "nonsense")
    with world.session() as session, pytest.raises(InputError):
        documents.take_back(session)
    assert world.events("run.edited") == []
    assert world.text("state.txt") == "nonsense"


def test_a_document_that_is_gone_is_no_edit(world: World) -> None:
    world.go()
    (world.root / "state.txt").unlink()
    with world.session() as session:
        assert documents.take_back(session) == ""


def test_a_document_without_a_way_back_is_just_written_over(world: World) -> None:
    assert isinstance(world.workflow, Shown)
    world.workflow.more = {"read_back": None}
    world.go()
    world.write("state.txt", "anything")
    with world.session() as session:
        assert documents.take_back(session) == ""


def test_a_document_that_a_later_run_owns_can_be_left_alone(world: World) -> None:
    world.go()
    world.write("state.txt", "another run's\n")
    with world.session() as session:
        documents.save(session, only_own=True)
    assert world.text("state.txt") == "another run's\n"


@pytest.mark.parametrize("left", [None, "", " \n"])
def test_a_document_that_nothing_depends_on_is_written_again_where_it_is_gone_or_empty_and_that_is_told(  # noqa: E501
    world: World, left: str | None
) -> None:
    assert isinstance(world.workflow, Shown)
    world.workflow.more = {"needed": False}
    world.go()
    if left is None:
        (world.root / "state.txt").unlink()
    else:
        world.write("state.txt", left)
    world.decide()
    assert world.go().exit_code == 0
    assert world.text("state.txt") == "step: done\nstatus: complete\n"
    (drifted,) = world.events("document.drifted")
    assert (drifted["path"], drifted["now"]) == (
        "state.txt",
        "missing" if left is None else digest(left),
    )


def test_a_new_document_is_durable_at_once_and_its_next_version_comes_in_its_place(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a power cut leaves it empty, and an empty one would be taken for a person's."""
    saved: list[tuple[str, bool]] = []
    real = Disk.save

    def save(disk: Disk, path: Any, data: bytes, *, sync: bool = False, via: Any = "") -> None:
        saved.append((Path(path).name, sync))
        real(disk, path, data, sync=sync, via=via)

    monkeypatch.setattr(Disk, "save", save)
    with world.session() as session:
        documents.save(session)
        session.run.note = "more"
        world.write("state.txt", "note: changed\n")
        documents.save(session)
    assert [each for each in saved if each[0] == "state.txt"] == [
        ("state.txt", True),
        ("state.txt", False),
    ]
