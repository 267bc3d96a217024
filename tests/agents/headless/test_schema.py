"""Verdicts by a vendor's own schema output."""

from __future__ import annotations

from typing import Any

import pytest

from podium.agents.headless.schema import object_in, strict, without_nulls
from podium.core.schema import NUMBER, TEXT, list_of, map_of, object_of, one_of


def test_every_member_is_required_and_what_may_be_left_out_may_be_null() -> None:
    schema = object_of({"status": one_of(("done", "failed")), "summary": TEXT}, ("status",))
    assert strict(schema) == {
        "type": "object",
        "properties": {
            "status": {"type": "string", "enum": ["done", "failed"]},
            "summary": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
        "required": ["status", "summary"],
        "additionalProperties": False,
    }


def test_it_goes_down_into_lists_and_leaves_out_names_of_ones_own() -> None:
    schema = object_of(
        {
            "runs": list_of(object_of({"exit": NUMBER, "note": TEXT}, ("exit",))),
            "criteria": map_of(TEXT),
        },
        ("runs",),
    )
    found: Any = strict(schema)
    assert list(found["properties"]) == found["required"] == ["runs"]
    assert found["properties"]["runs"]["items"]["required"] == ["exit", "note"]


@pytest.mark.parametrize("text", ["This is no JSON.", "[1]", '"done"', "", "[" * 100_000])
def test_a_message_that_is_no_object_is_no_verdict(text: str) -> None:
    assert object_in(text) is None


def test_a_member_that_is_null_was_left_out() -> None:
    assert object_in(
        '{"status": "done", "summary": null, "runs": [{"exit": 0, "note": null}]}'
    ) == {
        "status": "done",
        "runs": [{"exit": 0}],
    }
    assert without_nulls("x") == "x"
