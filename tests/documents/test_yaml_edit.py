"""A person's YAML file changed in place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.documents.edit import merge_yaml, overlaid
from podium.documents.tree import TreeError
from podium.documents.yaml_text import dump_yaml
from podium.documents.yaml_tree import parse_yaml

FILE = """\
# Kept by Ada: do not reorder
status:   PENDING   # by hand
owner: 'Ada'
count: 1

tasks:
- id: T1        # the first
  status: PENDING
  note: |
    mine

    and mine

# between
- {id: T2, status: "PENDING"}
areas: []
empty:     # nothing yet
last: {a: 1}
"""
VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-99, 99),
        st.text(max_size=8),
        st.sampled_from(["a\nb\n", "# x", "- y"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["a", "b c", "id"]), inner, max_size=3),
    ),
    max_leaves=8,
)
DATA = st.dictionaries(st.sampled_from(["a", "b", "c", "id"]), VALUES, max_size=4)


def test_only_the_bytes_of_changed_values_differ():
    tasks = [
        {"id": "T1", "status": "ACCEPTED"},
        {"id": "T2", "status": "REJECTED", "attempt": 2},
    ]
    assert merge_yaml(FILE, {"status": "PAUSED", "tasks": tasks}) == FILE.replace(
        "PENDING   #", "PAUSED   #", 1
    ).replace("  status: PENDING\n", "  status: ACCEPTED\n", 1).replace(
        'status: "PENDING"}', 'status: "REJECTED", attempt: 2}'
    )


@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"count": 1, "owner": "Ada", "last": {"a": 1}},
        {"count": 1.0},
        {"tasks": []},
        {"tasks": [{"id": "T2"}]},
    ],
)
def test_nothing_new_leaves_every_byte(wanted: dict[str, Any]):
    assert merge_yaml(FILE, wanted) == FILE


@pytest.mark.parametrize(
    ("wanted", "old", "new"),
    [
        ({"count": 2}, "count: 1\n", "count: 2\n"),
        ({"count": None}, "count: 1\n", "count: null\n"),
        ({"count": True}, "count: 1\n", "count: true\n"),
        ({"owner": "Bob, Eve"}, "'Ada'", '"Bob, Eve"'),
        ({"areas": ["a", "b"]}, "[]", '["a", "b"]'),
        ({"empty": "x"}, "empty:     #", 'empty: "x"     #'),
        ({"last": {"b": [1]}}, "{a: 1}", "{a: 1, b: [1]}"),
        ({"new": "x"}, "last: {a: 1}\n", 'last: {a: 1}\nnew: "x"\n'),
        ({"tasks": [{"id": "T3"}]}, '"PENDING"}\n', '"PENDING"}\n- id: "T3"\n'),
        ({"tasks": [{"id": "T1", "note": "short"}]}, "|\n    mine\n\n    and mine\n", '"short"\n'),
        (
            {"tasks": [{"id": "T1", "more": {"a": 1}}]},
            "    and mine\n",
            "    and mine\n  more:\n    a: 1\n",
        ),
    ],
)
def test_each_kind_of_change_is_made_where_it_belongs(wanted: dict[str, Any], old: str, new: str):
    assert FILE.count(old) == 1
    assert merge_yaml(FILE, wanted) == FILE.replace(old, new)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\r\nb: 2\r\n", "a: 5\r\nb: 2\r\nc:\r\n  d: 1\r\n"),
        ("\ufeffa: 1\n", "\ufeffa: 5\nc:\n  d: 1\n"),
        ("a: 1", "a: 5\nc:\n  d: 1\n"),
        ('{"a": 1}', '{"a": 5, "c": {d: 1}}'),
        ("# only words\n", "# only words\na: 5\nc:\n  d: 1\n"),
        ("a: |+\n  x\n\nb: 1\n", "a: 5\n\nb: 1\nc:\n  d: 1\n"),
        ("b: |+\n  x\n\na: 1\n", "b: |+\n  x\n\na: 5\nc:\n  d: 1\n"),
        ("a: 1\nb: |+\n  x\n\n", "a: 5\nb: |+\n  x\n\nc:\n  d: 1\n"),
        ("---\na: 1\n...\n", "---\na: 5\nc:\n  d: 1\n...\n"),
        ("a: 1  # why\n# end\n", "a: 5  # why\nc:\n  d: 1\n# end\n"),
    ],
)
def test_files_of_every_kind_can_be_changed(text: str, expected: str):
    assert merge_yaml(text, {"a": 5, "c": {"d": 1}}) == expected


@pytest.mark.parametrize("text", ["- a\n", "just words\n", "a: [\n"])
def test_what_is_no_table_is_refused(text: str):
    with pytest.raises(TreeError):
        merge_yaml(text, {"a": 1})


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ([1, 2, 3], "a:\n  - 1   # one\n  - 2\n  - 3\nb: 1\n"),
        ([3, 1], "a:\n  - 3\n  - 1\nb: 1\n"),
        ([], "a:\n  []\nb: 1\n"),
    ],
)
def test_a_list_that_only_grows_keeps_its_items(wanted: list[int], expected: str):
    assert merge_yaml("a:\n  - 1   # one\n  - 2\nb: 1\n", {"a": wanted}) == expected


@settings(max_examples=150, deadline=None)
@given(DATA, DATA, st.booleans())
def test_the_result_holds_what_was_wanted_and_what_was_there(
    data: dict[str, Any], wanted: dict[str, Any], crlf: bool
):
    text = dump_yaml(data)
    changed = merge_yaml(text.replace("\n", "\r\n") if crlf else text, wanted)
    assert parse_yaml(changed).data == overlaid(data, wanted)
    assert merge_yaml(changed, wanted) == changed
