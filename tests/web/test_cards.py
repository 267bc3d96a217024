from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from podium.web import cards
from podium.web.cards import Cards


def _run(
    project: Path, name: str, started: str = "2026-01-01", status: str = "waiting", filler: int = 0
) -> Path:
    folder = project / ".podium" / "runs" / name
    folder.mkdir(parents=True)
    (folder / "request.json").write_text(json.dumps({"title": f"Title of {name}"}))
    state = {"step": "build", "status": status, "reason": "why", "stop": "gate"}
    events = [
        {
            "type": "run.started",
            "workflow": "harness",
            "ts": started,
            "state": {"step": "s", "status": "active"},
        },
        {"type": "run.paused", "ts": "2026-01-02", "state": state},
        *({"type": "x", "ts": "2026-01-03", "pad": "p" * 100} for _ in range(filler)),
    ]
    (folder / "journal.jsonl").write_text(
        "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in events)
    )
    return folder


@pytest.fixture(autouse=True)
def always_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cards, "FRESH_S", -1)


def test_a_card_comes_from_the_ends_of_the_journal(tmp_path: Path) -> None:
    _run(tmp_path, "R1")
    [card] = Cards(tmp_path).look()
    assert (card.run, card.workflow, card.title, card.status, card.step) == (
        "R1",
        "harness",
        "Title of R1",
        "waiting",
        "build",
    )
    assert (card.started, card.updated) == ("2026-01-01", "2026-01-02")


def test_the_newest_run_is_first(tmp_path: Path) -> None:
    _run(tmp_path, "A", "2026-01-01")
    _run(tmp_path, "B", "2026-01-05")
    _run(tmp_path, "C", "2026-01-03")
    assert [each.run for each in Cards(tmp_path).look()] == ["B", "C", "A"]


def test_a_state_far_from_the_end_is_found_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cards, "TAIL", 300)
    _run(tmp_path, "R1", filler=50)
    assert Cards(tmp_path).look()[0].status == "waiting"


def test_what_did_not_change_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _run(tmp_path, "R1")
    changing = _run(tmp_path, "R2")
    known = Cards(tmp_path)
    before = known.mark()
    read: list[str] = []
    real = cards.card
    monkeypatch.setattr(
        cards, "card", lambda folder: (read.append(os.path.basename(folder)), real(folder))[1]
    )
    known.look()
    assert (read, known.mark()) == ([], before)
    with (changing / "journal.jsonl").open("a") as file:
        file.write(
            '{"type":"run.completed","ts":"2026-01-09","state":{"status":"complete","step":'
            '"done"}}\n'
        )
    assert {each.run: each.status for each in known.look()} == {"R1": "waiting", "R2": "complete"}
    assert read == ["R2"]
    assert known.mark() != before


def test_a_run_that_was_moved_away_is_gone(tmp_path: Path) -> None:
    folder = _run(tmp_path, "R1")
    known = Cards(tmp_path)
    assert known.look()
    os.rename(folder, tmp_path / "elsewhere")
    assert known.look() == []


@pytest.mark.parametrize("journal", ["", "what\n", "[]\n", '{"type":"x"}\n', '{"ts":1}\n' * 3])
def test_a_journal_that_cannot_be_read_is_a_damaged_run_and_hides_no_other(
    tmp_path: Path, journal: str
) -> None:
    (_run(tmp_path, "R1") / "journal.jsonl").write_text(journal)
    _run(tmp_path, "R2")
    assert {each.run: each.status for each in Cards(tmp_path).look()} == {
        "R1": "damaged",
        "R2": "waiting",
    }


def test_a_folder_that_is_a_link_is_no_run(tmp_path: Path) -> None:
    folder = _run(tmp_path, "R1")
    os.symlink(folder, folder.parent / "R2")
    assert [each.run for each in Cards(tmp_path).look()] == ["R1"]


@pytest.mark.parametrize(
    "name", ["..", ".", "", "R1/..", "../runs/R1", "R1\0", "nothing", "%2e%2e"]
)
def test_only_the_id_of_a_run_that_is_there_is_known(tmp_path: Path, name: str) -> None:
    _run(tmp_path, "R1")
    known = Cards(tmp_path)
    assert known.knows("R1")
    assert not known.knows(name)


def test_a_thousand_runs_are_looked_at_quickly(tmp_path: Path) -> None:
    for number in range(1000):
        _run(tmp_path, f"R{number:04d}")
    known = Cards(tmp_path)
    assert len(known.look()) == 1000
    began = time.process_time()
    known.look()
    assert time.process_time() - began < 1.0
