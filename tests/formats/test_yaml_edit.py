from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core.errors import InputError
from podium.formats.yaml_edit import merge, overlaid
from podium.formats.yaml_text import document
from podium.formats.yaml_tree import parse

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


def test_only_the_bytes_of_changed_values_differ():
    changed = merge(
        FILE,
        {
            "status": "PAUSED",
            "tasks": [
                {"id": "T1", "status": "ACCEPTED"},
                {"id": "T2", "status": "REJECTED", "attempt": 2},
            ],
        },
        "x",
    )
    assert changed == FILE.replace("PENDING   #", "PAUSED   #", 1).replace(
        "  status: PENDING\n", "  status: ACCEPTED\n", 1
    ).replace('status: "PENDING"}', 'status: "REJECTED", attempt: 2}')


def test_nothing_wanted_and_nothing_new_leave_every_byte():
    assert merge(FILE, {}, "x") == FILE
    assert merge(FILE, {"count": 1, "owner": "Ada", "last": {"a": 1}}, "x") == FILE


@pytest.mark.parametrize(
    ("wanted", "old", "new"),
    [
        ({"count": 2}, "count: 1\n", "count: 2\n"),
        ({"count": None}, "count: 1\n", "count: null\n"),
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
    assert merge(FILE, wanted, "x") == FILE.replace(old, new)


def test_true_is_not_one():
    assert merge("a: 1\n", {"a": True}, "x") == "a: true\n"


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
    assert merge(text, {"a": 5, "c": {"d": 1}}, "x") == expected


@pytest.mark.parametrize("text", ["- a\n", "just words\n", "a: [\n"])
def test_what_is_no_table_is_refused(text: str):
    with pytest.raises(InputError):
        merge(text, {"a": 1}, "x")


def test_a_list_that_only_grows_keeps_its_items():
    text = "a:\n  - 1   # one\n  - 2\nb: 1\n"
    assert merge(text, {"a": [1, 2, 3]}, "x") == "a:\n  - 1   # one\n  - 2\n  - 3\nb: 1\n"
    assert merge(text, {"a": [3, 1]}, "x") == "a:\n  - 3\n  - 1\nb: 1\n"


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


@settings(max_examples=150, deadline=None)
@given(DATA, DATA, st.booleans())
def test_the_result_holds_what_was_wanted_and_what_was_there(
    found: dict[str, Any], wanted: dict[str, Any], crlf: bool
):
    text = document(found)
    changed = merge(text.replace("\n", "\r\n") if crlf else text, wanted, "x")
    assert parse(changed, "x").data == overlaid(found, wanted)
    assert merge(changed, wanted, "x") == changed
