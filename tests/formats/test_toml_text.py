"""TOML of people is read or refused, whatever the library thinks of it."""

from __future__ import annotations

import pytest

from podium.core.errors import InputError
from podium.formats.toml_text import parse


def test_a_table_is_returned() -> None:
    assert parse("a = 1\n[b]\nc = 2\n", "f") == {"a": 1, "b": {"c": 2}}


def test_a_file_may_begin_with_the_mark_that_some_editors_put_there() -> None:
    assert parse("\ufeffa = 1\r\n", "f") == {"a": 1}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = \n", "f: is not TOML: Invalid value (at line 1, column 5)"),
        ("a = " + "[" * 5000, "f: is not TOML: it is nested too deeply"),
        ("a = " + "9" * 5000, "f: is not TOML: Exceeds the limit"),
    ],
)
def test_anything_else_is_refused_with_its_file(text: str, said: str) -> None:
    with pytest.raises(InputError) as fault:
        parse(text, "f")
    assert str(fault.value).startswith(said)
