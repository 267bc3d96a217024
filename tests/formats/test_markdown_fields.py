from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.formats.field_lines import field_value
from podium.formats.markdown import split_lines
from podium.formats.markdown_fields import (
    fields,
    fill,
    placeholders,
    put_field,
    read_field,
    replace_block,
    set_field,
)

STATE = (
    "# Run State\r\n\r\n## Execution State\r\n\r\nCurrent Status: Active  \r\n"
    "**Current Stage:** `Build`  \r\n- Stop Reason:\r\n\r\n---\r\n\r\n## Notes\r\n\r\nCurrent "
    "Status: a person's line\r\n"
)
SECTION = "Execution State"
KEYS = ("Current Status", "Current Stage", "Stop Reason")


@pytest.mark.parametrize(
    "line",
    ["    Key: value", "> Key: value", "```\nKey: value\n```", "<!--\nKey: v\n-->", "Keys: v"],
)
def test_code_quotes_comments_and_other_keys_are_no_field(line: str) -> None:
    assert read_field(line, None, "Key") is None


def test_a_field_is_read_from_its_own_section() -> None:
    assert read_field(STATE, SECTION, "current status") == "Active"
    assert read_field(STATE, "Notes", "Current Status") == "a person's line"
    assert read_field(STATE, "Nowhere", "Current Status") is None


def test_only_the_bytes_of_the_value_change() -> None:
    text = set_field(STATE, SECTION, "Current Stage", "QA")
    assert text == STATE.replace("`Build`", "`QA`")
    assert set_field(STATE, SECTION, "Stop Reason", "why") == STATE.replace(
        "Reason:", "Reason: why"
    )


def test_a_comment_behind_the_value_stays() -> None:
    assert set_field("Key: <!-- a or b -->", None, "Key", "a") == "Key: a <!-- a or b -->"
    assert set_field("Key: a <!-- a or b -->", None, "Key", "b") == "Key: b <!-- a or b -->"


def test_a_value_cannot_break_its_line_or_hide_the_next() -> None:
    text = set_field("Key: x\nOther: y\n", None, "Key", "a\n## Notes\n<!-- b")
    assert text == "Key: a ## Notes <! -- b\nOther: y\n"
    assert read_field(text, None, "Other") == "y"


def test_setting_a_field_that_is_not_there_is_refused() -> None:
    with pytest.raises(LookupError, match="no line 'Nothing:' in section 'Execution State'"):
        set_field(STATE, SECTION, "Nothing", "x")


@given(st.sampled_from(KEYS), st.text())
def test_set_then_read_gives_the_value_and_every_other_line_is_unchanged(
    key: str, value: str
) -> None:
    text = set_field(STATE, SECTION, key, value)
    assert read_field(text, SECTION, key) == field_value(value)
    before, after = split_lines(STATE), split_lines(text)
    assert len(before) == len(after)
    assert sum(old != new for old, new in zip(before, after, strict=True)) <= 1


@given(st.text(), st.text())
def test_setting_the_same_value_is_identity(prefix: str, value: str) -> None:
    text = set_field(STATE, SECTION, "Stop Reason", value)
    assert set_field(text, SECTION, "Stop Reason", value) == text
    found = read_field(text, SECTION, "Stop Reason")
    assert found is not None
    assert set_field(text, SECTION, "Stop Reason", found) == text
    for field in fields(prefix):
        assert (
            set_field(prefix, None, field.key, read_field(prefix, None, field.key) or "") == prefix
        )


@given(st.text(alphabet="ab:*_`<!-> \n\r\t#|[]"))
def test_no_text_makes_reading_fail(text: str) -> None:
    fields(text)


def test_a_new_field_joins_the_end_of_its_section() -> None:
    text = put_field("## A\n\nOne: 1\n\n---\n\n## B\n", "A", "Two", "2")
    assert text == "## A\n\nOne: 1  \nTwo: 2\n\n---\n\n## B\n"
    assert put_field("## A\n", "A", "One", "1") == "## A\n\nOne: 1\n"
    assert put_field("## A\n\nMy words.\n", "A", "One", "1") == "## A\n\nOne: 1\n\nMy words.\n"
    assert put_field("# T\n", "A", "One", "1") == "# T\n\n## A\n\nOne: 1\n"


def test_a_block_is_replaced_and_its_blank_lines_and_rule_stay() -> None:
    text = "## A\n\n- None\n\n---\n\n## B\nx\n"
    assert (
        replace_block(text, "A", ["- one", "- two"]) == "## A\n\n- one\n- two\n\n---\n\n## B\nx\n"
    )
    assert replace_block("## A\n## B\n", "A", ["- one"]) == "## A\n\n- one\n\n## B\n"
    assert replace_block("## A", "A", ["- one"]) == "## A\n\n- one\n"
    assert replace_block("## A\n<!-->\nB\n-\n", "A", ["- one"]) == "## A\n- one\n\nB\n-\n", (
        "B is still a title"
    )
    assert replace_block("## A\nold\n## B\n", "A", ["- one"]) == "## A\n- one\n## B\n"
    with pytest.raises(LookupError, match="no section 'Z'"):
        replace_block(text, "Z", [])


def test_a_filled_value_is_never_expanded_again() -> None:
    assert fill("{{A}} {{B}} {{C}}", {"A": "{{B}}", "B": "\\1"}) == "{{B}} \\1 {{C}}"


def test_placeholders_are_named_once_in_order() -> None:
    assert placeholders("{{B}} {{A}} {{B}} {{ lower }} {{ C }}") == ("B", "A", "C")


@pytest.mark.parametrize(
    "hostile",
    ["Key: `" + " " * 300_000 + "x", "{{" * 200_000, "*" * 300_000 + ":", "a" * 10**6 + ":"],
)
def test_hostile_lines_take_linear_time(hostile: str) -> None:
    before = time.process_time()
    fields(hostile)
    placeholders(hostile)
    field_value(hostile)
    assert time.process_time() - before < 3
