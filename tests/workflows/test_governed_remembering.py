"""What a task learnt: each fact is kept, refused or asked about on its own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from podium.core.verdict import Judgement
from podium.workflows.governed import paths
from podium.workflows.governed.policy.policy import DEFAULT
from podium.workflows.governed.remembering import keep_facts
from podium.workflows.governed.run import GovernedRun

KNOWN = {
    "subject": "src/app.py",
    "fact": "limits are per key",
    "citations": ["src/app.py:1"],
    "reason": "r",
    "category": "project",
}
NEW = {**KNOWN, "subject": "make test", "fact": "every suite runs at the root"}
ODD = {**KNOWN, "subject": "colour", "fact": "somebody likes green", "category": "taste"}


def kept(*facts: dict[str, Any], choice: str = "") -> Judgement:
    run = GovernedRun(
        step="keep", facts=[dict(each) for each in facts], choice=choice, note="it is another limit"
    )
    return keep_facts(
        run, {paths.MEMORY: json.dumps(KNOWN) + "\n", "src/app.py": "x\n"}, [], DEFAULT
    )


@pytest.mark.parametrize(
    ("choice", "facts", "word"),
    [
        ("", [NEW], "1 fact kept"),
        ("", [ODD], "nothing new"),
        ("skip", [KNOWN], "nothing new"),
        ("merge", [KNOWN], "1 fact kept"),
        ("create", [KNOWN], "1 fact kept"),
        ("merge", [KNOWN, ODD], "1 fact kept"),
        ("create", [KNOWN, ODD, NEW], "2 facts kept"),
        ("skip", [KNOWN, NEW], "1 fact kept"),
    ],
)
def test_a_choice_about_one_fact_does_not_count_for_the_next(
    choice: str, facts: list[dict[str, Any]], word: str
) -> None:
    found = kept(*facts, choice=choice)
    assert (found.route, found.word) == ("kept", word)
