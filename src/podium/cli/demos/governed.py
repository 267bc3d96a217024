"""The demo of `governed`: the auditor demands a rollback plan, two phases fail and slow the
rest, an executor asks.
"""

from __future__ import annotations

from typing import Any

from podium.cli.demos import slugs
from podium.cli.demos.project import Story
from podium.workflows.governed.payloads.good import good_answer

_WORDS = '''\
def count_words(text: str) -> int:
    """How many words a text holds."""
    return len(text.split())
'''
_TEST_SLUG = """\
import unittest

from textkit.slugs import slug


class Slug(unittest.TestCase):
    def test_signs_are_left_out(self) -> None:
        self.assertEqual("hello-world", slug("Hello,  World!"))
"""
_REPORT = '''\
from textkit.slugs import slug
from textkit.words import count_words


def report(title: str, text: str) -> str:
    """One line about a text."""
    return f"{slug(title)}: {count_words(text)} words"
'''


def story(pace: float) -> Story:
    return Story(
        inputs=("Sum up a text in one line",),
        scenario=scenario(pace),
        policy={"retry_backoff_s": 0.2},
        answers=("words",),
        shows="plans/session-outcomes.md",
        look=("log @", "show @ plan-review/1/plan-auditor", "report @", "check governed"),
    )


def phases() -> list[dict[str, Any]]:
    return [
        _phase(1, "Count the words", 1, {"textkit/words.py": "counts words"}),
        _phase(
            2,
            "Name a text",
            1,
            {"textkit/slugs.py": "makes the name", "tests/test_slugs.py": "proves it"},
        ),
        {
            **_phase(3, "Report on a text", 2, {"textkit/reports.py": "joins both"}),
            "dependencies": [1, 2],
        },
    ]


def _phase(number: int, title: str, wave: int, files: dict[str, str]) -> dict[str, Any]:
    return {
        "phase_id": number,
        "title": title,
        "objective": f"{title}, with tests that show it.",
        "wave": wave,
        "files": [
            {"path": path, "action": "create", "reason": reason} for path, reason in files.items()
        ],
    }


def scenario(pace: float) -> dict[str, Any]:
    used = {"usage": {"tokens_in": 5200, "tokens_out": 640, "cost_usd": 0.03}, "sleep": pace}

    def plan(summary: str) -> dict[str, Any]:
        return {
            "behave": "well",
            "write": {
                "@plan": {"complexity_tier": "SMALL", "summary": summary, "phases": phases()}
            },
            **used,
        }

    def wrote(files: dict[str, str], said: str) -> dict[str, Any]:
        return {"behave": "well", "write": files, "say": said, **used}

    finding = {
        "severity": "MAJOR",
        "category": "missing_rollback",
        "description": "nothing says how a phase is taken back",
        "affected_phases": [1, 2, 3],
    }
    refused = {
        "status": "NEEDS_REVISION",
        "findings": [finding],
        "failure_classification": "fixable",
        "risk_summary": {
            "critical_count": 0,
            "major_count": 1,
            "minor_count": 0,
            "overall_risk": "MEDIUM",
        },
        "recommendation": "say how to go back",
    }
    asks = {
        "options": [
            {
                "id": "words",
                "description": "Count words.",
                "pros": ["it is there already"],
                "cons": [],
                "affected_files": ["textkit/reports.py"],
            },
            {
                "id": "signs",
                "description": "Count signs.",
                "pros": ["exact"],
                "cons": ["nobody reads it"],
                "affected_files": ["textkit/reports.py"],
            },
        ],
        "impact_analysis": "What the report counts is what people will compare texts by.",
        "recommended_option": "words",
        "recommended_option_rationale": "The first phase made exactly that.",
    }
    question = {
        **good_answer("core-implementer"),
        "status": "NEEDS_INPUT",
        "failure_classification": "needs_replan",
        "clarification_request": asks,
    }
    return {
        "agents": {
            "planner": [
                plan("Words, names, then the report."),
                plan("Words, names, then the report; each phase can be taken back by itself."),
            ],
            "plan-auditor": [
                {"behave": "well", "verdict": refused, "say": "the plan has no way back", **used},
                {"behave": "well", **used},
            ],
        },
        "keys": {
            "wave/1/phase/1/execute/1": [{"fail": "crash", **used}],
            "wave/1/phase/1/execute/2": [
                wrote({"textkit/words.py": _WORDS}, "count_words splits at whitespace")
            ],
            "wave/1/phase/2/execute/1": [{"fail": "crash", **used}],
            "wave/1/phase/2/execute/2": [
                wrote(
                    {"textkit/slugs.py": slugs.HASTY, "tests/test_slugs.py": _TEST_SLUG},
                    "slug replaces spaces by dashes",
                )
            ],
            "wave/1/phase/2/execute/3": [
                wrote({"textkit/slugs.py": slugs.GOOD}, "slug keeps letters and digits only")
            ],
            "wave/2/phase/3/execute/1": [
                {"verdict": question, "say": "what shall the report count?", **used}
            ],
            "wave/2/phase/3/execute/2": [
                wrote({"textkit/reports.py": _REPORT}, "report calls slug and count_words")
            ],
        },
        "defaults": {"behave": "well", **used},
    }
