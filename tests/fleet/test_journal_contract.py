"""What any journal promises, asked of the files and of PostgreSQL alike."""

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.state.journals import START, ticking

from podium.core.chain import verify
from podium.core.digest import canonical
from podium.core.errors import Busy, Fenced, InputError, UsageError
from podium.state.disk import Disk
from podium.state.local_journal import LocalJournal

NOTE = {"type": "phase.entered", "phase": "build"}
Make = Callable[[], Any]


@pytest.fixture(params=["files", pytest.param("postgres", marks=pytest.mark.fleet)])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    """Makes one owner after another on the same store."""
    if request.param == "files":
        return lambda: LocalJournal(tmp_path, Disk(), ticking())
    return request.getfixturevalue("postgres")


def test_a_created_run_is_read_back_with_its_place_in_the_chain(make: Make) -> None:
    j = make()
    assert j.create("r", [START, NOTE]) is True
    first, second = j.read("r")
    assert {**first, **START} == first
    assert (first["seq"], first["run"], first["ts"]) == (1, "r", "2025-01-02T03:04:05.678Z")
    assert (second["seq"], second["prev"]) == (2, first["hash"])
    assert verify([canonical(each).encode() for each in (first, second)]) == ([first, second], None)
    assert list(j.runs()) == ["r"]


def test_a_run_is_created_once(make: Make) -> None:
    assert [make().create("r", [START]), make().create("r", [NOTE])] == [True, False]
    assert [event["type"] for event in make().read("r")] == ["run.started"]


def test_of_many_who_create_at_once_one_does(make: Make) -> None:
    made: list[bool] = []
    journals = [make() for _ in range(4)]
    threads = [
        threading.Thread(target=lambda j=j: made.append(j.create("r", [START]))) for j in journals
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(made) == [False, False, False, True]


def test_a_second_owner_is_busy_and_a_later_one_has_a_higher_epoch(make: Make) -> None:
    one, two = make(), make()
    one.create("r", [START])
    opened = one.open("r", "podium run")
    with pytest.raises(Busy, match="podium run \\(process "):
        two.open("r", "podium resume")
    assert two.holder("r")["owner"] == "podium run"
    one.close(opened)
    assert two.holder("r") is None
    later = two.open("r", "podium resume")
    assert later.epoch > opened.epoch
    two.close(later)


def test_events_are_appended_in_order_and_seen_by_everybody(make: Make) -> None:
    j = make()
    j.create("r", [START])
    opened = j.open("r", "me")
    assert [event["seq"] for event in j.append(opened, 1, [NOTE, NOTE])] == [2, 3]
    assert list(j.append(opened, 3, [])) == []
    j.append(
        opened,
        3,
        [{"type": "t", "pair": (1, 2), "by_number": {3: None}, "nul": "a\0b", "text": "ü\u2028\n"}],
    )
    assert opened.events == make().read("r")
    assert opened.seq == 4
    j.close(opened)


@pytest.mark.parametrize("believed", [0, 5])
def test_an_append_at_another_sequence_is_refused(make: Make, believed: int) -> None:
    j = make()
    j.create("r", [START])
    opened = j.open("r", "me")
    with pytest.raises(Fenced, match=f"is at event 1, not at {believed}"):
        j.append(opened, believed, [NOTE])
    assert len(make().read("r")) == 1
    j.close(opened)


def test_after_closing_nothing_is_written(make: Make) -> None:
    j = make()
    j.create("r", [START])
    opened = j.open("r", "me")
    j.close(opened)
    j.close(opened)
    with pytest.raises(Fenced):
        j.append(opened, 1, [NOTE])
    again = j.open("r", "me")
    j.close(opened)  # the old handle does not close the new one
    with pytest.raises(Fenced):
        j.append(opened, 1, [NOTE])
    assert j.append(again, 1, [NOTE])
    j.close(again)


def test_children_share_the_epoch_of_their_root_and_end_with_it(make: Make) -> None:
    j = make()
    j.create("r", [START])
    root = j.open("r", "me")
    assert j.create("r/item/US-7", [START]) is True
    child = j.open("r/item/US-7", "me")
    assert child.epoch == root.epoch
    j.append(child, 1, [NOTE])
    assert [event["run"] for event in j.read("r/item/US-7")] == ["r/item/US-7"] * 2
    assert list(j.runs()) == ["r"]
    with pytest.raises(UsageError, match="already open here"):
        j.open("r/item/US-7", "me")
    j.close(root)
    with pytest.raises(Fenced):
        j.append(child, 2, [NOTE])
    with pytest.raises(UsageError, match="open its root run r first"):
        make().open("r/item/US-7", "me")


@pytest.mark.parametrize("run", ["..", "", "/etc", "r/../../x", "r//x", "r/a b", "x" * 65])
def test_a_name_that_could_be_no_folder_is_refused(make: Make, run: str) -> None:
    j = make()
    for act in (lambda: j.create(run, [START]), lambda: j.read(run), lambda: j.inbox(run)):
        with pytest.raises(UsageError):
            act()


def test_a_run_that_is_not_there_cannot_be_opened_read_or_posted_to(make: Make) -> None:
    j = make()
    for act in (lambda: j.open("r", "me"), lambda: j.read("r"), lambda: j.post("r", "k", {})):
        with pytest.raises(UsageError, match="there is no run 'r'"):
            act()


def test_a_message_needs_no_owner_and_the_first_of_a_key_wins(make: Make) -> None:
    owner, visitor = make(), make()
    owner.create("r", [START])
    opened = owner.open("r", "me")
    assert [visitor.post("r", "gate@2", {"n": 1}), visitor.post("r", "gate@2", {"n": 2})] == [
        True,
        False,
    ]
    visitor.post("r", "a gate/1", {"text": "ü"})
    assert owner.inbox("r") == {"a gate/1": {"text": "ü"}, "gate@2": {"n": 1}}
    assert list(owner.inbox("r")) == ["a gate/1", "gate@2"]
    assert [owner.withdraw("r", "gate@2"), owner.withdraw("r", "gate@2")] == [True, False]
    owner.close(opened)


def test_a_message_of_any_size_is_not_taken(make: Make) -> None:
    j = make()
    j.create("r", [START])
    with pytest.raises(InputError, match="at most 65536 are allowed"):
        j.post("r", "k", {"text": "x" * 70_000})
    for key in ("", "k" * 300):
        with pytest.raises(UsageError, match="cannot be the key"):
            j.post("r", key, {})


def test_a_file_name_that_is_not_text_does_not_stop_the_journal(make: Make) -> None:
    j = make()
    j.create(
        "r",
        [
            {
                "type": "contract.violated",
                "paths": ("caf\udce9.py",),
                "digests": {"caf\udce9.py": "d"},
            }
        ],
    )
    assert j.read("r")[0]["paths"] == ["caf\\udce9.py"]


def test_what_nobody_else_changed_is_intact_and_needs_no_repair(make: Make) -> None:
    j = make()
    j.create("r", [START])
    opened = j.open("r", "me")
    j.append(opened, 1, [NOTE])
    before = j.read("r")
    assert j.intact(opened)
    j.repair(opened)
    assert (j.intact(opened), j.read("r")) == (True, before)
    j.close(opened)
    with pytest.raises(Fenced):
        j.intact(opened)


def test_an_event_without_a_type_is_never_written(make: Make) -> None:
    j = make()
    with pytest.raises(AssertionError, match="has no type"):
        j.create("r", [{"workflow": "x"}])
    assert list(j.runs()) == []


@pytest.mark.fleet
def test_both_write_the_same_lines(tmp_path: Path, database: str, postgres: Make) -> None:
    psycopg = pytest.importorskip("psycopg")

    both = (LocalJournal(tmp_path, Disk(), ticking()), postgres())
    for j in both:
        j.create("r", [START])
        opened = j.open("r", "me")
        with contextlib.suppress(Fenced):
            j.append(opened, 1, [NOTE, {**NOTE, "names": ("a", "ü")}])
        j.close(opened)
    assert [{**each, "ts": ""} | {"hash": "", "prev": ""} for each in both[0].read("r")] == [
        {**each, "ts": ""} | {"hash": "", "prev": ""} for each in both[1].read("r")
    ]
    with psycopg.connect(database) as connection:
        lines = [row[0] for row in connection.execute("select line from podium_event order by seq")]
    file = tmp_path / ".podium/runs/r/journal.jsonl"
    file.write_text("\n".join(lines) + "\n")
    assert LocalJournal(tmp_path, Disk(), ticking()).read("r") == both[1].read("r")
