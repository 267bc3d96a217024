"""The agent's folder holds exactly what its contract lets it read; whatever else it does there is found and undone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.engine.test_services import World

from podium.core.contract import Contract, Input, Output
from podium.core.digest import digest
from podium.engine.attempts import view as views
from podium.engine.session import Session
from podium.verify.folder_audit import walk

CONTRACT = Contract(
    "r",
    (Input("task", "task.md"), Input("deep", "docs/a/deep.md"), Input("maybe", "maybe.md", required=False)),
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
    return {path: (folder / path).read_bytes() for path, _ in walk(folder)}


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
        one, other = views.open_view(session, "build", CONTRACT), views.open_view(session, "build/2", CONTRACT)
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
    assert [(each.path, each.protected) for each in found.strays] == [("harness/run-state.md", True), ("note.md", False)]
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


NAMES = st.sampled_from(["task.md", "docs/a/deep.md", "docs/a", "docs", "new.md", "out/other.md", "out/spec.md", "fresh/x.md"])
EDITS = st.lists(st.tuples(st.sampled_from(["write", "delete", "link", "folder"]), NAMES), max_size=8)


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
        views.keep_view(views.open_view(session, "k", CONTRACT, lasting=True), "fake")
        assert views.kept_view(session, "k", "fake") is not None
        assert views.kept_view(session, "k", "other") is None


def left(world: World, session: Session) -> views.View:
    views.keep_view(views.open_view(session, "k", CONTRACT, lasting=True), "fake")
    found = views.kept_view(session, "k", "fake")
    assert found is not None
    return found


def test_an_input_that_changed_is_brought_up_to_date_in_a_view_that_is_taken_up_again(world: World) -> None:
    with world.session() as session:
        view = left(world, session)
        (world.root / "task.md").write_text("count lines")
        assert views.usable_again(session, "k", CONTRACT, view, parked=True)
        assert (view.folder / "task.md").read_text() == "count lines"
        assert views.audit(session, view, CONTRACT).strays == ()


def test_a_view_whose_inputs_the_agent_changed_is_not_taken_up_again(world: World, tmp_path: Path) -> None:
    treasure = tmp_path / "treasure"
    treasure.write_text("count words")
    for trick in (lambda task: task.write_text("mine"), lambda task: (task.unlink(), task.symlink_to(treasure))):
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
