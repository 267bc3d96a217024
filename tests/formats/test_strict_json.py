from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.formats.strict_json import Twice, parse

VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(VALUES)
@settings(max_examples=60, deadline=None)
def test_plain_json_is_read_as_it_is(value: Any) -> None:
    assert parse(json.dumps(value)) == value
    assert parse("\ufeff" + json.dumps(value)) == value


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('{"a": 1, "a": 1}', "'a' occurs twice"),
        ("[Infinity]", "Infinity is not a JSON value"),
        ("[1e999]", "1e999 is too large a number"),
        ("", "Expecting value"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_json_is_not_is_refused(text: str, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        parse(text)


def test_the_name_that_stands_twice_is_told() -> None:
    with pytest.raises(Twice) as fault:
        parse('{"a": {"b": 1, "c": 2, "b": 3}}')
    assert fault.value.name == "b"
