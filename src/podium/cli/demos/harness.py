"""The demo of `harness`: Build forgets a case, QA finds it and sends the task back, the second
Build fixes it.
"""

from __future__ import annotations

from typing import Any

from podium.cli.demos.project import Story
from podium.workflows.catalog import entry

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


def story(pace: float) -> Story:
    look = ("log @", "show @ build/2", "report @")
    return Story(inputs=(entry("harness").example,), scenario=scenario(pace), look=look)


def scenario(pace: float) -> dict[str, Any]:
    def built(code: str, tests: str, summary: str) -> dict[str, Any]:
        return {
            "write": {"textkit/words.py": code, "tests/test_words.py": tests},
            "verdict": {"status": "done", "summary": summary},
            "say": summary,
            "sleep": pace,
            "usage": {"tokens_in": 5200, "tokens_out": 640, "cost_usd": 0.02},
        }

    met = {f"AC{number}": "Pass" for number in range(1, 7)}
    found = {
        "result": "Issues Found",
        "readiness": "Back to Build",
        "criteria": {**met, "AC2": "Fail", "AC3": "Fail"},
        "issues": [
            {"description": "An empty text counts as one word", "severity": "High", "blocks": True}
        ],
    }
    review = {"behave": "well", "sleep": pace}
    return {
        "agents": {
            "build": [
                built(_HASTY, _TEST, "Added count_words with a test"),
                built(
                    _GOOD, _MORE_TESTS, "count_words splits at any whitespace; tests for AC1 to AC4"
                ),
            ],
            "qa": [
                {**review, "write": {"@qa": {"template": "qa", **found}}, "verdict": found},
                review,
            ],
        },
        "defaults": {"behave": "well", "sleep": pace},
    }
