"""Whether two spellings are one file is asked of the file system itself."""

from __future__ import annotations

from pathlib import Path

from podium.state.case import folds_case


def test_a_folder_with_one_spelling_says_what_its_file_system_does(tmp_path: Path) -> None:
    (tmp_path / "name").touch()
    assert folds_case(tmp_path, "name") == (tmp_path / "NAME").exists()


def test_two_files_with_two_spellings_are_two(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("a")
    (tmp_path / "ONE").write_text("b")
    assert folds_case(tmp_path, "one") == ((tmp_path / "one").read_text() == "b")


def test_one_name_for_one_file_folds(tmp_path: Path) -> None:
    (tmp_path / "same").write_text("a")
    (tmp_path / "SAME").unlink(missing_ok=True)
    (tmp_path / "SAME").hardlink_to(tmp_path / "same")  # as a file system shows it that folds names
    assert folds_case(tmp_path, "same")


def test_where_there_is_nothing_nothing_is_said(tmp_path: Path) -> None:
    assert not folds_case(tmp_path, "none")
