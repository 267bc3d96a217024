"""A key is a stable path of what a step is; people may leave out its 1."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.core.keys import component, join, matches, names, numbered


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("US-7", "US-7"),
        ("v1.2_b", "v1.2_b"),
        ("a b", "a%20b"),
        ("a/b", "a%2Fb"),
        ("100%", "100%25"),
        ("é", "%C3%A9"),
        (".", "%2E"),
        ("..", "%2E%2E"),
        ("...", "..."),
    ],
)
def test_what_is_unsafe_in_a_folder_name_is_percent_encoded(text: str, part: str) -> None:
    assert component(text) == part


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(texts)
def test_a_component_is_always_one_safe_folder_name(text: str) -> None:
    part = component(text)
    assert re.fullmatch(r"[A-Za-z0-9._%-]+", part)
    assert part not in {".", ".."}


@given(texts, texts)
def test_different_texts_have_different_components(one: str, other: str) -> None:
    assert (component(one) == component(other)) == (one == other)


def test_keys_join_with_slashes_and_leave_out_what_is_empty() -> None:
    assert join("item", "US-7", "", "testing", 2) == "item/US-7/testing/2"


@pytest.mark.parametrize(
    ("number", "loops", "key"),
    [(1, False, "spec"), (1, True, "spec/1"), (2, False, "spec/2"), (2, True, "spec/2")],
)
def test_the_first_number_shows_only_in_a_loop(number: int, loops: bool, key: str) -> None:
    assert numbered("spec", number, loops=loops) == key


@pytest.mark.parametrize(
    ("pattern", "key", "meant"),
    [
        ("build", "build", True),
        ("build", "build/1", True),
        ("build/1", "build", True),
        ("build", "build/2", False),
        ("build/2", "build/2", True),
        ("build/*", "build/2", True),
        ("build/*", "build", True),
        ("item/*/testing/2", "item/US-7/testing/2", True),
        ("*", "wave/2/phase/4", True),
        ("Build", "build", False),
        ("qa", "build", False),
    ],
)
def test_a_pattern_means_a_key_with_or_without_its_one(pattern: str, key: str, meant: bool) -> None:
    assert matches(pattern, key) is meant


@pytest.mark.parametrize(
    ("spoken", "key", "meant"),
    [
        ("qa", "qa/1", True),
        ("qa", "qa/3", True),
        ("qa", "qa", True),
        ("qa/3", "qa/3", True),
        ("qa/2", "qa/3", False),
        ("q", "qa/3", False),
        ("item/US-7", "item/US-7/testing", False),
    ],
)
def test_a_name_means_all_rounds_of_a_step(spoken: str, key: str, meant: bool) -> None:
    assert names(spoken, key) is meant
