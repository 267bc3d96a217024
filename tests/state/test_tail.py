"""Reading on in a run that somebody else drives."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from podium.core.errors import ChainBroken, UsageError
from podium.state.disk import Disk
from podium.state.local_journal import LocalJournal
from podium.state.run_folder import RunFolder
from podium.state.tail import Reread, Tail, last_words

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)


@pytest.fixture
def journal(tmp_path: Path) -> LocalJournal:
    found = LocalJournal(tmp_path, Disk(), lambda: NOW)
    assert found.create("R", [{"type": "run.started"}])
    return found


def types(events: list[dict[str, object]]) -> list[object]:
    return [each["type"] for each in events]


def test_only_what_is_new_is_told_and_nobody_is_kept_from_writing(
    tmp_path: Path, journal: LocalJournal
) -> None:
    tail = Tail(tmp_path, "R")
    assert types(tail.more()) == ["run.started"]
    opened = journal.open("R", "somebody")
    journal.append(opened, 1, [{"type": "a"}, {"type": "b"}])
    assert types(tail.more()) == ["a", "b"]
    assert tail.more() == []
    assert journal.holder("R") is not None


def test_a_run_that_is_read_whole_tells_nothing_twice(
    tmp_path: Path, journal: LocalJournal
) -> None:
    tail = Reread(lambda: journal.read("R"))
    assert types(tail.more()) == ["run.started"]
    journal.append(journal.open("R", "somebody"), 1, [{"type": "a"}])
    assert types(tail.more()) == ["a"]
    assert tail.more() == []


def test_child_runs_are_found_when_they_begin(tmp_path: Path, journal: LocalJournal) -> None:
    tail = Tail(tmp_path, "R")
    tail.more()
    journal.create("R/item/US-1", [{"type": "run.started"}])
    assert [each["run"] for each in tail.more()] == ["R/item/US-1"]


def test_a_line_that_is_not_whole_yet_is_told_once_it_is(
    tmp_path: Path, journal: LocalJournal
) -> None:
    path = RunFolder(tmp_path, "R").journal
    whole = path.read_bytes()
    path.write_bytes(whole[:40])
    tail = Tail(tmp_path, "R")
    assert tail.more() == []
    path.write_bytes(whole)
    assert types(tail.more()) == ["run.started"]


def test_a_file_that_was_put_back_tells_nothing_twice(
    tmp_path: Path, journal: LocalJournal
) -> None:
    path = RunFolder(tmp_path, "R").journal
    opened = journal.open("R", "somebody")
    before = path.read_bytes()
    journal.append(opened, 1, [{"type": "a"}])
    after = path.read_bytes()
    tail = Tail(tmp_path, "R")
    tail.more()
    path.write_bytes(before)
    assert tail.more() == []
    path.write_bytes(after)
    assert tail.more() == []


def test_a_changed_line_is_named(tmp_path: Path, journal: LocalJournal) -> None:
    tail = Tail(tmp_path, "R")
    tail.more()
    with open(RunFolder(tmp_path, "R").journal, "ab") as file:
        file.write(b'{"type":"gate.decided"}\n')
    with pytest.raises(ChainBroken, match=r"journal\.jsonl"):
        tail.more()


def test_a_run_that_is_gone_is_said_to_be(tmp_path: Path, journal: LocalJournal) -> None:
    tail = Tail(tmp_path, "R")
    tail.more()
    os.remove(RunFolder(tmp_path, "R").journal)
    with pytest.raises(UsageError, match="removed"):
        tail.more()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            '{"kind": "read", "path": "a"}\n{"kind": "write", "path": "b.py"}\n',
            ("write", {"path": "b.py"}),
        ),
        ('{"kind": "read", "path": "a"}\n{"kind": "wri', ("read", {"path": "a"})),
        ("[1]\n", None),
        ("no json\n", None),
        ("", None),
    ],
)
def test_the_last_whole_line_of_a_transcript_is_what_the_agent_did_last(
    tmp_path: Path, text: str, found: object
) -> None:
    folder = RunFolder(tmp_path, "R").steps("build/1")
    folder.mkdir(parents=True)
    (folder / "transcript.jsonl").write_text(text)
    assert last_words(tmp_path, "R", "build/1") == found


def test_a_step_without_a_transcript_says_nothing(tmp_path: Path) -> None:
    assert last_words(tmp_path, "R", "build/1") is None
    assert last_words(tmp_path, "R", "../../etc") is None
