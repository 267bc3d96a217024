"""Journals of the fleet as files: what is new is appended, and a file that is no beginning of
the journal is written anew.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.state.journals import START, ticking

from podium.core.errors import ChainBroken, UsageError
from podium.fleet.journal.link import Link
from podium.fleet.journal.mirror import Mirror
from podium.fleet.journal.mirrored_journal import lines_of
from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.state.disk import Disk
from podium.state.local_journal import LocalJournal
from podium.state.run_folder import RunFolder

pytestmark = pytest.mark.fleet
Make = Callable[..., PostgresJournal]
NOTE = {"type": "phase.entered", "phase": "build"}
DONE = {"type": "run.completed", "state": {"step": "build", "status": "complete"}}


def journal(folder: Path, run: str = "r") -> Path:
    return RunFolder(folder, run).journal


@pytest.fixture
def truth(postgres: Make) -> PostgresJournal:
    return postgres()


def test_all_runs_and_children_are_brought_and_then_only_what_is_new(
    truth: PostgresJournal, tmp_path: Path
) -> None:
    for run in ("r", "s"):
        truth.create(run, [START], request={"workflow": "harness", "title": "Größe"})
    opened = truth.open("r", "w1")
    truth.create("r/item/1", [START])
    mirror = Mirror(tmp_path, truth)
    mirror.bring_all()
    assert sorted(mirror.runs) == ["r", "s"]
    assert journal(tmp_path, "r/item/1").read_bytes() == lines_of(truth.read("r/item/1"))
    holder = mirror.runs["r"].holder
    assert holder is not None
    assert (holder["owner"], mirror.runs["s"].holder) == ("w1", None)
    inode, other = journal(tmp_path).stat().st_ino, journal(tmp_path, "s").stat()
    truth.append(opened, 1, [NOTE, DONE])
    truth.close(opened)
    mirror.bring_all()
    assert journal(tmp_path).read_bytes() == lines_of(truth.read("r"))
    assert journal(tmp_path).stat().st_ino == inode  # appended: who follows the file misses nothing
    assert journal(tmp_path, "s").stat() == other
    assert (mirror.runs["r"].status, mirror.runs["r"].holder) == ("complete", None)
    assert "Größe" in RunFolder(tmp_path, "r").request.read_text()


def test_a_run_that_has_ended_is_seen_again_when_somebody_opens_it(
    truth: PostgresJournal, tmp_path: Path
) -> None:
    truth.create("r", [START])
    opened = truth.open("r", "w1")
    truth.append(opened, 1, [DONE])
    truth.close(opened)
    mirror = Mirror(tmp_path, truth)
    mirror.bring_all()
    again = truth.open("r", "w2")
    truth.append(again, 2, [NOTE])
    mirror.bring_all()
    assert journal(tmp_path).read_bytes() == lines_of(truth.read("r"))


def test_a_run_whose_owner_had_not_left_when_it_ended_is_looked_at_until_it_has(
    truth: PostgresJournal, tmp_path: Path
) -> None:
    """Between its last event and the end of its turn an owner sends its last parcel, and a look
    may fall there.
    """
    truth.create("r", [START])
    opened = truth.open("r", "w1")
    opened_long_ago = "update podium_run set opened = opened - interval '1 hour'"
    truth.link.do(lambda connection: connection.execute(opened_long_ago))
    mirror = Mirror(tmp_path, truth)
    mirror.bring_all()
    truth.append(opened, 1, [DONE])
    mirror.bring_all()
    assert mirror.runs["r"].holder is not None
    truth.keep_parcel(opened, "the last one")
    truth.close(opened)
    mirror.bring_all()
    assert (mirror.runs["r"].holder, mirror.runs["r"].parcel) == (None, "the last one")


def test_messages_are_known_and_change_the_times_of_the_folder(
    truth: PostgresJournal, tmp_path: Path
) -> None:
    truth.create("r", [START])
    mirror = Mirror(tmp_path, truth)
    mirror.bring_all()
    assert mirror.inbox("r") == {}
    before = RunFolder(tmp_path, "r").inbox.stat().st_mtime_ns
    truth.post("r", "gate@1", {"decision": "approved"})
    mirror.bring_all()
    assert mirror.inbox("r") == {"gate@1": {"decision": "approved"}}
    assert RunFolder(tmp_path, "r").inbox.stat().st_mtime_ns > before


class LateLink(Link):
    """Something happens while an answer is under way."""

    meanwhile: Callable[[], object] | None = None

    def do(self, work: Callable[[Any], Any]) -> Any:
        found = super().do(work)
        happens, self.meanwhile = self.meanwhile, None
        if happens is not None:
            happens()
        return found


def test_messages_that_were_asked_for_before_a_look_are_not_kept_after_it(
    truth: PostgresJournal, tmp_path: Path
) -> None:
    """Pages ask in threads of their own, beside the one that looks."""
    truth.create("r", [START])
    truth.link.close()
    truth.link = late = LateLink(truth.link.url)
    mirror = Mirror(tmp_path, truth)
    mirror.bring_all()

    def decided() -> None:
        truth.post("r", "gate@1", {"decision": "approved"})
        mirror.bring_all()

    late.meanwhile = decided
    assert mirror.inbox("r") == {}
    assert mirror.inbox("r") == {"gate@1": {"decision": "approved"}}


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-20],
        lambda data: data + b"{}\n",
        lambda _: b"no journal\n",
        lambda _: b"",
    ],
)
def test_a_file_that_is_not_the_beginning_of_the_journal_is_written_anew(
    truth: PostgresJournal, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    truth.create("r", [START])
    Mirror(tmp_path, truth).bring_all()
    file = journal(tmp_path)
    file.write_bytes(damage(file.read_bytes()))
    opened = truth.open("r", "w1")
    truth.append(opened, 1, [NOTE])
    Mirror(tmp_path, truth).bring("r")  # another process, which knows only the file
    assert file.read_bytes() == lines_of(truth.read("r"))


def test_a_change_in_the_middle_of_a_file_breaks_its_chain(
    truth: PostgresJournal, tmp_path: Path
) -> None:
    truth.create("r", [START])
    mirror = Mirror(tmp_path, truth)
    mirror.bring_all()
    file = journal(tmp_path)
    file.write_bytes(file.read_bytes().replace(b"T001", b"T002"))
    mirror.bring_all()
    with pytest.raises(ChainBroken):
        LocalJournal(tmp_path, Disk(), ticking()).read("r")


def test_two_mirrors_of_one_folder_do_not_write_a_line_twice(
    truth: PostgresJournal, tmp_path: Path
) -> None:
    truth.create("r", [START])
    one, two = Mirror(tmp_path, truth), Mirror(tmp_path, truth)
    one.bring_all()
    two.bring_all()
    opened = truth.open("r", "w1")
    truth.append(opened, 1, [NOTE])
    one.bring_all()
    two.bring_all()
    truth.append(opened, 2, [NOTE])
    two.bring("r")
    one.bring("r")
    assert journal(tmp_path).read_bytes() == lines_of(truth.read("r"))


def test_a_run_that_is_not_there_is_told(truth: PostgresJournal, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no run 'x' on the fleet"):
        Mirror(tmp_path, truth).bring("x")


def test_a_run_of_the_same_name_in_another_database_is_replaced(
    truth: PostgresJournal, tmp_path: Path
) -> None:
    LocalJournal(tmp_path, Disk(), ticking()).create("r", [{**START, "input": "T999"}])
    truth.create("r", [START])
    opened = truth.open("r", "w1")
    truth.append(opened, 1, [NOTE])
    Mirror(tmp_path, truth).bring_all()
    assert journal(tmp_path).read_bytes() == lines_of(truth.read("r"))
