"""From a contract and its view to a room: what may be written, what stays as it is, what git
needs.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path

import pytest
from tests.agents.confine.rooms import working
from tests.engine.test_services import Fake, World
from tests.engine.test_view import worked_in
from tests.fakes.mounted import run_in
from tests.fakes.repository import git

from podium.agents.confine.confinement import AUDITED, Confinement
from podium.agents.confine.levels import Level
from podium.agents.confine.room import Room
from podium.agents.human import HumanAgent
from podium.agents.process import Supervisor
from podium.core.contract import Contract, Input, Output
from podium.core.errors import PodiumError
from podium.engine.attempts import rooms
from podium.engine.attempts import view as views
from podium.engine.attempts.view_files import artifact
from podium.engine.session import Session
from podium.engine.views.code_view import Kind
from podium.verify.artifact import Rejected

HELD = Confinement(Level("bubblewrap", True, "", program="/usr/bin/bwrap"))
ENV = {"PATH": "/usr/bin:/bin"}


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World.at(tmp_path)
    made.write("docs/style.md", "short")
    made.write("src/app.py", "VALUE = 1")
    made.write("hidden/rule.md", "the rule")
    for words in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *words], cwd=made.root, check=True)
    return made


def room_of(
    session: Session,
    contract: Contract,
    confinement: Confinement = HELD,
    *,
    kind: Kind | None = None,
) -> Room:
    return room_in(
        session, views.open_view(session, "k", contract, kind=kind), contract, confinement
    )


def room_in(
    session: Session, view: views.View, contract: Contract, confinement: Confinement = HELD
) -> Room:
    room = rooms.hold(session, view, contract, confinement).room
    assert room is not None
    return room


def names(room: Room, paths: tuple[Path, ...]) -> list[str]:
    return [str(each.relative_to(room.folder)) for each in paths]


INPUTS = (Input("task", "task.md"), Input("style", "docs/style.md"))


@pytest.mark.parametrize(
    ("contract", "writable", "fixed"),
    [
        (Contract("r", INPUTS, (Output("o", "docs/plan.md"),)), ["docs"], ["docs/style.md"]),
        (
            Contract("r", INPUTS, (Output("o", "out/a.md"), Output("p", "out/deep/b.md"))),
            ["out"],
            [],
        ),
        (Contract("r", INPUTS, (Output("o", "plan.md"),)), ["."], ["docs/style.md", "task.md"]),
        (Contract("r", INPUTS, (Output("o", "tasks/*.md", many=True),)), ["tasks"], []),
        (Contract("r", INPUTS, (Output("o", "docs/style.md"),)), ["docs"], []),
        (Contract("r", INPUTS, ()), [], []),
    ],
)
def test_outputs_folders_are_writable_and_inputs_in_them_are_not(
    world: World, contract: Contract, writable: list[str], fixed: list[str]
) -> None:
    with world.session() as session:
        room = room_of(session, contract)
        assert (names(room, room.writable), names(room, room.fixed)) == (writable, fixed)


@pytest.mark.parametrize(
    ("output", "writable", "fixed"),
    [
        ("docs/plan.md", ["docs"], ["docs/style.md"]),
        ("plan.md", ["."], ["docs/style.md", "task.md", ".git"]),
    ],
)
def test_so_it_is_in_a_copy_of_code_that_may_only_be_read(
    world: World, copied: Kind, output: str, writable: list[str], fixed: list[str]
) -> None:
    contract = Contract("r", INPUTS, (Output("o", output),), code="read")
    with world.session() as session:
        room = room_of(session, contract, kind=copied)
        assert (names(room, room.writable), names(room, room.fixed)) == (writable, fixed)


def test_code_that_may_be_changed_is_writable_as_a_whole(world: World, kind: Kind) -> None:
    contract = Contract("r", INPUTS, (Output("o", "docs/plan.md"),), code="write")
    with world.session() as session:
        room = room_of(session, contract, kind=kind)
        assert (names(room, room.writable), names(room, room.fixed)) == (["."], [])


def test_layers_are_writable_as_a_whole_and_what_may_only_be_read_is_left_to_the_audit(
    world: World, layered: Kind
) -> None:
    """Tests write beside the code that they read, and layers are nobody's but the view's."""
    contract = Contract("r", INPUTS, (Output("o", "docs/plan.md"),), code="read")
    with world.session() as session:
        view = views.open_view(session, "k", contract, kind=layered)
        room = room_in(session, view, contract)
        assert (room.folder, names(room, room.writable), room.fixed) == (world.root, ["."], ())
        with worked_in(view) as folder:
            (folder / "task.md").write_text("mine")
            (folder / "src/app.py").write_text("mine")
            (folder / "docs/plan.md").write_text("the plan")
        found = views.audit(session, view, contract)
        assert found.changed == ()
        assert {each.path for each in found.strays} == {"task.md", "src/app.py"}
    assert (world.text("task.md"), world.text("src/app.py")) == ("count words", "VALUE = 1")


def test_an_output_behind_a_link_out_of_the_view_is_refused(
    world: World, tmp_path: Path, copied: Kind
) -> None:
    os.symlink(tmp_path, world.root / "away")
    contract = Contract("r", (), (Output("o", "away/plan.md"),), code="read")
    with world.session() as session, pytest.raises(PodiumError, match="leads out of the view"):
        room_of(session, contract, kind=copied)


def test_of_layers_nothing_but_the_layers_is_writable_and_the_output_is_refused_when_it_is_read(
    world: World, tmp_path: Path, layered: Kind
) -> None:
    os.symlink(tmp_path, world.root / "away")
    contract = Contract("r", (), (Output("o", "away/plan.md"),), code="read")
    with world.session() as session:
        view = views.open_view(session, "k", contract, kind=layered)
        assert room_in(session, view, contract).writable == (world.root,)
        (tmp_path / "plan.md").write_text("the plan of another")
        said = artifact(view, "away/plan.md")
    assert isinstance(said, Rejected)
    assert said.detail == "a folder on its way is a symbolic link"


def test_a_link_within_the_view_is_held_at_its_end(world: World, copied: Kind) -> None:
    os.symlink("docs", world.root / "papers")
    contract = Contract("r", (), (Output("o", "papers/plan.md"),), code="read")
    with world.session() as session:
        room = room_of(session, contract, kind=copied)
        assert names(room, room.writable) == ["docs"]


def test_a_view_that_shows_all_borrows_gits_objects_and_one_that_hides_has_its_own(
    world: World, kind: Kind
) -> None:
    """Where views are mounted the objects are, too; the room of a plain copy shows them."""
    secret = git(world.root, "rev-parse", "HEAD:hidden/rule.md")
    objects = world.root / ".git/objects"
    for hidden in ((), ("hidden/**",)):
        contract = Contract("r", code="read", hidden=hidden)
        with world.session() as session:
            view = views.open_view(session, "k", contract, kind=kind)
            assert view.code is not None
            shown = room_in(session, view, contract).readable
            if (mounts := view.code.mounts()) is not None:
                assert shown == ()
                shown = tuple(Path(str(each["source"])) for each in mounts.binds)
                assert not any(
                    each["write"] for each in mounts.binds if each["at"] != f"{world.root}"
                )
            assert (objects in shown) == (not hidden)
            found = run_in(view.code, f"git cat-file -e {secret}")
            assert (found.returncode == 0) == (not hidden)


@pytest.mark.parametrize("hidden", [(), ("hidden/**",)])
def test_git_works_in_the_room_and_shows_no_more_than_the_view(
    world: World, hidden: tuple[str, ...], kind: Kind
) -> None:
    confinement = Confinement(working("bubblewrap"))
    script = (
        "git status --short && git log --oneline | wc -l && git show HEAD:src/app.py; git show "
        "HEAD:hidden/rule.md; git stash list && echo 'VALUE = 2' > src/app.py && git diff --stat "
        "&& git commit -qam mine && git log -1 --format=%s"
    )
    contract = Contract("r", code="write", hidden=hidden)
    with world.session() as session:
        view = views.open_view(session, "k", contract, kind=kind)
        held = rooms.hold(session, view, contract, confinement)
        ended = asyncio.run(
            Supervisor(enclose=held)(["sh", "-c", script], cwd=views.work_folder(view), env=ENV)
        )
        assert ended.exit_code == 0, ended
        lines = ended.output.decode().splitlines()
        assert lines[:1] == ["1"]
        assert ("the rule" in ended.output.decode()) == (not hidden)
        assert lines[-1] == "mine"
        assert held.assurance["read"] == "confined"


def test_nothing_is_said_to_be_held_of_an_agent_that_started_no_program(world: World) -> None:
    contract = Contract("r", INPUTS, (Output("o", "docs/plan.md"),))
    with world.session() as session:
        held = rooms.hold(session, views.open_view(session, "k", contract), contract, HELD)
        assert held.assurance == AUDITED


def test_a_person_and_a_scenario_have_no_room(world: World) -> None:
    world.changes["confinement"] = lambda: HELD
    with world.session() as session:
        assert rooms.confinement_of(session, HumanAgent(None)) is None
        assert rooms.confinement_of(session, Fake()) is HELD


def test_settings_add_to_every_room(world: World, tmp_path: Path) -> None:
    told = Confinement(HELD.level, "", (tmp_path / "tools",), (tmp_path / "cache",))
    with world.session() as session:
        room = room_of(session, Contract("r", INPUTS, (Output("o", "docs/plan.md"),)), told)
        assert room.readable == (tmp_path / "tools",)
        assert room.writable[-1] == tmp_path / "cache"
