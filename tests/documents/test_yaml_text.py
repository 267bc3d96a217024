from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.documents.yaml_text import dump_yaml, inline, key
from podium.documents.yaml_tree import parse_yaml

VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**15), 10**15),
        st.floats(allow_nan=False, allow_infinity=False, min_value=-1e9, max_value=1e9).map(
            lambda each: round(each, 3)
        ),
        st.text(max_size=20),
        st.sampled_from(
            [
                "null",
                "yes",
                "3",
                "a: b",
                "# no",
                "- x",
                "line\nline",
                "line\n\n  deeper\n",
                " pad\nx",
                "\u2028",
                "\x85",
            ]
        ),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


def test_texts_stand_in_quotes_and_lines_stand_as_lines():
    text = dump_yaml(
        {"a": "yes", "n": None, "long": "one\ntwo\n", "list": [{"x": 1, "y": []}, "z"], "empty": {}}
    )
    assert text == (
        'a: "yes"\n"n": null\nlong: |\n  one\n  two\nlist:\n  - x: 1\n    "y": []\n  - "z"\n'
        "empty: {}\n"
    )


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.text(max_size=8), VALUES, max_size=4))
def test_what_is_written_is_read_back(data: dict[str, Any]):
    assert parse_yaml(dump_yaml(data)).data == data
    assert dump_yaml(data) == dump_yaml(data)


@settings(max_examples=80, deadline=None)
@given(VALUES)
def test_one_line_is_one_line_and_is_read_back(value: Any):
    text = inline(value)
    assert len(f"a: {text}".splitlines()) == 1
    assert parse_yaml(f"a: {text}").data == {"a": value}


def test_a_number_without_end_has_no_place():
    with pytest.raises(ValueError, match="no place"):
        inline(float("inf"))


@pytest.mark.parametrize(
    ("name", "written"), [("id", "id"), ("no", '"no"'), ("a b", '"a b"'), ("1", '"1"')]
)
def test_a_name_is_quoted_where_it_could_be_something_else(name: str, written: str):
    assert key(name) == written
