from __future__ import annotations

from pathlib import Path

import pytest
from tests.fakes.project import Project

from podium.web.cards import Cards
from podium.web.homes import Homes
from podium.web.library import Kept, Library, Missing


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project.at(tmp_path)
    made.run()
    return made


def test_a_run_is_read_once_until_it_changes(project: Project) -> None:
    library = Library(Homes(project.root, lambda: project.app), Cards(project.root))
    first = library.run(project.run_id)
    assert library.run(project.run_id).events is first.events
    project.approve()
    after = library.run(project.run_id)
    assert after.events[-1]["type"] == "gate.decided"
    assert not after.summary.gates


def test_who_drives_a_run_is_asked_each_time(project: Project) -> None:
    library = Library(Homes(project.root, lambda: project.app), Cards(project.root))
    assert library.run(project.run_id).summary.holder is None
    app = project.app
    opened = app.journal.open(project.run_id, "somebody")
    try:
        assert (library.run(project.run_id).summary.holder or {}).get("owner") == "somebody"
    finally:
        app.journal.close(opened)


def test_a_run_that_is_not_there_is_said_so(project: Project) -> None:
    library = Library(Homes(project.root, lambda: project.app), Cards(project.root))
    for name in ("nothing", "..", f"{project.run_id}/..", ""):
        with pytest.raises(Missing):
            library.run(name)


def test_of_many_values_the_last_few_are_kept() -> None:
    made: list[str] = []
    kept: Kept[str] = Kept(2)
    for name in ("a", "b", "a", "c", "b", "a"):
        kept.get(name, 1, lambda name=name: made.append(name) or name)
    assert made == ["a", "b", "c", "b", "a"]
    kept.get("a", 2, lambda: made.append("a again") or "a")
    assert made[-1] == "a again"
