"""Of several reports of one agent, the one that counts."""

from __future__ import annotations

import itertools

import pytest

from podium.agents.reporting.sources import Found, Reported, verdict_source

TOOL, FILE, SCHEMA = {"by": "tool"}, {"by": "file"}, {"by": "schema"}


@pytest.mark.parametrize(
    ("tool", "file", "schema", "expected"),
    [
        (TOOL, FILE, SCHEMA, Reported("tool", TOOL)),
        (TOOL, None, None, Reported("tool", TOOL)),
        (TOOL, "bad", "bad", Reported("tool", TOOL)),
        (None, FILE, SCHEMA, Reported("file", FILE)),
        (None, FILE, "bad", Reported("file", FILE)),
        (None, None, SCHEMA, Reported("schema", SCHEMA)),
        (None, None, None, Reported("line")),
        ("bad", FILE, SCHEMA, Reported("tool", fault="bad")),
        (None, "bad", SCHEMA, Reported("file", fault="bad")),
        (None, None, "bad", Reported("schema", fault="bad")),
        ({}, FILE, SCHEMA, Reported("tool", {})),
        (None, {}, SCHEMA, Reported("file", {})),
    ],
)
def test_tool_then_file_then_schema_then_line(
    tool: Found, file: Found, schema: Found, expected: Reported
) -> None:
    assert verdict_source(tool=tool, file=file, schema=schema) == expected


def test_a_spoiled_report_is_never_made_good_by_another() -> None:
    for tool, file, schema in itertools.product(
        (None, TOOL, "bad"), (None, FILE, "bad"), (None, SCHEMA, "bad")
    ):
        found = verdict_source(tool=tool, file=file, schema=schema)
        first = next((each for each in (tool, file, schema) if each is not None), None)
        assert bool(found.fault) == isinstance(first, str)
        assert found.verdict == (first if isinstance(first, dict) else None)
