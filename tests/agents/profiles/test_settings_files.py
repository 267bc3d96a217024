"""Settings of agent programs, read for the address of a model."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.agents.profiles.settings_files import named

JSON = """{
  // the "company's" own: https://x.example
  "env": {"A": "https://a.example//v1", "B": "a /* b */ c",}, /* { */
  "chosen": "two",
  "of": {"one": {"url": "1"}, "two": {"url": "2"}, "none": 3,},
}"""


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("env.A", ["https://a.example//v1"]),
        ("env.B", ["a /* b */ c"]),
        ("of.*.url", ["1", "2"]),
        ("of.{chosen}.url", ["2"]),
        ("of.{other}.url", []),
        ("chosen.url", []),
        ("env", []),
    ],
)
def test_a_value_of_json_is_read_past_comments_and_last_commas(
    path: str, values: list[str]
) -> None:
    assert named(JSON, ".json", path) == values


def test_a_value_of_toml_and_of_lines_is_read() -> None:
    assert named("a.b = 'x'\n", ".toml", "a.b") == ["x"]
    lines = "#A=0\nA=\nexport A = 'x y' # z\nB=1\nA=http://h # z\nA: w\n"
    assert named(lines, "", "A") == ["x y", "http://h", "w"]


@pytest.mark.parametrize("suffix", [".toml", ".json"])
@pytest.mark.parametrize("text", ["{", "[" * 100_000, "a = " + "[" * 100_000, '"', "/*"])
def test_what_cannot_be_read_is_said_to_be_so(text: str, suffix: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        named(text, suffix, "a.b")


@given(
    st.text(), st.sampled_from([".toml", ".json", ".yml", ""]), st.sampled_from(["a.b", "*", "A"])
)
def test_any_text_has_values_or_cannot_be_read(text: str, suffix: str, path: str) -> None:
    try:
        values = named(text, suffix, path)
    except ValueError:
        return
    assert all(value and value == value.strip() for value in values)


@given(st.dictionaries(st.text(), st.text()))
def test_every_text_of_strict_json_is_read_as_json_reads_it(table: dict[str, str]) -> None:
    expected = [value.strip() for value in table.values() if value.strip()]
    assert named(json.dumps(table), ".json", "*") == expected
