"""JSON read strictly, and a person's JSON file changed in the style of its author."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.documents.edit import merge_json, overlaid
from podium.documents.json_tree import MAX_DEPTH, load_json, parse_json
from podium.documents.tree import Node, TreeError

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
NUMBERS = st.sampled_from(
    ["0", "-0", "1", "1.0", "1e2", "1E+2", "-3.50", "12345678901234567890", "0.1e-3"]
)
GAPS = st.sampled_from(["", "", " ", "\n", "\r\n", "\t", "  \n\t ", "\r"])
VALUES = st.one_of(st.none(), st.booleans(), st.integers(), WORDS, st.lists(WORDS, max_size=2))


@st.composite
def quoted(draw: st.DrawFn) -> str:
    """A text with each character spelled in one of the ways JSON has for it."""
    out = []
    for char in draw(WORDS):
        plain = json.dumps(char, ensure_ascii=False)[1:-1]
        escaped = json.dumps(char)[1:-1]
        forced = f"\\u{ord(char):04X}" if ord(char) < 0x10000 else escaped
        out.append(draw(st.sampled_from([plain, escaped, forced])))
    return f'"{"".join(out)}"'


@st.composite
def spelled(draw: st.DrawFn, depth: int = 3) -> str:
    """A JSON text in nobody's style."""
    kind = draw(st.sampled_from(["text", "number", "word", "array", "object"]))
    if kind == "text":
        return draw(quoted())
    if kind == "number":
        return draw(NUMBERS)
    if kind == "word" or depth == 0:
        return draw(st.sampled_from(["true", "false", "null", "[]", "{ }"]))
    parts = draw(st.lists(spelled(depth - 1), max_size=3))
    if kind == "object":
        keys = draw(
            st.lists(quoted(), min_size=len(parts), max_size=len(parts), unique_by=json.loads)
        )
        parts = [
            f"{key}{draw(GAPS)}:{draw(GAPS)}{part}" for key, part in zip(keys, parts, strict=True)
        ]
    inner = ",".join(f"{draw(GAPS)}{part}{draw(GAPS)}" for part in parts) or draw(GAPS)
    return f"[{inner}]" if kind == "array" else f"{{{inner}}}"


TEXTS = st.tuples(st.sampled_from(["", "\ufeff"]), GAPS, spelled(), GAPS).map("".join)
OBJECTS = st.tuples(
    st.sampled_from(["", "\ufeff"]),
    *(GAPS, st.just("{"), GAPS, quoted(), GAPS, st.just(":")),
    *(GAPS, spelled(), GAPS, st.just("}"), GAPS),
).map("".join)


def nodes(node: Node) -> list[Node]:
    return [node, *(inner for below in node.below() for inner in nodes(below))]


@given(TEXTS)
@settings(max_examples=150, deadline=None)
def test_values_are_those_of_the_standard_decoder_each_in_its_place(text: str) -> None:
    assert load_json(text) == parse_json(text).data == json.loads(text.removeprefix("\ufeff"))
    for node in nodes(parse_json(text)):
        assert json.loads(text[node.start : node.end]) == node.data


@given(OBJECTS, st.dictionaries(WORDS, VALUES, max_size=3))
@settings(max_examples=150, deadline=None)
def test_the_result_holds_what_was_wanted_and_what_was_there(
    text: str, wanted: dict[str, Any]
) -> None:
    data = load_json(text)
    changed = merge_json(text, wanted)
    assert load_json(changed) == overlaid(data, wanted)
    assert list(load_json(changed))[: len(data)] == list(data)
    assert merge_json(changed, wanted) == changed


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a": 1, "b": 2}', '{"a": 1, "b": 2, "new": ["x", "y"]}'),
        ('{"a":1,"b":2}', '{"a":1,"b":2,"new":["x","y"]}'),
        ('{"a":1}', '{"a":1,"new":["x", "y"]}'),
        ('{ "a": 1 }', '{ "a": 1, "new": ["x", "y"] }'),
        ("{}", '{"new": ["x", "y"]}'),
        ('{\n  "a": 1\n}\n', '{\n  "a": 1,\n  "new": [\n    "x",\n    "y"\n  ]\n}\n'),
        ('{\r\n\t"a": 1\r\n}', '{\r\n\t"a": 1,\r\n\t"new": [\r\n\t\t"x",\r\n\t\t"y"\r\n\t]\r\n}'),
        (
            '{\n    "a": [1, 2],\n    "b": []\n}',
            '{\n    "a": [1, 2],\n    "b": [],\n    "new": ["x", "y"]\n}',
        ),
        ('{\n "a": [\n  1\n ]\n}', '{\n "a": [\n  1\n ],\n "new": [\n  "x",\n  "y"\n ]\n}'),
        (
            '{\n  "a" : 1\n, "b" : 2\n}',
            '{\n  "a" : 1\n, "b" : 2\n, "new" : [\n    "x",\n    "y"\n  ]\n}',
        ),
        (r'{"a": "\u00e9"}', r'{"a": "\u00e9", "new": ["x", "y"]}'),
        ('\ufeff{"a": 1}', '\ufeff{"a": 1, "new": ["x", "y"]}'),
    ],
)
def test_a_new_member_is_written_like_its_neighbours(before: str, after: str) -> None:
    assert merge_json(before, {"new": ["x", "y"]}) == after


def test_several_new_members_come_in_the_order_given() -> None:
    assert merge_json("{}", {"b": 1, "a": 2}) == '{"b": 1, "a": 2}'
    assert merge_json('{"z":0}', {"b": 1, "a": 2}) == '{"z":0,"b":1,"a":2}'


@pytest.mark.parametrize(
    ("wanted", "old", "new"),
    [
        ({"one": ["b", "c"]}, '["a"]', '["b", "c"]'),
        ({"many": ["b", "c"]}, '"a"\n', '"b",\n    "c"\n'),
        ({"many": ["a", "c"]}, '"a"\n', '"a",\n    "c"\n'),
        ({"many": []}, '[\n    "a"\n  ]', "[]"),
    ],
)
def test_a_replaced_array_keeps_the_form_it_had(wanted: dict[str, Any], old: str, new: str) -> None:
    text = '{\n  "one": ["a"],\n  "many": [\n    "a"\n  ],\n  "none": []\n}'
    assert merge_json(text, wanted) == text.replace(old, new)


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (r'{"a": "\u00e9"}', r'{"a": "\u00e9", "b": "\u00fc"}'),
        ('{"a": "é"}', '{"a": "é", "b": "ü"}'),
        ('{"a": "e"}', '{"a": "e", "b": "ü"}'),
    ],
)
def test_letters_are_escaped_where_the_author_escapes_them(text: str, after: str) -> None:
    assert merge_json(text, {"b": "ü"}) == after


@pytest.mark.parametrize(
    ("old", "new", "stays"),
    [
        ("1", True, False),
        ("true", 1, False),
        ("0", False, False),
        ("1.0", 1, True),
        ("1e0", 1.0, True),
        ("[1, 2]", (1, 2), True),
        ("[true]", [1], False),
        ('{"b": 1, "a": 2}', {"a": 2, "b": 1}, True),
        ('"\\u0061"', "a", True),
        ("null", None, True),
        ("null", False, False),
    ],
)
def test_true_is_not_1_and_the_spelling_of_an_equal_value_stays(
    old: str, new: Any, stays: bool
) -> None:
    text = f'{{"a": {old}}}'
    assert (merge_json(text, {"a": new}) == text) is stays


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("", 1, "is not JSON: it ends too early, column 1"),
        ("{", 1, "is not JSON"),
        ('{"a": 1}\n\n{}', 3, "is not JSON: more follows after the end, column 1"),
        (
            '{\n "a": 1,\n "a": 2}',
            3,
            'is not JSON: the key "a" occurs twice in one object, column 2',
        ),
        ('{"a": {"b": 1, "\\u0062": 1}}', 1, "is not JSON: the key"),
        ('{"a":\n [NaN]}', 2, "is not JSON: NaN is not a JSON value, column 3"),
        ("[1, -Infinity]", 1, "is not JSON: -Infinity is not a JSON value, column 5"),
        ("[1e999]", 1, "is not JSON: 1e999 is too large a number, column 2"),
        ("[" + "9" * 5000 + "]", 1, "is not JSON: a number of 5000 characters, column 2"),
        ('["a", "\\ud83d!"]', 1, "is not JSON: half of a surrogate pair, column 7"),
        ('{"\\udc00": 1}', 1, "is not JSON: half of a surrogate pair, column 2"),
        ('["\ud83d"]', 1, "is not JSON: half of a surrogate pair, column 2"),
        ("\ufeff\ufeff[]", 1, "is not JSON"),
        ("[1,]", 1, "is not JSON"),
        ("{'a': 1}", 1, "is not JSON"),
        ('["a\nb"]', 1, "is not JSON"),
        ("[01]", 1, "is not JSON"),
        ("[1] // no", 1, "is not JSON"),
        ("\xa0[]", 1, "is not JSON"),
        ('{"a": 1 "b": 2}', 1, "is not JSON: a comma or } must stand here, column 9"),
        ('{"a" 1}', 1, "is not JSON: a colon must stand here, column 6"),
    ],
)
def test_what_is_not_strict_json_is_refused_with_line_column_and_fact(
    text: str, line: int, what: str
) -> None:
    with pytest.raises((ValueError, RecursionError)):
        load_json(text)
    with pytest.raises(TreeError) as caught:
        parse_json(text)
    ((at, words, _),) = caught.value.faults
    assert at == line
    assert words.startswith(what)


def test_a_whole_pair_of_surrogates_is_one_character() -> None:
    assert load_json('["\\ud83d\\ude00"]') == ["😀"]


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_has_a_limit(opening: str, closing: str) -> None:
    deepest = opening * (MAX_DEPTH - 1) + "[]" + closing * (MAX_DEPTH - 1)
    assert load_json(deepest) == parse_json(deepest).data
    for depth in (MAX_DEPTH, 100_000):
        with pytest.raises((ValueError, RecursionError)):
            load_json(opening * depth + "[]" + closing * depth)
        with pytest.raises(TreeError, match=f"nested deeper than {MAX_DEPTH} levels"):
            parse_json(opening * depth + "[]" + closing * depth)


@given(st.text('[]{}",:\\u0d8e1-+.NaIinfty \n', max_size=40))
@settings(max_examples=300)
def test_any_text_is_read_as_the_standard_decoder_reads_it_or_refused(text: str) -> None:
    try:
        data = load_json(text)
    except ValueError:
        with pytest.raises(TreeError):
            parse_json(text)
        return
    assert data == parse_json(text).data == json.loads(text)


@pytest.mark.parametrize("value", [math.nan, math.inf, "\ud800", ["\ud800"], {"\udfff": 1}])
def test_a_value_that_json_cannot_hold_is_never_written(value: Any) -> None:
    for text in ('{"a": 1}', r'{"a": "\u00e9"}'):
        with pytest.raises(ValueError):
            merge_json(text, {"a": value})


@pytest.mark.parametrize("text", ["[1]", "null", '"a"', "{", ""])
def test_what_is_no_object_takes_no_members(text: str) -> None:
    with pytest.raises(TreeError):
        merge_json(text, {"a": 1})


def test_lines_are_those_of_the_innermost_value_that_is_there() -> None:
    root = parse_json('\n{\n "a":\n  [\n   1,\n   2]}')
    paths: list[tuple[Any, ...]] = [(), ("a",), ("a", 1), ("a", 9), ("b", "c")]
    assert [root.line_of(path) for path in paths] == [2, 4, 6, 4, 2]


def test_one_of_a_thousand_items_changes_alone() -> None:
    items = [{"id": n, "title": f"Ü {n}", "more": {"deep": [n, "}{"]}} for n in range(1000)]
    text = json.dumps({"items": items, "end": 1}, indent=2, ensure_ascii=False)
    changed = merge_json(text, {"items": [{"id": 417, "title": "new"}]})
    assert changed == text.replace('"Ü 417"', '"new"')
