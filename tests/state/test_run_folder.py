"""Where a run's files are, and which run a person means."""

import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.fakes.disk import every_cut
from tests.state.journals import START

from podium.core.errors import InputError, UsageError
from podium.state.disk import Disk
from podium.state.local_journal import LocalJournal
from podium.state.run_folder import (
    RunFolder,
    load_request,
    prepare,
    resolve,
    run_ids,
    save_request,
    step_folder,
    valid_run_id,
)


def started(root: Path, run: str, minute: int) -> None:
    LocalJournal(root, Disk(), lambda: datetime(2025, 1, 2, 3, minute, tzinfo=UTC)).create(
        run, [START]
    )


def test_the_files_of_a_run_and_of_its_children() -> None:
    folder = RunFolder(Path("/p"), "r")
    top = Path("/p/.podium/runs/r")
    assert folder.path == top
    assert folder.state == top / "state.json"
    assert folder.journal == top / "journal.jsonl"
    assert folder.request == top / "request.json"
    assert folder.lock == top / "lock"
    assert folder.inbox == top / "inbox"
    assert folder.steps("item/US-7/testing/2") == top / "steps/item/US-7/testing/2"
    child = folder.child("item/US-7")
    assert (child.run_id, child.path) == ("r/item/US-7", top / "children/item/US-7")
    assert child.lock == folder.lock
    assert child.child("item/US-7/task/1") == RunFolder(Path("/p"), "r/item/US-7/task/1")


@pytest.mark.parametrize(
    "key", ["", "..", "a/../b", "/a", "a/", "a//b", "a b", "a\0b", "a\\b", "."]
)
def test_a_key_that_is_no_folder_is_refused(key: str) -> None:
    folder = RunFolder(Path("/p"), "r")
    for act in (folder.steps, folder.child):
        with pytest.raises(UsageError, match="is not a key"):
            act(key)


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("a", True),
        ("2025-01-02_T001.b", True),
        ("x" * 64, True),
        ("x" * 65, False),
        ("", False),
        ("-a", False),
        (".a", False),
        ("_a", False),
        ("a/b", False),
        ("a\n", False),
        ("ä", False),
        ("@", False),
    ],
)
def test_run_ids(text: str, valid: bool) -> None:
    assert valid_run_id(text) is valid


def test_git_sees_nothing_of_it(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    started(tmp_path, "r", 1)
    (tmp_path / ".podium/cache").mkdir()
    (tmp_path / ".podium/cache/x").touch()
    found = subprocess.run(
        ["git", "-C", tmp_path, "status", "--porcelain"], check=True, capture_output=True, text=True
    )
    assert found.stdout == ""
    assert len((tmp_path / ".podium/README.md").read_text().splitlines()) == 3


def test_a_step_of_a_child_run_is_found_in_the_child_s_own_folder(tmp_path: Path) -> None:
    inside = tmp_path / "children" / "phase" / "1" / "steps" / "phase" / "1" / "build"
    inside.mkdir(parents=True)
    assert step_folder(tmp_path, "phase/1/build") == inside
    assert step_folder(tmp_path, "plan") == tmp_path / "steps" / "plan"


def test_a_folder_of_runs_holds_runs_only(tmp_path: Path) -> None:
    started(tmp_path, "r", 1)
    assert [each.name for each in (tmp_path / ".podium/runs").iterdir()] == ["r"]


def test_a_project_that_an_older_version_made_gets_nothing_that_git_would_show(
    tmp_path: Path,
) -> None:
    (tmp_path / ".podium").mkdir()
    (tmp_path / ".podium/.gitignore").write_text("runs/\ncache/\n.gitignore\n")
    prepare(tmp_path, Disk())
    assert not (tmp_path / ".podium/README.md").exists()


def test_what_a_person_wrote_there_stays(tmp_path: Path) -> None:
    prepare(tmp_path, Disk())
    (tmp_path / ".podium/.gitignore").write_text("cache/\n")
    prepare(tmp_path, Disk())
    assert (tmp_path / ".podium/.gitignore").read_text() == "cache/\n"


def test_a_preparation_cut_anywhere_is_finished_by_the_next(tmp_path: Path) -> None:
    for _ in every_cut(lambda disk: prepare(tmp_path, disk)):
        ignored = tmp_path / ".podium/.gitignore"
        assert (
            not ignored.exists() or ignored.read_text() == "runs/\ncache/\n.gitignore\nREADME.md\n"
        )
    assert (tmp_path / ".podium/README.md").exists()


def test_a_request_is_saved_and_loaded(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, "r")
    save_request(folder, {"workflow": "harness", "input": ["ü"]}, Disk())
    assert load_request(folder) == {"workflow": "harness", "input": ["ü"]}


def test_a_missing_or_damaged_request_is_named(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, "r")
    with pytest.raises(UsageError, match=r"request\.json is missing"):
        load_request(folder)
    save_request(folder, {}, Disk())
    folder.request.write_text('{\n"a"')
    with pytest.raises(InputError, match=r"request\.json:2: is not JSON"):
        load_request(folder)


def test_only_folders_with_a_journal_are_runs(tmp_path: Path) -> None:
    runs = tmp_path / ".podium/runs"
    assert run_ids(runs) == []
    started(tmp_path, "b", 1)
    started(tmp_path, "a", 2)
    (runs / "c").mkdir()
    (runs / ".hidden").mkdir()
    (runs / ".hidden/journal.jsonl").touch()
    assert run_ids(runs) == ["a", "b"]


def test_a_run_is_called_by_its_id_a_unique_beginning_or_the_sign_for_the_latest(
    tmp_path: Path,
) -> None:
    runs = tmp_path / ".podium/runs"
    for minute, run in enumerate(["T1", "T10", "T11", "zeta", "alpha"]):
        started(tmp_path, run, minute)
    started(tmp_path, "beta", 4)
    (runs / "zeta/journal.jsonl").write_text("damaged")
    spoken = {"T1": "T1", "T11": "T11", "z": "zeta", "alp": "alpha", "@": "beta"}
    assert {each: resolve(runs, each) for each in spoken} == spoken


def test_a_child_is_called_by_its_root_and_key(tmp_path: Path) -> None:
    runs = tmp_path / ".podium/runs"
    started(tmp_path, "T10", 1)
    started(tmp_path, "T10/item/US-7", 2)
    assert resolve(runs, "T1/item/US-7") == "T10/item/US-7"
    assert resolve(runs, "@/item/US-7") == "T10/item/US-7"
    with pytest.raises(UsageError, match="run T10 has no child run 'item/US-8'"):
        resolve(runs, "T1/item/US-8")


@pytest.mark.parametrize(
    ("spoken", "said"),
    [
        ("T", "'T' matches several runs: T10, T11; give more of the id"),
        ("T12", "there is no run 'T12'; did you mean T11?"),
        ("x", "there is no run 'x'; `podium list`"),
        ("", "there is no run ''"),
        ("../T10", "there is no run '..'"),
        ("T10/../T11", "is not a key"),
    ],
)
def test_a_name_that_means_no_run_or_several_is_refused(
    tmp_path: Path, spoken: str, said: str
) -> None:
    for run in ("T10", "T11"):
        started(tmp_path, run, 1)
    with pytest.raises(UsageError) as fault:
        resolve(tmp_path / ".podium/runs", spoken)
    assert said in str(fault.value)


def test_where_there_is_no_run_at_all_it_says_how_to_start_one(tmp_path: Path) -> None:
    for spoken in ("@", "x"):
        with pytest.raises(UsageError, match="`podium run` starts one"):
            resolve(tmp_path / ".podium/runs", spoken)
