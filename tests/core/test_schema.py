"""Schemas are plain data in the words of the standard."""

from __future__ import annotations

import jsonschema
import pytest

from podium.core.schema import (
    FILLED,
    FLAG,
    NUMBER,
    TEXT,
    list_of,
    map_of,
    matching,
    object_of,
    one_of,
)

WHOLE = object_of(
    {
        "word": one_of(("a", "b")),
        "id": matching("[0-9]{2}"),
        "texts": list_of(TEXT),
        "named": map_of(NUMBER),
        "flag": FLAG,
        "said": FILLED,
    },
    ("word",),
)


def test_the_parts_make_a_schema_of_the_standard() -> None:
    jsonschema.Draft202012Validator.check_schema(WHOLE)


@pytest.mark.parametrize(
    "value",
    [
        {"word": "a"},
        {
            "word": "b",
            "id": "01",
            "texts": ["", "x"],
            "named": {"any": 1},
            "flag": True,
            "said": " x",
        },
    ],
)
def test_what_the_schema_means_is_taken(value: object) -> None:
    jsonschema.validate(value, WHOLE)


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"word": "c"},
        {"word": "a", "more": 1},
        {"word": "a", "id": "012"},
        {"word": "a", "texts": [1]},
        {"word": "a", "named": {"x": "y"}},
        {"word": "a", "flag": 1},
        {"word": "a", "said": " "},
    ],
)
def test_what_it_does_not_mean_is_not(value: object) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(value, WHOLE)
