"""The documents of `feature` for the contracts: how each is checked, composed and described.

`shapes` defines them, `checks` finds their faults, `compose` writes them. Other modules import
everything from here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from podium.core.contract import Output
from podium.workflows.feature.documents.checks import faults_of, lacks_of
from podium.workflows.feature.documents.compose import composed
from podium.workflows.feature.documents.shapes import (
    CT_PARTS,
    CT_WORDS,
    R_PARTS,
    R_WORDS,
    SHAPES,
    Shape,
)

__all__ = ["SHAPES", "Shape", "check", "compose", "lacks", "output", "structure"]

_FORMS: Mapping[str, tuple[str, ...]] = {
    "ct": (
        (
            f"each finding as `### [Severity: {'/'.join(CT_WORDS)}] Title` with lines "
            f"{', '.join(f'`{part}:`' for part in CT_PARTS)}"
        ),
        "Requirement Coverage is a table `Requirement | Covered | Notes`",
    ),
    "review": (
        (
            f"each finding as `### [Severity: {'/'.join(R_WORDS)}] Title` with lines "
            f"{', '.join(f'`{part}:`' for part in R_PARTS)}"
        ),
    ),
    "tests": (
        "a line `Status: PASS`, `FAIL` or `PARTIAL`",
        "Counts: lines `Total:`, `Passed:`, `Failed:`, `Skipped:`",
        (
            "Failing Test Details: a `### test` for each, with `Error:`, `Affects Tasks:` and "
            "`Cross-Task Integration Issue: Yes` or `No`"
        ),
    ),
    "tasks": (
        (
            "Tasks: a table `Task ID | Status | Notes`; Status is verified, partially-verified or "
            "failed"
        ),
        "Failing Task IDs: one id in each line, or `None`",
    ),
    "feature": (
        (
            "Acceptance Criteria: a table `Criterion | Status | Evidence`; Status is met, "
            "partially-met or not-met"
        ),
        "Readiness: Ready, Partially Ready or Not Ready",
    ),
}


def check(shape: Shape, *, strict: bool = False) -> Callable[[str, str], tuple[str, ...]]:
    """(text, template) to the faults of such a document; with `strict`, missing parts are faults
    too.
    """
    return partial(faults_of, shape, strict=strict)


def lacks(shape: Shape, text: str) -> tuple[str, ...]:
    """What such a document lacks, each entry with the document's path: for a warning."""
    return tuple(f"{shape.path}: {each}" for each in lacks_of(shape, text))


def compose(shape: Shape) -> Callable[[Mapping[str, Any], str, Mapping[str, str]], str]:
    """(members, template, facts) to the shortest such document with these members."""
    return partial(composed, shape)


def structure(shape: Shape) -> tuple[str, ...]:
    """What belongs in such a document, in words for the brief."""
    lines = [
        f"a line `{value.key}:` with " + (" or ".join(value.words) if value.words else "your value")
        for value in shape.values
    ]
    lines.append("sections, each as `## heading`: " + ", ".join(shape.headings))
    return (*lines, *_FORMS.get(shape.kind, ()))


def output(shape: Shape, folder: str, name: str = "out", *, strict: bool = False) -> Output:
    """Such a document in the feature's folder, as an output of a contract."""
    told = structure(shape)
    return Output(
        name=name,
        path=f"{folder.rstrip('/')}/{shape.path}",
        check=check(shape, strict=strict),
        compose=compose(shape),
        structure=lambda _template: told,
    )
