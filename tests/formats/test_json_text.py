from __future__ import annotations

import copy
import json
import math
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from podium.core.errors import InputError
from podium.formats.json_text import DEEPEST, Tree, Way, parse

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
NUMBERS = st.sampled_from(
    ["0", "-0", "1", "1.0", "1e2", "1E+2", "-3.50", "12345678901234567890", "0.1e-3"]
)
GAPS = st.sampled_from(["", "", " ", "\n", "\r\n", "\t", "  \n\t ", "\r"])


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
HOLDERS = st.tuples(
    *(
        st.sampled_from(["", "\ufeff"]),
        GAPS,
        st.just("{"),
        GAPS,
        quoted(),
        GAPS,
        st.just(":"),
        GAPS,
    ),
    *(spelled(), GAPS, st.just("}"), GAPS),
).map("".join)
"""An object, whatever is inside."""
VALUES = st.one_of(st.none(), st.booleans(), st.integers(), WORDS, st.lists(WORDS, max_size=2))


def ways(value: Any) -> list[Way]:
    """The way to every value inside this one."""
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [way for key, each in inner for way in ((key,), *((key, *rest) for rest in ways(each)))]


def at(value: Any, way: Way) -> Any:
    for step in way:
        value = value[step]
    return value


def fault(text: str) -> str:
    with pytest.raises(InputError) as caught:
        parse(text, "x.json")
    (only,) = caught.value.faults
    return str(only)


@given(TEXTS)
@settings(max_examples=150)
def test_values_are_those_of_the_standard_decoder_and_equal_values_change_no_byte(
    text: str,
) -> None:
    tree = parse(text, "x.json")
    assert tree.value == json.loads(text.removeprefix("\ufeff"))
    assert (
        tree.edited({way: at(tree.value, way) for way in ways(tree.value) if len(way) < 3}) == text
    )
    for way in ways(tree.value):
        start, end = tree.span(way)
        assert json.loads(tree.text[start:end]) == at(tree.value, way)


@given(HOLDERS, VALUES, st.data())
@settings(max_examples=150)
def test_a_change_stays_within_the_span_of_its_value(
    text: str, new: Any, data: st.DataObject
) -> None:
    tree = parse(text, "x.json")
    way = data.draw(st.sampled_from(ways(tree.value)))
    start, end = tree.span(way)
    found = tree.edited({way: new})
    changed = parse(found, "x.json")
    assert found.startswith(tree.mark + tree.text[:start])
    assert found.endswith(tree.text[end:])
    expected = copy.deepcopy(tree.value)
    at(expected, way[:-1])[way[-1]] = new
    assert changed.value == expected
    assert changed.edited({way: new}) == found


@given(HOLDERS, WORDS, VALUES, st.data())
@settings(max_examples=150)
def test_a_new_member_joins_at_the_end_and_moves_nothing(
    text: str, key: str, new: Any, data: st.DataObject
) -> None:
    tree = parse(text, "x.json")
    objects = [way for way in [(), *ways(tree.value)] if isinstance(at(tree.value, way), dict)]
    way = data.draw(st.sampled_from(objects))
    assume(key not in at(tree.value, way))
    found = tree.edited({(*way, key): new})
    changed = parse(found, "x.json").value
    assert list(at(changed, way)) == [*at(tree.value, way), key]
    del at(changed, way)[key]
    assert changed == json.loads(text.removeprefix("\ufeff"))
    added = len(found) - len(text)
    cut = next(
        n for n in range(len(text) + 1) if text[:n] == found[:n] and text[n:] == found[n + added :]
    )
    assert 0 <= cut <= len(text)


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
    ],
)
def test_a_new_member_is_written_like_its_neighbours(before: str, after: str) -> None:
    assert parse(before, "x.json").edited({("new",): ["x", "y"]}) == after


def test_several_new_members_come_in_the_order_given() -> None:
    assert parse("{}", "x.json").edited({("b",): 1, ("a",): 2}) == '{"b": 1, "a": 2}'
    assert parse('{"z":0}', "x.json").edited({("b",): 1, ("a",): 2}) == '{"z":0,"b":1,"a":2}'


def test_a_replaced_array_keeps_the_form_it_had() -> None:
    text = '{\n  "one": ["a"],\n  "many": [\n    "a"\n  ],\n  "none": []\n}'
    tree = parse(text, "x.json")
    assert tree.edited({("one",): ["b", "c"]}) == text.replace('["a"]', '["b", "c"]')
    assert tree.edited({("many",): ["b", "c"]}) == text.replace('"a"\n', '"b",\n    "c"\n')
    assert tree.edited({("many",): []}) == '{\n  "one": ["a"],\n  "many": [],\n  "none": []\n}'


def test_letters_are_escaped_where_the_author_escapes_them() -> None:
    assert (
        parse(r'{"a": "\u00e9"}', "x.json").edited({("b",): "ü"})
        == r'{"a": "\u00e9", "b": "\u00fc"}'
    )
    assert parse('{"a": "é"}', "x.json").edited({("b",): "ü"}) == '{"a": "é", "b": "ü"}'
    assert parse('{"a": "e"}', "x.json").edited({("b",): "ü"}) == '{"a": "e", "b": "ü"}'


@pytest.mark.parametrize(
    ("old", "new", "kept"),
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
    old: str, new: Any, kept: bool
) -> None:
    text = f'{{"a": {old}}}'
    assert (parse(text, "x.json").edited({("a",): new}) == text) is kept


def test_a_mark_at_the_beginning_and_a_missing_final_newline_stay() -> None:
    text = '\ufeff{"a": 1}'
    assert parse(text, "x.json").edited({("a",): 2}) == '\ufeff{"a": 2}'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "x.json:1: is not JSON"),
        ("{", "x.json:1: is not JSON"),
        ('{"a": 1}\n\n{}', "x.json:3: is not JSON: Extra data, column 1"),
        (
            '{\n "a": 1,\n "a": 2}',
            'x.json:3: is not JSON: the key "a" occurs twice in one object, column 2',
        ),
        ('{"a": {"b": 1, "\\u0062": 1}}', "x.json:1: is not JSON: the key"),
        ('{"a":\n [NaN]}', "x.json:2: is not JSON: NaN is not a JSON value, column 3"),
        ("[1, -Infinity]", "x.json:1: is not JSON: -Infinity is not a JSON value, column 5"),
        ("[1e999]", "x.json:1: is not JSON: 1e999 is too large a number, column 2"),
        ("[" + "9" * 5000 + "]", "x.json:1: is not JSON: a number of 5000 characters, column 2"),
        ('["a", "\\ud83d!"]', "x.json:1: is not JSON: half of a surrogate pair, column 7"),
        ('{"\\udc00": 1}', "x.json:1: is not JSON: half of a surrogate pair, column 2"),
        ('["\ud83d"]', "x.json:1: is not JSON: half of a surrogate pair, column 3"),
        ("\ufeff\ufeff[]", "x.json:1: is not JSON"),
        ("[1,]", "x.json:1: is not JSON"),
        ("{'a': 1}", "x.json:1: is not JSON"),
        ('["a\nb"]', "x.json:1: is not JSON"),
        ("[01]", "x.json:1: is not JSON"),
        ("[1] // no", "x.json:1: is not JSON"),
        ("\xa0[]", "x.json:1: is not JSON"),
    ],
)
def test_what_is_not_strict_json_is_refused_with_line_column_and_fact(text: str, said: str) -> None:
    assert fault(text).startswith(said)


def test_a_whole_pair_of_surrogates_is_one_character() -> None:
    assert parse('["\\ud83d\\ude00"]', "x.json").value == ["😀"]


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_has_a_limit(opening: str, closing: str) -> None:
    inner = "[]"
    deepest = opening * (DEEPEST - 1) + inner + closing * (DEEPEST - 1)
    assert parse(deepest, "x.json").edited({}) == deepest
    for depth in (DEEPEST, 100_000):
        said = fault(opening * depth + inner + closing * depth)
        assert said.startswith(f"x.json:1: is not JSON: nested deeper than {DEEPEST} levels")


@given(st.text('[]{}",:\\u0d8e1-+.NaIinfty \n', max_size=40))
@settings(max_examples=300)
def test_any_text_is_read_as_the_standard_decoder_reads_it_or_refused(text: str) -> None:
    try:
        found = parse(text, "x.json").value
    except InputError:
        return
    assert found == json.loads(text)


@pytest.mark.parametrize("way", [(), ("b", 0), ("a", 2), ("a", "x"), ("c", "d"), ("a", 0, "x")])
def test_a_way_that_leads_nowhere_is_refused(way: Way) -> None:
    with pytest.raises(LookupError):
        parse('{"a": [1, 2]}', "x.json").edited({way: 1})


def test_a_change_inside_another_is_refused() -> None:
    tree = parse('{"a": {"b": 1}}', "x.json")
    for inner in ("b", "c"):
        with pytest.raises(LookupError):
            tree.edited({("a",): {}, ("a", inner): 2})


@pytest.mark.parametrize("value", [math.nan, math.inf, "\ud800", ["\ud800"], {"\udfff": 1}])
def test_a_value_that_json_cannot_hold_is_never_written(value: Any) -> None:
    for text in ('{"a": 1}', r'{"a": "\u00e9"}'):
        with pytest.raises(ValueError):
            parse(text, "x.json").edited({("a",): value})


def test_lines_are_those_of_the_innermost_value_that_is_there() -> None:
    tree = parse('\n{\n "a":\n  [\n   1,\n   2]}', "x.json")
    assert [tree.line(way) for way in [(), ("a",), ("a", 1), ("a", 9), ("b", "c")]] == [
        2,
        3,
        6,
        3,
        2,
    ]


def test_one_of_a_thousand_items_changes_alone() -> None:
    items = [{"id": n, "title": f"Ü {n}", "more": {"deep": [n, "}{"]}} for n in range(1000)]
    text = json.dumps({"items": items, "end": 1}, indent=2, ensure_ascii=False)
    tree = parse(text, "x.json")
    for n in (0, 417, 999):
        old = f'"id": {n},'
        assert tree.edited({("items", n, "id"): -1}) == text.replace(old, '"id": -1,')


def test_a_tree_of_one_text_is_not_disturbed_by_its_edits() -> None:
    tree: Tree = parse('{"a": [1, {"b": 2}]}', "x.json")
    for _ in range(2):
        assert tree.edited({("a", 1, "b"): 3}) == '{"a": [1, {"b": 3}]}'
        assert tree.edited({("a", 0): 0}) == '{"a": [0, {"b": 2}]}'
    assert tree.value == {"a": [1, {"b": 2}]}
