"""The port on files: durable, owned by one, and nobody else's bytes in it; what every journal
promises is in tests/fleet/test_journal_contract.py.
"""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.disk import CrashingDisk, PowerCut, every_cut
from tests.state.journals import START, START_TIME, journal, journal_path

from podium.core.chain import verify
from podium.core.errors import Busy, ChainBroken, Fenced, UsageError
from podium.state.disk import Disk
from podium.state.local_journal import LocalJournal
from podium.state.port import Journal

NOTE = {"type": "phase.entered", "phase": "build"}


def test_it_is_the_port(tmp_path: Path) -> None:
    port: Journal = journal(tmp_path)
    assert port.runs() == []


def test_a_created_run_is_read_back_with_its_place_in_the_chain(tmp_path: Path) -> None:
    j = journal(tmp_path)
    assert j.create("r", [START, NOTE]) is True
    first, second = j.read("r")
    assert {**first, **START} == first
    assert (first["seq"], first["run"], first["ts"]) == (1, "r", "2025-01-02T03:04:05.678Z")
    assert (second["seq"], second["prev"]) == (2, first["hash"])
    assert verify(journal_path(tmp_path).read_bytes().splitlines()) == ([first, second], None)
    assert j.runs() == ["r"]


@pytest.mark.parametrize(
    "told", [("a", "b"), {1: "x"}, {"deep": [("t",)]}, {"plain": [1, 2.5, None, True, {"a": ""}]}]
)
def test_the_owner_goes_on_with_what_a_reader_finds(tmp_path: Path, told: Any) -> None:
    j = journal(tmp_path)
    j.create("r", [START])
    opened = j.open("r", "me")
    (sealed,) = j.append(opened, 1, [{**NOTE, "told": told}])
    read = j.read("r")[-1]
    j.close(opened)
    assert sealed == read
    assert repr(sealed["told"]) == repr(read["told"])


@pytest.mark.parametrize("run", ["r", "r/item/US-7"])
def test_a_creation_cut_at_any_operation_leaves_a_whole_run_or_none(
    tmp_path: Path, run: str
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    outcomes = []
    for disk in every_cut(
        lambda disk: LocalJournal(root, disk, lambda: START_TIME).create(run, [START, NOTE])
    ):
        again = journal(root)
        exists = not again.create(run, [START, NOTE])
        outcomes.append(exists)
        assert len(again.read(run)) == 2
        assert disk.off
        shutil.rmtree(root)
        root.mkdir()
    assert False in outcomes
    assert True in outcomes


def test_creation_is_durable_before_it_returns(tmp_path: Path) -> None:
    journal(tmp_path).create("warm-up", [START])
    disk = CrashingDisk()
    LocalJournal(tmp_path, disk, lambda: START_TIME).create("r", [START])
    assert disk.done == [
        "create_dir",
        "sync_dir",
        "write_file",
        "sync",
        "link",
        "sync_dir",
        "unlink",
    ]


def test_an_append_is_one_write_and_one_sync_however_many_events(tmp_path: Path) -> None:
    disk = CrashingDisk()
    j = journal(tmp_path, disk)
    j.create("r", [START])
    opened = j.open("r", "me")
    disk.done.clear()
    sealed = j.append(opened, 1, [NOTE, NOTE, NOTE])
    assert disk.done == ["append", "sync"]
    assert [event["seq"] for event in sealed] == [2, 3, 4]
    assert opened.events == j.read("r")
    assert opened.seq == 4
    j.close(opened)


def test_an_append_of_nothing_writes_nothing(tmp_path: Path) -> None:
    disk = CrashingDisk()
    j = journal(tmp_path, disk)
    j.create("r", [START])
    opened = j.open("r", "me")
    disk.done.clear()
    assert (list(j.append(opened, 1, [])), disk.done) == ([], [])
    j.close(opened)


def test_every_cut_of_open_and_append_leaves_a_journal_that_goes_on(tmp_path: Path) -> None:
    """Acknowledged events stay; of the batch in flight a beginning may stay; the epoch never
    falls.
    """
    journal(tmp_path).create("r", [START])
    known, epoch = 1, 0

    def work(disk: Disk) -> None:
        nonlocal known
        j = journal(tmp_path, disk)
        opened = j.open("r", "me")
        try:
            for _ in range(2):
                j.append(opened, opened.seq, [NOTE, NOTE])
                known = opened.seq
        finally:
            j.close(opened)

    for _ in every_cut(work):
        j = journal(tmp_path)
        opened = j.open("r", "after")
        assert known <= opened.seq <= known + 2
        assert opened.epoch > epoch
        known, epoch = opened.seq, opened.epoch
        j.close(opened)


def test_a_torn_last_line_is_ignored_in_reading_and_dropped_on_opening(tmp_path: Path) -> None:
    j = journal(tmp_path)
    j.create("r", [START, NOTE])
    path = journal_path(tmp_path)
    whole = path.read_bytes()
    start = whole.index(b"\n") + 1
    for end in range(start + 1, len(whole)):
        path.write_bytes(whole[:end])
        assert len(j.read("r")) == 1
        assert path.stat().st_size == end
        opened = j.open("r", "me")
        assert (opened.seq, path.read_bytes()) == (1, whole[:start])
        j.close(opened)


def test_a_broken_chain_is_refused_and_the_lock_is_given_back(tmp_path: Path) -> None:
    j = journal(tmp_path)
    j.create("r", [START, NOTE])
    path = journal_path(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"T001", b"T002"))
    for act in (lambda: j.open("r", "me"), lambda: j.read("r")):
        with pytest.raises(
            ChainBroken, match=r"journal\.jsonl:1: was changed after it was written"
        ):
            act()
    assert j.holder("r") is None


def test_a_second_owner_is_busy_and_a_later_one_has_a_higher_epoch(tmp_path: Path) -> None:
    one, two = journal(tmp_path), journal(tmp_path)
    one.create("r", [START])
    opened = one.open("r", "podium run")
    with pytest.raises(Busy, match=f"podium run \\(process {os.getpid()} on "):
        two.open("r", "podium resume")
    one.close(opened)
    later = two.open("r", "podium resume")
    assert later.epoch == opened.epoch + 1
    two.close(later)


@pytest.mark.parametrize("believed", [0, 1, 3, 9])
def test_whoever_does_not_know_where_the_run_stands_writes_nothing(
    tmp_path: Path, believed: int
) -> None:
    j = journal(tmp_path)
    j.create("r", [START, NOTE])
    before = journal_path(tmp_path).read_bytes()
    opened = j.open("r", "me")
    with pytest.raises(Fenced, match=f"is at event 2, not at {believed}"):
        j.append(opened, believed, [NOTE])
    j.close(opened)
    assert journal_path(tmp_path).read_bytes() == before


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_an_owner_whose_lock_file_is_no_longer_there_stops(tmp_path: Path, how: str) -> None:
    j = journal(tmp_path)
    j.create("r", [START])
    opened = j.open("r", "me")
    lock = journal_path(tmp_path).with_name("lock")
    lock.unlink()
    if how == "replaced":
        other = journal(tmp_path)
        theirs = other.open("r", "another")
        other.append(theirs, 1, [NOTE])
        other.close(theirs)
    before = journal_path(tmp_path).read_bytes()
    for act in (lambda: j.append(opened, 1, [NOTE]), lambda: j.repair(opened)):
        with pytest.raises(Fenced, match=how):
            act()
    assert journal_path(tmp_path).read_bytes() == before
    j.close(opened)


def grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"x\n")


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


def swap(path: Path) -> None:
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data)


def edit(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(5)
        file.write(b"#")


TAMPERINGS = [grow, cut, swap, Path.unlink, edit]


@pytest.mark.parametrize("tamper", TAMPERINGS[:4])
def test_an_append_to_a_file_that_another_changed_is_refused(tmp_path: Path, tamper: Any) -> None:
    j = journal(tmp_path)
    j.create("r", [START])
    opened = j.open("r", "me")
    tamper(journal_path(tmp_path))
    with pytest.raises(ChainBroken, match=r"journal\.jsonl:[12]: "):
        j.append(opened, 1, [NOTE])
    assert opened.seq == 1
    j.close(opened)


@pytest.mark.parametrize("tamper", TAMPERINGS)
def test_tampering_is_seen_and_undone_and_the_run_goes_on(tmp_path: Path, tamper: Any) -> None:
    j = journal(tmp_path)
    j.create("r", [START])
    opened = j.open("r", "me")
    j.append(opened, 1, [NOTE])
    assert j.intact(opened)
    tamper(journal_path(tmp_path))
    assert not j.intact(opened)
    j.repair(opened)
    assert j.intact(opened)
    j.append(opened, 2, [NOTE])
    assert j.read("r") == opened.events
    assert opened.seq == 3
    j.close(opened)


def test_children_live_below_their_root_and_share_its_lock(tmp_path: Path) -> None:
    j = journal(tmp_path)
    j.create("r", [START])
    root = j.open("r", "me")
    assert j.create("r/item/US-7", [START]) is True
    assert j.create("r/item", [START]) is True  # its folder was there, with another run inside
    child = j.open("r/item/US-7", "me")
    assert (child.epoch, child.inherit) == (root.epoch, root.inherit)
    j.append(child, 1, [NOTE])
    assert (tmp_path / ".podium/runs/r/children/item/US-7/journal.jsonl").exists()
    assert [event["run"] for event in j.read("r/item/US-7")] == ["r/item/US-7"] * 2
    assert j.runs() == ["r"]
    with pytest.raises(UsageError, match="already open here"):
        j.open("r/item/US-7", "me")
    j.close(child)
    assert j.append(root, 1, [NOTE])
    j.close(root)


def test_a_child_needs_its_root_and_ends_with_it(tmp_path: Path) -> None:
    j = journal(tmp_path)
    j.create("r", [START])
    j.create("r/item/US-7", [START])
    with pytest.raises(UsageError, match="open its root run r first"):
        j.open("r/item/US-7", "me")
    root = j.open("r", "me")
    child = j.open("r/item/US-7", "me")
    j.close(root)
    with pytest.raises(Fenced):
        j.append(child, 1, [NOTE])
    assert j.holder("r") is None


@pytest.mark.parametrize(
    "run", ["..", "", "/etc", "r/../../x", "r//x", "r/.", "r/a b", ".hidden", "r/", "x" * 65]
)
def test_a_name_that_would_leave_the_folder_is_refused(tmp_path: Path, run: str) -> None:
    j = journal(tmp_path)
    for act in (lambda: j.create(run, [START]), lambda: j.read(run), lambda: j.inbox(run)):
        with pytest.raises(UsageError):
            act()
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_is_not_there_cannot_be_opened_read_or_posted_to(tmp_path: Path) -> None:
    j = journal(tmp_path)
    for act in (lambda: j.open("r", "me"), lambda: j.read("r"), lambda: j.post("r", "k", {})):
        with pytest.raises(UsageError, match="there is no run 'r'"):
            act()
    assert list(tmp_path.iterdir()) == []


def test_an_owner_goes_on_with_exactly_what_a_reader_finds(tmp_path: Path) -> None:
    j = journal(tmp_path)
    j.create("r", [START])
    opened = j.open("r", "me")
    visits = {"build": 1}
    j.append(opened, 1, [{"type": "t", "visits": visits, "pair": (1, 2), "by_number": {3: None}}])
    visits["build"] = 2
    assert opened.events[1]["visits"] == {"build": 1}
    assert opened.events == j.read("r")
    j.close(opened)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5), st.data())
def test_what_was_acknowledged_survives_a_cut_at_any_operation(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], data: st.DataObject
) -> None:
    root = tmp_path_factory.mktemp("project")
    journal(root).create("r", [START])
    disk = CrashingDisk(
        data.draw(st.integers(1, 2 * len(sizes) + 4)), tear=data.draw(st.booleans())
    )
    j = journal(root, disk)
    acknowledged = 1
    try:
        opened = j.open("r", "me")
        for size in sizes:
            j.append(opened, opened.seq, [NOTE] * size)
            acknowledged = opened.seq
    except PowerCut:
        pass
    found = journal(root).read("r")
    assert acknowledged <= len(found) <= 1 + sum(sizes)
    assert [event["seq"] for event in found] == list(range(1, len(found) + 1))
    for held in j._held.values():
        held.file.close()
        held.lock.release()


@pytest.mark.parametrize("left", [0, 60])
def test_a_journal_whose_first_event_is_gone_is_told_and_left_as_it_is(
    tmp_path: Path, left: int
) -> None:
    journal(tmp_path).create("r", [START])
    os.truncate(journal_path(tmp_path), left)
    for opening in (lambda: journal(tmp_path).read("r"), lambda: journal(tmp_path).open("r", "me")):
        with pytest.raises(ChainBroken, match=r"journal\.jsonl.*1.*first event"):
            opening()
    assert journal_path(tmp_path).stat().st_size == left
