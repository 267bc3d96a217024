from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.formats.structure import HEADER_FIELDS, Structure, check, structure_of
from podium.workflows import harness

TEMPLATE = """# Feature Specification — {{TASK_TITLE}}

Task: {{TASK_ID}}\x20\x20
Artifact: Feature Specification\x20\x20
Run: {{RUN_ID}}

## Goal

<!-- One sentence. -->

Say what will be true.

## Risks

{{RISKS}}

## Lifecycle Check

Task ID: {{TASK_ID}}\x20\x20
Proceeding Validly: {{YES_OR_NO}}
"""
GOOD = """# Feature Specification — Words

Task: T001
Artifact: Feature Specification
Run: RUN-1

## Goal

A counter counts words.

## Risks

## Lifecycle Check

Task ID: T001
Proceeding Validly: Yes
"""
SHAPE = structure_of(TEMPLATE)
TEMPLATES = sorted((Path(harness.__file__).parent / "scaffold" / "templates").glob("*.md"))


def test_the_structure_is_the_templates_second_level_headings_and_header_lines() -> None:
    assert Structure(("Goal", "Risks", "Lifecycle Check"), ("Task", "Artifact", "Run")) == SHAPE


def test_a_sound_artifact_has_no_fault_even_with_an_empty_section() -> None:
    assert check(GOOD, SHAPE, TEMPLATE) == ()


def test_every_fault_is_named_at_once() -> None:
    text = (
        GOOD.replace("## Risks\n", "")
        .replace("Run: RUN-1\n", "")
        .replace("T001\n", "{{TASK_ID}}\n", 1)
    )
    assert check(text, SHAPE, TEMPLATE) == (
        "section 'Risks' is missing",
        "header line 'Run:' is missing",
        "placeholder {{TASK_ID}} is still there",
    )


def test_a_heading_in_code_is_no_section() -> None:
    text = GOOD.replace("## Risks", "```\n## Risks\n```")
    assert check(text, SHAPE, TEMPLATE) == ("section 'Risks' is missing",)


def test_placeholders_of_the_subject_are_no_fault() -> None:
    text = GOOD.replace("counts words.", "fills {{NAME}}.\n\n```\n{{TASK_ID}}\n```\n")
    assert check(text, SHAPE, TEMPLATE) == ()


@pytest.mark.parametrize(
    "body",
    ["", "<!-- my words -->", "Say what will  be true.", "-", "```\ncode\n```", "> Say it"],
)
def test_an_artifact_that_repeats_its_template_says_nothing(body: str) -> None:
    assert check(GOOD.replace("A counter counts words.", body), SHAPE, TEMPLATE) == (
        "says nothing beyond its template",
    )


def test_lines_the_program_filled_in_are_not_the_agents_words() -> None:
    template = TEMPLATE.replace("{{RISKS}}", "See {{PATH}}.")
    text = GOOD.replace("A counter counts words.", "See a.md.")
    assert check(text, SHAPE, template) == ()
    assert check(text, SHAPE, template, {"PATH": "a.md"}) == ("says nothing beyond its template",)


@given(st.text(), st.text())
def test_no_text_makes_it_fail(text: str, template: str) -> None:
    check(text, structure_of(template), template)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_the_scaffolds_templates_refuse_themselves(path: Path) -> None:
    template = path.read_text(encoding="utf-8")
    shape = structure_of(template)
    faults = check(template, shape, template)
    assert any(fault.startswith("placeholder") for fault in faults)
    assert not any("missing" in fault for fault in faults)
    if "run-" not in path.stem:
        assert shape.fields == HEADER_FIELDS
        assert "says nothing beyond its template" in faults
