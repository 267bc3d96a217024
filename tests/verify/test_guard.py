"""Protected files are remembered before a dispatch; whatever happens to them is found and put
back.
"""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.verify import guard as guards
from podium.verify.guard import Guard

FILES = {
    "run-state.md": b"Require Approval: Yes\n",
    "roles/build.md": b"build",
    "roles/deep/qa.md": b"qa",
    "hooks/pre-commit": b"#!/bin/sh\n",
}


def project(folder: Path) -> Path:
    for path, data in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    (folder / "hooks/pre-commit").chmod(0o755)
    return folder


def guarded(folder: Path) -> Guard:
    """All of them remembered; `tasks` is a place that is not there yet."""
    found = Guard([(name, folder / name) for name in ("run-state.md", "roles", "hooks", "tasks")])
    found.remember()
    return found


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file with its mode and bytes, every link with its target; folders do not count."""
    found = {}
    for path in sorted(folder.rglob("*")):
        facts = path.lstat()
        if not stat.S_ISDIR(facts.st_mode):
            data = os.readlink(os.fsencode(path)) if path.is_symlink() else path.read_bytes()
            found[path.relative_to(folder).as_posix()] = (facts.st_mode, data)
    return found


def later(folder: Path) -> None:
    """Wait until the file system's clock has moved on, so that no change falls into the tick of
    the memory.
    """
    probe = folder.with_name(f"{folder.name}~tick")
    probe.touch()
    first = probe.stat().st_ctime_ns
    while probe.stat().st_ctime_ns == first:
        probe.touch()


@pytest.fixture(params=["made just now", "made long ago"])
def root(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where folders have not changed for a while, a look goes by the one before it."""
    if request.param == "made long ago":
        monkeypatch.setattr(guards, "TICK_NS", -(10**12))
    return project(tmp_path / "project")


def found_and_undone(root: Path, change: Callable[[], object]) -> list[tuple[str, str]]:
    """What the guard says of a change; all is as it was afterwards, and a second look finds
    nothing.
    """
    guard = guarded(root)
    before = snapshot(root)
    later(root)
    change()
    found = [(each.path, each.what) for each in guard.tampered()]
    assert snapshot(root) == before
    assert guard.tampered() == []
    return found


def test_nothing_changed_is_nothing_found(root: Path) -> None:
    assert found_and_undone(root, lambda: None) == []


def test_a_changed_file_is_put_back(root: Path) -> None:
    assert found_and_undone(root, lambda: (root / "run-state.md").write_text("No")) == [
        ("run-state.md", "changed")
    ]


def test_what_stood_there_is_kept_for_the_quarantine(root: Path) -> None:
    guard = guarded(root)
    later(root)
    (root / "run-state.md").write_bytes(b"Require Approval: No!\n")
    (root / "roles/extra.md").symlink_to("/etc/passwd")
    assert {each.path: each.now for each in guard.tampered()} == {
        "run-state.md": b"Require Approval: No!\n",
        "roles/extra.md": b"-> /etc/passwd",
    }


def test_a_change_in_place_of_the_same_size_with_the_time_set_back_is_found(root: Path) -> None:
    def forge() -> None:
        before = (root / "run-state.md").stat()
        with (root / "run-state.md").open("r+b") as file:
            file.write(b"require approval: NO!")
        os.utime(root / "run-state.md", ns=(before.st_atime_ns, before.st_mtime_ns))
        after = (root / "run-state.md").stat()
        assert (after.st_ino, after.st_size, after.st_mtime_ns) == (
            before.st_ino,
            before.st_size,
            before.st_mtime_ns,
        )

    assert found_and_undone(root, forge) == [("run-state.md", "changed")]


def test_a_file_that_was_only_touched_is_not_called_changed(root: Path) -> None:
    assert found_and_undone(root, lambda: os.utime(root / "run-state.md", (0, 0))) == []


def test_a_file_written_again_with_the_same_content_is_not_called_changed(root: Path) -> None:
    assert (
        found_and_undone(root, lambda: (root / "run-state.md").write_bytes(FILES["run-state.md"]))
        == []
    )


def test_a_mode_is_put_back(root: Path) -> None:
    assert found_and_undone(root, lambda: (root / "roles/build.md").chmod(0o777)) == [
        ("roles/build.md", "changed")
    ]
    assert found_and_undone(root, lambda: (root / "hooks/pre-commit").chmod(0o644)) == [
        ("hooks/pre-commit", "changed")
    ]


def test_an_executable_file_that_was_changed_is_executable_again(root: Path) -> None:
    assert found_and_undone(root, lambda: (root / "hooks/pre-commit").write_text("evil")) == [
        ("hooks/pre-commit", "changed")
    ]


def test_an_added_file_is_taken_away_at_any_depth(root: Path) -> None:
    def add() -> None:
        (root / "roles/evil.md").write_text("evil")
        (root / "roles/new/deep").mkdir(parents=True)
        (root / "roles/new/deep/evil.md").write_text("evil")

    assert found_and_undone(root, add) == [
        ("roles/evil.md", "added"),
        ("roles/new/deep/evil.md", "added"),
    ]


def test_a_place_that_was_not_there_is_guarded_too(root: Path) -> None:
    def add() -> None:
        (root / "tasks").mkdir()
        (root / "tasks/T9.md").write_text("mine")

    assert found_and_undone(root, add) == [("tasks/T9.md", "added")]


def test_a_link_to_nowhere_in_a_place_that_was_not_there_is_taken_away(root: Path) -> None:
    assert found_and_undone(root, lambda: (root / "tasks").symlink_to("nowhere")) == [
        ("tasks", "added")
    ]


def test_a_deleted_file_comes_back(root: Path) -> None:
    assert found_and_undone(root, (root / "roles/build.md").unlink) == [
        ("roles/build.md", "deleted")
    ]


def test_a_deleted_folder_comes_back(root: Path) -> None:
    assert found_and_undone(root, lambda: shutil.rmtree(root / "roles")) == [
        ("roles/build.md", "deleted"),
        ("roles/deep/qa.md", "deleted"),
    ]


def test_a_renamed_file_is_where_it_was(root: Path) -> None:
    assert found_and_undone(
        root, lambda: (root / "roles/build.md").rename(root / "roles/old.md")
    ) == [
        ("roles/old.md", "added"),
        ("roles/build.md", "deleted"),
    ]


def test_a_file_replaced_by_a_link_is_a_file_again_and_the_link_was_not_followed(
    root: Path, tmp_path: Path
) -> None:
    target = tmp_path / "elsewhere"
    target.write_text("not to be touched")

    def replace() -> None:
        (root / "run-state.md").unlink()
        (root / "run-state.md").symlink_to(target)

    assert found_and_undone(root, replace) == [("run-state.md", "changed")]
    assert target.read_text() == "not to be touched"


def test_a_file_replaced_by_a_folder_is_a_file_again(root: Path) -> None:
    def replace() -> None:
        (root / "run-state.md").unlink()
        (root / "run-state.md").mkdir()
        (root / "run-state.md/x").write_text("x")

    assert found_and_undone(root, replace) == [
        ("run-state.md/x", "added"),
        ("run-state.md", "deleted"),
    ]


def test_a_folder_replaced_by_a_link_is_a_folder_again_and_what_it_pointed_to_is_whole(
    root: Path, tmp_path: Path
) -> None:
    away = tmp_path / "away"

    def replace() -> None:
        (root / "roles").rename(away)
        (away / "build.md").write_text("evil")
        (root / "roles").symlink_to(away)

    found = found_and_undone(root, replace)
    assert ("roles", "added") in found
    assert ("roles/build.md", "deleted") in found
    assert (away / "build.md").read_text() == "evil"


def test_a_folder_replaced_by_a_file_is_a_folder_again(root: Path) -> None:
    def replace() -> None:
        shutil.rmtree(root / "roles")
        (root / "roles").write_text("now a file")

    assert ("roles", "added") in found_and_undone(root, replace)


def test_a_link_that_was_protected_is_put_back_with_its_target(root: Path) -> None:
    (root / "roles/link.md").symlink_to("build.md")

    def replace() -> None:
        (root / "roles/link.md").unlink()
        (root / "roles/link.md").symlink_to("/etc/passwd")

    assert found_and_undone(root, replace) == [("roles/link.md", "changed")]


def test_a_named_pipe_in_a_files_place_is_taken_away_without_opening_it(root: Path) -> None:
    def replace() -> None:
        (root / "run-state.md").unlink()
        os.mkfifo(root / "run-state.md")

    assert found_and_undone(root, replace) == [("run-state.md", "changed")]


def test_the_engines_own_write_is_expected(root: Path) -> None:
    guard = guarded(root)
    later(root)
    (root / "run-state.md").write_text("the engine's own words")
    guard.expect([root / "run-state.md"])
    assert guard.tampered() == []
    assert (root / "run-state.md").read_text() == "the engine's own words"


def test_a_file_the_engine_adds_is_expected(root: Path) -> None:
    guard = guarded(root)
    (root / "roles/new.md").write_text("from the engine")
    guard.expect([root / "roles/new.md"])
    assert guard.tampered() == []
    assert (root / "roles/new.md").exists()


def test_what_is_expected_of_one_file_excuses_no_other(root: Path) -> None:
    guard = guarded(root)
    later(root)
    (root / "run-state.md").write_text("the engine's own words")
    (root / "roles/build.md").write_text("evil")
    guard.expect([root / "run-state.md"])
    assert [each.path for each in guard.tampered()] == ["roles/build.md"]


def test_a_change_after_the_expected_write_goes_back_to_that_write(root: Path) -> None:
    guard = guarded(root)
    (root / "run-state.md").write_text("the engine's own words")
    guard.expect([root / "run-state.md"])
    later(root)
    (root / "run-state.md").write_text("evil")
    assert [each.path for each in guard.tampered()] == ["run-state.md"]
    assert (root / "run-state.md").read_text() == "the engine's own words"


def test_a_persons_change_before_the_next_dispatch_is_the_new_memory(root: Path) -> None:
    guard = guarded(root)
    later(root)
    (root / "run-state.md").write_text("a person's words")
    (root / "roles/build.md").unlink()
    guard.remember()
    assert guard.tampered() == []
    assert (root / "run-state.md").read_text() == "a person's words"
    assert not (root / "roles/build.md").exists()


def test_a_file_too_large_to_remember_is_noticed_though_it_cannot_be_put_back(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guards, "MAX_KEPT", 10)
    guard = guarded(root)
    later(root)
    (root / "run-state.md").write_bytes(b"x" * 20)
    assert [(each.path, each.what, len(each.now)) for each in guard.tampered()] == [
        ("run-state.md", "changed", 10)
    ]


NAMES = st.sampled_from(
    [*FILES, "roles/new.md", "roles/deep/new.md", "tasks/T1.md", "roles/fresh/a.md"]
)
EDITS = st.lists(
    st.tuples(
        st.sampled_from(["write", "delete", "link", "chmod", "folder"]),
        NAMES,
        st.binary(max_size=4),
    ),
    max_size=6,
)


def _edit(root: Path, how: str, path: str, data: bytes) -> None:
    where = root / path
    if how == "chmod":
        if where.is_file() and not where.is_symlink():
            where.chmod(0o600)
        return
    if where.is_dir():
        shutil.rmtree(where)
    where.unlink(missing_ok=True)
    where.parent.mkdir(parents=True, exist_ok=True)
    if how == "write":
        where.write_bytes(data)
    elif how == "link":
        where.symlink_to("/etc/passwd")
    elif how == "folder":
        where.mkdir()
        (where / "inner").write_bytes(data)


@settings(max_examples=60)
@given(edits=EDITS)
def test_any_set_of_edits_is_undone_exactly(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[str, str, bytes]]
) -> None:
    root = project(tmp_path_factory.mktemp("guard") / "project")
    guard = guarded(root)
    before = snapshot(root)
    later(root)
    for edit in edits:
        _edit(root, *edit)
    after = snapshot(root)
    found = {each.path for each in guard.tampered()}
    assert snapshot(root) == before
    assert found == {path for path in {*before, *after} if before.get(path) != after.get(path)}


@pytest.fixture
def coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files with a clock that ticks every ten milliseconds, as on most systems."""
    fine, whole = guards.signature_of, guards.signature

    def ticking(seen: tuple[int, ...]) -> tuple[int, ...]:
        return (*seen[:2], *(each // 10_000_000 * 10_000_000 for each in seen[2:]))

    monkeypatch.setattr(guards, "signature_of", lambda path: ticking(fine(path)))
    monkeypatch.setattr(guards, "signature", lambda facts: ticking(whole(facts)))


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("wait", [0.0, 0.08], ids=["at once", "after the clock of files moved on"])
def test_what_comes_where_nothing_was_is_always_found(tmp_path: Path, wait: float) -> None:
    for number in range(20):
        root = tmp_path / str(number)
        root.mkdir()
        guard = Guard([("rules", root / "rules"), ("deep", root / "a" / "b" / "c.md")])
        guard.remember()
        time.sleep(wait if number < 2 else 0)
        guard.remember()  # the second look goes by what the first one saw
        (root / "rules").write_text("mine")
        (root / "a" / "b").mkdir(parents=True)
        (root / "a" / "b" / "c.md").write_text("mine, too")
        assert [each.path for each in guard.differences()] == ["deep", "rules"], number


@pytest.mark.parametrize(
    ("seen", "settled"),
    [(100.98, False), (100.9, True), (100.0, False), (99.0, False), (98.0, True)],
)
def test_where_times_are_whole_seconds_a_look_is_not_relied_on_for_two_of_them(
    seen: float, settled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guards.time, "time_ns", lambda: 101_000_000_000)
    at = round(seen * 1000) * 1_000_000
    assert guards._settled((1, 2, at, at)) is settled
    assert not guards._settled(())


@pytest.mark.usefixtures("coarse")
def test_a_file_that_comes_into_a_folder_just_after_another_is_found(tmp_path: Path) -> None:
    for number in range(20):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "one.md").write_text("1")
        guard = Guard([("roles", folder)])
        guard.remember()
        (folder / "two.md").write_text("2")
        assert [each.path for each in guard.differences()] == ["roles/two.md"], number


def test_what_was_spared_once_is_guarded_from_the_next_dispatch_on(root: Path) -> None:
    guard = guarded(root)
    later(root)
    (root / "roles" / "other.md").write_text("of another run")
    assert guard.tampered(spare=lambda: frozenset({"roles/other.md"})) == []
    later(root)
    assert guard.remember()
    later(root)
    (root / "roles" / "other.md").write_text("of an enemy!!!")
    assert [each.path for each in guard.tampered()] == ["roles/other.md"]
    assert (root / "roles" / "other.md").read_text() == "of another run"
