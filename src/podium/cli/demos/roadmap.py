"""The demo of `roadmap`: three items; tests find a bug in the second, validation finds design
drift in the third.
"""

from __future__ import annotations

import json
from typing import Any

from podium.cli.demos import slugs, words
from podium.cli.demos.project import Story, test_command

_TEST_SLUG = """\
import unittest

from textkit.slugs import slug


class Slug(unittest.TestCase):
    def test_words_are_joined(self) -> None:
        self.assertEqual("hello-world", slug("Hello World"))

    def test_signs_are_left_out(self) -> None:
        self.assertEqual("hello-world", slug("Hello,  World!"))
"""
_REPORT_DRIFT = '''\
def report(title: str, text: str) -> str:
    """One line about a text."""
    return f"{title}: {len(text.split())} words"
'''
_REPORT = '''\
from textkit.slugs import slug
from textkit.words import count_words


def report(title: str, text: str) -> str:
    """One line about a text, under the name it has in addresses."""
    return f"{slug(title)}: {count_words(text)} words"
'''
_TEST_REPORT = """\
import unittest

from textkit.reports import report


class Report(unittest.TestCase):
    def test_a_text_is_summed_up(self) -> None:
        self.assertEqual("my-day: 3 words", report("My day!", "a b c"))
"""
_ADR = """\
# ADR-001: Reports are built from the parts

## Context

A report needs a name and a count; both exist.

## Related ADRs

No prior ADR found for this scope

## Decision

`report(title: str, text: str) -> str` calls `slug` and `count_words` and has no rules of its own.

## Consequences

### Positive

One rule for words.

### Negative

Two imports.

### Alternatives Considered

Counting again in the report.

## Status

Accepted

## Compatibility Check

Nothing that exists changes.

## Date

2026-01-01
"""


def story(pace: float) -> Story:
    return Story(
        inputs=(),
        scenario=scenario(pace),
        files={
            "roadmap.json": json.dumps({"project": "textkit", "items": items()}, indent=2) + "\n"
        },
        look=("log @", "show @ item/US-2/testing/1", "report @", "git log --oneline"),
    )


def items() -> list[dict[str, Any]]:
    return [
        _item(
            "US-1",
            "Count the words of a text",
            1,
            "simple",
            [],
            ["count_words ignores extra whitespace"],
        ),
        _item(
            "US-2",
            "A title as part of an address",
            2,
            "medium",
            [],
            ["words are joined by one dash", "signs are left out"],
        ),
        _item(
            "US-3",
            "One line about a text",
            3,
            "complex",
            ["US-1", "US-2"],
            ["the line has the slug and the number of words"],
        ),
    ]


def _item(
    id: str,
    title: str,
    priority: int,
    complexity: str,
    dependencies: list[str],
    criteria: list[str],
) -> dict[str, Any]:
    return {
        "id": id,
        "title": title,
        "priority": priority,
        "complexity": complexity,
        "status": "ready",
        "passes": False,
        "ownerAgent": "Implement",
        "dependencies": dependencies,
        "acceptanceCriteria": criteria,
        "verification": [test_command()],
        "retryCount": 0,
        "planningResearch": None,
    }


def scenario(pace: float) -> dict[str, Any]:
    used = {"usage": {"tokens_in": 4100, "tokens_out": 520, "cost_usd": 0.02}, "sleep": pace}

    def built(path: str, code: str, said: str) -> dict[str, Any]:
        files = [{"path": path, "note": said}]
        return {
            "write": {path: code},
            "verdict": {"status": "success", "files": files},
            "say": said,
            **used,
        }

    def tested(path: str, code: str, verdict: str = "pass", *failures: str) -> dict[str, Any]:
        status = "success" if verdict == "pass" else "needs_revision"
        told = {"status": status, "tests": verdict, "failures": list(failures)}
        return {"write": {path: code}, "verdict": told, "say": f"tests {verdict}", **used}

    drift = {
        "status": "needs_revision",
        "validation": "drift_detected",
        "failures": ["report() counts words itself; the design has it call count_words and slug"],
    }
    return {
        "keys": {
            "item/US-1/implement/1": [
                built("textkit/words.py", words.GOOD, "count_words splits at whitespace")
            ],
            "item/US-1/testing/1": [tested("tests/test_words.py", words.TEST)],
            "item/US-2/implement/1": [
                built("textkit/slugs.py", slugs.HASTY, "slug replaces spaces by dashes")
            ],
            "item/US-2/testing/1": [
                tested(
                    "tests/test_slugs.py",
                    _TEST_SLUG,
                    "fail",
                    "test_signs_are_left_out: 'hello,--world!' is not 'hello-world'",
                )
            ],
            "item/US-2/implement/2": [
                built("textkit/slugs.py", slugs.GOOD, "slug keeps letters and digits only")
            ],
            "item/US-3/architect": [
                {
                    "write": {"docs/adr/ADR-001.md": _ADR},
                    "verdict": {"status": "success"},
                    "say": "ADR-001: a report calls slug and count_words",
                    **used,
                }
            ],
            "item/US-3/implement/1": [
                built("textkit/reports.py", _REPORT_DRIFT, "report writes one line")
            ],
            "item/US-3/validate/1": [
                {"verdict": drift, "say": "the code drifts from ADR-001", **used}
            ],
            "item/US-3/implement/2": [
                built("textkit/reports.py", _REPORT, "report calls slug and count_words")
            ],
            "item/US-3/testing/1": [tested("tests/test_reports.py", _TEST_REPORT)],
        },
        "defaults": {"behave": "well", **used},
    }
