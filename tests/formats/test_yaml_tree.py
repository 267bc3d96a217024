from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core.errors import InputError
from podium.formats.yaml_tree import MAX_LENGTH, parse

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


def test_values_follow_the_core_schema_and_a_date_stays_text():
    assert parse(TEXT, "x.yaml").data == {
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
    [
        "yes",
        "no",
        "on",
        "off",
        ".nan",
        ".inf",
        "1e+999",
        "1e999",
        "9" * 30,
        "0x1F",
        "1_000",
        "12e5",
    ],
)
def test_words_that_some_readers_take_for_something_else_stay_words(word: str):
    assert parse(f"a: {word}", "x").data == {"a": word}


def test_every_value_knows_its_line_and_its_bytes():
    root = parse(TEXT, "x.yaml")
    found = root.at("list", 2, "a", 1)
    assert found is not None
    assert (found.line, TEXT[found.start : found.end]) == (12, "two")
    assert root.at("list", 7) is None
    assert root.at("absent", "more") is None


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("a: &x 1\nb: *x\n", "x:1", "anchors"),
        ("a: !!str 5\n", "x:1", "tag"),
        ("a: 1\nb: 2\na: 3\n", "x:3", "second time"),
        ("a: 1\n---\nb: 1\n", "x:2", "second document"),
        ("a: [1\n", "x:", "not YAML"),
        ("\tb: 1\n", "x:1", "not YAML"),
        ("? [a]\n: 1\n", "x:1", "must be a word"),
        ("a: " + "[" * 60 + "]" * 60, "x:1", "nested"),
        ('a: "\\UFFFFFFFF"', "x", "not YAML"),
        ("x" * (MAX_LENGTH + 1), "x", "characters"),
    ],
)
def test_what_is_refused_is_named_with_its_line(text: str, place: str, words: str):
    with pytest.raises(InputError) as caught:
        parse(text, "x")
    assert any(each.where.startswith(place) and words in str(each) for each in caught.value.faults)


def test_every_refused_thing_is_told_at_once():
    with pytest.raises(InputError) as caught:
        parse("a: &x 1\na: 2\nb: !t 3\n", "x")
    assert [each.where for each in caught.value.faults] == ["x:1", "x:2", "x:3"]


def test_aliases_cannot_blow_a_document_up():
    bomb = "a: &a [x, x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(20)
    )
    with pytest.raises(InputError):
        parse(bomb, "x")


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab1:-[]{},\n #'\"|>&*!%@?\t\\U\x00é"), max_size=40))
def test_any_text_is_a_tree_or_a_fault(text: str):
    try:
        found = parse(text, "x")
    except InputError:
        return
    assert 0 <= found.start <= found.end <= len(text)
