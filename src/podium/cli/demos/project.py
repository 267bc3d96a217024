"""The demo's project on disk: code, tests, a git repository, and a scenario for the agents.

Every command, exit code and commit is real; only the agents are scripted.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from podium.core.errors import UsageError

SCENARIO = "demo-scenario.yaml"
PACE_S = 0.4
"""How long each agent pretends to think: enough to see the board move, not enough to be a wait."""

_CASES = """\
def shout(text: str) -> str:
    return text.upper() + "!"
"""
_TEST_CASES = """\
import unittest

from textkit.cases import shout


class Shout(unittest.TestCase):
    def test_it_is_loud(self) -> None:
        self.assertEqual("HELLO!", shout("hello"))
"""


@dataclass(frozen=True)
class Story:
    """One workflow's demo."""

    inputs: tuple[str, ...]
    """The arguments of `podium run`."""
    scenario: Mapping[str, Any]
    files: Mapping[str, str] = field(default_factory=dict)
    """Files in addition to those that every demo has."""
    unfinished: Mapping[str, str] = field(default_factory=dict)
    """Text that somebody has added to files but not committed when the run begins."""
    policy: Mapping[str, Any] = field(default_factory=dict)
    answers: tuple[str, ...] = ()
    """The demo's answers to questions of the workflow and the agents, in order."""
    shows: str = ""
    """A document worth showing at the end."""
    look: tuple[str, ...] = ()
    """Commands worth typing afterwards."""


def test_command() -> str:
    return f"{shlex.quote(sys.executable)} -m unittest discover -q -s tests -t ."


def story_of(workflow: str, pace: float) -> Story:
    """The story for a workflow; only that one is imported."""
    found: Story = import_module(f"podium.cli.demos.{workflow}").story(pace)
    return found


def make(folder: Path, workflow: str, pace: float | None = None) -> Story:
    """Create the project on disk, committed. `pace`: seconds that each agent takes."""
    from podium.cli.detect import Guess  # noqa: PLC0415
    from podium.cli.scaffold import set_up  # noqa: PLC0415

    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty; the demo makes a project of its own")
    story = story_of(workflow, PACE_S if pace is None else pace)
    for path, text in {**_files(story), **story.files}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    set_up(folder, [workflow], [], [Guess("test", test_command(), "the demo's tests")], force=False)
    _commit(folder)
    return story


def leave(folder: Path, story: Story) -> None:
    """Leave somebody's unfinished work in the checkout; without it there is nothing to ask
    about.
    """
    for path, text in story.unfinished.items():
        with (folder / path).open("a", encoding="utf-8") as file:
            file.write(text)


def _files(story: Story) -> dict[str, str]:
    return {
        "textkit/__init__.py": "",
        "textkit/cases.py": _CASES,
        "tests/__init__.py": "",
        "tests/test_cases.py": _TEST_CASES,
        ".gitignore": "__pycache__/\n",
        SCENARIO: "# What the scripted agent does in this demo (JSON is YAML too).\n"
        + json.dumps(story.scenario, indent=2, ensure_ascii=False)
        + "\n",
    }


def _commit(folder: Path) -> None:
    who = [
        "-c",
        "user.name=Podium demo",
        "-c",
        "user.email=demo@localhost",
        "-c",
        "commit.gpgsign=false",
    ]
    settings = [["config", "user.name", "Podium demo"], ["config", "user.email", "demo@localhost"]]
    for words in (
        ["init", "-q", "-b", "main"],
        *settings,
        ["add", "-A"],
        ["commit", "-q", "-m", "A small project"],
    ):
        done = subprocess.run(
            ["git", *who, *words], cwd=folder, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise UsageError(f"git {words[0]} failed in {folder}: {done.stderr.strip()}")
