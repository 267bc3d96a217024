from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core.errors import InputError
from podium.formats import yaml_lines, yaml_text, yaml_tree
from podium.formats.yaml_tree import Node

PLAIN = """\
# a comment
jira: "PROJ-1"   # another
count: -3
ratio: 0.5
when: 2026-04-20T10:30:00Z
nothing:
empty: []
"quoted name": 'it''s'
list:
- one
-
- {a: [1, two words, "three"], b: {}}
deep:
  - id: TASK-1
    files: [src/a.py, "src/*.py"]

    notes: |
      first

       second
  - - a
    - b
last: |-
  kept

"""
PIECES = st.sampled_from(
    [
        "a: 1", "b:", "c: word", 'd: "q\\n"', "e: 'x'", "f: |", "g: |-", "h: >", "i: []", "j: {a: 1, b: [x]}", "- one", "-", "- k: v", "- - x",
        '- "t"', "# note", "", "  ", "text", "k: a: b", "k: a # b", "k: a#b", "k : v", '"k": v', "? k", "- # note", "k: - v", "---", "...", "k: &x 1",
        "k: *x", "k: !t v", "k: [a,b]", "k: [a, b", "k: {a: }", "k: ...", "k: -", "k: 'it''s'", 'k: "\\ud800"', 'k: "a', "k: \u2028", "k: é (1): x",
        "k:\tv", "k: v ", "k: @v", "k: v:", "k: 12:30", "<<: v", "y: no", "null: ~", "k: # note", "k: [] # note", 'k: "v"x', "k: |+", "k: |2", "k: # ", "- k:", "%TAG", "k: (v) [w]",
    ]
)  # fmt: skip
TEXTS = st.lists(st.tuples(st.sampled_from(["", "", "  ", "  ", "    ", " ", "   "]), PIECES).map("".join), max_size=9)


def _scanned(text: str) -> Node | str:
    reader = yaml_tree._Reader(text, "x", yaml_tree._scanned(text, "x"))
    try:
        return reader.document() if not reader.faults else "refused"
    except InputError as refused:
        return str(refused)


def _read_plainly(text: str) -> Node | None:
    found = yaml_lines.events(text)
    return None if found is None else yaml_tree._Reader(text, "x", iter(found)).document()


def test_a_plain_text_is_read_without_the_full_scanner_and_every_value_stands_where_that_one_finds_it():
    assert _read_plainly(PLAIN) == _scanned(PLAIN)


@given(TEXTS, st.sampled_from(["\n", ""]))
@settings(max_examples=300)
def test_whatever_is_read_plainly_the_full_scanner_reads_the_same(lines: list[str], end: str):
    text = "\n".join(lines) + end
    if (found := _read_plainly(text)) is not None:
        assert found == _scanned(text)


@given(
    st.dictionaries(
        st.text(max_size=8),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
            max_leaves=8,
        ),
        max_size=5,
    )
)
@settings(max_examples=100)
def test_what_this_program_writes_reads_the_same_either_way(data: dict[str, object]):
    text = yaml_text.document(data)
    if (found := _read_plainly(text)) is not None:
        assert found == _scanned(text)


@pytest.mark.parametrize(
    "text",
    ["a: &x 1\n", "---\na: 1\n", "a: >\n  folded\n", "a: one\n  two\n", "a: [1,\n  2]\n", "a:\tb\n", "a: 1\r\n", "a: 'open\n", "word\n", ""],
)
def test_anything_else_is_left_to_the_full_scanner(text: str):
    assert yaml_lines.events(text) is None
