from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.startup import copy_run
from tests.fakes.project import Project

from podium.web import cards, index
from podium.web.cards import Cards
from podium.web.index import Index


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = Project.at(tmp_path_factory.mktemp("index"))
    made.run()
    for number in range(5):
        copy_run(made.folder, f"R{number}")
    return made


@pytest.fixture
def known(project: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    monkeypatch.setattr(cards, "FRESH_S", -1)
    made = Index(Cards(project.root), lambda _: project.app, lambda run: run == "R1")
    yield made
    made.end()


def test_a_few_runs_are_read_while_somebody_waits(known: Index) -> None:
    found = {each.run: each for each in known.entries()}
    assert len(found) == 6
    assert known.whole()
    assert all(each.gates for each in found.values())


def test_many_runs_are_light_at_first_and_whole_a_little_later(
    known: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "FEW", 2)
    found = known.entries()
    assert [each.status for each in found] == ["waiting"] * 6
    assert not any(each.gates for each in found)
    deadline = time.monotonic() + 30
    while not known.whole() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert all(each.gates for each in known.entries())
    while known.version == 0 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert known.version == 1, "who listens is told that there is more to see"


def test_only_what_changed_is_read_again(
    known: Index, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    known.entries()
    read: list[str] = []
    real = known._read
    monkeypatch.setattr(known, "_read", lambda run, mark: (read.append(run), real(run, mark))[1])
    known.entries()
    assert read == []
    (project.folder.parent / "R3" / "state.json").touch()
    known.entries()
    assert read == ["R3"]


def test_a_run_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    project = Project.at(tmp_path)
    project.run()
    copy_run(project.folder, "R1")
    journal = project.folder.parent / "R1" / "journal.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b"specification", b"specificatiom", 1))
    found = {
        each.run: each.status
        for each in Index(Cards(project.root), lambda _: project.app, lambda _: False).entries()
    }
    assert found == {project.run_id: "waiting", "R1": "damaged"}


def test_warming_up_reads_every_end_and_then_the_rest(known: Index) -> None:
    known.warm()
    assert len(known._light) == 6
    deadline = time.monotonic() + 30
    while not known.whole() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert known.whole()
