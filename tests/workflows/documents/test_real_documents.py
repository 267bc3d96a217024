"""Documents as real projects write them, and what they say: `cases/*.toml`, one table for each."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.workflows.documents.readings import READINGS

CASES = [
    pytest.param(case, id=f"{path.stem}: {case['name']}")
    for path in sorted((Path(__file__).parent / "cases").glob("*.toml"))
    for case in tomllib.loads(path.read_text(encoding="utf-8"))["case"]
]


@pytest.mark.parametrize("case", CASES)
def test_a_document_says_what_its_author_meant(case: Mapping[str, Any]) -> None:
    says = READINGS[case["document"]](case["text"], case)

    assert {key: says.get(key) for key in case["says"]} == case["says"]


def test_every_kind_of_document_has_cases() -> None:
    assert {case.values[0]["document"] for case in CASES} == set(READINGS)
