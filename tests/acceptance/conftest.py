"""Whole runs in process: a scaffolded project, a scenario, and a look at what is on disk
afterwards.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

ROOT = str(Path(__file__).parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from tests.crash.flows import quick_folder  # noqa: E402
from tests.fakes.feature import FeatureProject  # noqa: E402
from tests.fakes.project import Project  # noqa: E402
from tests.fakes.roadmap import Make, Road  # noqa: E402


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """These tests may themselves run under an agent, or with settings of the person who runs
    them.
    """
    for name in [each for each in os.environ if each.startswith(("PODIUM_", "GIT_", "XDG_"))]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("PODIUM_USER", "Ada")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project.at(tmp_path)


@pytest.fixture
def road() -> Iterator[Make]:
    """Makes a project with these items, in memory where that can be had: its runs sync often."""
    with quick_folder() as folder:
        yield partial(Road.of, folder)


@pytest.fixture
def feature(tmp_path: Path) -> FeatureProject:
    return FeatureProject.at(tmp_path)
