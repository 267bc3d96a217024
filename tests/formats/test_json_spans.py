from __future__ import annotations

import pytest

from podium.formats.json_spans import Holder, Part

TEXT = ' { "a" : [1, 22] ,\n"b":{} } '


def test_parts_are_where_keys_begin_and_values_begin_and_end() -> None:
    parts = Holder(TEXT, 1).parts()
    assert list(parts) == ["a", "b"]
    assert [TEXT[part.at : part.end] for part in parts.values()] == ['"a" : [1, 22]', '"b":{}']
    assert TEXT[parts["a"].start : parts["a"].end] == "[1, 22]"


def test_elements_have_indexes_and_no_keys() -> None:
    start = TEXT.index("[")
    assert Holder(TEXT, start).parts() == {
        0: Part(start + 1, start + 1, start + 2),
        1: Part(*[start + 4] * 2, start + 6),
    }


def test_a_start_is_found_without_reading_what_follows() -> None:
    broken = '{"a": 1, "b": [no json'
    holder = Holder(broken, 0)
    assert holder.start_of("b") == (broken.index('"b"'), broken.index("["))
    assert holder.part("a") == Part(1, 6, 7)


@pytest.mark.parametrize("name", ["c", 0])
def test_there_is_no_part_of_another_name(name: str | int) -> None:
    holder = Holder(TEXT, 1)
    assert holder.start_of(name) is None
    assert holder.part(name) is None


@pytest.mark.parametrize("text", ["{}", "[ ]", "1", '"a"', "null"])
def test_what_holds_nothing_has_no_parts(text: str) -> None:
    assert Holder(text, 0).parts() == {}
