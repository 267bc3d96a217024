"""Commands run in process, in an empty project, against a facade that remembers what it was
told.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.fakes import app as fake
from tests.fakes.pseudo_terminal import PseudoTerminal

from podium.__main__ import main

Podium = Callable[..., int]
Terminals = Callable[..., PseudoTerminal]


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """These tests may themselves run under an agent, or with settings of the person who runs
    them.
    """
    for name in [name for name in os.environ if name.startswith("PODIUM_")] + [
        "NO_COLOR",
        "XDG_CONFIG_HOME",
        "DISPLAY",
        "WAYLAND_DISPLAY",
    ]:
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PODIUM_USER", "Ada")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / ".podium").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> type[fake.App]:
    """A fresh class for each test, so that what one is told no other hears."""
    fresh = type("App", (fake.App,), {"calls": []})
    monkeypatch.setattr("podium.wiring.App", fresh)
    return fresh


@pytest.fixture
def podium(project: Path) -> Podium:
    return lambda *words: main(list(words))


@pytest.fixture
def terminal() -> Iterator[Terminals]:
    """Starts a command at a terminal of its own; none is left behind."""
    made: list[PseudoTerminal] = []

    def start(*words: object, **how: object) -> PseudoTerminal:
        made.append(PseudoTerminal(*words, **how))  # type: ignore[arg-type]
        return made[-1]

    yield start
    for each in made:
        each.close()
