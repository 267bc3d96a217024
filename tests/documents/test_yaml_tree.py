"""YAML as people write it: what each word means, where it stands, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.documents.tree import TreeError
from podium.documents.yaml_text import dump_yaml, inline, key
from podium.documents.yaml_tree import MAX_LENGTH, parse_yaml

TEXT = """\
# a comment
jira: "PROJ-1"
count: 3
ratio: 0.5
flag: true
when: 2026-04-20
nothing:
version: 1.2.3
list:
  - one
  -
  - {a: [1, two]}
long: |
  first
   second
"""
VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**15), 10**15),
        st.floats(-1e9, 1e9, allow_nan=False).map(lambda number: round(number, 3)),
        st.text(max_size=20),
        st.sampled_from(["null", "yes", "3", "a: b", "# no", "- x", "line\nline", " pad\nx"]),
        st.sampled_from(["line\n\n  deeper\n", "\u2028", "\x85"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


def test_values_follow_the_core_schema_and_a_date_stays_text():
    assert parse_yaml(TEXT).data == {
        "jira": "PROJ-1",
        "count": 3,
        "ratio": 0.5,
        "flag": True,
        "when": "2026-04-20",
        "nothing": None,
        "version": "1.2.3",
        "list": ["one", None, {"a": [1, "two"]}],
        "long": "first\n second\n",
    }


@pytest.mark.parametrize(
    "word",
    ["yes", "no", "on", "off", ".nan", ".inf", "1e+999", "1e999", "9" * 30, "0x1F", "1_0", "12e5"],
)
def test_words_that_some_readers_take_for_something_else_stay_words(word: str):
    assert parse_yaml(f"a: {word}").data == {"a": word}


def test_every_value_knows_its_line_and_its_bytes():
    root = parse_yaml(TEXT)
    node = root.at("list", 2, "a", 1)
    assert node is not None
    assert (node.line, TEXT[node.start : node.end]) == (12, "two")
    assert root.at("list", 7) is None
    assert root.at("absent", "more") is None


@pytest.mark.parametrize(
    ("path", "line"),
    [((), 2), (("count",), 3), (("list", 2, "a", 1), 12), (("list", 9), 10), (("x", "y"), 2)],
)
def test_a_line_is_that_of_the_innermost_value_that_is_there(path: tuple[Any, ...], line: int):
    assert parse_yaml(TEXT).line_of(path) == line


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: &x 1\nb: *x\n", 1, "anchors"),
        ("a: !!str 5\n", 1, "tag"),
        ("a: 1\nb: 2\na: 3\n", 3, "second time"),
        ("a: 1\n---\nb: 1\n", 2, "second document"),
        ("a: [1\n", 2, "not YAML"),
        ("\tb: 1\n", 1, "not YAML"),
        ("? [a]\n: 1\n", 1, "must be a word"),
        ("a: " + "[" * 60 + "]" * 60, 1, "nested"),
        ("a: " + "[" * 9999, 1, "nested"),
        ('a: "\\UFFFFFFFF"', 1, "not YAML"),
        ("x" * (MAX_LENGTH + 1), 1, "characters"),
        ("a: &a [x]\nb: [*a, *a]\n", 2, "anchors"),
    ],
)
def test_what_is_refused_is_named_with_its_line(text: str, line: int, words: str):
    with pytest.raises(TreeError) as caught:
        parse_yaml(text)
    assert any(fault[0] == line and words in fault[1] for fault in caught.value.faults)


def test_everything_that_is_refused_is_said_at_once():
    with pytest.raises(TreeError) as caught:
        parse_yaml("a: &x 1\na: 2\nb: !t 3\n")
    assert [line for line, _, _ in caught.value.faults] == [1, 2, 3]


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab1:-[]{},\n #'\"|>&*!%@?\t\\U\x00é"), max_size=40))
def test_any_text_is_a_tree_or_a_fault(text: str):
    try:
        root = parse_yaml(text)
    except TreeError:
        return
    assert 0 <= root.start <= root.end <= len(text)


# --- values as YAML


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
