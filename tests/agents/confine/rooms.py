"""Rooms for tests: a view with an input and a folder to write, a secret beside it, and a shell
inside.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from tests.agents.jobs import run

from podium.agents.confine.confinement import Confinement
from podium.agents.confine.levels import Level, Name, level
from podium.agents.confine.room import Room
from podium.agents.process import Supervisor
from podium.agents.protocol import Finished

ENV = {"PATH": os.environ["PATH"], "HOME": "/root"}
SECRET = "the crown jewels"


def working(name: Name) -> Level:
    """The level, or a skipped test that says why."""
    found = level(name, os.environ["PATH"])
    if not found.works:
        pytest.skip(f"{name} does not work here: {found.what}")
    return found


@dataclass
class Cell:
    """One room and what lies around it."""

    place: Path
    room: Room
    confinement: Confinement

    @classmethod
    def made(cls, place: Path, name: Name, **changes: Any) -> Cell:
        found = working(name)
        view = place / "view"
        for folder in (view / "docs", place / "scratch", place / "elsewhere"):
            folder.mkdir(parents=True)
        (view / "input.md").write_text("the task")
        (view / "docs" / "given.md").write_text("also an input")
        (place / "secret").write_text(SECRET)
        room = Room(
            view, place / "scratch", (view / "docs",), (view / "docs" / "given.md",), network="none"
        )
        return cls(place, replace(room, **changes), Confinement(found))

    def supervisor(self, **options: Any) -> Supervisor:
        return Supervisor(enclose=self.confinement.enclosure(self.room), **options)

    def start(self, argv: Sequence[str], **options: Any) -> Finished:
        env = {**ENV, **options.pop("env", {})}
        return run(self.supervisor()(argv, cwd=self.room.folder, env=env, **options))

    def sh(self, script: str, **options: Any) -> Finished:
        return self.start(["sh", "-c", script], **options)


MakeCell = Callable[..., Cell]
