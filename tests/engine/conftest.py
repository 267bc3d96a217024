"""Each kind of view, and a project of each kind."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.fakes.projects import Make, templates_in

from podium.engine.views.code_view import KINDS, Kind
from podium.engine.views.machine import Support, support
from podium.engine.workspace import Workspace


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Support:
    """What this machine gives where tests keep their files."""
    return support(tmp_path_factory.mktemp("support"))


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, machine: Support) -> Kind:
    """Each kind of view that this machine gives."""
    return _given(request.param, machine)


def _given(kind: Kind, machine: Support) -> Kind:
    if KINDS.index(kind) < KINDS.index(machine.kind):
        pytest.skip(f"no view of the kind {kind} here: {machine.why}")
    return kind


@pytest.fixture(params=KINDS[1:])
def copied(request: pytest.FixtureRequest, machine: Support) -> Kind:
    """Each kind that is a copy, for what layers do not do."""
    return _given(request.param, machine)


@pytest.fixture
def layered(machine: Support) -> Kind:
    """The kind that is no copy, for what only layers do."""
    return _given(KINDS[0], machine)


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return templates_in(tmp_path_factory.mktemp("templates"))


@pytest.fixture
def make(templates: Path, tmp_path: Path) -> Make:
    """Makes the workspace of a project of a kind."""

    def made(name: str) -> Workspace:
        top = tmp_path / "top"
        shutil.copytree(templates / name, top, symlinks=True)
        project = top / "apps/web" if name == "subfolder" else top
        return Workspace.find(project, project / ".podium", tmp_path / "store")

    return made


@pytest.fixture
def space(make: Make) -> Workspace:
    return make("repository")
