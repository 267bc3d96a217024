from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core.errors import Fault, InputError
from podium.formats.agent_head import leniently, split, strictly


def test_a_head_stands_between_two_fences_and_begins_on_the_first_line() -> None:
    assert split("---\nname: qa\n---\nbody\n") == ("name: qa\n", "body\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "body\n",
        "\n---\nname: qa\n---\n",
        "---\nname: qa\n",
        "----\nname: qa\n----\n",
        " ---\na: b\n---\n",
    ],
)
def test_any_other_text_has_none(text: str) -> None:
    assert split(text) is None


def test_an_empty_head_is_a_head() -> None:
    assert split("---\n---") == ("", "")
    assert strictly("", "qa.md").values == {}


def test_the_first_line_after_it_that_closes_counts() -> None:
    assert split("---\na: b\n---  \nx\n---\ny\n") == ("a: b\n", "x\n---\ny\n")


def test_unknown_keys_are_kept_as_they_are_spelt() -> None:
    head = strictly("user-invocable: true\nX-Own: {a: [1, 2]}\n", "qa.md")
    assert head.values == {"user-invocable": True, "X-Own": {"a": [1, 2]}}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("name: a\nname: b\n", "qa.md:3"),
        ("description: Use when: this\n", "qa.md:2"),
        ("tools:\n\t- Read\n", "qa.md:3"),
        ("- a\n- b\n", "qa.md:2"),
        ("only words\n", "qa.md:2"),
        ("a: [1\n", "qa.md"),
    ],
)
def test_what_is_no_table_of_yaml_is_refused_at_its_line_in_the_file(text: str, place: str) -> None:
    with pytest.raises(InputError) as caught:
        strictly(text, "qa.md")
    assert caught.value.faults[0].where.startswith(place)


def test_read_line_by_line_a_colon_in_a_value_does_no_harm() -> None:
    head = leniently("name: qa\ndescription: Use when: x. user: \"hi\"\ncolor: 'red'\n", "qa.md")
    assert head.values == {"name": "qa", "description": 'Use when: x. user: "hi"', "color": "red"}
    assert [each.where for each in head.warnings] == ["qa.md:3"]
    assert "line by line" in head.warnings[0].what


def test_read_line_by_line_the_last_of_two_equal_keys_counts() -> None:
    assert leniently("name: a\nname: b\n", "qa.md").values == {"name": "b"}


def test_read_line_by_line_items_are_a_list_and_other_lines_below_a_text() -> None:
    text = (
        "bad: a: b\ntools:\n\t- Read\n\t- 'Bash'\nmore: [Read, \"Edit\"]\nlong: |\n  one\n\n  "
        "two: three\nempty:\nbackground: true\n"
    )
    assert leniently(text, "qa.md").values == {
        "bad": "a: b",
        "tools": ["Read", "Bash"],
        "more": ["Read", "Edit"],
        "long": "one\ntwo: three",
        "empty": None,
        "background": True,
    }


def test_a_line_that_is_nothing_is_named() -> None:
    head = leniently("bad: a: b\nwhat is this\n# a remark\n", "qa.md")
    assert [each.where for each in head.warnings] == ["qa.md:2", "qa.md:3"]


def test_good_yaml_is_read_without_a_warning() -> None:
    assert leniently("name: qa\n", "qa.md").warnings == ()


_NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,9}", fullmatch=True)
_VALUES = st.text(
    st.characters(
        min_codepoint=33, max_codepoint=0x2FF, exclude_characters="'\"[]\x7f\x85\xa0\xad"
    ),
    min_size=1,
    max_size=20,
)


@settings(max_examples=80)
@given(st.dictionaries(_NAMES, _VALUES, min_size=1, max_size=5))
def test_read_line_by_line_every_pair_comes_back(pairs: dict[str, str]) -> None:
    text = "broken: a: b\n" + "".join(
        f"{name}: {value}\n" for name, value in pairs.items() if name != "broken"
    )
    found = leniently(text, "qa.md").values
    for name, value in pairs.items():
        if name != "broken" and isinstance(found[name], str):
            assert found[name] == value


@settings(max_examples=80)
@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    leniently(text, "qa.md")
    faults: tuple[Fault, ...] = ()
    try:
        strictly(text, "qa.md")
    except InputError as error:
        faults = error.faults
    assert all(each.where.startswith("qa.md") for each in faults)
