from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.formats.field_lines import field_value, fields_in, fold_key, one_line, parse_field


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("Key: value", "value"),
        ("Key: value  ", "value"),
        ("**Key:** value", "value"),
        ("**Key**: value", "value"),
        ("- **Key:** value", "value"),
        ("- [x] Key: value", "value"),
        ("key: `value`", "value"),
        ("Key: **value**", "value"),
        ("Key: value <!-- one of a, b -->", "value"),
        ("Key: <!-- one of a, b -->", ""),
        ("Key:", ""),
        ("Key: a: b", "a: b"),
        ("**Key: value**", "value"),
        ("- **Key: value **  <!-- one of a, b -->", "value"),
        ("__Key: value__", "value"),
        ("*Key: value*", "value"),
        ("**Key: `value`**", "value"),
        ("Key: say `a` and `b`", "say `a` and `b`"),
    ],
)
def test_a_field_is_read_with_or_without_bold_bullet_backticks_and_comment(
    line: str, value: str
) -> None:
    found = parse_field(line, 7)
    assert found is not None
    assert (found.key.casefold(), found.value, found.line) == ("key", value, 7)


@pytest.mark.parametrize(
    "line",
    [
        "https://example.org",
        "a | b: c",
        "# Key: value",
        "**Key: value",
        "**Key: value** and more",
        "**Key: a** b **c**",
        "**Key: **",
        "`Key: value`",
        "x" * 81 + ": value",
        "no colon",
        "",
    ],
)
def test_an_address_a_table_a_heading_an_open_mark_and_a_sentence_are_no_field(line: str) -> None:
    assert parse_field(line) is None


@given(
    st.from_regex(r"[A-Z][a-z]{0,8}( [A-Z][a-z]{0,8}){0,2}", fullmatch=True),
    st.text(),
    st.sampled_from(["", "- ", "  * ", "1. ", "- [ ] "]),
)
def test_the_span_of_a_value_is_what_can_be_replaced(key: str, value: str, before: str) -> None:
    line = f"{before}{key}: {field_value(value)} <!-- theirs -->"
    found = parse_field(line)
    assert found is not None
    assert (fold_key(found.key), found.value) == (fold_key(key), field_value(value))
    again = parse_field(line[: found.start] + "new" + line[found.end :])
    assert again is not None
    assert again.value == "new"


def test_a_value_within_emphasis_is_replaced_within_it() -> None:
    line = "- **Key: value** <!-- theirs -->"
    found = parse_field(line)
    assert found is not None
    assert line[: found.start] + "new" + line[found.end :] == "- **Key: new** <!-- theirs -->"


@given(st.text())
def test_a_value_in_its_form_keeps_it(value: str) -> None:
    assert field_value(field_value(value)) == field_value(value)


@given(st.text())
def test_any_text_is_one_line_that_opens_no_comment(value: str) -> None:
    assert len(one_line(value).splitlines()) <= 1
    assert "<!--" not in one_line(value)


def test_fields_come_in_the_order_of_their_lines() -> None:
    assert [
        (each.line, each.key) for each in fields_in([(1, "A: 1"), (2, "prose"), (5, "- B: 2")])
    ] == [(1, "A"), (5, "B")]


@pytest.mark.parametrize(
    "hostile", ["Key: `" + " " * 300_000 + "x", "*" * 300_000 + ":", "a" * 10**6 + ":"]
)
def test_hostile_lines_take_linear_time(hostile: str) -> None:
    before = time.process_time()
    parse_field(hostile)
    field_value(hostile)
    assert time.process_time() - before < 3
