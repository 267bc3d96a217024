"""Remembered facts as a file: people's lines stay, citations are looked at, nothing leaves the
project.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.governed.memory.file import (
    candidates,
    cited_files,
    entries,
    rewritten,
    uncited,
)
from podium.workflows.governed.payloads.good import good_answer


def fact(text: str = "limits are per key", *citations: str) -> dict[str, Any]:
    return {
        "subject": "src/app.py",
        "fact": text,
        "citations": list(citations or ("src/app.py:1",)),
        "reason": "r",
        "category": "project",
    }


def test_lines_that_are_no_facts_stay_where_they_are() -> None:
    text = f"# ours\n{json.dumps(fact())}\n{{broken\n"
    assert entries(text) == (fact(),)
    assert rewritten(text, [fact("new"), fact("more")]).splitlines() == [
        "# ours",
        json.dumps(fact("new")),
        "{broken",
        json.dumps(fact("more")),
    ]


def test_a_fact_that_did_not_change_keeps_its_form() -> None:
    spaced = json.dumps(fact(), indent=None, separators=(" , ", " : ")) + "\n"
    assert rewritten(spaced, [fact()]) == spaced


@settings(max_examples=60)
@given(st.lists(st.text(min_size=1, max_size=20), max_size=5))
def test_what_is_written_is_read_again(words: list[str]) -> None:
    facts = [fact(each) for each in words]
    assert list(entries(rewritten("", facts))) == facts


def test_a_researchers_findings_are_candidates_with_their_places() -> None:
    finding = {
        "fact": "limits are per key",
        "evidence": [{"file": "src/app.py", "line_start": 2}, {"file": "b.py", "line_start": 9}],
    }
    (found,) = candidates({**good_answer("researcher"), "key_findings": [finding]}, "why")
    assert found == {
        "subject": "src/app.py",
        "fact": "limits are per key",
        "citations": ["src/app.py:2", "b.py:9"],
        "reason": "why",
        "category": "project",
    }


@pytest.mark.parametrize(
    "report",
    [
        {},
        good_answer("core-implementer"),
        {**good_answer("researcher"), "status": "INSUFFICIENT_EVIDENCE"},
    ],
)
def test_others_have_none(report: dict[str, Any]) -> None:
    assert candidates(report, "why") == []


@pytest.mark.parametrize(
    ("citation", "why"),
    [
        ("a.py:2", ""),
        ("a.py", ""),
        ("a.py:3", "a.py has no line 3"),
        ("b.py:1", "b.py does not exist"),
        ("../x:1", "../x does not exist"),
    ],
)
def test_a_fact_that_nothing_shows_is_not_kept(citation: str, why: str) -> None:
    assert uncited(fact("x", citation), {"a.py": "one\ntwo\n"}) == why


def test_no_citation_leads_out_of_the_project() -> None:
    assert cited_files(
        [
            fact("x", "../../etc/passwd:1", "/etc/passwd:1", "src/../../x:1", "b.py:2"),
            fact("y", "b.py:9"),
        ]
    ) == ["b.py"]


def test_a_citation_of_a_line_beyond_all_numbers_is_shown_by_nothing() -> None:
    far = fact("x", "src/app.py:" + "9" * 5000)
    assert uncited(far, dict.fromkeys(cited_files([far]), "one\n"))
