from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.importing.wording import fragment, hits, numbers, words


def test_words_are_folded_and_names_taken_apart() -> None:
    assert words("Write `run-state.md` and maxRetries, WAITING_APPROVAL!") == {
        "write",
        "run",
        "state",
        "md",
        "run-state-md",
        "and",
        "max",
        "retries",
        "max-retries",
        "waiting",
        "approval",
        "waiting-approval",
    }


def test_a_term_is_the_beginning_of_a_word_and_a_short_one_all_of_it() -> None:
    said = words("Retries of the qa loop")
    assert hits(["retr", "qa", "loo", "lo", "remediat"], said) == {"retr", "qa"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("at most 2 retries", (2,)),
        ("retry once, then twice", (1, 2)),
        ("up to three times", (3,)),
        ("below 5%", (0.05,)),
        ("confidence 0.9", (0.9,)),
        ("`retryCount < 2`", (2,)),
        ("see `step 3` and §4", ()),
        ("version v2 of PROJ-12", ()),
        ("one of them", ()),
        ("one by one", ()),
        ("step 1.2 and 4", (1.2, 4)),
        ("HTTP/1.1", ()),
    ],
)
def test_numbers_are_figures_and_words_that_count(text: str, found: tuple[float, ...]) -> None:
    assert numbers(text) == found


def test_a_fragment_is_short_and_plain() -> None:
    assert fragment("**Never** use `x` for\n it | now", 4) == "Never use x for …"
    assert fragment("Stop") == "Stop"
    assert fragment("Follow the [guide](../x.md) here") == "Follow the guide here"


@settings(max_examples=80)
@given(st.text(max_size=200))
def test_any_text_has_words_numbers_and_a_fragment(text: str) -> None:
    assert all(word == word.lower() for word in words(text) if word.isascii())
    assert all(number >= 0 for number in numbers(text))
    assert len(fragment(text).split()) <= 7
