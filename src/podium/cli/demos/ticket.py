"""The demo of `ticket`: a question about the checkout, three tasks (one breaks the tests), a
rejected fourth.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.cli.demos import words
from podium.cli.demos.project import Story

REQUEST = (
    "TEXT-7 add statistics of a text: its words, its lines, its longest word, and one line that "
    "says all three"
)
_LINES_HASTY = '''\
def count_lines(text: str) -> int:
    """How many lines a text has."""
    return text.count("\\n") + 1
'''
_LINES = '''\
def count_lines(text: str) -> int:
    """How many lines a text has; the last one needs no line end, and an empty text has none."""
    return len(text.splitlines())
'''
_TEST_LINES = """\
import unittest

from textkit.lines import count_lines


class CountLines(unittest.TestCase):
    def test_lines_are_counted(self) -> None:
        self.assertEqual(2, count_lines("one\\ntwo"))

    def test_a_line_end_at_the_end_begins_no_line(self) -> None:
        self.assertEqual(2, count_lines("one\\ntwo\\n"))

    def test_nothing_has_no_lines(self) -> None:
        self.assertEqual(0, count_lines(""))
"""
_LONGEST = '''\
def longest_word(text: str) -> str:
    """The longest word of a text, the first of several; empty where there is none."""
    return max(text.split(), key=len, default="")
'''
_TEST_LONGEST = """\
import unittest

from textkit.longest import longest_word


class LongestWord(unittest.TestCase):
    def test_the_first_of_the_longest_counts(self) -> None:
        self.assertEqual("three", longest_word("one three seven"))

    def test_nothing_has_no_longest_word(self) -> None:
        self.assertEqual("", longest_word(" "))
"""
_SUMMARY_HASTY = '''\
from textkit.lines import count_lines
from textkit.longest import longest_word
from textkit.words import count_words


def summary(text: str) -> str:
    """One line about a text."""
    return f"{count_words(text)} words, {count_lines(text)} lines, longest: {longest_word(text)}"
'''
_SUMMARY = _SUMMARY_HASTY.replace("longest_word(text)}", "longest_word(text) or '-'}")
_TEST_SUMMARY_HASTY = """\
import unittest

from textkit.summary import summary


class Summary(unittest.TestCase):
    def test_all_three_are_said(self) -> None:
        self.assertEqual("3 words, 2 lines, longest: three", summary("one two\\nthree"))
"""
_TEST_SUMMARY = (
    _TEST_SUMMARY_HASTY
    + """
    def test_nothing_has_a_summary_too(self) -> None:
        self.assertEqual("0 words, 0 lines, longest: -", summary(""))
"""
)
_UNFINISHED = """

def whisper(text: str) -> str:
    return text.lower()  # and then?
"""
_PLAN = """\
# Statistics of a text

Three functions that know nothing of each other, each in a file of its own with its tests: `textkit/words.py`,
`textkit/lines.py`, `textkit/longest.py`. They can be written side by side. Then `textkit/summary.py`, which calls all
three and is the only place that puts them into words.

Every function takes the whole text and is tested with an empty one.
"""  # noqa: E501


_ARCHITECTURE = """\
# Architecture

`textkit` is a package of small functions over a text, one file each; none keeps state. `textkit/summary.py` is the only
one that calls others.
"""  # noqa: E501
_STYLE = """\
# Code style

Type hints everywhere, one docstring of one line for each function. A test file for each module, with `unittest`.
"""  # noqa: E501
_FINDINGS = """\
# Findings

An empty text is a text: every function is tested with one.
"""


def story(pace: float) -> Story:
    return Story(
        inputs=(REQUEST,),
        scenario=scenario(pace),
        unfinished={"textkit/cases.py": _UNFINISHED},
        answers=("stash",),
        policy={"max_parallel_tasks": 3},
        look=("log @", "show @ iteration/0/review/TASK-4/1", "report @", "git log --stat -2"),
    )


def tasks() -> list[dict[str, Any]]:
    def task(
        number: int,
        name: str,
        said: str,
        *criteria: str,
        group: str = "A",
        after: tuple[str, ...] = (),
    ) -> dict[str, Any]:
        return {
            "id": f"TASK-{number}",
            "description": said,
            "files_to_modify": [f"textkit/{name}.py"],
            "test_files": [f"tests/test_{name}.py"],
            "success_criteria": list(criteria),
            "parallel_group": group,
            "depends_on": list(after),
            "status": "PENDING",
        }

    return [
        task(
            1,
            "words",
            "count_words(text)",
            "whitespace of any kind separates words",
            "an empty text has none",
        ),
        task(
            2,
            "lines",
            "count_lines(text)",
            "a line end at the end begins no line",
            "an empty text has none",
        ),
        task(
            3,
            "longest",
            "longest_word(text)",
            "the first of several counts",
            "an empty text has an empty one",
        ),
        task(
            4,
            "summary",
            "summary(text)",
            "one line with all three",
            "an empty text has one too",
            group="B",
            after=("TASK-1", "TASK-2", "TASK-3"),
        ),
    ]


def scenario(pace: float) -> dict[str, Any]:
    used = {"usage": {"tokens_in": 3900, "tokens_out": 480, "cost_usd": 0.02}, "sleep": pace}

    def built(
        said: str, files: Mapping[str, str], status: str = "SYNTAX_VALID"
    ) -> list[dict[str, Any]]:
        return [
            {
                "write": dict(files),
                "verdict": {"status": status, "evidence": said},
                "say": said,
                **used,
            }
        ]

    def module(name: str, code: str, tests: str) -> dict[str, str]:
        return {f"textkit/{name}.py": code, f"tests/test_{name}.py": tests}

    rests = built("No change needed: the failure is in textkit/lines.py", {})
    order = [
        {"group": "A", "strategy": "parallel", "tasks": ["TASK-1", "TASK-2", "TASK-3"]},
        {"group": "B", "strategy": "sequential", "tasks": ["TASK-4"]},
    ]
    plan = {
        "write": {
            "@plan": _PLAN,
            "@tasks": {
                "template": "tasks",
                "tasks": tasks(),
                "execution_order": order,
                "strategy": "three at once, then what needs them",
            },
        },
        "say": "DONE: a plan with four tasks in two groups",
        **used,
    }
    met = {each: "MET" for task in tasks() for each in task["success_criteria"]}
    missed = "'longest: ' and then nothing for an empty text, and no test has one"
    review = {
        "behave": "well",
        "verdict": {
            "status": "ACCEPTED",
            "criteria": met,
            "evidence": "every criterion has a test that holds",
        },
        **used,
    }
    refusal = {
        **review,
        "verdict": {
            "status": "REJECTED",
            "criteria": {**met, "an empty text has one too": "NOT MET"},
            "evidence": missed,
        },
    }
    documents = {
        "docs/ARCHITECTURE.md": _ARCHITECTURE,
        "docs/CODE_STYLE.md": _STYLE,
        "docs/FINDINGS.md": _FINDINGS,
    }
    writes = {"write": documents, "say": "DONE: three documents from the code as it is", **used}
    return {
        "agents": {"planner": [plan], "reviewer": [review]},
        "keys": {
            "refresh": [writes],
            "iteration/0/task/TASK-1/1": built(
                "count_words splits at any whitespace", module("words", words.GOOD, words.TEST)
            ),
            "iteration/0/task/TASK-2/1": built(
                "count_lines counts line ends", module("lines", _LINES_HASTY, _TEST_LINES)
            ),
            "iteration/0/task/TASK-3/1": built(
                "longest_word takes the first of several",
                module("longest", _LONGEST, _TEST_LONGEST),
            ),
            "iteration/0/task/TASK-1/2": rests,
            "iteration/0/task/TASK-2/2": built(
                "count_lines uses splitlines: an empty text has no line",
                module("lines", _LINES, _TEST_LINES),
            ),
            "iteration/0/task/TASK-3/2": rests,
            "iteration/0/task/TASK-4/1": built(
                "summary calls the three",
                module("summary", _SUMMARY_HASTY, _TEST_SUMMARY_HASTY),
                "DONE",
            ),
            "iteration/0/review/TASK-4/1": [refusal],
            "iteration/0/task/TASK-4/2": built(
                "an empty text has no longest word: '-'",
                module("summary", _SUMMARY, _TEST_SUMMARY),
                "DONE",
            ),
        },
        "defaults": {"behave": "well", **used},
    }
