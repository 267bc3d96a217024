"""The small real project of `podium demo`: code, tests, a git repository, and a scenario for the agents.

The scenario is a story worth watching: Build forgets a case, QA finds it and sends the task back,
the second Build mends it. Every command that is run and every exit code is real.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from podium.core.errors import UsageError

SCENARIO = "demo-scenario.yaml"

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
_HASTY = '''\
def count_words(text: str) -> int:
    """How many words a text holds."""
    return len(text.split(" "))
'''
_GOOD = '''\
def count_words(text: str) -> int:
    """How many words a text holds; a word is an unbroken run of what is not whitespace."""
    return len(text.split())
'''
_TEST = """\
import unittest

from textkit.words import count_words


class CountWords(unittest.TestCase):
    def test_words_are_counted(self) -> None:
        self.assertEqual(3, count_words("one two three"))
"""
_MORE_TESTS = (
    _TEST
    + """
    def test_whitespace_alone_is_no_word(self) -> None:
        self.assertEqual(0, count_words(""))
        self.assertEqual(0, count_words(" \\n"))

    def test_several_spaces_separate_once(self) -> None:
        self.assertEqual(3, count_words("  a\\t\\tb\\n\\nc  "))

    def test_punctuation_belongs_to_its_word(self) -> None:
        self.assertEqual(3, count_words("don't stop, please"))
"""
)


def make(folder: Path, workflow: str) -> list[str]:
    """The project on disk, committed; what `podium run` is given."""
    from podium.cli.detect import Guess  # noqa: PLC0415
    from podium.cli.scaffold import set_up  # noqa: PLC0415
    from podium.workflows.catalog import entry  # noqa: PLC0415

    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty; the demo makes a project of its own")
    for path, text in _files().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    test = f"{shlex.quote(sys.executable)} -m unittest discover -q -s tests -t ."
    set_up(folder, [workflow], [], [Guess("test", test, "the demo's tests")], force=False)
    _commit(folder)
    return [entry(workflow).example]


def _files() -> dict[str, str]:
    return {
        "textkit/__init__.py": "",
        "textkit/cases.py": _CASES,
        "tests/__init__.py": "",
        "tests/test_cases.py": _TEST_CASES,
        ".gitignore": "__pycache__/\n",
        SCENARIO: "# What the scripted agent does in this demo (JSON is YAML too).\n"
        + json.dumps(scenario(), indent=2, ensure_ascii=False)
        + "\n",
    }


def scenario() -> dict[str, Any]:
    def built(code: str, tests: str, summary: str) -> dict[str, Any]:
        return {
            "write": {"textkit/words.py": code, "tests/test_words.py": tests},
            "verdict": {"status": "done", "summary": summary},
            "say": summary,
            "sleep": PACE_S,
            "usage": {"tokens_in": 5200, "tokens_out": 640, "cost_usd": 0.02},
        }

    met = {f"AC{number}": "Pass" for number in range(1, 7)}
    found = {
        "result": "Issues Found",
        "readiness": "Back to Build",
        "criteria": {**met, "AC2": "Fail", "AC3": "Fail"},
        "issues": [{"description": "An empty text counts as one word", "severity": "High", "blocks": True}],
    }
    review = {"behave": "well", "sleep": PACE_S}
    return {
        "agents": {
            "build": [
                built(_HASTY, _TEST, "Added count_words with a test"),
                built(_GOOD, _MORE_TESTS, "count_words splits at any whitespace; tests for AC1 to AC4"),
            ],
            "qa": [{**review, "write": {"@qa": {"template": "qa", **found}}, "verdict": found}, review],
        },
        "defaults": {"behave": "well", "sleep": PACE_S},
    }


PACE_S = 0.4
"""How long each agent pretends to think: enough to see the board move, not enough to wait for."""


def _commit(folder: Path) -> None:
    who = ["-c", "user.name=Podium demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "A small project"]):
        done = subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise UsageError(f"git {words[0]} failed in {folder}: {done.stderr.strip()}")
