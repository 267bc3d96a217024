"""The same value has the same bytes and so the same name."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.core.digest import canonical, digest, digest_of


def test_a_digest_names_the_content_and_how_it_was_made() -> None:
    expected = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    assert digest("hello") == digest(b"hello") == expected


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [1, 2]}, '{"a":[1,2],"b":1}'),
        ("é", '"é"'),
        (None, "null"),
        ({}, "{}"),
        ({"a": {"d": True, "c": 1.5}}, '{"a":{"c":1.5,"d":true}}'),
    ],
)
def test_canonical_json_has_sorted_keys_no_spaces_and_plain_letters(value: Any, text: str) -> None:
    assert canonical(value) == text


def test_what_json_cannot_say_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical(float("nan"))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner)
    ),
    max_leaves=12,
)


@given(values)
def test_canonical_json_survives_a_round_trip(value: Any) -> None:
    assert canonical(json.loads(canonical(value))) == canonical(value)


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.integers()))
def test_the_order_of_members_does_not_matter(value: dict[str, int]) -> None:
    assert digest_of(dict(reversed(value.items()))) == digest_of(value)
