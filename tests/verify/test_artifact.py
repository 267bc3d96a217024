"""An artifact is there, readable, filled and shaped as promised, or it is refused with the exact
reason.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core.contract import Output
from podium.core.digest import digest
from podium.engine.attempts.view_files import text_of
from podium.engine.views.files import Folder
from podium.verify.artifact import MAX_BYTES, Rejected, Verified, verify

SPEC = Output("spec", "docs/spec.md")


def _read(folder: Path, path: str) -> str | Rejected:
    """As the engine reads an output of a view."""
    return text_of(Folder(folder), path, path)


def _verified(folder: Path, output: Output = SPEC, template: str = "") -> Verified | Rejected:
    return verify(output, _read(folder, output.path), template)


def _refused(folder: Path, output: Output = SPEC, template: str = "") -> tuple[str, str]:
    found = _verified(folder, output, template)
    assert isinstance(found, Rejected)
    assert found.path == output.path
    return found.failure, found.detail


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    return tmp_path / "docs" / "spec.md"


def test_a_good_artifact_is_taken_with_its_text_and_digest(tmp_path: Path, place: Path) -> None:
    place.write_bytes("# Title — ü\r\n".encode())
    text = "# Title — ü\r\n"
    assert _verified(tmp_path) == Verified("spec", "docs/spec.md", text, digest(text))


def test_a_file_that_is_not_there_is_missing(tmp_path: Path, place: Path) -> None:
    assert _refused(tmp_path) == ("missing", "the file does not exist")


def test_a_folder_that_is_not_there_is_missing_too(tmp_path: Path) -> None:
    assert _refused(tmp_path)[0] == "missing"


@pytest.mark.parametrize("text", ["", " ", "\n\t \n", "\u2003\n"])
def test_nothing_but_white_space_is_empty(tmp_path: Path, place: Path, text: str) -> None:
    place.write_text(text)
    assert _refused(tmp_path)[0] == "empty"


def test_the_check_is_given_text_and_template_and_every_fault_is_told(
    tmp_path: Path, place: Path
) -> None:
    place.write_text("body")
    output = Output(
        "spec", "docs/spec.md", check=lambda text, template: (f"{text} is bad", f"{template} unmet")
    )
    assert _refused(tmp_path, output, "## Goal") == ("malformed", "body is bad; ## Goal unmet")


def test_no_faults_of_the_check_is_well_formed(tmp_path: Path, place: Path) -> None:
    place.write_text("body")
    output = Output("spec", "docs/spec.md", check=lambda *_: ())
    assert isinstance(_verified(tmp_path, output), Verified)


def test_the_check_is_not_asked_about_an_empty_file(tmp_path: Path, place: Path) -> None:
    place.write_text("  ")
    output = Output("spec", "docs/spec.md", check=lambda *_: ("never asked",))
    assert _refused(tmp_path, output)[0] == "empty"


def test_a_symbolic_link_is_never_followed(tmp_path: Path, place: Path) -> None:
    (tmp_path / "secret").write_text("a secret")
    place.symlink_to(tmp_path / "secret")
    assert _refused(tmp_path) == ("unreadable", "it is a symbolic link")


def test_a_dangling_link_is_a_link_and_not_missing(tmp_path: Path, place: Path) -> None:
    place.symlink_to("nowhere")
    assert _refused(tmp_path) == ("unreadable", "it is a symbolic link")


def test_a_link_in_the_place_of_a_folder_is_never_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "spec.md").write_text("a secret")
    (tmp_path / "docs").symlink_to("elsewhere")
    assert _refused(tmp_path) == ("unreadable", "a folder on its way is a symbolic link")


def test_a_view_that_is_itself_reached_through_a_link_is_fine(tmp_path: Path, place: Path) -> None:
    place.write_text("body")
    through = tmp_path.with_name(f"{tmp_path.name}-link")
    through.symlink_to(tmp_path)
    assert isinstance(_verified(through), Verified)


def test_a_folder_in_its_place_is_unreadable(tmp_path: Path, place: Path) -> None:
    place.mkdir()
    assert _refused(tmp_path) == ("unreadable", "it is not a regular file")


def test_a_named_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path, place: Path) -> None:
    os.mkfifo(place)
    assert _refused(tmp_path) == ("unreadable", "it is not a regular file")


def test_bytes_that_are_no_utf_8_are_unreadable_and_the_first_is_named(
    tmp_path: Path, place: Path
) -> None:
    place.write_bytes(b"abc\xff")
    assert _refused(tmp_path) == ("unreadable", "it is not UTF-8 (byte 3)")


def test_a_giant_is_refused_by_its_size_without_reading_it(tmp_path: Path, place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(50 * MAX_BYTES)
    failure, detail = _refused(tmp_path)
    assert failure == "malformed"
    assert "250,000,000 bytes" in detail


@pytest.mark.parametrize(("more", "allowed"), [(0, True), (1, False)])
def test_the_limit_itself_is_allowed(tmp_path: Path, more: int, allowed: bool) -> None:
    text = "x" * (MAX_BYTES + more)
    (tmp_path / "a").write_text(text)
    assert (_read(tmp_path, "a") == text) is allowed


@settings(max_examples=40)
@given(text=st.text())
def test_what_is_read_is_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    folder = tmp_path_factory.mktemp("read")
    raw = text.encode(errors="ignore")
    (folder / "a").write_bytes(raw)
    assert _read(folder, "a") == raw.decode()
