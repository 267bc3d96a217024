"""Whatever an agent did to a folder of inputs is found: nothing is believed, everything is
looked at.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core.digest import digest
from podium.state.inside import LONGEST
from podium.verify.folder_audit import Stray, strays, walk

FILES: Mapping[str, bytes] = {
    "state.md": b"state",
    "tasks/T1.md": b"task",
    "tasks/deep/note.md": b"note",
}
OUT = frozenset({"out/spec.md"})


def view(folder: Path) -> Path:
    for path, data in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    (folder / "out").mkdir(exist_ok=True)
    return folder


def audit(folder: Path) -> list[Stray]:
    return strays(folder, {path: digest(data) for path, data in FILES.items()}, OUT)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return view(tmp_path)


def test_a_folder_as_it_was_put_there_has_no_stray(folder: Path) -> None:
    assert audit(folder) == []


def test_the_promised_output_is_no_stray(folder: Path) -> None:
    (folder / "out/spec.md").write_text("done")
    assert audit(folder) == []


def test_another_file_beside_the_output_is_one(folder: Path) -> None:
    (folder / "out/other.md").write_text("mine")
    assert audit(folder) == [Stray("out/other.md", "added")]


def test_a_changed_input_is_protected(folder: Path) -> None:
    (folder / "state.md").write_text("mine!")
    assert audit(folder) == [Stray("state.md", "changed", protected=True)]


def test_a_change_that_leaves_size_and_time_alone_is_found(folder: Path) -> None:
    before = (folder / "state.md").stat()
    (folder / "state.md").write_bytes(b"STATE")
    os.utime(folder / "state.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert audit(folder) == [Stray("state.md", "changed", protected=True)]


def test_a_deleted_input_is_protected(folder: Path) -> None:
    (folder / "tasks/T1.md").unlink()
    assert audit(folder) == [Stray("tasks/T1.md", "deleted", protected=True)]


def test_an_input_written_again_with_the_same_content_is_no_stray(folder: Path) -> None:
    (folder / "state.md").unlink()
    (folder / "state.md").write_bytes(FILES["state.md"])
    assert audit(folder) == []


def test_a_link_is_a_stray_even_if_what_it_points_to_is_the_input(folder: Path) -> None:
    (folder / "state.md").rename(folder / "out/spec.md")
    (folder / "state.md").symlink_to("out/spec.md")
    assert audit(folder) == [Stray("state.md", "symlink", protected=True)]


def test_a_link_of_its_own_is_a_stray_that_nothing_protects(folder: Path) -> None:
    (folder / "link").symlink_to("/etc")
    assert audit(folder) == [Stray("link", "symlink")]


def test_a_link_in_place_of_a_folder_is_not_walked_into(folder: Path) -> None:
    (folder / "tasks").rename(folder.with_name(f"{folder.name}-away"))
    (folder / "tasks").symlink_to(folder.with_name(f"{folder.name}-away"))
    assert audit(folder) == [
        Stray("tasks", "symlink"),
        Stray("tasks/T1.md", "deleted", protected=True),
        Stray("tasks/deep/note.md", "deleted", protected=True),
    ]


def test_a_named_pipe_is_special_and_not_opened(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "state.md").unlink()
    os.mkfifo(folder / "state.md")
    assert audit(folder) == [Stray("pipe", "special"), Stray("state.md", "special", protected=True)]


def test_an_input_replaced_by_a_folder_is_deleted_and_what_is_in_it_added(folder: Path) -> None:
    (folder / "state.md").unlink()
    (folder / "state.md").mkdir()
    (folder / "state.md" / "x").write_text("x")
    assert audit(folder) == [
        Stray("state.md", "deleted", protected=True),
        Stray("state.md/x", "added"),
    ]


def test_a_giant_in_the_place_of_an_input_is_changed_without_reading_it(folder: Path) -> None:
    with (folder / "state.md").open("wb") as file:
        file.truncate(1 << 40)
    assert audit(folder) == [Stray("state.md", "changed", protected=True)]


def test_walking_names_every_file_and_link_and_no_folder(folder: Path) -> None:
    (folder / "link").symlink_to("tasks")
    (folder / ".hidden").write_text("")
    assert sorted(path for path, _ in walk(folder)) == [".hidden", "link", *sorted(FILES)]


def dig(folder: Path, depth: int = 500, name: str = "d" * 10) -> None:
    """Folders one in the other, deeper than a path can say."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


def test_folders_that_are_deeper_than_a_path_are_one_stray_whether_or_not_an_output_is_above(
    folder: Path,
) -> None:
    dig(folder)
    dig(folder / "out")
    found = strays(folder, {path: digest(data) for path, data in FILES.items()}, OUT, ("out/**",))
    assert [each.what for each in found] == ["deep", "deep"]
    assert all(len(each.path) <= LONGEST + 11 for each in found)


def test_a_folder_that_can_be_read_and_not_entered_is_opened(folder: Path) -> None:
    (folder / "tasks").chmod(0o444)
    assert audit(folder) == []
    assert (folder / "tasks").stat().st_mode & 0o700 == 0o700


NAMES = st.sampled_from([*FILES, "new.md", "tasks/new.md", "fresh/deep/new.md"])
EDITS = st.lists(
    st.tuples(st.sampled_from(["write", "delete", "link"]), NAMES, st.binary(max_size=6)),
    max_size=8,
)


@settings(max_examples=60)
@given(edits=EDITS)
def test_any_set_of_edits_is_found_exactly(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[str, str, bytes]]
) -> None:
    folder = view(tmp_path_factory.mktemp("view"))
    model: dict[str, bytes | None] = dict(FILES)
    for how, path, data in edits:
        where = folder / path
        where.unlink(missing_ok=True)
        model.pop(path, None)
        if how == "delete":
            continue
        where.parent.mkdir(parents=True, exist_ok=True)
        if how == "write":
            where.write_bytes(data)
        else:
            where.symlink_to("state.md")
        model[path] = data if how == "write" else None
    expected = {path: "deleted" for path in FILES if path not in model}
    for path, now in model.items():
        if now is None:
            expected[path] = "symlink"
        elif path not in FILES:
            expected[path] = "added"
        elif now != FILES[path]:
            expected[path] = "changed"
    found = audit(folder)
    assert [each.path for each in found] == sorted(expected)
    assert {each.path: each.what for each in found} == expected
    assert all(each.protected == (each.path in FILES) for each in found)
