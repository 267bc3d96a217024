from __future__ import annotations

import json
from pathlib import Path

import pytest

from podium.web import tail
from podium.web.tail import Tail


def _write(journal: Path, *events: dict[str, object], start: int = 1) -> None:
    journal.parent.mkdir(parents=True, exist_ok=True)
    with journal.open("a") as file:
        for seq, event in enumerate(events, start):
            file.write(
                json.dumps({"seq": seq, "ts": f"2026-01-01T00:00:{seq:02d}Z", **event}) + "\n"
            )


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / ".podium" / "runs" / "R1" / "journal.jsonl"
    _write(path, {"type": "a", "run": "R1"}, {"type": "b", "run": "R1"})
    return path


def test_from_now_on_only_what_is_new_is_told(tmp_path: Path, journal: Path) -> None:
    follower = Tail(tmp_path, "R1")
    assert follower.begin() == []
    assert follower.news() == []
    _write(journal, {"type": "c", "run": "R1"}, start=3)
    assert [each["type"] for each in follower.news()] == ["c"]
    assert follower.mark() == "3.0"


def test_somebody_who_comes_back_is_told_what_was_missed(tmp_path: Path, journal: Path) -> None:
    missed = Tail(tmp_path, "R1").begin("1.0")
    assert missed is not None
    assert [each["type"] for each in missed] == ["b"]
    assert Tail(tmp_path, "R1").begin("2.0") == []


@pytest.mark.parametrize("mark", ["7.0", "1.99"])
def test_what_cannot_be_told_one_by_one_is_said_so(
    tmp_path: Path, journal: Path, mark: str
) -> None:
    assert Tail(tmp_path, "R1").begin(mark) is None


@pytest.mark.parametrize("mark", ["", "x", "1", "-1.0", "1.-2", "9" * 40 + ".0", "٣.0", "<script>"])
def test_a_mark_that_is_none_means_from_now_on(tmp_path: Path, journal: Path, mark: str) -> None:
    assert Tail(tmp_path, "R1").begin(mark) == []


def test_who_is_far_behind_loads_the_page_again(tmp_path: Path, journal: Path) -> None:
    _write(journal, *({"type": "x", "run": "R1"} for _ in range(tail.FAR)), start=3)
    assert Tail(tmp_path, "R1").begin("1.0") is None


def test_half_a_line_is_told_when_it_is_whole(tmp_path: Path, journal: Path) -> None:
    follower = Tail(tmp_path, "R1")
    follower.begin()
    with journal.open("a") as file:
        file.write('{"seq": 3, "type": "c",')
    assert follower.news() == []
    with journal.open("a") as file:
        file.write(' "run": "R1", "ts": ""}\n')
    assert [each["type"] for each in follower.news()] == ["c"]


def test_a_line_longer_than_one_look_is_told_too(
    tmp_path: Path, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "MOST", 64)
    follower = Tail(tmp_path, "R1")
    follower.begin()
    _write(journal, {"type": "long" * 100, "run": "R1"}, start=3)
    assert len(follower.news()) == 1


def test_children_are_followed_and_found_when_they_appear(
    tmp_path: Path, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "SEARCH_S", 0)
    follower = Tail(tmp_path, "R1")
    follower.begin()
    child = journal.parent / "children" / "item" / "A" / "journal.jsonl"
    _write(child, {"type": "child", "run": "R1/item/A"})
    _write(journal, {"type": "c", "run": "R1"}, start=3)
    assert {each["type"] for each in follower.news()} == {"c", "child"}
    mark = follower.mark()
    assert Tail(tmp_path, "R1").begin(mark) == []
    _write(child, {"type": "more", "run": "R1/item/A"}, start=2)
    assert Tail(tmp_path, "R1").begin(mark) is None


def test_a_line_that_is_no_event_is_left_out(tmp_path: Path, journal: Path) -> None:
    follower = Tail(tmp_path, "R1")
    follower.begin()
    with journal.open("a") as file:
        file.write("what\n[]\n")
    assert follower.news() == []
