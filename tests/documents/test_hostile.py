"""No text makes a document raise anything but its own error, or take more than linear time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.documents.test_reading import PLAN, REVIEW
from tests.documents.test_writing import JSON, YAML
from tests.documents.test_writing import PLAN as STEPS

from podium.core.errors import InputError
from podium.documents import Document

WORDS = Document("plan.md", sections=["Goal"], fields={"Risk": ["low", "high"], "Paths": "paths"})
LIST = Document("a.yaml", list={"id": "key", "needs": "keys"})
DOCUMENTS = [PLAN, REVIEW, STEPS, WORDS, YAML, JSON, LIST]
PIECES = st.sampled_from(
    [
        "# Review R1 — x",
        "## Findings",
        "### Major: x",
        "- ",
        "  - ",
        "Status: Pass",
        "**Where:** a",
        "| Severity | What |",
        "|---|---|",
        "| Major | x |",
        "[Major] x",
        "## Goal",
        "## Status",
        "```",
        "> ",
        "<!--",
        "-->",
        "None",
        "Severity: Major",
        "[ ] x",
        "## Changes",
        "`a` — create",
        "## Praise",
        "Files: a, b",
        "## Steps",
        "### Step 1 — x",
        "Risk: low",
        "---",
        "",
        "\\",
        ":",
        "items:",
        "  - id: A",
        "criteria: x",
        '{"items": [',
        "]}",
        "\u2028",
        "\x00",
        "é",
        "{id: [a",
        "(Major)",
        "— Fail",
        "[Resolved]",
        "Require Approval Before X: yes",
        "Failed: 3",
        "1. AC1",
    ]
)
TEXTS = st.lists(st.lists(PIECES, max_size=3).map(" ".join), max_size=12).map("\n".join)


@given(st.text() | TEXTS)
@settings(max_examples=150, deadline=None)
def test_any_text_is_read_or_refused_and_an_update_keeps_what_it_says(text: str) -> None:
    for document in DOCUMENTS:
        reading = document.read(text)
        assert all(str(fault) for fault in (*reading.faults, *reading.warnings))
        try:
            changed = document.update(text, {})
        except InputError:
            assert reading.faults
            continue
        assert changed == text
        if not reading.faults:
            again = document.read(document.render(reading.value))
            assert again.faults == ()


@pytest.mark.parametrize("document", [REVIEW, PLAN, STEPS, WORDS], ids=lambda d: d.path)
@pytest.mark.parametrize(
    "piece",
    [
        "- Major: x\n",
        "Severity: Major ",
        "| Major ",
        "| Major | x |\n",
        "### Major: x\n",
        "- x: y ",
        "**Status:** Pass\n",
        "- [ ] ",
        "[Major] ",
        "(Major) ",
        "Major/Major, ",
        "— Fail ",
        "`a`, ",
        "## Findings\n",
        "  - Where: a\n",
        "None ",
        "no open ",
        "#### x\n",
        "### Step 1 — x\n",
        "*",
        "- Major\n  - Where: x\n",
        "Major: ",
        "Finding 1: ",
        "  ",
        "Files: a\n- b\n",
        "Paths: ",
    ],
)
def test_hostile_texts_take_linear_time(document: Document, piece: str) -> None:
    def seconds(size: int) -> float:
        text = "# Review R1 — x\n\n## Findings\n\n" + piece * (size // len(piece))
        before = time.process_time()
        document.read(text)
        return time.process_time() - before

    assert seconds(80_000) < 3 + 8 * seconds(20_000)


def test_one_line_of_72_thousand_characters_is_read_at_once() -> None:
    for text in ("- Major: " + "x (Major) — " * 6_000, "| " + "Major | " * 9_000):
        before = time.process_time()
        REVIEW.read(f"# Review R1 — x\n\n## Findings\n\n{text}\n")
        assert time.process_time() - before < 1
