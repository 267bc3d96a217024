"""Values from bytes that come as they like."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from podium.agents.headless.lines import JsonLines


def test_a_value_is_given_when_its_line_ends_and_the_last_one_at_the_end() -> None:
    lines = JsonLines()
    assert list(lines.feed(b'{"a": 1}\n{"b"')) == [{"a": 1}]
    assert list(lines.feed(b": 2}")) == []
    assert list(lines.end()) == [{"b": 2}]
    assert list(lines.end()) == []


def test_what_is_no_value_is_counted_and_shown_in_part() -> None:
    lines = JsonLines()
    assert list(lines.feed(b"starting up\n\n  \n\xff\xfe{\x00\n" + b"[" * 100_000 + b"\n")) == []
    assert lines.strange == 3
    assert len(lines.last) == 200


def test_a_line_without_an_end_is_not_kept_and_the_next_one_is() -> None:
    lines = JsonLines(longest=1000)
    for _ in range(50):
        assert list(lines.feed(b"x" * 500)) == []
    assert len(lines._kept) <= 1000
    assert list(lines.feed(b"\n[1]\n")) == [[1]]
    assert lines.strange == 1


def test_a_number_of_a_million_digits_is_no_value() -> None:
    lines = JsonLines()
    assert list(lines.feed(b"1" * 1_000_000 + b"\n")) == []
    assert lines.strange == 1


@settings(max_examples=80, deadline=None)
@given(
    values=st.lists(
        st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=30)), max_size=5
    ),
    sizes=st.lists(st.integers(1, 20), min_size=1, max_size=30),
)
def test_every_value_comes_out_whatever_the_pieces(
    values: list[dict[str, object]], sizes: list[int]
) -> None:
    data = b"".join(json.dumps(each).encode() + b"\n" for each in values)
    lines, found = JsonLines(), []
    while data:
        size = sizes[len(found) % len(sizes)]
        found += lines.feed(data[:size])
        data = data[size:]
    assert [*found, *lines.end()] == values
    assert lines.strange == 0
