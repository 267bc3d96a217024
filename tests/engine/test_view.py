"""The agent's folder holds exactly what its contract lets it read; whatever else it does there
is found and undone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.engine.test_services import World
from tests.fakes.mounted import at_work
from tests.verify.test_folder_audit import dig

from podium.core.contract import Contract, Input, Output
from podium.core.digest import digest
from podium.engine.attempts import view as views
from podium.engine.inputs import read
from podium.engine.session import Session
from podium.engine.views.code_view import Kind
from podium.verify.folder_audit import walk

CONTRACT = Contract(
    "r",
    (
        Input("task", "task.md"),
        Input("deep", "docs/a/deep.md"),
        Input("maybe", "maybe.md", required=False),
    ),
    (Output("out", "out/spec.md"),),
    protected=("harness/**",),
)


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World.at(tmp_path)
    made.write("docs/a/deep.md", "deep")
    made.write("docs/a/secret.md", "secret")
    return made


def content(folder: Path) -> dict[str, bytes]:
    """Path to bytes, or to where a link leads."""
    found = {path: folder / path for path, _ in walk(folder) if not path.startswith(".git/")}
    return {
        path: os.fsencode(os.readlink(each)) if each.is_symlink() else each.read_bytes()
        for path, each in found.items()
    }


@contextmanager
def worked_in(view: views.View) -> Iterator[Path]:
    """The folder in which the agent starts, while it is at work there."""
    if view.code is None:
        yield view.folder
        return
    with at_work(view.code) as top:
        yield top / view.code.inner


def undone(session: Session, view: views.View, contract: Contract) -> views.View:
    """Where the next attempt works: in the folder that was put back as it was, or, since layers of
    a refused attempt are not used again, in layers of its own.
    """
    views.undo(session, view, views.audit(session, view, contract).strays)
    if view.code is None or view.code.kind != "overlay":
        return view
    views.close_view(session, view)
    return views.open_view(session, "k", contract, kind=view.code.kind)


def test_the_view_holds_the_inputs_at_their_places_and_nothing_else(world: World) -> None:
    with world.session() as session:
        view = views.open_view(session, "k", CONTRACT)
        assert content(view.folder) == {"task.md": b"count words", "docs/a/deep.md": b"deep"}
        assert view.manifest == {"task.md": digest("count words"), "docs/a/deep.md": digest("deep")}
        assert (view.folder / "out").is_dir()
        assert views.work_folder(view) == view.folder


def test_the_view_is_outside_the_project(world: World) -> None:
    with world.session() as session:
        assert not views.open_view(session, "k", CONTRACT).folder.is_relative_to(world.root)


def test_a_copy_is_given_and_not_the_file_itself(world: World) -> None:
    with world.session() as session:
        view = views.open_view(session, "k", CONTRACT)
        (view.folder / "task.md").write_text("changed")
    assert world.text("task.md") == "count words"


def test_what_is_given_is_what_was_hashed_though_the_file_is_exchanged_in_between(
    world: World,
) -> None:
    with world.session() as session:
        inputs = read(session, CONTRACT)
        world.write("docs/a/deep.md", "exchanged")
        view = views.open_view(session, "k", CONTRACT, inputs)
        assert content(view.folder)["docs/a/deep.md"] == b"deep"
        assert view.manifest["docs/a/deep.md"] == inputs.digests["docs/a/deep.md"] == digest("deep")


def test_what_a_crash_left_is_gone_first(world: World) -> None:
    with world.session() as session:
        view = views.open_view(session, "k", CONTRACT)
        (view.folder / "left.md").write_text("left")
        view.scratch.mkdir()
        views.keep_view(view)
        again = views.open_view(session, "k", CONTRACT)
        assert "left.md" not in content(again.folder)
        assert not again.scratch.exists()
        assert views.kept_view(session, "k") is None


def test_two_keys_have_two_folders_also_where_one_begins_like_the_other(world: World) -> None:
    with world.session() as session:
        one, other = (
            views.open_view(session, "build", CONTRACT),
            views.open_view(session, "build/2", CONTRACT),
        )
        assert one.folder.is_dir()
        assert other.folder.is_dir()
        assert not other.folder.is_relative_to(one.folder)


def test_a_named_pipe_in_the_place_of_an_input_is_left_out_and_hangs_nobody(world: World) -> None:
    (world.root / "task.md").unlink()
    os.mkfifo(world.root / "task.md")
    with world.session() as session:
        assert "task.md" not in views.open_view(session, "k", CONTRACT).manifest


def test_closing_leaves_nothing(world: World) -> None:
    with world.session() as session:
        view = views.open_view(session, "k", CONTRACT)
        view.scratch.mkdir()
        views.keep_view(view)
        views.close_view(session, view)
        assert list(view.folder.parent.iterdir()) == []


def test_a_view_that_was_left_for_a_person_is_found_as_they_left_it(world: World) -> None:
    with world.session() as session:
        view = views.open_view(session, "k", CONTRACT)
        (view.folder / "out/spec.md").write_text("half done")
        views.keep_view(view)
    with world.session() as session:
        kept = views.kept_view(session, "k")
    assert kept is not None
    assert (kept.folder, kept.manifest, kept.outputs) == (view.folder, view.manifest, view.outputs)
    assert (kept.folder / "out/spec.md").read_text() == "half done"


def test_a_stray_of_a_protected_name_is_protected_though_it_was_no_input(world: World) -> None:
    with world.session() as session:
        view = views.open_view(session, "k", CONTRACT)
        (view.folder / "harness").mkdir()
        (view.folder / "harness/run-state.md").write_text("mine")
        (view.folder / "note.md").write_text("mine")
        found = views.audit(session, view, CONTRACT)
    assert [(each.path, each.protected) for each in found.strays] == [
        ("harness/run-state.md", True),
        ("note.md", False),
    ]
    assert found.changed == ()


def test_what_is_undone_is_kept_in_quarantine(world: World) -> None:
    with world.session() as session:
        view = views.open_view(session, "k", CONTRACT)
        (view.folder / "task.md").write_text("my own task")
        (view.folder / "link").symlink_to("/etc/passwd")
        views.undo(session, view, views.audit(session, view, CONTRACT).strays)
        kept = b"".join(view.quarantine)
    assert b"### changed: task.md\nmy own task" in kept
    assert b"### symlink: link\n-> /etc/passwd" in kept
    assert b"root:" not in kept


def test_a_large_stray_is_cut_in_quarantine(world: World) -> None:
    with world.session() as session:
        view = views.open_view(session, "k", CONTRACT)
        (view.folder / "big").write_bytes(b"x" * 300_000)
        views.undo(session, view, views.audit(session, view, CONTRACT).strays)
        assert len(b"".join(view.quarantine)) < 101_000
        assert b"(cut: 300,000 bytes in all)" in view.quarantine[0]


NAMES = st.sampled_from(
    [
        "task.md",
        "docs/a/deep.md",
        "docs/a",
        "docs",
        "new.md",
        "out/other.md",
        "out/spec.md",
        "fresh/x.md",
    ]
)
EDITS = st.lists(
    st.tuples(st.sampled_from(["write", "delete", "link", "folder"]), NAMES), max_size=8
)


def _edit(folder: Path, how: str, path: str) -> None:
    where = folder / path
    for above in reversed(where.relative_to(folder).parents):
        if (folder / above).is_symlink() or (folder / above).is_file():
            (folder / above).unlink()
    where.parent.mkdir(parents=True, exist_ok=True)
    views.remove(where)
    if how == "write":
        where.write_text("edited")
    elif how == "link":
        where.symlink_to("/etc")
    elif how == "folder":
        where.mkdir()
        (where / "inner").write_text("inner")


def _undone(session: Session, edits: list[tuple[str, str]]) -> None:
    view = views.open_view(session, "k", CONTRACT)
    before = content(view.folder)
    for how, path in edits:
        _edit(view.folder, how, path)
    out = view.folder / "out/spec.md"
    promised = out.read_bytes() if out.is_file() and not out.is_symlink() else None
    linked = out.is_symlink() and not out.parent.is_symlink()
    views.undo(session, view, views.audit(session, view, CONTRACT).strays)
    assert views.audit(session, view, CONTRACT).strays == ()
    if linked:  # the output's own place is looked at when it is verified
        out.unlink()
    after = content(view.folder)
    assert after.pop("out/spec.md", None) == promised
    assert after == before


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=EDITS)
def test_any_set_of_edits_is_undone_exactly(world: World, edits: list[tuple[str, str]]) -> None:
    with world.session() as session:
        _undone(session, edits)


def test_a_view_that_one_agent_left_is_not_found_by_another(world: World) -> None:
    with world.session() as session:
        views.keep_view(views.open_view(session, "k", CONTRACT), "fake")
        assert views.kept_view(session, "k", "fake") is not None
        assert views.kept_view(session, "k", "other") is None


def left(world: World, session: Session) -> views.View:
    views.keep_view(views.open_view(session, "k", CONTRACT), "fake")
    found = views.kept_view(session, "k", "fake")
    assert found is not None
    return found


def test_an_input_that_changed_is_brought_up_to_date_in_a_view_that_is_taken_up_again(
    world: World,
) -> None:
    with world.session() as session:
        view = left(world, session)
        (world.root / "task.md").write_text("count lines")
        assert views.usable_again(session, "k", CONTRACT, view, parked=True)
        assert (view.folder / "task.md").read_text() == "count lines"
        assert views.audit(session, view, CONTRACT).strays == ()


def test_a_view_whose_inputs_the_agent_changed_is_not_taken_up_again(
    world: World, tmp_path: Path
) -> None:
    treasure = tmp_path / "treasure"
    treasure.write_text("count words")
    for trick in (
        lambda task: task.write_text("mine"),
        lambda task: (task.unlink(), task.symlink_to(treasure)),
    ):
        with world.session() as session:
            view = left(world, session)
            trick(view.folder / "task.md")
            (world.root / "task.md").write_text("count lines")
            assert not views.usable_again(session, "k", CONTRACT, view, parked=True)
        assert treasure.read_text() == "count words"
        (world.root / "task.md").write_text("count words")


def test_a_view_without_a_needed_input_is_not_taken_up_again(world: World) -> None:
    with world.session() as session:
        view = left(world, session)
        (world.root / "task.md").unlink()
        assert not views.usable_again(session, "k", CONTRACT, view, parked=True)


def test_a_stray_that_cannot_be_read_is_named_and_undone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = os.open

    def refused(path: str, *how: Any, **more: Any) -> int:
        if str(path).endswith("/locked"):
            raise PermissionError(13, "Permission denied", path)
        return really(path, *how, **more)

    with world.session() as session:
        view = views.open_view(session, "k", CONTRACT)
        (view.folder / "locked").write_text("secret")
        (view.folder / "locked").chmod(0)
        monkeypatch.setattr(os, "open", refused)
        views.undo(session, view, views.audit(session, view, CONTRACT).strays)
        assert view.quarantine == [b"### added: locked\n(cannot be read)\n"]
        assert not (view.folder / "locked").exists()


def _closed_to_their_owner(session: Session, contract: Contract, view: views.View) -> None:
    with worked_in(view) as folder:
        for name, mode in (("shut", 0), ("read", 0o444), ("enter", 0o111), ("fixed", 0o555)):
            (folder / "harness" / name).mkdir(parents=True)
            (folder / "harness" / name / "file").write_text("mine")
            (folder / "harness" / name / "file").chmod(0)
            (folder / "harness" / name).chmod(mode)
        (folder / "task.md").chmod(0)
        (folder / "docs/a").chmod(0)
    found = views.audit(session, view, contract)
    assert {f"harness/{name}/file" for name in ("enter", "fixed", "read", "shut")} <= {
        each.path for each in found.strays
    }
    view = undone(session, view, contract)
    assert views.audit(session, view, contract).strays == ()
    with worked_in(view) as folder:
        assert (folder / "task.md").read_text() == "count words"
        (folder / "docs").chmod(0)
    views.close_view(session, view)
    assert list(view.folder.parent.iterdir()) == []


def test_files_and_folders_that_an_agent_closed_to_their_owner_are_strays(world: World) -> None:
    with world.session() as session:
        _closed_to_their_owner(session, CONTRACT, views.open_view(session, "k", CONTRACT))


def test_they_are_strays_in_code_as_well(world: World, kind: Kind) -> None:
    contract = replace(CONTRACT, code="write")
    with world.session() as session:
        view = views.open_view(session, "k", contract, kind=kind)
        _closed_to_their_owner(session, contract, view)


def test_a_run_in_which_an_agent_digs_too_deep_is_blocked_and_says_so_shortly(
    tmp_path: Path,
) -> None:
    world = World.at(tmp_path)
    world.agent.acts["plan"] = [lambda job: dig(job.folder)] * 9
    ended = world.go()
    assert (ended.exit_code, ended.stop) == (20, "contract")
    assert ended.reason.endswith("is too deep, outside the contract")
    assert len(ended.reason) < 500
    assert len(world.events("contract.violated")) == len(world.agent.jobs)


def _dug_too_deep(session: Session, contract: Contract, view: views.View) -> None:
    with worked_in(view) as folder:
        for name in ("a" * 10, "b" * 250):
            dig(folder, 1500, name)
        dig(folder / "out", 1500)
    found = views.audit(session, view, contract)
    assert [each.what for each in found.strays] == ["deep"] * 3
    view = undone(session, view, contract)
    assert views.audit(session, view, contract).strays == ()
    with worked_in(view) as folder:
        dig(folder, 1500)
    views.close_view(session, view)
    assert list(view.folder.parent.iterdir()) == []


def test_folders_deeper_than_a_path_are_strays_and_the_view_can_be_closed(world: World) -> None:
    with world.session() as session:
        _dug_too_deep(session, CONTRACT, views.open_view(session, "k", CONTRACT))


def test_folders_deeper_than_a_path_are_strays_in_code_as_well(world: World, kind: Kind) -> None:
    contract = replace(CONTRACT, code="write")
    with world.session() as session:
        _dug_too_deep(session, contract, views.open_view(session, "k", contract, kind=kind))


CODE = Contract(
    "r",
    (
        Input("task", "task.md"),
        Input("state", "harness/state.md"),
        Input("design", "docs/design.md"),
    ),
    (Output("out", "harness/spec.md"),),
    protected=("harness/**",),
    code="write",
)


@pytest.fixture
def coded(tmp_path: Path) -> World:
    """A project of code, its folder for documents kept out of git in part."""
    made = World.at(tmp_path)
    made.write("harness/state.md", "mine")
    made.write("harness/roles/r.md", "role")
    made.write("docs/design.md", "design")
    made.write("app.py", "x = 1")
    return made


def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "victim"
    (folder / "roles").mkdir(parents=True)
    (folder / "state.md").write_text("precious")
    (folder / "roles/r.md").write_text("precious")
    return folder


def test_nothing_behind_a_link_that_the_agent_made_is_undone_or_copied(
    coded: World, tmp_path: Path, kind: Kind
) -> None:
    victim = outside(tmp_path)
    with coded.session() as session:
        view = views.open_view(session, "k", CODE, kind=kind)
        with worked_in(view) as folder:
            before = content(folder)
            shutil.rmtree(folder / "harness")
            (folder / "harness").symlink_to(victim)
            (folder / "new.py").write_text("y = 1")
        found = views.audit(session, view, CODE)
        assert found.changed == ("new.py",)
        assert {"harness", "harness/state.md"} <= {each.path for each in found.strays}
        again = undone(session, view, CODE)
        assert content(victim) == {"state.md": b"precious", "roles/r.md": b"precious"}
        assert b"precious" not in b"".join(view.quarantine)
        with worked_in(again) as folder:
            after = content(folder)
        assert after.pop("new.py", None) == (None if kind == "overlay" else b"y = 1")
        assert after == before


def test_nothing_behind_a_link_is_undone_though_the_link_itself_is_allowed(
    world: World, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "deep.md").write_text("precious")
    contract = Contract("r", CONTRACT.inputs, (Output("any", "docs/*", many=True),))
    with world.session() as session:
        view = views.open_view(session, "k", contract)
        shutil.rmtree(view.folder / "docs/a")
        (view.folder / "docs/a").symlink_to(victim)
        views.undo(session, view, views.audit(session, view, contract).strays)
        assert (view.folder / "docs/a/deep.md").read_text() == "deep"
    assert content(victim) == {"deep.md": b"precious"}


def test_a_second_name_of_a_file_outside_is_not_written_over(world: World, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    with world.session() as session:
        view = views.open_view(session, "k", CONTRACT)
        (view.folder / "docs/a/deep.md").unlink()
        os.link(tmp_path / "precious", view.folder / "docs/a/deep.md")
        views.undo(session, view, views.audit(session, view, CONTRACT).strays)
        assert (view.folder / "docs/a/deep.md").read_text() == "deep"
    assert (tmp_path / "precious").read_text() == "precious"


def test_a_document_sent_as_data_is_not_spelled_behind_a_link(world: World, tmp_path: Path) -> None:
    (tmp_path / "victim").mkdir()
    with world.session() as session:
        view = views.open_view(session, "k", CONTRACT)
        (view.folder / "out").rmdir()
        (view.folder / "out").symlink_to(tmp_path / "victim")
        views.spell(view, "out/spec.md", "text")
    assert list((tmp_path / "victim").iterdir()) == []


def test_a_view_in_which_the_whole_project_became_a_link_is_undone_without_following_it(
    tmp_path: Path, kind: Kind
) -> None:
    top, victim = tmp_path / "top", outside(tmp_path)
    top.mkdir()
    subprocess.run(["git", "init", "-q", top], check=True)
    coded = World.at(top)
    coded.write("harness/state.md", "mine")
    coded.changes["views"] = tmp_path / "views"
    with coded.session() as session:
        view = views.open_view(session, "k", CODE, kind=kind)
        with worked_in(view) as project:
            assert view.code is not None
            assert view.code.inner == "project"
            shutil.rmtree(project)
            project.symlink_to(victim)
        assert "." in {each.path for each in views.audit(session, view, CODE).strays}
        with worked_in(undone(session, view, CODE)) as project:
            assert (project / "harness/state.md").read_text() == "mine"
    assert content(victim) == {"state.md": b"precious", "roles/r.md": b"precious"}
    assert coded.text("harness/state.md") == "mine"


@pytest.fixture
def linked(coded: World, tmp_path: Path) -> World:
    """A project in git, in which one input is a link, one lies behind one, and one behind one
    that leads out.
    """
    (coded.root / "docs/design.md").unlink()
    coded.write("README.md", "design")
    (coded.root / "docs/design.md").symlink_to("../README.md")
    coded.write("notes/real/task.md", "count words")
    (coded.root / "notes/short").symlink_to("real")
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/rules.md").write_text("rules")
    (coded.root / "shared").symlink_to(tmp_path / "shared")
    subprocess.run(["git", "init", "-q", coded.root], check=True)
    subprocess.run(["git", "-C", coded.root, "add", "-A"], check=True)
    return coded


LINKED = replace(
    CODE,
    inputs=(*CODE.inputs, Input("behind", "notes/short/task.md"), Input("far", "shared/rules.md")),
)


def test_an_agent_is_not_accused_of_links_that_the_project_has(
    linked: World, tmp_path: Path, kind: Kind
) -> None:
    with linked.session() as session:
        view = views.open_view(session, "k", LINKED, kind=kind)
        with worked_in(view) as folder:
            assert [(folder / each.path).read_text() for each in LINKED.inputs] == [
                "count words",
                "mine",
                "design",
                "count words",
                "rules",
            ]
            (folder / "app.py").write_text("x = 2")
        for _ in range(2):
            assert views.audit(session, view, LINKED) == views.Audited(("app.py",), ())
            views.keep_view(view, "fake")
            again = views.kept_view(session, "k", "fake")
            assert again is not None
            view = again
        with worked_in(view) as folder:
            assert (folder / "notes/short").is_symlink()
    assert content(tmp_path / "shared") == {"rules.md": b"rules"}
    assert (linked.root / "docs/design.md").is_symlink()


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "docs/design.md",
        "notes/short/task.md",
        "notes/real/task.md",
        "shared/rules.md",
        "shared/more.md",
    ],
)
def test_what_an_agent_does_to_an_input_behind_a_link_is_found_and_undone(
    linked: World, tmp_path: Path, path: str, kind: Kind
) -> None:
    with linked.session() as session:
        view = views.open_view(session, "k", LINKED, kind=kind)
        with worked_in(view) as folder:
            before = content(folder)
            (folder / path).write_text("forged")
        found = views.audit(session, view, LINKED)
        if path == "README.md":  # a file of its own, of which the input is a copy here
            assert found == views.Audited(("README.md",), ())
            return
        assert found.changed == ()
        assert found.strays != ()
        view = undone(session, view, LINKED)
        assert views.audit(session, view, LINKED) == views.Audited((), ())
        with worked_in(view) as folder:
            assert content(folder) == before
    assert content(tmp_path / "shared") == {"rules.md": b"rules"}


def test_a_link_of_the_project_that_an_agent_turns_hides_no_forged_input(
    linked: World, kind: Kind
) -> None:
    with linked.session() as session:
        view = views.open_view(session, "k", LINKED, kind=kind)
        with worked_in(view) as folder:
            (folder / "notes/short").unlink()
            (folder / "notes/short").mkdir()
            (folder / "notes/short/task.md").write_text("forged")
        found = views.audit(session, view, LINKED)
        assert "notes/short/task.md" in {each.path for each in found.strays}
        view = undone(session, view, LINKED)
        assert views.audit(session, view, LINKED).strays == ()
        with worked_in(view) as folder:
            assert (folder / "notes/short/task.md").read_text() == "count words"
