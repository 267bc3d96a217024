"""A run can be cancelled wherever it stands and whatever became of its files; what cannot be read
at all is named in one sentence.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from tests.crash.flows import quick_folder
from tests.fakes.project import Project
from tests.upgrades.archives import index, unpack
from tests.upgrades.making import restored

from podium.cli.main import main

Damage = Callable[[Project], object]
OFTEN = 2
"""Kinds of damage that each folder meets; PODIUM_LONG=1 lets it meet all."""


def _state(text: str) -> Damage:
    return lambda project: (project.folder / "state.json").write_text(text)


def _moved(**fields: str) -> Damage:
    def change(project: Project) -> None:
        path = project.folder / "state.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))

    return change


def _documents(change: Callable[[Path], object]) -> Damage:
    """Every document that the run has written so far."""

    def act(project: Project) -> None:
        names = {each["path"] for each in project.events("document.saved")}
        for path in (project.root / each for each in sorted(names)):
            if path.is_file():
                change(path)

    return act


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "more").write_text("x")


def _below(change: Callable[[Path], object]) -> Damage:
    """The journals of child runs."""

    def act(project: Project) -> None:
        for path in project.folder.glob("children/**/journal.jsonl"):
            change(path)

    return act


def _gone(*paths: str) -> Damage:
    def act(project: Project) -> None:
        for path in paths:
            shutil.rmtree(project.root / path.format(run=project.run_id), ignore_errors=True)

    return act


def _file(path: str, text: str) -> Damage:
    def act(project: Project) -> None:
        where = project.root / path.format(run=project.run_id)
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_text(text)

    return act


def _torn(project: Project) -> None:
    path = project.folder / "journal.jsonl"
    path.write_bytes(path.read_bytes()[:-20])


def _holed(project: Project) -> None:
    path = project.folder / "journal.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(["nonsense\n", *lines[1:]]))


RUN = ".podium/runs/{run}"
CANCELLED: dict[str, Damage] = {
    "state that is no JSON": _state("{nonsense"),
    "no state": lambda project: (project.folder / "state.json").unlink(),
    "a step that is not there": _moved(step="nowhere"),
    "a state that says it ended": _moved(status="complete"),
    "edited documents": _documents(lambda path: path.write_text(path.read_text() + "\nMine.\n")),
    "unreadable documents": _documents(lambda path: path.write_text("garbage\0")),
    "folders for documents": _documents(_folder),
    "no documents": _documents(Path.unlink),
    "no memory of the guard": _gone(f"{RUN}/guard"),
    "a memory that is no JSON": _file(f"{RUN}/guard/manifest.json", "{"),
    "changes laid aside by nobody": _file(f"{RUN}/guard/aside/index.json", "[1]"),
    "no child runs": _gone(f"{RUN}/children"),
    "no folders of steps": _gone(f"{RUN}/steps"),
    "no repository": _gone(".git"),
    "no rules and roles": _gone("governance", ".github", "harness"),
    "torn journal": _torn,
}
REFUSED: dict[str, tuple[Damage, str]] = {
    "damaged journal": (_holed, "journal.jsonl:1"),
    "damaged journal of a child run": (
        _below(lambda path: path.write_text("nonsense\n")),
        "journal.jsonl:1",
    ),
    "request that is no JSON": (_file(f"{RUN}/request.json", "{"), "request.json"),
    "request that says nothing": (_file(f"{RUN}/request.json", "{}"), "request.json"),
    "settings that are no TOML": (_file("podium.toml", "[[["), "podium.toml"),
}
KEPT = [(archive, name) for archive, folders in index().items() for name in folders]
_turn = count()
CASES = [
    (archive, name, damage)
    for archive, name in KEPT
    for damage in (
        ["", *CANCELLED]
        if os.environ.get("PODIUM_LONG") == "1"
        else ["", *(list(CANCELLED)[next(_turn) % len(CANCELLED)] for _ in range(OFTEN))]
    )
]


@pytest.fixture(scope="module")
def opened() -> Iterator[Path]:
    """The archives, each unpacked once."""
    with quick_folder() as folder:
        yield folder


@pytest.fixture
def here() -> Iterator[Path]:
    with quick_folder() as folder:
        yield folder


def kept(opened: Path, archive: str, name: str) -> Path:
    if not (opened / archive).is_dir():
        unpack(archive, opened / archive)
    return opened / archive / name


def project_of(
    opened: Path, here: Path, archive: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> Project:
    project = restored(kept(opened, archive, name), here / "now")
    for variable, value in project.environ.items():
        monkeypatch.setenv(variable, value)
    return project


def podium(project: Project, *words: str) -> int:
    return main([*words, "--project", str(project.root)])


@pytest.mark.parametrize(("archive", "name", "damage"), CASES)
def test_a_run_is_cancelled_wherever_it_stands(
    opened: Path,
    here: Path,
    archive: str,
    name: str,
    damage: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    project = project_of(opened, here, archive, name, monkeypatch)
    if damage:
        CANCELLED[damage](project)
    before = project.snapshot()
    assert podium(project, "cancel", project.run_id) == 0
    assert podium(project, "resume", project.run_id) == 30
    assert podium(project, "cancel", project.run_id) == 2
    assert not list((here / "now" / "home").glob("**/views/*"))
    assert not [
        path for path in before if path.startswith("src/") and not project.path(path).exists()
    ]


@pytest.mark.parametrize("why", REFUSED)
@pytest.mark.parametrize(
    ("archive", "name"), [("governed", "killed-in-phase"), ("roadmap", "killed-in-item")]
)
def test_what_cannot_be_read_is_named_and_nothing_is_a_fault_of_the_program(
    opened: Path,
    here: Path,
    archive: str,
    name: str,
    why: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    project = project_of(opened, here, archive, name, monkeypatch)
    damage, named = REFUSED[why]
    damage(project)
    code = podium(project, "cancel", project.run_id)
    assert code in {2, 20}
    assert named in capsys.readouterr().err


def test_what_ticket_put_aside_is_given_back_though_the_state_is_damaged(
    opened: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = project_of(opened, here, "ticket", "question", monkeypatch)
    mine = project.text("src/app.py")
    (gate,) = project.app.summary(project.run_id).gates
    project.answer(gate=gate["key"], choice="stash")
    with pytest.MonkeyPatch.context() as inner:
        inner.chdir(project.root)
        project.resume(until="git-move/1")
    assert project.text("src/app.py") != mine
    (project.folder / "state.json").write_text("{nonsense")
    assert podium(project, "cancel", project.run_id) == 0
    assert project.text("src/app.py") == mine
